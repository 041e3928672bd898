// Which tasks a node's loop does itself, and when it stops to send what they said.
#include "transport/task_runner.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace strads::transport {
namespace {

/// A task that says one message when it is done.
engine::Task speaker(std::uint64_t flops) {
  return {.kind = engine::TaskKind::push,
          .run = [](Chunks&) { return Cost{}; },
          .done = [](engine::Effects& effects) { effects.send(wire::Address{}, wire::Finish{}); },
          .flops = flops};
}

class ATaskRunner : public testing::Test {
 protected:
  void give(std::size_t count, std::uint64_t flops) {
    for (std::size_t i = 0; i < count; ++i) effects_.tasks.push_back(speaker(flops));
  }
  Wake wake_;
  TaskRunner runner_{1, wake_};
  std::shared_ptr<engine::NodeRun> run_ = std::make_shared<engine::NodeRun>();
  engine::Effects& effects_ = run_->effects;
};

TEST_F(ATaskRunner, DoesSmallTasksAtOnce) {
  give(9, 100);
  runner_.start_tasks(run_);
  EXPECT_TRUE(effects_.tasks.empty());
  EXPECT_EQ(effects_.messages.size(), 9U);
}

TEST_F(ATaskRunner, StopsWhereMessagesHaveWaitedForLong) {
  give(9, kLongFlops / 2);
  runner_.start_tasks(run_);
  EXPECT_EQ(effects_.messages.size(), 2U);
  EXPECT_EQ(effects_.tasks.size(), 7U);
  effects_.messages.clear();
  runner_.start_tasks(run_);
  EXPECT_EQ(effects_.messages.size(), 2U) << "it goes on where it stopped";
  EXPECT_EQ(effects_.tasks.size(), 5U);
}

TEST_F(ATaskRunner, GoesOnWhereNothingWaits) {
  give(9, kLongFlops / 2);
  for (engine::Task& task : effects_.tasks) task.done = [](engine::Effects&) {};
  runner_.start_tasks(run_);
  EXPECT_TRUE(effects_.tasks.empty());
}

TEST_F(ATaskRunner, CountsOnlyWhatTheLoopDoes) {
  give(2, 1000);
  give(1, kSmallTaskFlops);
  EXPECT_EQ(TaskRunner::flops_here(effects_), 2000U);
  runner_.start_tasks(run_);
  EXPECT_EQ(run_->tasks, 1U) << "is under way";
  EXPECT_TRUE(runner_.finish(std::chrono::seconds(10)));
}

TEST_F(ATaskRunner, GivesTheEndOfATaskToItsRun) {
  const auto other = std::make_shared<engine::NodeRun>();
  other->effects.tasks.push_back(speaker(kSmallTaskFlops));
  give(2, kSmallTaskFlops);
  runner_.start_tasks(run_);
  runner_.start_tasks(other);
  while (run_->tasks + other->tasks > 0) runner_.collect();
  EXPECT_EQ(effects_.messages.size(), 2U);
  EXPECT_EQ(other->effects.messages.size(), 1U);
}

}  // namespace
}  // namespace strads::transport
