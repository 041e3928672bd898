#include "sim/processors.hpp"

#include <algorithm>
#include <utility>

namespace strads::sim {

double price_of(const Cost& cost, const CostConstants& constants) {
  return static_cast<double>(cost.streamed) * constants.streamed_flop +
         static_cast<double>(cost.tiled) * constants.tiled_flop +
         static_cast<double>(cost.local) * constants.local_flop;
}

double price_of_one_thread(const Cost& cost, const CostConstants& constants) {
  return static_cast<double>(cost.swept) * constants.streamed_flop +
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
  const Cost cost = task->run(chunks);
  const double seconds = price_of(cost, constants_) * slowdown_;
  const double alone = price_of_one_thread(cost, constants_) * slowdown_;
  const unsigned free = threads_ - running_;
  const auto pieces = static_cast<unsigned>(std::min<std::size_t>(chunks.most(), free));
  const unsigned used = waiting_.size() >= free ? 1 : std::max(1U, pieces);
  seconds_[static_cast<std::size_t>(task->kind)] += seconds;
  take(used);
  const double crowd = crowded();
  queue_.at(queue_.now() + time_of((seconds - alone) / used * crowd), [this, task, used, alone] {
    give_back(used - 1);  // the other threads are free for other tasks, what is left is done by one
    queue_.at(queue_.now() + time_of(alone * crowded() + (constants_.task + constants_.hand_over) * slowdown_),
              [this, task] {
                give_back(1);
                if (!stopped_) ended_(task);
                start_next();
              });
    start_next();
  });
}

void Processors::take(unsigned threads) {
  running_ += threads;
  cores_.running += threads;
}

void Processors::give_back(unsigned threads) {
  running_ -= threads;
  cores_.running -= threads;
}

double Processors::crowded() const {
  return std::max(1.0, static_cast<double>(cores_.running) / cores_.total);
}

}  // namespace strads::sim
