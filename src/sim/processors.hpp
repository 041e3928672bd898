// The cores of a node, and what tasks cost on them. Layer: sim. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "engine/rounds/effects.hpp"
#include "sim/event_queue.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {

/// Seconds of one core of the reference machine for what a task has counted.
[[nodiscard]] double price_of(const Cost& cost, const CostConstants& constants);
/// The part of it that more threads do not make shorter: sweeps of coordinate descent, inner solves.
[[nodiscard]] double price_of_one_thread(const Cost& cost, const CostConstants& constants);

inline constexpr std::size_t kTaskKinds = 8;
/// "scan", "plan" ...
[[nodiscard]] const char* task_name(engine::TaskKind kind);

/// A plain loop that notes how many pieces a task can be spread over.
class CountingChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    most_ = count > most_ ? count : most_;
    for (std::size_t i = 0; i < count; ++i) piece(i);
  }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

 private:
  std::size_t most_ = 1;
};

/// Cores that several nodes of one host may share.
struct Cores {
  unsigned total = 1;
  unsigned running = 0;
};

/// Runs tasks in the order of submission, as the thread pool does: a task begins when a thread is free. Threads without
/// a task of their own help those that have pieces for them; sweeps and inner solves, which come last, keep one.
class Processors {
 public:
  using Ended = std::function<void(const std::shared_ptr<engine::Task>&)>;

  Processors(EventQueue& queue, Cores& cores, unsigned threads, double slowdown, const CostConstants& constants,
             Ended ended);

  void submit(std::shared_ptr<engine::Task> task);
  /// What is running or waiting never ends.
  void stop() { stopped_ = true; }
  void set_slowdown(double slowdown) { slowdown_ = slowdown; }

  [[nodiscard]] bool busy() const noexcept { return tasks_ > 0 || !waiting_.empty(); }
  /// Core-seconds, by kind of task.
  [[nodiscard]] const std::array<double, kTaskKinds>& seconds() const noexcept { return seconds_; }
  /// A task that the loop runs itself; returns its seconds.
  double run_inline(const engine::Task& task);

 private:
  /// What a task can share with other threads.
  struct Spread {
    std::shared_ptr<engine::Task> task;
    double left = 0;   ///< core-seconds, at `since`
    double alone = 0;  ///< seconds after that, of one thread
    unsigned pieces = 1;
    unsigned threads = 1;
    double crowd = 1;
    Time since = 0;
    unsigned plan = 0;  ///< of its end; earlier ones do not hold any more
  };

  void start_next();
  void start(const std::shared_ptr<engine::Task>& task);
  /// Deals the threads anew: something began or ended.
  void share_threads();
  void end_spread(const std::shared_ptr<Spread>& spread);
  void use(unsigned before, unsigned now);
  /// How much longer everything takes since the host has fewer cores than threads that run.
  [[nodiscard]] double crowded() const;

  EventQueue& queue_;
  Cores& cores_;
  unsigned threads_;
  double slowdown_;
  CostConstants constants_;
  Ended ended_;
  std::deque<std::shared_ptr<engine::Task>> waiting_;
  unsigned tasks_ = 0;  ///< that have begun and not ended
  std::vector<std::shared_ptr<Spread>> spreads_;
  bool stopped_ = false;
  std::array<double, kTaskKinds> seconds_{};
};

}  // namespace strads::sim
