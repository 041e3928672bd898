#include "engine/rounds/phase_tracker.hpp"

#include <gtest/gtest.h>

namespace strads::engine {
namespace {

wire::Phase phase_at(Version barrier, std::uint64_t rounds_max, std::uint64_t updates_max = 0) {
  wire::Phase phase;
  phase.version = barrier;
  phase.rounds_max = rounds_max;
  phase.updates_max = updates_max;
  return phase;
}

wire::Commit commit_with(Version version, std::uint64_t updates = 1) {
  wire::Commit commit;
  commit.version = version;
  commit.updates = updates;
  return commit;
}

PhaseTracker tracker(std::uint32_t depth, const wire::Phase& phase) {
  PhaseTracker tracker(depth);
  tracker.begin(phase);
  return tracker;
}

TEST(PhaseTracker, IsInactiveBeforeTheFirstPhaseAndAfterTheEnd) {
  PhaseTracker phase(1);
  EXPECT_FALSE(phase.active());
  phase.begin(phase_at(-1, 3));
  EXPECT_TRUE(phase.active());
  phase.end();
  EXPECT_FALSE(phase.active());
}

TEST(PhaseTracker, BaseIsDepthRoundsBackButNotBeforeTheBarrier) {
  const auto phase = tracker(2, phase_at(9, 100));
  EXPECT_EQ(phase.base(10), 9);
  EXPECT_EQ(phase.base(11), 9);
  EXPECT_EQ(phase.base(12), 10);
  EXPECT_EQ(phase.base(20), 18);
}

TEST(PhaseTracker, BaseOfTheFirstRoundsIsTheStart) {
  const auto phase = tracker(3, phase_at(-1, 100));
  EXPECT_EQ(phase.base(0), -1);
  EXPECT_EQ(phase.base(2), -1);
  EXPECT_EQ(phase.base(3), 0);
}

TEST(PhaseTracker, HasRoundsMaxRounds) {
  EXPECT_EQ(tracker(1, phase_at(-1, 4)).last_round(), 3);
  EXPECT_EQ(tracker(3, phase_at(7, 4)).last_round(), 11);
}

TEST(PhaseTracker, HasAtLeastOneRound) {
  EXPECT_EQ(tracker(1, phase_at(5, 0)).last_round(), 6);
}

TEST(PhaseTracker, UnlimitedRoundsAreManyRounds) {
  EXPECT_GT(tracker(1, phase_at(5, ~std::uint64_t{0})).last_round(), Round{1} << 60);
}

TEST(PhaseTracker, EndsPhaseTakesEffectWithTheFirstRoundThatNobodyDispatched) {
  for (const std::uint32_t depth : {1U, 2U, 4U}) {
    auto phase = tracker(depth, phase_at(-1, 100));
    auto commit = commit_with(10);
    commit.ends_phase = 1;
    phase.record_commit(commit);
    EXPECT_EQ(phase.last_round(), 10 + depth - 1) << depth;
    EXPECT_FALSE(phase.limit_reached());
  }
}

TEST(PhaseTracker, ALaterEndDoesNotMoveTheLastRound) {
  auto phase = tracker(3, phase_at(-1, 100));
  auto commit = commit_with(10);
  commit.ends_phase = 1;
  phase.record_commit(commit);
  commit.version = 11;
  phase.record_commit(commit);
  EXPECT_EQ(phase.last_round(), 12);
}

TEST(PhaseTracker, NeverLastsLongerThanRoundsMax) {
  auto phase = tracker(4, phase_at(-1, 6));
  auto commit = commit_with(4);
  commit.ends_phase = 1;
  phase.record_commit(commit);
  EXPECT_EQ(phase.last_round(), 5);
}

TEST(PhaseTracker, TheCommitThatReachesTheUpdatesEndsThePhase) {
  auto phase = tracker(2, phase_at(-1, 100, 10));
  phase.record_commit(commit_with(0, 6));
  EXPECT_EQ(phase.last_round(), 99);
  phase.record_commit(commit_with(1, 4));
  EXPECT_EQ(phase.last_round(), 2);
}

TEST(PhaseTracker, ZeroUpdatesIsNoLimit) {
  auto phase = tracker(1, phase_at(-1, 100, 0));
  phase.record_commit(commit_with(0, 1'000'000));
  EXPECT_EQ(phase.last_round(), 99);
}

TEST(PhaseTracker, UpdatesAreCountedFromThePhasesBarrier) {
  PhaseTracker phase(1);
  phase.begin(phase_at(-1, 100, 5));
  phase.record_commit(commit_with(0, 5));
  EXPECT_EQ(phase.last_round(), 0);
  phase.begin(phase_at(0, 100, 5));
  phase.record_commit(commit_with(1, 4));
  EXPECT_EQ(phase.last_round(), 100);
}

TEST(PhaseTracker, TheLastCommitOfARunDropsWhatIsDispatched) {
  auto phase = tracker(4, phase_at(-1, 100));
  auto commit = commit_with(10);
  commit.last = 1;
  phase.record_commit(commit);
  EXPECT_EQ(phase.last_round(), 10);
  EXPECT_TRUE(phase.limit_reached());
}

TEST(PhaseTracker, KnowsJointPhases) {
  auto message = phase_at(-1, 1);
  message.mode = 1;
  EXPECT_TRUE(tracker(1, message).joint());
  EXPECT_FALSE(tracker(1, phase_at(-1, 1)).joint());
  message.mode = 2;
  EXPECT_FALSE(tracker(1, message).joint());
}

}  // namespace
}  // namespace strads::engine
