#include "engine/rounds/replica.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cluster.hpp"
#include "support/scripted_model.hpp"

namespace strads::engine {
namespace {

using support::Script;
using support::ScriptedModel;
using support::ScriptedState;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

wire::Commit commit_with_step(Version version, double step = 1) {
  wire::Commit commit;
  commit.version = version;
  commit.step = step;
  if (step != 0) commit.changes = {{0}, {1.0}};
  return commit;
}

class ReplicaStory : public testing::Test {
 protected:
  void begin(std::uint32_t depth, bool running = true) {
    replica_ = std::make_unique<Replica>(
        model_, depth, [this](const wire::Commit& commit, Effects&) { applied_.push_back(commit.version); });
    replica_->start();
    if (running) replica_->resume(effects_);
  }
  void commit(Version version, double step = 1) {
    replica_->on_commit(commit_with_step(version, step), effects_);
    support::run_tasks(effects_);
  }
  double value_at(Version version) const { return static_cast<const ScriptedState&>(*replica_->at(version)).values[0]; }

  std::shared_ptr<support::Calls> calls_ = std::make_shared<support::Calls>();
  ScriptedModel model_{Script{}};
  std::unique_ptr<Replica> replica_;
  std::vector<Version> applied_;
  Effects effects_;
};

TEST_F(ReplicaStory, StartsAtVersionMinusOne) {
  begin(1);
  EXPECT_EQ(replica_->version(), -1);
  EXPECT_EQ(value_at(-1), 0.0);
}

TEST_F(ReplicaStory, AppliesCommitsInOrder) {
  begin(1);
  commit(0);
  commit(1);
  EXPECT_THAT(applied_, ElementsAre(0, 1));
  EXPECT_EQ(value_at(1), 2.0);
}

TEST_F(ReplicaStory, AnEarlyCommitWaitsForTheOneBefore) {
  begin(1);
  commit(2);
  commit(1);
  EXPECT_THAT(applied_, IsEmpty());
  commit(0);
  EXPECT_THAT(applied_, ElementsAre(0, 1, 2));
}

TEST_F(ReplicaStory, ARepeatedCommitIsCountedAndDropped) {
  begin(1);
  commit(0);
  commit(0);
  EXPECT_EQ(value_at(0), 1.0);
  EXPECT_EQ(replica_->repeated_commits(), 1u);
}

TEST_F(ReplicaStory, ACommitRepeatedWhileItWaitsIsCountedAndDropped) {
  begin(1);
  commit(1);
  commit(1);
  EXPECT_EQ(replica_->repeated_commits(), 1u);
  commit(0);
  EXPECT_EQ(value_at(1), 2.0);
}

TEST_F(ReplicaStory, ACommitRepeatedWhileItIsAppliedIsCountedAndDropped) {
  begin(1);
  replica_->on_commit(commit_with_step(0), effects_);
  replica_->on_commit(commit_with_step(0), effects_);
  EXPECT_EQ(replica_->repeated_commits(), 1u);
  support::run_tasks(effects_);
  EXPECT_EQ(value_at(0), 1.0);
}

TEST_F(ReplicaStory, CommitsThatComeBeforeTheirPhaseWait) {
  begin(1, false);
  commit(0);
  EXPECT_THAT(applied_, IsEmpty());
  replica_->resume(effects_);
  support::run_tasks(effects_);
  EXPECT_THAT(applied_, ElementsAre(0));
}

TEST_F(ReplicaStory, APausedReplicaAppliesNothing) {
  begin(1);
  commit(0);
  replica_->pause();
  commit(1);
  EXPECT_EQ(replica_->version(), 0);
}

TEST_F(ReplicaStory, AppliesOneCommitAtATime) {
  begin(2);
  replica_->on_commit(commit_with_step(0), effects_);
  replica_->on_commit(commit_with_step(1), effects_);
  EXPECT_THAT(effects_.tasks, SizeIs(1));
}

TEST_F(ReplicaStory, KeepsTheDNewestVersions) {
  begin(3);
  for (Version v = 0; v <= 5; ++v) commit(v);
  EXPECT_EQ(replica_->at(2), nullptr);
  EXPECT_EQ(value_at(3), 4.0);
  EXPECT_EQ(value_at(4), 5.0);
  EXPECT_EQ(value_at(5), 6.0);
  EXPECT_EQ(replica_->at(6), nullptr);
}

TEST_F(ReplicaStory, AtDepthOneOnlyTheCurrentVersionIsKept) {
  begin(1);
  commit(0);
  EXPECT_EQ(replica_->at(-1), nullptr);
  EXPECT_NE(replica_->at(0), nullptr);
}

TEST_F(ReplicaStory, AtDepthOneChangesInPlaceWhenNobodyReads) {
  begin(1);
  const State* before = replica_->current().get();
  commit(0);
  EXPECT_EQ(replica_->current().get(), before);
}

TEST_F(ReplicaStory, AStateThatATaskStillReadsIsNotChanged) {
  begin(1);
  const auto held = replica_->at(-1);
  commit(0);
  EXPECT_EQ(static_cast<const ScriptedState&>(*held).values[0], 0.0);
  EXPECT_EQ(value_at(0), 1.0);
}

TEST_F(ReplicaStory, AStateThatIsBeingChangedInPlaceIsNotHandedOut) {
  begin(1);
  replica_->on_commit(commit_with_step(0), effects_);
  EXPECT_EQ(replica_->at(-1), nullptr) << "a repeated ASSIGN would read it while apply writes it";
  support::run_tasks(effects_);
  EXPECT_NE(replica_->at(0), nullptr);
}

TEST_F(ReplicaStory, AnEmptyCommitKeepsTheStateAndTheVersionGoesOn) {
  begin(2);
  const State* before = replica_->current().get();
  commit(0, 0.0);
  EXPECT_EQ(replica_->version(), 0);
  EXPECT_EQ(replica_->current().get(), before);
  EXPECT_EQ(replica_->at(-1).get(), before);
}

TEST_F(ReplicaStory, RecomputesAtABarrierAndForgetsOlderVersions) {
  begin(2);
  commit(0);
  replica_->pause();
  bool done = false;
  replica_->recompute([&done](Effects&) { done = true; }, effects_);
  EXPECT_FALSE(done);
  support::run_tasks(effects_);
  EXPECT_TRUE(done);
  EXPECT_EQ(replica_->at(-1), nullptr);
  EXPECT_EQ(static_cast<const ScriptedState&>(*replica_->at(0)).commits, 101.0);
}

TEST_F(ReplicaStory, AStateThatATaskStillReadsIsNotRecomputedInPlace) {
  begin(1);
  commit(0);
  const auto held = replica_->at(0);
  replica_->pause();
  replica_->recompute([](Effects&) {}, effects_);
  support::run_tasks(effects_);
  EXPECT_EQ(static_cast<const ScriptedState&>(*held).commits, 1.0);
}

}  // namespace
}  // namespace strads::engine
