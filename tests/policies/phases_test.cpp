// What the next phase is, for any model.
#include "strads/policies/phases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::test {
namespace {

using ::testing::ElementsAre;

TEST(ChosenVariables, AreThoseThatAreAlwaysThereAndTheBestOthers) {
  const std::vector<VarId> always{7, 1}, first{2, 9}, second{3, 8};
  const std::vector<double> merits{0.5, 2.0}, more{2.0, 0.125};
  const std::vector<CandidateReport> reports{{always, first, merits}, {{}, second, more}};
  const ChosenVariables two = choose_variables(reports, 2);
  EXPECT_THAT(two.variables, ElementsAre(1, 3, 7, 9));
  EXPECT_EQ(two.threshold, 2.0);
  EXPECT_THAT(choose_variables(reports, 1).variables, ElementsAre(1, 3, 7)) << "of those alike the smaller number";
  EXPECT_EQ(choose_variables(reports, 100).threshold, 0.125);
  EXPECT_EQ(choose_variables(reports, 0).threshold, 0.0);
}

/// A working set of 100 of 1,000 variables.
struct Planned {
  PolicyOptions options;
  std::vector<VarId> ids = std::vector<VarId>(1000);
  std::vector<double> merits = std::vector<double>(1000);
  Barrier barrier;
  std::size_t wanted = 0;

  Planned() {
    for (std::size_t k = 0; k < ids.size(); ++k) {
      ids[k] = static_cast<VarId>(k);
      merits[k] = static_cast<double>(k + 1);
    }
  }
  [[nodiscard]] PhasePlan plan(std::uint64_t samples) const {
    const std::vector<CandidateReport> reports{{{}, ids, merits}};
    PhasePlan plan;
    PolicyPhases(options, samples)
        .plan({.barrier = barrier,
               .reports = reports,
               .kept = 1000,
               .work = 2.0 * static_cast<double>(samples),
               .gap = 0.5,
               .gap_wanted = 0.125,
               .wanted = wanted},
              plan);
    return plan;
  }
};

TEST(PolicyPhases, OfAutoAreOneJointRoundWhereThatIsCheapest) {
  const PhasePlan plan = Planned().plan(50);
  EXPECT_TRUE(plan.joint());
  EXPECT_EQ(plan.blocks_max, 1u);
  EXPECT_EQ(plan.rounds_max, 1u);
  EXPECT_EQ(plan.content.ids.size(), 100u);
  EXPECT_EQ(plan.content.ids.front(), 900u);
  EXPECT_DOUBLE_EQ(policy_phase_of(plan).inner_gap, 0.05) << "a tenth of the gap";
  Planned more;
  more.wanted = 300;
  EXPECT_EQ(more.plan(50).content.ids.size(), 300u);
}

TEST(PolicyPhases, OfAutoAreRoundsOfManyBlocksWhereSamplesAreMany) {
  Planned planned;
  planned.options.schedulers = 2;
  planned.options.cost = {.flop_seconds = 1e-9, .round_seconds = 0, .block_seconds = 0};
  const PhasePlan plan = planned.plan(100'000);
  EXPECT_FALSE(plan.joint());
  ASSERT_GT(plan.blocks_max, 1u);
  EXPECT_EQ(plan.rounds_max, 128u);
  const PolicyPhase phase = policy_phase_of(plan);
  EXPECT_EQ(phase.blocks_max, plan.blocks_max);
  EXPECT_EQ(phase.threshold, 901.0);
  EXPECT_DOUBLE_EQ(phase.inner_gap, 0.01 * 0.125 / plan.blocks_max);
}

TEST(PolicyPhases, OfPublishedPoliciesEndAfterOneUpdateAVariableOrAsAsked) {
  Planned planned;
  planned.options.policy = Policy::paper;
  planned.options.workers = 6;
  EXPECT_EQ(planned.plan(50).updates_max, 1000u);
  planned.options.check_interval = 7;
  const PhasePlan plan = planned.plan(50);
  EXPECT_EQ(plan.updates_max, 7u);
  EXPECT_EQ(plan.rounds_max, 7u);
  EXPECT_EQ(plan.blocks_max, 6u);
  EXPECT_FALSE(plan.joint());
  EXPECT_EQ(plan.content, Payload{});
}

TEST(PolicyPhase, IsNothingWhereAPlanSaysNothing) {
  PhasePlan plan;
  plan.content.values = {3};
  EXPECT_EQ(policy_phase_of(plan).threshold, 0.0);
  EXPECT_EQ(policy_phase_of(plan).inner_gap, 0.0);
}

}  // namespace
}  // namespace strads::test
