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

/// The blocks' variables for a slice that holds 0 ... variables - 1.
std::vector<std::vector<VarId>> plan(const Script& script, std::uint32_t blocks_max, std::uint64_t round = 0) {
  ScriptedModel model(script);
  std::vector<VarId> variables(script.variables);
  for (VarId j = 0; j < script.variables; ++j) variables[j] = j;
  const auto slice = model.make_slice(variables);
  Sampler sampler(variables.size(), script.rules.sampling_scale);
  std::vector<double> p;
  for (const VarId j : variables) p.push_back(slice->define_sampling(j));
  sampler.assign(p);
  SerialChunks chunks;
  std::vector<std::vector<VarId>> blocks;
  for (const Block& block :
       plan_round(*slice, variables, sampler, CounterRng(1, Purpose::sampling, 0, round), blocks_max, chunks).blocks) {
    blocks.push_back(block.content.ids);
  }
  return blocks;
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
