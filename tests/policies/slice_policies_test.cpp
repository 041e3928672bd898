// Policies on variables with bounds, of which they know nothing but what a CoordinateProblem says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "policies/box_problem.hpp"
#include "strads/policies/policies.hpp"

namespace strads::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The first pair pulls together, the second apart; the last variable is at its upper bound, and pressed against it.
std::unique_ptr<BoxProblem> five_in_a_box() {
  return std::make_unique<BoxProblem>(
      std::vector<std::vector<double>>{
          {1, 0.6, 0, 0, 0}, {0.6, 1, 0, 0, 0}, {0, 0, 1, -0.6, 0}, {0, 0, -0.6, 1, 0}, {0, 0, 0, 0, 0.5}},
      0.5, std::vector<double>{0, 0, 0, 0, 0.5});
}

PolicyPhase rounds_of(std::uint32_t blocks, double threshold = 0) {
  return {.joint = false, .blocks_max = blocks, .threshold = threshold, .inner_gap = 0.25};
}

TEST(BoundedVariables, TakeStepsOfZeroWhereABoundHoldsThem) {
  const auto problem = five_in_a_box();
  EXPECT_EQ(problem->step(0).delta, 0.5) << "1 without the bound";
  EXPECT_EQ(problem->step(4).delta, 0.0);
  EXPECT_EQ(problem->step(4).decrease, 0.0);
}

TEST(WorkingSetOfAnyProblem, IsWhatBringsSomething) {
  const auto problem = five_in_a_box();
  EXPECT_THAT(problem->working_set(0), ElementsAre(0, 1, 2, 3)) << "what a bound holds brings nothing";
  EXPECT_THAT(problem->working_set(0.375), ElementsAre(0, 1, 2, 3)) << "the threshold itself is enough";
  EXPECT_THAT(problem->working_set(0.376), IsEmpty());
}

TEST(WorkingSetPolicy, DrawsItsMembersByImportance) {
  const auto problem = five_in_a_box();
  const PolicyOptions options;
  const auto policy = make_working_set({*problem, options});
  EXPECT_TRUE(policy->wants_candidates());
  EXPECT_EQ(policy->sampling(0), 0.0) << "before a phase there is no working set";
  policy->enter_phase(rounds_of(4));
  EXPECT_EQ(policy->rules().draws, 4u);
  EXPECT_NEAR(policy->sampling(0), 0.375, 1e-12);
  EXPECT_EQ(policy->sampling(4), 0.0);
  const BlockTreatment treatment = policy->treatment();
  EXPECT_TRUE(treatment.solve);
  EXPECT_EQ(treatment.tolerance, 0.25);
}

TEST(WorkingSetPolicy, KeepsApartWhatUndoesEachOther) {
  const auto problem = five_in_a_box();
  const PolicyOptions options;
  const auto policy = make_working_set({*problem, options});
  policy->enter_phase(rounds_of(4));
  SerialChunks chunks;
  policy->prepare_round(chunks);
  EXPECT_EQ(policy->dependency(0, 1), 0.6) << "both rise, and the product is above 0";
  EXPECT_EQ(policy->dependency(1, 0), 0.6);
  EXPECT_EQ(policy->dependency(2, 3), 0.0) << "they help each other";
  EXPECT_FALSE(policy->learn({.drawn = {3}, .changed = {3}, .deltas = {-0.5}}));
  EXPECT_EQ(policy->dependency(2, 3), 0.6) << "now one rises and one falls";
}

TEST(WorkingSetPolicy, CountsPairsThatAreRememberedOnce) {
  const auto problem = five_in_a_box();
  const PolicyOptions options;
  const auto policy = make_working_set({*problem, options});
  SerialChunks chunks;
  const auto one_phase = [&] {
    policy->enter_phase(rounds_of(4));
    policy->prepare_round(chunks);
    policy->prepare_round(chunks);  // of the same phase: nothing to do
  };
  one_phase();
  EXPECT_EQ(policy->take_planning_cost().flops, 10u * (1 + 2 + 3 + 4));
  EXPECT_EQ(policy->take_planning_cost(), Cost{});
  EXPECT_THAT(policy->memory().ids, ElementsAre(0, 1, 2, 3));
  one_phase();
  EXPECT_THAT(problem->fresh_, ElementsAre(4, 0));
  const auto again = make_working_set({*problem, options});
  ASSERT_TRUE(again->remember(policy->memory()));
  EXPECT_EQ(again->memory(), policy->memory());
}

