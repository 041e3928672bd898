#include "transport/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <future>
#include <latch>
#include <memory>
#include <numeric>
#include <set>

namespace strads::transport {
namespace {

// Runs `task` in the pool and waits for its end.
void run(ThreadPool& pool, const std::function<void(Chunks&)>& task) {
  std::latch done(1);
  pool.submit([&](Chunks& chunks) {
    task(chunks);
    done.count_down();
  });
  done.wait();
}

std::vector<int> calls_of_each_piece(ThreadPool& pool, std::size_t count) {
  std::vector<std::atomic<int>> calls(count);
  run(pool, [&](Chunks& chunks) { chunks.for_each(count, [&](std::size_t i) { ++calls[i]; }); });
  return {calls.begin(), calls.end()};
}

TEST(ThreadPool, CallsEveryPieceExactlyOnceForAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      EXPECT_EQ(calls_of_each_piece(pool, count), std::vector<int>(count, 1)) << threads << ' ' << count;
    }
  }
}

TEST(ThreadPool, NoThreadsCountAsOne) {
  ThreadPool pool(0);
  EXPECT_EQ(pool.threads(), 1U);
  EXPECT_EQ(calls_of_each_piece(pool, 3), std::vector<int>(3, 1));
}

TEST(ThreadPool, WithOneThreadForEachIsAPlainLoopInOrder) {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  std::set<std::thread::id> threads;
  run(pool, [&](Chunks& chunks) {
    threads.insert(std::this_thread::get_id());
    chunks.for_each(5, [&](std::size_t i) {
      order.push_back(i);
      threads.insert(std::this_thread::get_id());
    });
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(threads.size(), 1U);
}

TEST(ThreadPool, IdleThreadsTakePiecesOfARunningTask) {
  ThreadPool pool(3);
  std::latch all_inside(3);
  run(pool, [&](Chunks& chunks) {
    chunks.for_each(3, [&](std::size_t) { all_inside.arrive_and_wait(); });  // ends only with three threads at once
  });
  SUCCEED();
}

TEST(ThreadPool, SleepingThreadsAreWokenToHelp) {
  ThreadPool pool(2);
  for (int i = 0; i < 5; ++i) {
    const auto asleep = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < asleep) std::this_thread::yield();  // far beyond kSpin
    std::latch both_inside(2);
    run(pool, [&](Chunks& chunks) { chunks.for_each(2, [&](std::size_t) { both_inside.arrive_and_wait(); }); });
  }
}

TEST(ThreadPool, TasksRunAtTheSameTime) {
  ThreadPool pool(2);
  std::latch both_running(2);
  std::latch done(2);
  for (int i = 0; i < 2; ++i) {
    pool.submit([&](Chunks&) {
      both_running.arrive_and_wait();
      done.count_down();
    });
  }
  done.wait();
}

TEST(ThreadPool, TasksBeginInTheOrderOfSubmission) {
  ThreadPool pool(1);
  std::vector<int> order;
  std::latch done(20);
  for (int i = 0; i < 20; ++i) {
    pool.submit([&order, &done, i](Chunks&) {
      order.push_back(i);
      done.count_down();
    });
  }
  done.wait();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPool, AForEachInsideAPieceRunsOnItsOwnThread) {
  ThreadPool pool(3);
  std::atomic<int> inner_calls = 0;
  std::atomic<bool> strayed = false;
  run(pool, [&](Chunks& chunks) {
    chunks.for_each(20, [&](std::size_t) {
      const auto self = std::this_thread::get_id();
      chunks.for_each(10, [&](std::size_t) {
        ++inner_calls;
        if (std::this_thread::get_id() != self) strayed = true;
      });
    });
  });
  EXPECT_EQ(inner_calls, 200);
  EXPECT_FALSE(strayed);
}

TEST(ThreadPool, ForEachInsideASinglePieceIsStillShared) {
  ThreadPool pool(2);
  std::latch both_inside(2);
  run(pool, [&](Chunks& chunks) {
    chunks.for_each(1, [&](std::size_t) { chunks.for_each(2, [&](std::size_t) { both_inside.arrive_and_wait(); }); });
  });
  SUCCEED();
}

TEST(ThreadPool, AThreadOutsideMayShareItsWork) {
  for (const unsigned threads : {1U, 2U}) {
    ThreadPool pool(threads);
    std::latch all_inside(threads + 1);
    pool.chunks().for_each(threads + 1, [&](std::size_t) { all_inside.arrive_and_wait(); });
  }
  SUCCEED();
}

TEST(ThreadPool, SumsOfSlotsAreTheSameForAnyNumberOfThreads) {
  std::vector<double> sums;
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    std::vector<double> slots(333);
    run(pool, [&](Chunks& chunks) {
      chunks.for_each(slots.size(), [&](std::size_t i) { slots[i] = 1.0 / static_cast<double>(3 * i + 1); });
    });
    sums.push_back(std::accumulate(slots.begin(), slots.end(), 0.0));
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

TEST(ThreadPool, ATaskMaySubmitOthers) {
  ThreadPool pool(2);
  std::latch done(3);
  pool.submit([&](Chunks&) {
    for (int i = 0; i < 2; ++i) pool.submit([&](Chunks&) { done.count_down(); });
    done.count_down();
  });
  done.wait();
}

TEST(ThreadPool, TheDestructorWaitsForRunningTasksAndDropsTheRest) {
  const auto queued = std::make_shared<int>(0);  // one copy in each task that has not begun
  bool finished = false;
  std::atomic<int> others = 0;
  std::promise<void> begun;
  std::promise<void> go_on;
  auto pool = std::make_unique<ThreadPool>(1);
  pool->submit([&](Chunks& chunks) {
    begun.set_value();
    go_on.get_future().wait();
    std::atomic<int> pieces = 0;
    chunks.for_each(4, [&](std::size_t) { ++pieces; });
    finished = pieces == 4;
  });
  begun.get_future().wait();
  for (int i = 0; i < 10; ++i) pool->submit([&others, queued](Chunks&) { ++others; });
  EXPECT_EQ(queued.use_count(), 11);
  // The running task may end once the destructor has begun, that is when it has dropped the others.
  std::thread releaser([&] {
    while (queued.use_count() > 1) std::this_thread::yield();
    go_on.set_value();
  });
  pool.reset();
  EXPECT_TRUE(finished);
  EXPECT_EQ(others, 0);
  releaser.join();
}

TEST(ThreadPool, APoolWithoutWorkUsesNoProcessorTime) {
  ThreadPool pool(4);
  run(pool, [](Chunks& chunks) { chunks.for_each(8, [](std::size_t) {}); });
  const auto processor_seconds = [] {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  };
  const double before = processor_seconds();
  std::promise<void> never;
  (void)never.get_future().wait_for(std::chrono::milliseconds(100));  // this thread waits without using any either
  EXPECT_LT(processor_seconds() - before, 0.03);                      // four busy threads would use 0.1 at least
}

// Many short for_each calls from several tasks at once, with nested ones and submissions in between.
TEST(ThreadPoolStress, ManyShortLoopsFromManyTasks) {
  ThreadPool pool(4);
  constexpr int kTasks = 60;
  constexpr std::size_t kLoops = 50;
  std::atomic<std::size_t> pieces = 0;
  std::atomic<bool> wrong = false;
  std::latch done(kTasks);
  for (int t = 0; t < kTasks; ++t) {
    pool.submit([&, t](Chunks& chunks) {
      for (std::size_t loop = 0; loop < kLoops; ++loop) {
        const std::size_t count = 1 + (loop + static_cast<std::size_t>(t)) % 9;
        std::vector<std::size_t> slots(count);  // plain memory: a lost piece or a race shows here
        chunks.for_each(count, [&](std::size_t i) {
          slots[i] += i + 1;
          chunks.for_each(2, [&](std::size_t) { pieces.fetch_add(1, std::memory_order_relaxed); });
        });
        if (std::accumulate(slots.begin(), slots.end(), std::size_t{0}) != count * (count + 1) / 2) wrong = true;
      }
      done.count_down();
    });
  }
  done.wait();
  EXPECT_FALSE(wrong);
  std::size_t expected = 0;
  for (std::size_t t = 0; t < kTasks; ++t) {
    for (std::size_t loop = 0; loop < kLoops; ++loop) expected += 2 * (1 + (loop + t) % 9);
  }
  EXPECT_EQ(pieces, expected);
}

TEST(ThreadPoolStress, PoolsComeAndGoWithWorkInEveryState) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    {
      ThreadPool pool(1 + static_cast<unsigned>(round) % 4);
      for (int t = 0; t < round % 7; ++t) {
        pool.submit([&](Chunks& chunks) {
          ++begun;
          chunks.for_each(5, [](std::size_t) { std::this_thread::yield(); });
          ++ended;
        });
      }
    }
    EXPECT_EQ(begun, ended);
  }
}

}  // namespace
}  // namespace strads::transport
