#include "sim/processors.hpp"

#include <algorithm>
#include <utility>

namespace strads::sim {

double price_of(const Cost& cost, const CostConstants& constants) {
  return static_cast<double>(cost.streamed) * constants.streamed_flop +
         static_cast<double>(cost.tiled) * constants.tiled_flop +
         static_cast<double>(cost.local) * constants.local_flop;
}

const char* task_name(engine::TaskKind kind) {
  static constexpr std::array<const char*, kTaskKinds> kNames{"scan", "plan",  "push",      "combine",
                                                              "pull", "apply", "recompute", "refresh"};
  return kNames[static_cast<std::size_t>(kind)];
}

Processors::Processors(EventQueue& queue, Cores& cores, unsigned threads, double slowdown,
                       const CostConstants& constants, Ended ended)
    : queue_(queue),
      cores_(cores),
      threads_(std::max(1U, threads)),
      slowdown_(slowdown),
      constants_(constants),
      ended_(std::move(ended)) {}

double Processors::run_inline(const engine::Task& task) {
  SerialChunks serial;
  const double seconds = (constants_.task + price_of(task.run(serial), constants_)) * slowdown_;
  seconds_[static_cast<std::size_t>(task.kind)] += seconds;
  return seconds;
}

void Processors::submit(std::shared_ptr<engine::Task> task) {
  waiting_.push_back(std::move(task));
  // Not at once: tasks that are submitted together share the threads, and none takes them all.
  queue_.at(queue_.now(), [this] { start_next(); });
}

void Processors::start_next() {
  while (!stopped_ && !waiting_.empty() && running_ < threads_) {
    const auto task = std::move(waiting_.front());
    waiting_.pop_front();
    start(task);
  }
}

void Processors::start(const std::shared_ptr<engine::Task>& task) {
  CountingChunks chunks;
  const double seconds = price_of(task->run(chunks), constants_) * slowdown_;
  const unsigned free = threads_ - running_;
  const auto pieces = static_cast<unsigned>(std::min<std::size_t>(chunks.most(), free));
  const unsigned used = waiting_.size() >= free ? 1 : std::max(1U, pieces);
  running_ += used;
  cores_.running += used;
  const double crowded = std::max(1.0, static_cast<double>(cores_.running) / cores_.total);
  seconds_[static_cast<std::size_t>(task->kind)] += seconds;
  const double lasts = seconds / used * crowded + constants_.hand_over * slowdown_;
  queue_.at(queue_.now() + time_of(lasts), [this, task, used] {
    running_ -= used;
    cores_.running -= used;
    if (!stopped_) ended_(task);
    start_next();
  });
}

}  // namespace strads::sim
