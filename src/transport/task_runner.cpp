#include "transport/task_runner.hpp"

#include <chrono>
#include <iterator>
#include <utility>

#include "transport/spin.hpp"

namespace strads::transport {

namespace {

bool is_small(const engine::Task& task) {
  return task.flops < kSmallTaskFlops;
}

}  // namespace

// A single thread has no pieces of others to take, and the next task seldom follows at once: looking for it would keep
// a core from the threads that carry messages.
TaskRunner::TaskRunner(unsigned threads, Wake& wake)
    : wake_(wake), pool_(threads, threads > 1 ? std::chrono::nanoseconds(kSpin) : std::chrono::nanoseconds(0)) {}

void TaskRunner::begin() {
  if (running_++ == 0) since_ = Clock::now();
}

void TaskRunner::end() {
  if (--running_ == 0) busy_seconds_ += std::chrono::duration<double>(Clock::now() - since_).count();
}

std::uint64_t TaskRunner::flops_here(const engine::Effects& effects) {
  std::uint64_t flops = 0;
  for (const engine::Task& task : effects.tasks) flops += is_small(task) ? task.flops : 0;
  return flops;
}

void TaskRunner::start_tasks(const std::shared_ptr<engine::NodeRun>& run) {
  engine::Effects& effects = run->effects;
  std::uint64_t flops = 0;
  while (!effects.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects.tasks);
    for (auto task = batch.begin(); task != batch.end(); ++task) {
      if (!is_small(*task)) {
        submit(std::move(*task), run);
        continue;
      }
      if (flops >= kLongFlops && !effects.messages.empty()) {
        effects.tasks.insert(effects.tasks.begin(), std::move_iterator(task), std::move_iterator(batch.end()));
        return;
      }
      flops += task->flops;
      run_here(*task, *run);
    }
  }
}

void TaskRunner::run_here(const engine::Task& task, engine::NodeRun& run) {
  begin();
  const std::uint64_t begun = time();
  SerialChunks serial;
  task.run(serial);
  if (times_ != nullptr) times_->note(task, run.number, begun, time());
  end();
  task.done(run.effects);
}

void TaskRunner::submit(engine::Task task, const std::shared_ptr<engine::NodeRun>& run) {
  ++outstanding_;
  ++run->tasks;
  begin();
  auto shared = std::make_shared<Pooled>(Pooled{.task = std::move(task), .run = run});
  pool_.submit([this, shared](Chunks& chunks) {
    shared->begun = time();
    shared->task.run(chunks);
    shared->ended = time();
    done_.push(shared);
    wake_.wake();
  });
}

void TaskRunner::collect() {
  if (outstanding_ == 0) return;
  for (const auto& ended : done_.pop_all(std::chrono::nanoseconds(0))) {
    --outstanding_;
    --ended->run->tasks;
    end();
    if (times_ != nullptr) times_->note(ended->task, ended->run->number, ended->begun, ended->ended);
    ended->task.done(ended->run->effects);
  }
}

bool TaskRunner::finish(std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (outstanding_ > 0 && Clock::now() < deadline) {
    for (std::size_t ended = done_.pop_all(std::chrono::milliseconds(50)).size(); ended > 0; --ended) {
      --outstanding_;
      end();
    }
  }
  return outstanding_ == 0;
}

}  // namespace strads::transport
