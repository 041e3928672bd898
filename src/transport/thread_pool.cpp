#include "transport/thread_pool.hpp"

#include <algorithm>
#include <utility>

#include "strads/base/status.hpp"

namespace strads::transport {
namespace {

// Whether this thread is inside a piece of some for_each.
thread_local bool inside_piece = false;
// The pool that this thread belongs to, if any.
thread_local const ThreadPool* own_pool = nullptr;

}  // namespace

struct ThreadPool::Job {
  const std::function<void(std::size_t)>& piece;
  std::size_t count;
  // The counters lie on cache lines of their own: every claim writes the first.
  alignas(64) std::atomic<std::size_t> next = 0;
  alignas(64) std::atomic<unsigned> helpers = 0;  // raised and lowered under the pool's mutex
  bool caller_sleeps = false;                     // under the pool's mutex

  [[nodiscard]] bool open() const { return next.load(std::memory_order_relaxed) < count; }

  void run_pieces() {
    inside_piece = true;
    for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      piece(i);
    }
    inside_piece = false;
  }
};

ThreadPool::ThreadPool(unsigned threads, std::chrono::nanoseconds spin) : spin_(spin) {
  threads = std::max(threads, 1U);
  threads_.reserve(threads);
  try {
    // Held until all exist: threads() and the test for a single thread read the vector.
    const std::lock_guard lock(mutex_);
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run_thread(); });
  } catch (...) {
    stop();  // a thread that goes while it runs would end the process
    throw;
  }
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() {
  {
    std::deque<std::function<void(Chunks&)>> dropped;  // destroyed after the unlock: captures may do anything
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
    news_.fetch_add(1, std::memory_order_release);
  }
  work_.notify_all();
  for (std::thread& thread : threads_) {
    STRADS_CHECK(thread.get_id() != std::this_thread::get_id(), "a thread cannot wait for its own end");
    thread.join();
  }
}

void ThreadPool::submit(std::function<void(Chunks&)> task) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
    news_.fetch_add(1, std::memory_order_release);
    wake = sleeping_ > 0;
  }
  if (wake) work_.notify_one();
}

void ThreadPool::PoolChunks::for_each(std::size_t count, const std::function<void(std::size_t)>& piece) {
  const bool nobody_else = pool_.threads() == 1 && own_pool == &pool_;
  if (count < 2 || inside_piece || nobody_else) {
    for (std::size_t i = 0; i < count; ++i) piece(i);
    return;
  }
  Job job{.piece = piece, .count = count};
  pool_.share(job);
  job.run_pieces();
  pool_.wait_for_helpers(job);
}

void ThreadPool::share(Job& job) {
  std::size_t wake = 0;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    news_.fetch_add(1, std::memory_order_release);
    wake = std::min<std::size_t>(sleeping_, job.count - 1);
  }
  for (std::size_t i = 0; i < wake; ++i) work_.notify_one();
}

/// All pieces are claimed; those of helpers may still be running. The job must not end before they have let go of it.
void ThreadPool::wait_for_helpers(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, &job);  // nobody can join any more
  }
  const auto alone = [&job] { return job.helpers.load(std::memory_order_acquire) == 0; };
  if (spin_until(kSpin, alone)) return;
  std::unique_lock lock(mutex_);
  job.caller_sleeps = true;
  ended_.wait(lock, alone);
}

void ThreadPool::run_thread() {
  own_pool = this;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (Job* const job = open_job(); job != nullptr) {
      help(lock, *job);
    } else if (!tasks_.empty()) {
      {
        const auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task(chunks_);
      }  // the task's captures end here, without the mutex
      lock.lock();
    } else {
      sleep(lock);
    }
  }
}

ThreadPool::Job* ThreadPool::open_job() const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->open(); });
  return found == jobs_.end() ? nullptr : *found;
}

void ThreadPool::help(std::unique_lock<std::mutex>& lock, Job& job) {
  job.helpers.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  job.run_pieces();
  lock.lock();
  // Read before the count falls: a spinning caller ends the job at that moment.
  const bool caller_sleeps = job.caller_sleeps;
  job.helpers.fetch_sub(1, std::memory_order_release);
  if (caller_sleeps) ended_.notify_all();
}

/// Waits for news: looks for a while, then sleeps. May return without any.
void ThreadPool::sleep(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t seen = news_.load(std::memory_order_relaxed);
  const auto is_new = [this, seen] { return news_.load(std::memory_order_acquire) != seen; };
  lock.unlock();
  const bool found = spin_until(spin_, is_new);
  lock.lock();
  if (found || is_new()) return;
  ++sleeping_;
  work_.wait(lock, is_new);
  --sleeping_;
}

}  // namespace strads::transport
