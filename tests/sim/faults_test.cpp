// What a seed has in store, and what becomes of messages.
#include "sim/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "wire/messages.hpp"

namespace strads::sim {
namespace {

using testing::StartsWith;

constexpr std::uint64_t kFaultSeeds = 400;

/// Node 0 schedules and works, 1 to 3 work.
SimulationOptions four_nodes(std::uint64_t seed) {
  SimulationOptions options;
  options.seed = seed;
  options.engine.schedulers = 1;
  options.engine.workers = 4;
  options.lease_seconds = 2;
  options.faults = {.enabled = true, .horizon_seconds = 2, .losing_schedulers = true};
  for (std::uint32_t n = 0; n < 4; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 2, 1});
    options.nodes.push_back({n, n == 0, true, 0});
  }
  return options;
}

/// The first seed whose plan has a fault of this kind.
FaultPlan plan_with(FaultKind kind) {
  for (std::uint64_t seed = 1;; ++seed) {
    FaultPlan plan(four_nodes(seed));
    if (std::ranges::find(plan.timed(), kind, &TimedFault::kind) != plan.timed().end()) return plan;
  }
}

TimedFault first_of(const FaultPlan& plan, FaultKind kind) {
  return *std::ranges::find(plan.timed(), kind, &TimedFault::kind);
}

TEST(FaultPlan, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(FaultPlan(four_nodes(seed)).lines(), FaultPlan(four_nodes(seed)).lines());
  }
}

TEST(FaultPlan, LeavesOutMostKindsInMostSeedsAndNoneInAll) {
  std::array<std::uint64_t, kFaultKinds> seeds_with{};
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    const std::string kinds = FaultPlan(four_nodes(seed)).lines().front();
    EXPECT_THAT(kinds, StartsWith("kinds: "));
    for (std::size_t k = 0; k < kFaultKinds; ++k) {
      const std::string name = fault_name(static_cast<FaultKind>(k));
      const std::string listed =
          ", " + kinds.substr(std::string("kinds: ").size()) + ",";  // "scheduler loss" is no "loss"
      seeds_with[k] += listed.find(", " + name + ",") != std::string::npos;
    }
  }
  for (std::size_t k = 0; k < kFaultKinds; ++k) {
    EXPECT_GT(seeds_with[k], kFaultSeeds / 20) << fault_name(static_cast<FaultKind>(k));
    EXPECT_LT(seeds_with[k], kFaultSeeds / 2) << fault_name(static_cast<FaultKind>(k));
  }
}

TEST(FaultPlan, SaysOneLineForEachTimedFault) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const FaultPlan plan(four_nodes(seed));
    const auto lines = plan.lines();
    const auto timed =
        std::ranges::count_if(lines, [](const std::string& line) { return line.find(", at ") != std::string::npos; });
    EXPECT_EQ(static_cast<std::size_t>(timed), plan.timed().size());
  }
}

TEST(FaultPlan, CrashesOnlyNodesWithoutASchedulerAndLeavesAWorker) {
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    std::set<std::uint32_t> killed;
    const FaultPlan plan(four_nodes(seed));
    for (const TimedFault& fault : plan.timed()) {
      if (fault.kind != FaultKind::crash && fault.kind != FaultKind::restart) continue;
      EXPECT_NE(fault.rank, 0U) << seed;
      EXPECT_TRUE(killed.insert(fault.rank).second) << seed;
    }
  }
}

TEST(FaultPlan, KeepsTheProcessesThatARunNeedsAwayForLessThanTheLease) {
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    const FaultPlan plan(four_nodes(seed));
    for (const TimedFault& fault : plan.timed()) {
      const bool needed = fault.rank == 0 || fault.rank == 4;
      EXPECT_FALSE(fault.kind == FaultKind::freeze && needed && fault.lasts >= 1) << seed;
      EXPECT_FALSE(fault.kind == FaultKind::cut && fault.lasts >= 2.0 / 3) << seed;
    }
  }
}

TEST(FaultPlan, SaysWhenSomebodyIsLostWithoutWhomTheRunEnds) {
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    const FaultPlan plan(four_nodes(seed));
    const bool lethal = std::ranges::any_of(plan.timed(), [](const TimedFault& fault) {
      return fault.kind == FaultKind::scheduler_loss || fault.kind == FaultKind::driver_loss;
    });
    EXPECT_EQ(lethal, plan.lethal_at() >= 0) << seed;
  }
}

