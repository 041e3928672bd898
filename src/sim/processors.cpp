#include "sim/processors.hpp"

#include <algorithm>
#include <utility>

namespace strads::sim {

double price_of(const Cost& cost, const CostConstants& constants) {
  return static_cast<double>(cost.streamed - cost.swept - cost.scattered) * constants.streamed_flop +
         static_cast<double>(cost.scattered) * constants.scattered_flop +
         static_cast<double>(cost.tiled) * constants.tiled_flop +
         static_cast<double>(cost.quantised) * constants.quantised_flop +
         static_cast<double>(cost.gathered) * constants.gathered_byte + price_of_one_thread(cost, constants);
}

double price_of_one_thread(const Cost& cost, const CostConstants& constants) {
  return static_cast<double>(cost.swept) * constants.swept_flop +
         static_cast<double>(cost.local) * constants.local_flop +
         static_cast<double>(cost.fresh) * constants.fresh_byte;
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
  while (!stopped_ && !waiting_.empty() && tasks_ < threads_) {
    const auto task = std::move(waiting_.front());
    waiting_.pop_front();
    start(task);
  }
  share_threads();
}

void Processors::start(const std::shared_ptr<engine::Task>& task) {
  CountingChunks chunks;
  const Cost cost = task->run(chunks);
  const double seconds = price_of(cost, constants_) * slowdown_;
  seconds_[static_cast<std::size_t>(task->kind)] += seconds;
  use(0, 1);
  auto spread = std::make_shared<Spread>();
  spread->task = task;
  spread->alone = price_of_one_thread(cost, constants_) * slowdown_;
  spread->left = seconds - spread->alone;
  spread->pieces = static_cast<unsigned>(std::clamp<std::size_t>(chunks.most(), 1, threads_));
  spread->since = queue_.now();
  ++tasks_;
  spreads_.push_back(std::move(spread));
}

void Processors::share_threads() {
  const Time now = queue_.now();
  for (const auto& spread : spreads_) {
    spread->left = std::max(0.0, spread->left - seconds_of(now - spread->since) * spread->threads / spread->crowd);
    spread->since = now;
    use(spread->threads, 1);
    spread->threads = 1;
  }
  unsigned free = threads_ - std::min(threads_, tasks_);
  for (std::size_t at = 0; at < spreads_.size(); ++at) {
    Spread& spread = *spreads_[at];
    const auto others = static_cast<unsigned>(spreads_.size() - at);
    const unsigned more = std::min(spread.pieces - 1, (free + others - 1) / others);
    free -= more;
    use(1, 1 + more);
    spread.threads = 1 + more;
  }
  for (const auto& spread : spreads_) {
    spread->crowd = crowded();
    const unsigned plan = ++spread->plan;
    queue_.at(now + time_of(spread->left / spread->threads * spread->crowd), [this, spread, plan] {
      if (spread->plan == plan) end_spread(spread);
    });
  }
}

void Processors::end_spread(const std::shared_ptr<Spread>& spread) {
  spreads_.erase(std::find(spreads_.begin(), spreads_.end(), spread));
  use(spread->threads, 1);
  const double rest = spread->alone * crowded() + (constants_.task + constants_.hand_over) * slowdown_;
  queue_.at(queue_.now() + time_of(rest), [this, task = spread->task] {
    use(1, 0);
    --tasks_;
    if (!stopped_) ended_(task);
    start_next();
  });
  share_threads();
}

void Processors::use(unsigned before, unsigned now) {
  cores_.running += now;
  cores_.running -= before;
}

double Processors::crowded() const {
  return std::max(1.0, static_cast<double>(cores_.running) / cores_.total);
}

}  // namespace strads::sim
