#include "engine/rounds/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cluster.hpp"
#include "support/scripted_model.hpp"

namespace strads::engine {
namespace {

using support::Script;
using support::ScriptedModel;
using support::texts_of;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

wire::Assign assign_of(Round round, Version base, std::vector<VarId> variables = {4, 5}, std::uint32_t index = 0) {
  wire::Assign assign;
  assign.round = round;
  assign.index = index;
  assign.base = base;
  assign.block = {std::move(variables), {}};
  return assign;
}

/// A worker of a run with 3 schedulers.
class WorkerStory : public testing::Test {
 protected:
  explicit WorkerStory(std::uint32_t depth = 1)
      : replica_(model_, depth, [this](const wire::Commit& commit, Effects& out) {
          worker_.note_committed(commit.version);
          worker_.on_advanced(out);
        }) {}
  void begin() {
    replica_.start();
    resume();
  }
  void resume() {
    replica_.resume(effects_);
    worker_.on_advanced(effects_);
  }
  void commit(Version version) {
    wire::Commit commit;
    commit.version = version;
    commit.step = 1;
    commit.changes = {{0}, {1.0}};
    replica_.on_commit(commit, effects_);
    support::run_tasks(effects_);
  }

  ScriptedModel model_{Script{}};
  Replica replica_;
  Worker worker_{EngineOptions{.schedulers = 3, .workers = 2}, model_, replica_};
  Effects effects_;
};

class WorkerStoryAtDepthTwo : public WorkerStory {
 protected:
  WorkerStoryAtDepthTwo() : WorkerStory(2) {}
};

TEST_F(WorkerStory, ComputesABlockAndAnswersItsScheduler) {
  begin();
  worker_.on_assign(assign_of(4, -1), effects_);
  EXPECT_THAT(effects_.messages, IsEmpty()) << "arithmetic runs in a task";
  EXPECT_THAT(effects_.tasks, SizeIs(1));
  support::run_tasks(effects_);
  EXPECT_THAT(texts_of(effects_), ElementsAre("scheduler 1 <- Deltas round=4 index=0 predicted=2 flops=4 bytes=0 "
                                              "updates=2 deltas.ids=[4 5] deltas.values=[1 1] tally=[]"));
}

TEST_F(WorkerStory, ExpectsAThousandFlopsAPassAndVariable) {
  begin();
  auto assign = assign_of(4, -1);
  assign.sweeps = 3;
  worker_.on_assign(assign, effects_);
  ASSERT_THAT(effects_.tasks, SizeIs(1));
  EXPECT_EQ(effects_.tasks[0].flops, 6000u);
}

TEST(WorkerTask, ExpectsTheFlopsThatTheModelSays) {
  Script script;
  script.push_flops = 7'000'000'000;
  const ScriptedModel model{script};
  Effects effects;
  Replica replica(model, 1, [](const wire::Commit&, Effects&) {});
  Worker worker{EngineOptions{}, model, replica};
  replica.start();
  replica.resume(effects);
  worker.on_assign(assign_of(0, -1, {4}), effects);
  ASSERT_THAT(effects.tasks, SizeIs(1));
  EXPECT_EQ(effects.tasks[0].flops, 7'000'000'000u);
}

TEST_F(WorkerStory, WaitsForTheBaseVersion) {
  begin();
  worker_.on_assign(assign_of(1, 0), effects_);
  EXPECT_THAT(effects_.tasks, IsEmpty());
  commit(0);
  EXPECT_THAT(texts_of(effects_), ElementsAre("scheduler 1 <- Deltas round=1 index=0 predicted=2 flops=4 bytes=0 "
                                              "updates=2 deltas.ids=[4 5] deltas.values=[2 2] tally=[]"));
}

TEST_F(WorkerStory, WaitsForTheStart) {
  worker_.on_assign(assign_of(0, -1), effects_);
  EXPECT_THAT(effects_.tasks, IsEmpty());
  begin();
  EXPECT_THAT(effects_.tasks, SizeIs(1));
}

TEST_F(WorkerStory, WaitsForThePhaseEvenWhenTheVersionIsHere) {
  // At a barrier the replica may still be recomputed from the data: same version, other bits.
  begin();
  commit(0);
  replica_.pause();
  worker_.on_assign(assign_of(1, 0), effects_);
  EXPECT_THAT(effects_.tasks, IsEmpty());
  resume();
  EXPECT_THAT(effects_.tasks, SizeIs(1));
}

TEST_F(WorkerStory, AnAssignmentRepeatedWhileItWaitsIsCountedAndDropped) {
  begin();
  worker_.on_assign(assign_of(1, 0), effects_);
  worker_.on_assign(assign_of(1, 0), effects_);
  EXPECT_EQ(worker_.repeated_assigns(), 1u);
  commit(0);
  EXPECT_THAT(effects_.messages, SizeIs(1));
}

TEST_F(WorkerStory, AnAssignmentRepeatedWhileItIsComputedIsCountedAndDropped) {
  begin();
  worker_.on_assign(assign_of(0, -1), effects_);
  worker_.on_assign(assign_of(0, -1), effects_);
  EXPECT_EQ(worker_.repeated_assigns(), 1u);
  EXPECT_THAT(effects_.tasks, SizeIs(1));
}

TEST_F(WorkerStory, AnAssignmentRepeatedAfterTheAnswerIsAnsweredAgain) {
  // The answer may have been lost; the scheduler drops the second one.
  begin();
  worker_.on_assign(assign_of(0, -1), effects_);
  support::run_tasks(effects_);
  worker_.on_assign(assign_of(0, -1), effects_);
  support::run_tasks(effects_);
  const auto texts = texts_of(effects_);
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(WorkerStory, ComputesABlockOnceHoweverOftenItIsAssigned) {
  begin();
  for (int times = 0; times < 3; ++times) {
    worker_.on_assign(assign_of(0, -1), effects_);
    support::run_tasks(effects_);
  }
  EXPECT_THAT(effects_.messages, SizeIs(3));
  EXPECT_EQ(worker_.repeated_answers(), 2u);
  commit(0);
  EXPECT_EQ(worker_.blocks_computed(), 1u);
  EXPECT_EQ(worker_.updates_computed(), 2u);
}

TEST_F(WorkerStory, DoesNotCountABlockWhoseRoundIsNeverCommitted) {
  // A limit ends the run while rounds are in flight: what the nodes count sums to what the run counts.
  begin();
  worker_.on_assign(assign_of(0, -1), effects_);
  support::run_tasks(effects_);
  EXPECT_EQ(worker_.blocks_computed(), 0u);
  EXPECT_EQ(worker_.updates_computed(), 0u);
}

TEST_F(WorkerStory, KeepsAnswersUntilTheirRoundIsCommitted) {
  begin();
  worker_.on_assign(assign_of(0, -1, {1}, 0), effects_);
  worker_.on_assign(assign_of(0, -1, {2}, 1), effects_);
  support::run_tasks(effects_);
  EXPECT_EQ(worker_.answers_kept(), 2u);
  commit(0);
  EXPECT_EQ(worker_.answers_kept(), 0u);
}

TEST_F(WorkerStoryAtDepthTwo, AnAssignmentOfACommittedRoundIsCountedAndDropped) {
  // Its base is still here at D = 2, but nobody waits for the answer.
  begin();
  commit(0);
  worker_.on_assign(assign_of(0, -1), effects_);
  EXPECT_EQ(worker_.stale_assigns(), 1u);
  EXPECT_THAT(effects_.tasks, IsEmpty());
}

TEST_F(WorkerStory, AnAnswerThatComesAfterTheCommitIsNotSent) {
  // The block was given to another worker as well, which was faster.
  begin();
  worker_.on_assign(assign_of(0, -1), effects_);
  std::vector<Task> push;
  push.swap(effects_.tasks);
  commit(0);
  effects_.tasks = std::move(push);
  support::run_tasks(effects_);
  EXPECT_THAT(effects_.messages, IsEmpty());
  EXPECT_EQ(worker_.answers_kept(), 0u);
  EXPECT_EQ(worker_.blocks_computed(), 0u) << "it is the other one's";
}

TEST_F(WorkerStory, AnAssignmentThatNoSchedulerCanHaveSentIsCountedAndDropped) {
  begin();
  worker_.on_assign(assign_of(-1, -2), effects_);
  worker_.on_assign(assign_of(0, 0), effects_);           // no round reads itself
  worker_.on_assign(assign_of(0, -1, {1, 6}), effects_);  // 6 variables: 0 ... 5
  auto other = assign_of(0, -1);
  other.worker = 2;  // of 2
  worker_.on_assign(other, effects_);
  EXPECT_EQ(worker_.wrong_assigns(), 4u);
  EXPECT_THAT(effects_.tasks, IsEmpty());
}

TEST_F(WorkerStory, AnAssignmentForAVersionThatIsGoneIsCountedAndDropped) {
  begin();
  commit(0);
  worker_.on_assign(assign_of(0, -1), effects_);
  EXPECT_EQ(worker_.stale_assigns(), 1u);
  EXPECT_THAT(effects_.tasks, IsEmpty());
  EXPECT_THAT(effects_.messages, IsEmpty());
}

TEST_F(WorkerStory, ComputesSeveralBlocksOfARound) {
  begin();
  worker_.on_assign(assign_of(0, -1, {1}, 0), effects_);
  worker_.on_assign(assign_of(0, -1, {2}, 1), effects_);
  EXPECT_THAT(effects_.tasks, SizeIs(2));
}

TEST_F(WorkerStoryAtDepthTwo, ReadsTheBaseAndNotTheNewestVersion) {
  begin();
  commit(0);
  commit(1);
  worker_.on_assign(assign_of(2, 0), effects_);
  support::run_tasks(effects_);
  EXPECT_THAT(texts_of(effects_), ElementsAre("scheduler 2 <- Deltas round=2 index=0 predicted=2 flops=4 bytes=0 "
                                              "updates=2 deltas.ids=[4 5] deltas.values=[2 2] tally=[]"));
}

TEST_F(WorkerStoryAtDepthTwo, ACommitDoesNotChangeWhatARunningTaskReads) {
  begin();
  worker_.on_assign(assign_of(1, -1), effects_);
  std::vector<Task> push;
  push.swap(effects_.tasks);
  commit(0);
  effects_.tasks = std::move(push);
  support::run_tasks(effects_);
  EXPECT_THAT(texts_of(effects_), ElementsAre("scheduler 1 <- Deltas round=1 index=0 predicted=2 flops=4 bytes=0 "
                                              "updates=2 deltas.ids=[4 5] deltas.values=[1 1] tally=[]"));
}

}  // namespace
}  // namespace strads::engine
