// The default schedule(): draw, block, merge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/planning/schedule.hpp"
#include "support/scripted_model.hpp"

namespace strads::engine {
namespace {

using support::Script;
using support::ScriptedModel;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using Conflicts = ScheduleRules::Conflicts;

/// For a slice that holds 0 ... variables - 1.
Plan whole_plan(const Script& script, std::uint32_t blocks_max, std::uint64_t round = 0) {
  ScriptedModel model(script);
  std::vector<VarId> variables(script.variables);
  for (VarId j = 0; j < script.variables; ++j) variables[j] = j;
  const auto slice = model.make_slice(variables);
  Sampler sampler(variables.size(), script.rules.sampling_scale);
  std::vector<double> p;
  for (const VarId j : variables) p.push_back(slice->define_sampling(j));
  sampler.assign(p);
  SerialChunks chunks;
  return plan_round(*slice, variables, sampler, CounterRng(1, Purpose::sampling, 0, round), blocks_max, chunks);
}

/// The blocks' variables.
std::vector<std::vector<VarId>> plan(const Script& script, std::uint32_t blocks_max, std::uint64_t round = 0) {
  std::vector<std::vector<VarId>> blocks;
  for (const Block& block : whole_plan(script, blocks_max, round).blocks) blocks.push_back(block.content.ids);
  return blocks;
}

void expect_draws(const Plan& plan, std::uint32_t drawn, std::uint32_t conflicts) {
  EXPECT_EQ(plan.draws.drawn, drawn);
  EXPECT_EQ(plan.draws.conflicts, conflicts);
}

Script script_of(Conflicts conflicts, std::uint32_t draws, std::uint32_t block_variables_max = 1) {
  Script script;
  script.rules.draws = draws;
  script.rules.conflicts = conflicts;
  script.rules.block_variables_max = block_variables_max;
  return script;
}

TEST(PlanRound, IgnoringConflictsGivesOneVariableABlock) {
  auto script = script_of(Conflicts::ignore, 4);
  script.d = [](VarId, VarId) { return 1.0; };
  const auto blocks = plan(script, 3);
  EXPECT_THAT(blocks, SizeIs(3));
  EXPECT_THAT(blocks, Each(SizeIs(1)));
}

TEST(PlanRound, IgnoringConflictsFillsBlocksUpToTheirSize) {
  const auto blocks = plan(script_of(Conflicts::ignore, 6, 2), 2);
  EXPECT_THAT(blocks, ElementsAre(SizeIs(2), SizeIs(2)));
}

TEST(PlanRound, DroppingConflictsKeepsUncoupledVariables) {
  auto script = script_of(Conflicts::drop, 6);
  script.d = [](VarId j, VarId k) { return j / 2 == k / 2 ? 0.9 : 0.0; };  // pairs 01 23 45
  const auto blocks = plan(script, 6);
  ASSERT_THAT(blocks, SizeIs(3));
  std::vector<VarId> pairs;
  for (const auto& block : blocks) pairs.push_back(block.front() / 2);
  EXPECT_THAT(pairs, UnorderedElementsAre(0, 1, 2));
}

TEST(PlanRound, DroppingConflictsDispatchesNoMoreThanPVariables) {
  EXPECT_THAT(plan(script_of(Conflicts::drop, 6), 2), ElementsAre(SizeIs(1), SizeIs(1)));
}

TEST(PlanRound, CountsWhatWasDrawnAndWhatOfItWasInConflict) {
  const auto pairs = [](VarId j, VarId k) { return j / 2 == k / 2 ? 0.9 : 0.0; };
  for (const Conflicts conflicts : {Conflicts::drop, Conflicts::merge}) {
    auto script = script_of(conflicts, 6);
    script.d = pairs;
    expect_draws(whole_plan(script, 6), 6, 3);
  }
  expect_draws(whole_plan(script_of(Conflicts::ignore, 6), 4), 4, 0);
  expect_draws(whole_plan(script_of(Conflicts::merge, 6), 1), 6, 0);
}

TEST(PlanRound, CountsNothingThatWasNotLookedAt) {
  auto script = script_of(Conflicts::drop, 6);
  expect_draws(whole_plan(script, 2), 2, 0);
  script.d = [](VarId j, VarId k) { return j < 5 && k < 5 ? 0.9 : 0.0; };  // 5 goes with one other
  const Plan two = whole_plan(script, 2);
  EXPECT_THAT(two.blocks, SizeIs(2));
  EXPECT_EQ(two.draws.drawn, two.draws.conflicts + 2) << "kept or dropped, up to the second that was kept";
}

TEST(PlanRound, MergingConflictsPutsCoupledVariablesIntoOneBlock) {
  auto script = script_of(Conflicts::merge, 6);
  script.d = [](VarId j, VarId k) { return j / 2 == k / 2 ? 0.9 : 0.0; };
  EXPECT_THAT(plan(script, 6), UnorderedElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST(PlanRound, MergesBlocksToLikeWorkload) {
  auto script = script_of(Conflicts::merge, 6);
  script.workload = [](VarId j) { return j == 0 ? 5.0 : 1.0; };
  EXPECT_THAT(plan(script, 2), UnorderedElementsAre(ElementsAre(0), ElementsAre(1, 2, 3, 4, 5)));
}

TEST(PlanRound, WithOneBlockAsksForNoCoupling) {
  auto script = script_of(Conflicts::merge, 6);
  script.d = [](VarId, VarId) -> double {
    ADD_FAILURE() << "a coupling costs a pass over two columns";
    return 1.0;
  };
  EXPECT_THAT(plan(script, 1), ElementsAre(SizeIs(6)));
}

TEST(PlanRound, DrawsNothingWhenNothingIsImportant) {
  auto script = script_of(Conflicts::merge, 6);
  script.p = [](VarId) { return 0.0; };
  EXPECT_THAT(plan(script, 4), IsEmpty());
}

TEST(PlanRound, IsAFunctionOfTheRound) {
  const auto script = script_of(Conflicts::ignore, 3);
  EXPECT_EQ(plan(script, 3, 7), plan(script, 3, 7));
  EXPECT_NE(plan(script, 3, 7), plan(script, 3, 8));
}

TEST(Plan, ListsItsVariablesBlockAfterBlock) {
  Plan plan;
  plan.blocks = {Block{{{4, 1}, {}}}, Block{{{2}, {}}}};
  EXPECT_THAT(plan.variables(), ElementsAre(4, 1, 2));
}

}  // namespace
}  // namespace strads::engine
