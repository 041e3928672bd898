#include "transport/task_runner.hpp"

#include <utility>

namespace strads::transport {

namespace {
/// A task below this is done before another thread has woken up for it (about 20 us of arithmetic).
}  // namespace

TaskRunner::TaskRunner(unsigned threads, Wake& wake) : wake_(wake), pool_(threads) {}

void TaskRunner::begin() {
  if (running_++ == 0) since_ = Clock::now();
}

void TaskRunner::end() {
  if (--running_ == 0) busy_seconds_ += std::chrono::duration<double>(Clock::now() - since_).count();
}

void TaskRunner::take(engine::Effects& effects) {
  while (!effects.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects.tasks);
    for (engine::Task& task : batch) {
      if (task.flops < kSmallTaskFlops) {
        run_here(task, effects);
      } else {
        submit(std::move(task));
      }
    }
  }
}

void TaskRunner::run_here(const engine::Task& task, engine::Effects& effects) {
  begin();
  SerialChunks serial;
  task.run(serial);
  end();
  task.done(effects);
}

void TaskRunner::submit(engine::Task task) {
  ++outstanding_;
  begin();
  auto shared = std::make_shared<engine::Task>(std::move(task));
  pool_.submit([this, shared](Chunks& chunks) {
    shared->run(chunks);
    done_.push(shared);
    wake_.wake();
  });
}

void TaskRunner::collect(engine::Effects& effects) {
  if (outstanding_ == 0) return;
  for (const auto& task : done_.pop_all(std::chrono::nanoseconds(0))) {
    --outstanding_;
    end();
    task->done(effects);
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