TEST(WorkingSetPolicy, CountsThemAgainWhereTheyAreNot) {
  const auto problem = five_in_a_box();
  problem->keeps_ = false;
  const PolicyOptions options;
  const auto policy = make_working_set({*problem, options});
  SerialChunks chunks;
  for (int phase = 0; phase < 2; ++phase) {
    policy->enter_phase(rounds_of(4));
    policy->prepare_round(chunks);
  }
  EXPECT_THAT(problem->fresh_, ElementsAre(4, 4));
  EXPECT_EQ(policy->memory(), Payload{});
}

TEST(WorkingSetPolicy, DealsAllMembersWhereTheModelTellsNoCouplings) {
  const auto problem = five_in_a_box();
  problem->tells_ = false;
  const PolicyOptions options;
  const auto policy = make_working_set({*problem, options});
  SerialChunks chunks;
  for (int phase = 0; phase < 2; ++phase) {
    policy->enter_phase(rounds_of(2));
    EXPECT_EQ(policy->rules().conflicts, ScheduleRules::Conflicts::merge);
    policy->prepare_round(chunks);
    policy->prepare_round(chunks);  // of the same phase: they are not asked for again
    EXPECT_EQ(policy->rules().conflicts, ScheduleRules::Conflicts::ignore);
    EXPECT_EQ(policy->rules().draws, 4u);
  }
  EXPECT_EQ(problem->fresh_.size(), 2u);
  EXPECT_EQ(policy->take_planning_cost(), Cost{});
}

TEST(WorkingSetPolicy, DrawsMoreThanPairsCouldBeLookedAt) {
  constexpr std::size_t kMany = 5000;
  class Alike final : public CoordinateProblem {
   public:
    Alike() : positions_(all_, kMany) {}
    [[nodiscard]] const SlicePositions& positions() const override { return positions_; }
    [[nodiscard]] CoordinateStep step(std::size_t) const override { return {1, 1}; }
    [[nodiscard]] double coupling(std::size_t, std::size_t) const override { return 1; }
    [[nodiscard]] std::uint64_t work(std::size_t) const override { return 1; }
    [[nodiscard]] CouplingsTaken couplings(std::span<const std::uint32_t>, std::size_t, std::vector<double>& out,
                                           Chunks&) override {
      out.clear();
      return {};
    }

   private:
    std::vector<VarId> all_ = first_variables(kMany);
    SlicePositions positions_;
  } alike;
  const PolicyOptions options;
  const auto policy = make_working_set({alike, options});
  SerialChunks chunks;
  policy->enter_phase(rounds_of(2));
  EXPECT_LT(policy->rules().draws, kMany);
  policy->prepare_round(chunks);
  EXPECT_EQ(policy->rules().draws, kMany);
}

TEST(PublishedPolicies, AskForCouplingsWithoutTheirSignAndCountThem) {
  for (const Policy which : {Policy::fixed_structure, Policy::paper, Policy::theorem1}) {
    const auto problem = five_in_a_box();
    PolicyOptions options;
    options.workers = 3;
    options.candidates = 1.5;
    options.rho = 0.25;
    const auto policy = entry_of(which).for_slice({*problem, options});
    EXPECT_EQ(policy->rules().draws, 5u) << policy_name(which);
    EXPECT_EQ(policy->rules().dependency_max, 0.25);
    EXPECT_EQ(policy->dependency(2, 3), 0.6);
    EXPECT_EQ(policy->take_planning_cost().flops, 10u);
    EXPECT_FALSE(policy->wants_candidates());
    EXPECT_FALSE(policy->treatment().solve);
  }
}

TEST(SlicePositions, AreTheSameByTableBySearchAndByNumber) {
  const std::vector<VarId> some{2, 3, 150}, all{0, 1, 2};
  for (const std::size_t count : {151U, 1000U}) {  // a table, a search
    const SlicePositions positions(some, count);
    EXPECT_EQ(positions.of(150), 2u);
    EXPECT_EQ(positions.of(2), 0u);
    EXPECT_EQ(positions.of(4), SlicePositions::kNone);
  }
  EXPECT_EQ(SlicePositions(all, 3).of(1), 1u);
}

}  // namespace
}  // namespace strads::test
