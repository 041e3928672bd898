// Runs a node's tasks beside its loop, which stays free for messages. Layer: transport.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rounds/effects.hpp"
#include "engine/session/hosted_runs.hpp"
#include "transport/mailbox.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/thread_pool.hpp"
#include "transport/time_log.hpp"

namespace strads::transport {

/// Arithmetic for which messages to others do not wait: more of it takes longer than one more message costs.
inline constexpr std::uint64_t kLongFlops = 20'000;

/// Small tasks run at once on the caller's thread, since waking another one costs more; the others on a pool.
class TaskRunner {
 public:
  /// `threads` >= 1: of the pool. `wake` is woken when a task has ended.
  TaskRunner(unsigned threads, Wake& wake);
  /// From now on. nullptr: no times are noted. REQUIRES: it outlives this, and no task has begun.
  void note_times(TimeLog* times) { times_ = times; }

  /// Expected work of those tasks that start_tasks() runs on the caller's thread.
  [[nodiscard]] static std::uint64_t flops_here(const engine::Effects& effects);
  /// Runs or submits what this run's effects ask for, until only tasks of the pool are left. Their ends may ask for
  /// more. Where they have messages to send it stops after kLongFlops.
  void start_tasks(const std::shared_ptr<engine::NodeRun>& run);
  /// Handles the ends of tasks, each with the effects of its run.
  void collect();
  /// Waits for the pool; the ends of its tasks are dropped. False: `limit` has passed and a task still runs.
  [[nodiscard]] bool finish(std::chrono::milliseconds limit);

  /// Time in which at least one task ran, as the loop sees it.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// A task of the pool, and the run that it belongs to.
  struct Pooled {
    engine::Task task;
    std::shared_ptr<engine::NodeRun> run;
    std::uint64_t begun = 0, ended = 0;  ///< where times are noted
  };

  void run_here(const engine::Task& task, engine::NodeRun& run);
  void submit(engine::Task task, const std::shared_ptr<engine::NodeRun>& run);
  [[nodiscard]] std::uint64_t time() const { return times_ == nullptr ? 0 : times_->time(); }
  void begin();
  void end();

  Wake& wake_;
  TimeLog* times_ = nullptr;
  unsigned outstanding_ = 0;
  unsigned running_ = 0;
  Clock::time_point since_;
  double busy_seconds_ = 0;
  Mailbox<std::shared_ptr<Pooled>> done_;
  ThreadPool pool_;  // last: its threads end before what they use
};

}  // namespace strads::transport