TEST(FaultPlan, AsksAllNodesToLeaveAndInHalfOfTheSeedsTheDriverAsWell) {
  std::set<std::uint32_t> asked, first;
  bool at_once = false, in_turn = false;
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    const FaultPlan plan(four_nodes(seed));
    for (const TimedFault& fault : plan.timed()) {
      if (fault.kind != FaultKind::all_leave) continue;
      EXPECT_TRUE(plan.has(FaultKind::all_leave)) << seed;
      EXPECT_LT(fault.rank, fault.peer) << seed;
      asked.insert(fault.peer);
      first.insert(fault.rank);
      (fault.lasts > 0 ? in_turn : at_once) = true;
      EXPECT_LT(fault.lasts, 0.2) << "less than a tenth of the lease";
    }
  }
  EXPECT_THAT(asked, testing::ElementsAre(4U, 5U)) << "nodes alone, nodes and driver";
  EXPECT_THAT(first, testing::ElementsAre(0U, 1U, 2U, 3U, 4U));
  EXPECT_TRUE(at_once && in_turn);
}

TEST(FaultPlan, LosesNobodyLethallyWhenTold) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimulationOptions options = four_nodes(seed);
    options.faults.losing_schedulers = false;
    EXPECT_LT(FaultPlan(options).lethal_at(), 0);
  }
}

TEST(Cut, LosesWhatIsOnItsWayAndHoldsBackWhatIsSentMeanwhile) {
  FaultPlan plan = plan_with(FaultKind::cut);
  const TimedFault cut = first_of(plan, FaultKind::cut);
  EXPECT_TRUE(plan.cut_between(cut.rank, cut.peer, cut.at - 0.001, cut.at + 0.001));
  EXPECT_TRUE(plan.cut_between(cut.peer, cut.rank, cut.at - 0.001, cut.at + 0.001));
  EXPECT_FALSE(plan.cut_between(cut.rank, cut.peer, cut.at - 0.002, cut.at - 0.001));
  const Fate held = plan.fate(cut.rank, cut.peer, cut.at + cut.lasts / 2);
  EXPECT_GE(held.delay, cut.lasts / 2 - 1e-9);
}

TEST(Partition, SeparatesSomeFromOthersAndHeals) {
  const FaultPlan plan = plan_with(FaultKind::partition);
  const TimedFault partition = first_of(plan, FaultKind::partition);
  const double during = partition.at + partition.lasts / 2;
  int separated = 0;
  for (std::uint32_t other = 0; other <= 4; ++other) {
    separated += plan.partitioned(partition.rank, other, during);
    EXPECT_EQ(plan.partitioned(partition.rank, other, during), plan.partitioned(other, partition.rank, during));
    EXPECT_FALSE(plan.partitioned(partition.rank, other, partition.at + partition.lasts));
  }
  EXPECT_GT(separated, 0);
}

TEST(Partition, SaysHowLongItStillSeparates) {
  const FaultPlan plan = plan_with(FaultKind::partition);
  const TimedFault partition = first_of(plan, FaultKind::partition);
  for (std::uint32_t other = 0; other <= 4; ++other) {
    const double lasts = plan.partitioned(partition.rank, other, partition.at) ? partition.lasts : 0;
    EXPECT_NEAR(plan.partitioned_for(partition.rank, other, partition.at), lasts, 1e-12);
    EXPECT_NEAR(plan.partitioned_for(other, partition.rank, partition.at + lasts / 4), 0.75 * lasts, 1e-12);
  }
}

TEST(Fates, LoseDelayAndDuplicateWhereTheSeedHasThat) {
  std::uint64_t lost = 0;
  std::uint64_t delayed = 0;
  std::uint64_t twice = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    FaultPlan plan(four_nodes(seed));
    for (int message = 0; message < 50; ++message) {
      const Fate fate = plan.fate(0, 1, 100);  // long after all outages
      lost += fate.lost;
      delayed += fate.delay > 0;
      twice += fate.duplicated;
      EXPECT_FALSE(fate.lost && fate.duplicated);
      EXPECT_GE(fate.second_delay, fate.duplicated ? fate.delay : 0);
    }
  }
  EXPECT_GT(lost, 0U);
  EXPECT_GT(delayed, lost);
  EXPECT_GT(twice, lost);
}

TEST(FaultCounts, CountMessagesOfRoundsOnly) {
  FaultCounts counts;
  Fate fate;
  fate.kinds = 1U << static_cast<unsigned>(FaultKind::loss);
  counts.count(fate, wire::Beat::kType, false);
  counts.count(fate, wire::Deltas::kType, true);
  counts.count(fate, wire::Commit::kType, true);
  const auto count_of = [&](FaultKind kind) { return counts.tallies()[static_cast<std::size_t>(kind)].count; };
  EXPECT_EQ(count_of(FaultKind::loss), 2U);
  EXPECT_EQ(count_of(FaultKind::slow), 1U);
}

}  // namespace
}  // namespace strads::sim
