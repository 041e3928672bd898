// All computing threads of a node. Layer: transport.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "strads/base/chunks.hpp"
#include "transport/spin.hpp"

namespace strads::transport {

/// A task below it runs on the thread that gave it: waking another one costs more.
inline constexpr std::uint64_t kSmallTaskFlops = 100'000;

/// Runs tasks, and lets threads that have none help those that run: whoever is idle takes pieces of a running
/// task's for_each. Started work comes before new tasks, so that a task that others wait for ends soon.
///
/// An idle thread looks for work for a short time after its last one, then sleeps until it is woken; a pool without
/// work uses no processor time.
class ThreadPool {
 public:
  /// `threads`: threads of the pool, besides those of the caller. 0 counts as 1. With 1, tasks run one after the other
  /// and their for_each is a plain loop.
  /// `spin`: for how long an idle thread looks.
  explicit ThreadPool(unsigned threads, std::chrono::nanoseconds spin = kSpin);
  /// Waits for the tasks that are running. Those that have not begun are dropped: they never run.
  /// REQUIRES: not called by one of the pool's threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Runs task(chunks) on some thread, tasks beginning in the order of submission. Thread-safe; a task may submit
  /// others. REQUIRES: the task does not throw.
  void submit(std::function<void(Chunks&)> task);

  /// What the tasks get. A thread outside the pool may use it as well: it then computes beside the pool's threads.
  ///
  /// for_each: any free thread takes the next piece, the caller included. A for_each inside a piece is a plain loop on
  /// its thread (all others have pieces of the outer one to take), and so is one with fewer than two pieces.
  [[nodiscard]] Chunks& chunks() { return chunks_; }

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(threads_.size()); }

 private:
  struct Job;  // a for_each in progress; lives on its caller's stack

  class PoolChunks final : public Chunks {
   public:
    explicit PoolChunks(ThreadPool& pool) : pool_(pool) {}
    void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override;

   private:
    ThreadPool& pool_;
  };

  void run_thread();
  /// Drops what was not begun and waits for the threads.
  void stop();
  void share(Job& job);
  void wait_for_helpers(Job& job);
  [[nodiscard]] Job* open_job() const;
  void help(std::unique_lock<std::mutex>& lock, Job& job);
  void sleep(std::unique_lock<std::mutex>& lock);

  const std::chrono::nanoseconds spin_;
  PoolChunks chunks_{*this};
  std::mutex mutex_;
  std::condition_variable work_;         // for idle threads
  std::condition_variable ended_;        // for callers whose last pieces are with helpers
  std::atomic<std::uint64_t> news_ = 0;  // counts what idle threads should look at, to be read without the mutex
  std::deque<std::function<void(Chunks&)>> tasks_;
  std::vector<Job*> jobs_;  // in order of their beginning
  unsigned sleeping_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace strads::transport
