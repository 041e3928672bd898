// What a checkpoint keeps of the Lasso, and what is made of it again: docs/RELIABILITY.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "lasso/model/lasso_model.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "policies/conflict_dropping.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;

constexpr VarId kRestoredVariables = 12;

const LassoState& lasso_state(const State& state) {
  return static_cast<const LassoState&>(state);
}

std::vector<VarId> all_variables() {
  std::vector<VarId> variables(kRestoredVariables);
  std::iota(variables.begin(), variables.end(), 0U);
  return variables;
}

/// A model with penalty factors and weights, some of them at rows that take no part.
struct Restoring {
  LassoOptions options;
  std::shared_ptr<LassoData> data;
  LassoModel model;
  SerialChunks chunks;
  Cost cost;

  explicit Restoring(bool plain, WarmStart start = {})
      : data(scanned(content(plain), options)), model((data->start = std::move(start), data), options) {
    model.begin(problem());
  }
  static Content content(bool plain) {
    Content made = random_content({.rows = 30, .columns = kRestoredVariables});
    if (plain) return made;
    for (VarId j = 0; j < kRestoredVariables; ++j) made.factors.push_back(0.5 + 0.1 * j);
    for (int i = 0; i < 30; ++i) made.weights.push_back(i == 4 ? 0.0 : 1 + 0.25 * (i % 5));
    made.dropped_rows = {4};
    return made;
  }
  static Payload problem() { return payload_of(Start{.lambda = 0.05, .lambda_max = 1}); }

  /// Updates two variables at once.
  Pull commit(State& state, VarId j) {
    std::vector<Payload> deltas;
    for (const VarId k : {j % kRestoredVariables, (j + 5) % kRestoredVariables}) {
      const Block block{.content = {{k}, {lasso_state(state).value(k)}}};
      deltas.push_back(model.push(state, block, chunks).deltas);
    }
    const auto direction = model.combine(deltas, chunks, cost);
    Pull pull = model.pull(state, deltas, direction.get());
    if (pull.step != 0) model.apply(state, pull.changes, pull.step, direction.get(), chunks, cost);
    return pull;
  }
  Payload seen_by_a_new_slice(const State& state) {
    LassoSlice slice(data, std::make_shared<BlockCaches>(), options, all_variables());
    slice.begin(problem());
    Payload status = slice.scan(chunks, cost);
    status = slice.refresh(state, chunks, cost);
    return status;
  }
  void expect_same_again(const State& state) {
    const auto again = model.restore_state(state.content());
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->content(), state.content());
    EXPECT_EQ(lasso_state(*again).total, lasso_state(state).total);
    EXPECT_EQ(lasso_state(*again).residual_squared, lasso_state(state).residual_squared);
    EXPECT_EQ(lasso_state(*again).l1, lasso_state(state).l1);
    EXPECT_EQ(lasso_state(*again).squares, lasso_state(state).squares);
    EXPECT_EQ(model.objective(*again), model.objective(state));
    EXPECT_EQ(seen_by_a_new_slice(*again), seen_by_a_new_slice(state));
    const auto next = state.clone();
    const Pull expected = commit(*next, 3), pull = commit(*again, 3);
    EXPECT_EQ(pull.changes, expected.changes);
    EXPECT_EQ(pull.step, expected.step);
    EXPECT_EQ(pull.objective, expected.objective);
    EXPECT_EQ(again->content(), next->content());
  }
};

TEST(RestoredReplica, IsTheOneThatWasSavedAndGoesOnLikeIt) {
  for (const bool plain : {true, false}) {
    Restoring bench(plain);
    const auto state = bench.model.make_state();
    bench.expect_same_again(*state);
    for (VarId round = 0; round < 30; ++round) {
      (void)bench.commit(*state, round);
      bench.expect_same_again(*state);
    }
    EXPECT_GT(lasso_state(*state).variables.size(), 2U);
    bench.model.recompute(*state, bench.chunks, bench.cost);
    bench.expect_same_again(*state);
  }
}

TEST(RestoredReplica, OfAWarmStartIsThatStart) {
  WarmStart start;
  {
    Restoring cold(false);
    const auto state = cold.model.make_state();
    for (VarId round = 0; round < 30; ++round) (void)cold.commit(*state, round);
    start = {lasso_state(*state).variables, lasso_state(*state).beta};
  }
  Restoring bench(false, start);
  const auto state = bench.model.make_state();
  ASSERT_EQ(lasso_state(*state).variables, start.variables);
  bench.expect_same_again(*state);
}

TEST(RestoredReplica, IsNoneOfAContentThatDoesNotFit) {
  Restoring bench(true);
  const auto state = bench.model.make_state();
  for (VarId round = 0; round < 30; ++round) (void)bench.commit(*state, round);
  const Payload content = state->content();
  ASSERT_GT(content.ids.size(), 2U);
  const auto refuses = [&](auto&& change) {
    Payload other = content;
    change(other);
    return bench.model.restore_state(other) == nullptr;
  };
  EXPECT_FALSE(refuses([](Payload&) {}));
  EXPECT_TRUE(refuses([](Payload& p) { p = {}; }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.push_back(1); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.ids.pop_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.bulk.emplace_back(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.ids.back() = kRestoredVariables; }));
  EXPECT_TRUE(refuses([](Payload& p) { std::swap(p.ids[0], p.ids[1]); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.ids[0] = p.ids[1]; }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values[1] = 0.0; })) << "a nonzero that is 0";
  EXPECT_TRUE(refuses([](Payload& p) { p.values[1] = -0.0; }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values[0] = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refuses([](Payload& p) { p.values.back() = std::numeric_limits<double>::quiet_NaN(); }));
}

// --- what a slice learns from its rounds ---

TEST(DeltaMemory, IsItsVisitedPositionsAndTheirLastDeltas) {
  DeltaMemory memory(8);
  EXPECT_EQ(memory.content(), Payload{});
  memory.learn({.drawn = {5, 2, 6}, .changed = {5, 2}, .deltas = {0.5, -0.25}});
  memory.learn({.drawn = {5}, .changed = {}, .deltas = {}});
  const Payload content = memory.content();
  EXPECT_THAT(content.ids, ElementsAre(2, 5, 6));
  EXPECT_THAT(content.values, ElementsAre(-0.25, 0.0, 0.0));
  DeltaMemory again(8);
  again.learn({.drawn = {1}, .changed = {1}, .deltas = {9}});  // is forgotten
  ASSERT_TRUE(again.remember(content));
  EXPECT_EQ(again.content(), content);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(again.visited(i), memory.visited(i)) << i;
    EXPECT_EQ(again.last_delta(i), memory.last_delta(i)) << i;
  }
}

TEST(DeltaMemory, TakesNothingFromAContentThatDoesNotFit) {
  DeltaMemory memory(8);
  memory.learn({.drawn = {3}, .changed = {3}, .deltas = {0.5}});
  const Payload before = memory.content();
  const double none = std::numeric_limits<double>::quiet_NaN();
  Payload with_bulk{{1}, {1}};
  with_bulk.bulk.emplace_back();
  for (const Payload& wrong : {Payload{{8}, {1}}, Payload{{2, 1}, {1, 1}}, Payload{{1, 1}, {1, 1}},
                               Payload{{1, 2}, {1}}, Payload{{1}, {1, 2}}, Payload{{1}, {none}}, with_bulk}) {
    EXPECT_FALSE(memory.remember(wrong));
    EXPECT_EQ(memory.content(), before);
  }
}

/// A slice between rounds by hand.
struct Learner {
  Restoring bench{true};
  LassoOptions options;
  std::unique_ptr<State> state = bench.model.make_state();
  std::unique_ptr<LassoSlice> slice;

  explicit Learner(Policy policy) {
    options.policy = policy;
    options.workers = 4;
    slice = made();
  }
  [[nodiscard]] std::unique_ptr<LassoSlice> made() {
    auto made = std::make_unique<LassoSlice>(bench.data, std::make_shared<BlockCaches>(), options, all_variables());
    (void)made->scan(bench.chunks, bench.cost);
    made->begin(Restoring::problem());
    made->enter_phase(phase());
    return made;
  }
  [[nodiscard]] static PhasePlan phase() {
    PhasePlan plan;
    plan.blocks_max = 4;
    plan.rounds_max = 100;
    plan.content = payload_of(Phase{});
    return plan;
  }
  /// A barrier and the first plan after it; returns what planning took.
  Cost enter(LassoSlice& any) {
    (void)any.refresh(*state, bench.chunks, bench.cost);
    any.enter_phase(phase());
    any.prepare_round(bench.chunks);
    return any.take_planning_cost();
  }
  void learn() {
    (void)enter(*slice);
    for (const VarId j : {1U, 6U, 2U}) {
      const Pull pull = bench.commit(*state, j);
      const std::vector<VarId> drawn{j, j + 5};
      std::vector<VarId> touched;
      slice->committed({.step = pull.step, .drawn = drawn, .changes = &pull.changes}, touched);
    }
  }
};

class SliceMemoryOf : public ::testing::TestWithParam<Policy> {};

TEST_P(SliceMemoryOf, MakesANewSliceDrawAndCountAsTheOneBefore) {
  Learner learner(GetParam());
  learner.learn();
  const Payload memory = learner.slice->memory();
  const auto again = learner.made();
  ASSERT_TRUE(again->remember(memory));
  EXPECT_EQ(again->memory(), memory);
  const Cost expected = learner.enter(*learner.slice), found = learner.enter(*again);
  EXPECT_EQ(found.flops, expected.flops);
  for (const VarId j : all_variables()) {
    EXPECT_EQ(again->define_sampling(j), learner.slice->define_sampling(j)) << j;
  }
  EXPECT_EQ(again->rules().draws, learner.slice->rules().draws);
  EXPECT_EQ(again->memory(), learner.slice->memory());
}

TEST_P(SliceMemoryOf, IsRefusedWhereItDoesNotFit) {
  Learner learner(GetParam());
  EXPECT_TRUE(learner.slice->remember({}));
  EXPECT_FALSE(learner.slice->remember({{kRestoredVariables}, {1}}));
  EXPECT_FALSE(learner.slice->remember({{3, 2}, {}}));
  EXPECT_FALSE(learner.slice->remember({{}, {1}}));
  EXPECT_EQ(learner.slice->memory(), Payload{});
}

INSTANTIATE_TEST_SUITE_P(Policies, SliceMemoryOf, all_policies(), name_of_case);

TEST(SliceMemory, IsKeptByThePoliciesThatLearn) {
  for (const Policy policy : {Policy::paper, Policy::theorem1, Policy::automatic}) {
    Learner learner(policy);
    learner.learn();
    EXPECT_GT(learner.slice->memory().ids.size(), 2U) << policy_name(policy);
  }
  for (const Policy policy : {Policy::uniform, Policy::fixed_structure, Policy::block_greedy}) {
    Learner learner(policy);
    learner.learn();
    EXPECT_EQ(learner.slice->memory(), Payload{}) << policy_name(policy);
  }
}

TEST(SliceMemory, SaysWhichProductsOfAWorkingSetAreNoNewOnes) {
  Learner learner(Policy::automatic);
  learner.learn();
  const auto forgetful = learner.made();
  EXPECT_LT(learner.enter(*learner.slice).flops, learner.enter(*forgetful).flops);
}

}  // namespace
}  // namespace strads::lasso
