// What tasks say about their work: counted as if nothing were remembered, and by kind as it really was.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/planning/schedule.hpp"
#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

/// A model of random columns with lambda fixed, and replica(-1).
struct CostBench {
  std::shared_ptr<LassoData> data;
  LassoOptions options;
  LassoModel model;
  Payload problem;
  std::unique_ptr<State> state;
  SerialChunks chunks;

  explicit CostBench(const Content& content, const LassoOptions& wanted = {})
      : data(scanned(content, wanted)), options(wanted), model(data, wanted) {
    problem = payload_of(Start{.lambda = 0.1 * plain_data(content, {}).problem.lambda_max()});
    model.begin(problem);
    state = model.make_state();
  }

  [[nodiscard]] std::vector<VarId> all() const {
    std::vector<VarId> list(data->columns->size());
    for (std::size_t j = 0; j < list.size(); ++j) list[j] = static_cast<VarId>(j);
    return list;
  }
  [[nodiscard]] std::uint64_t work() const { return data->columns->work(0); }
  Cost push(std::vector<VarId> variables, std::uint32_t kind) {
    Block block;
    block.content.values.assign(variables.size(), 0.0);
    block.content.ids = std::move(variables);
    block.kind = kind;
    block.sweeps = 100;
    block.tolerance = 1e-9;
    return model.push(*state, block, chunks).cost;
  }
};

TEST(Cost, AddsEveryField) {
  Cost sum{1, 2, 3, 4, 5, 6};
  sum += Cost{10, 20, 30, 40, 50, 60};
  EXPECT_EQ(sum, (Cost{11, 22, 33, 44, 55, 66}));
}

TEST(PushCostByKind, OneUpdateStreamsOneColumn) {
  CostBench bench(random_content({}));
  const Cost cost = bench.push({3}, kUpdateBest);
  EXPECT_EQ(cost.streamed, bench.work());
  EXPECT_EQ(cost.flops, bench.work());
  EXPECT_EQ(cost.tiled, 0u);
}

class PushCostOfBlocks : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PushCostOfBlocks, ABlockAskedForAgainComputesNoProducts) {
  CostBench bench(random_content({.rows = 400, .columns = 20}));
  const Cost first = bench.push(bench.all(), GetParam());
  const Cost again = bench.push(bench.all(), GetParam());
  EXPECT_EQ(first.tiled, bench.work() * (20 * 21 / 2));
  EXPECT_EQ(again.tiled, 0u);
  EXPECT_EQ(again.flops, first.flops) << "messages do not depend on what is remembered";
  EXPECT_EQ(again.streamed, first.streamed);
  EXPECT_EQ(again.local, first.local);
}

TEST_P(PushCostOfBlocks, NewVariablesCostTheirRows) {
  CostBench bench(random_content({.rows = 400, .columns = 20}));
  auto variables = bench.all();
  variables.resize(15);
  static_cast<void>(bench.push(variables, GetParam()));
  EXPECT_EQ(bench.push(bench.all(), GetParam()).tiled, bench.work() * (5 * 15 + 5 * 6 / 2));
}

TEST_P(PushCostOfBlocks, StreamsTheGradientAndSolvesInTheCache) {
  CostBench bench(random_content({.rows = 400, .columns = 20}));
  const Cost cost = bench.push(bench.all(), GetParam());
  EXPECT_EQ(cost.streamed, 20 * bench.work());
  EXPECT_GT(cost.local, 0u);
  EXPECT_GE(cost.flops, cost.streamed + cost.local);
}

TEST_P(PushCostOfBlocks, SweepsOnTheResidualAreStreamed) {
  // So many columns, and so short, that their products would cost more than the sweeps.
  CostBench bench(random_content({.rows = 10, .columns = 5000}));
  const Cost cost = bench.push(bench.all(), GetParam());
  EXPECT_EQ(cost.tiled, 0u);
  EXPECT_EQ(cost.streamed, cost.flops);
  EXPECT_GT(cost.streamed, 5000 * bench.work());
  if (GetParam() == kSolveJoint) {
    EXPECT_LT(cost.swept, cost.streamed) << "the gradient that the gap is made of is not a sweep";
  } else {
    EXPECT_EQ(cost.swept, cost.streamed) << "no gradient is taken before";
  }
  EXPECT_GE(cost.swept, 5000 * bench.work());
}

INSTANTIATE_TEST_SUITE_P(Kinds, PushCostOfBlocks, ::testing::Values(kSolveBlock, kSolveJoint),
                         [](const auto& kind) { return kind.param == kSolveBlock ? "Ordinary" : "Joint"; });

TEST(CostByKind, OfTheReplicaIsColumnsStreamedAndVectorsInTheCache) {
  CostBench bench(random_content({}));
  const std::vector<Payload> deltas{{{1, 4}, {0.1, -0.2}}};
  Cost combined, applied, recomputed;
  const auto direction = bench.model.combine(deltas, bench.chunks, combined);
  EXPECT_EQ(combined.streamed, 2 * bench.work());
  EXPECT_EQ(combined.flops, combined.streamed);
  EXPECT_GE(combined.local, bench.data->columns->rows());
  bench.model.apply(*bench.state, deltas[0], 1, direction.get(), bench.chunks, applied);
  EXPECT_EQ(applied.streamed, 0u) << "the direction was known";
  EXPECT_GE(applied.local, bench.data->columns->rows());
  bench.model.recompute(*bench.state, bench.chunks, recomputed);
  EXPECT_EQ(recomputed.streamed, 2 * bench.work());
}

TEST(CostByKind, OfRecomputingTwiceIsTwiceThatOfOnce) {
  CostBench bench(random_content({}));
  Cost cost;
  bench.model.apply(*bench.state, {{1, 4}, {0.1, -0.2}}, 1, nullptr, bench.chunks, cost);
  Cost once, twice;
  bench.model.recompute(*bench.state, bench.chunks, once);
  bench.model.recompute(*bench.state, bench.chunks, twice);
  bench.model.recompute(*bench.state, bench.chunks, twice);
  EXPECT_EQ(twice.flops, 2 * once.flops);
  EXPECT_EQ(twice.streamed, 2 * once.streamed);
}

/// A slice of all variables that has heard of the problem.
std::unique_ptr<Slice> slice_of(CostBench& bench) {
  auto slice = bench.model.make_slice(bench.all());
  slice->begin(bench.problem);
  return slice;
}

LassoOptions published(Policy policy, std::uint32_t workers) {
  LassoOptions options;
  options.policy = policy;
  options.workers = workers;
  return options;
}

/// Plans a round and says what it cost.
engine::Plan planned(CostBench& bench, Slice& slice, std::uint64_t round, Cost& cost) {
  const std::vector<VarId> variables = bench.all();
  engine::Sampler sampler(variables.size(), slice.rules().sampling_scale);
  std::vector<double> p;
  for (const VarId j : variables) p.push_back(slice.define_sampling(j));
  sampler.assign(p);
  auto plan = engine::plan_round(slice, variables, sampler, CounterRng(1, Purpose::sampling, 0, round),
                                 bench.options.workers, bench.chunks);
  cost = slice.take_planning_cost();
  return plan;
}

/// Algorithm 1 by the book: what is kept of the same draw, and how many pairs were looked at.
std::vector<VarId> kept_by_the_book(const CostBench& bench, const Slice& slice, std::uint64_t round,
                                    std::uint64_t& pairs) {
  const std::vector<VarId> variables = bench.all();
  engine::Sampler sampler(variables.size(), slice.rules().sampling_scale);
  std::vector<double> p;
  for (const VarId j : variables) p.push_back(slice.define_sampling(j));
  sampler.assign(p);
  CounterRng rng(1, Purpose::sampling, 0, round);
  std::vector<VarId> kept;
  for (const std::size_t i : sampler.draw(slice.rules().draws, rng)) {
    const VarId j = variables[i];
    bool conflicts = false;
    for (std::size_t k = 0; k < kept.size() && !conflicts; ++k) {
      ++pairs;
      conflicts = std::abs(bench.data->columns->pair(j, kept[k])) > bench.options.rho;
    }
    if (!conflicts && kept.size() < bench.options.workers) kept.push_back(j);
    if (kept.size() == bench.options.workers) break;
  }
  return kept;
}

TEST(PlanningCost, KeepsAndCountsWhatAlgorithm1ByTheBookLooksAt) {
  for (const Policy policy : {Policy::paper, Policy::fixed_structure, Policy::theorem1}) {
    CostBench bench(random_content({.rows = 150, .columns = 90, .shared = 0.2}), published(policy, 10));
    const auto slice = slice_of(bench);
    std::size_t dropped = 0;
    for (std::uint64_t round = 0; round < 40; ++round) {
      Cost cost;
      auto found = planned(bench, *slice, round, cost).variables();
      std::uint64_t pairs = 0;
      auto expected = kept_by_the_book(bench, *slice, round, pairs);
      dropped += expected.size() < 10 ? 1 : 0;
      EXPECT_EQ(found, expected) << policy_name(policy) << " " << round;
      EXPECT_EQ(cost.flops, pairs * bench.work());
      EXPECT_EQ(cost.tiled, cost.flops);
      EXPECT_EQ(cost.streamed, 40 * bench.work()) << "each drawn column is unpacked once";
    }
    EXPECT_GT(dropped, 0u) << "conflicts must sometimes bind";
  }
}

TEST(PlanningCost, OfUniformRoundsIsNothing) {
  CostBench bench(random_content({}), published(Policy::uniform, 4));
  const auto slice = slice_of(bench);
  Cost cost;
  EXPECT_EQ(planned(bench, *slice, 0, cost).blocks.size(), 4u);
  EXPECT_EQ(cost, Cost{});
}

TEST(PlanningCost, OfTheWorkingSetIsPaidOnce) {
  CostBench bench(random_content({.rows = 400, .columns = 30}), published(Policy::automatic, 4));
  const auto slice = slice_of(bench);
  Cost refreshed;
  static_cast<void>(slice->refresh(*bench.state, bench.chunks, refreshed));
  EXPECT_EQ(refreshed.streamed, 30 * bench.work());
  PhasePlan plan;
  plan.blocks_max = 4;
  plan.content = payload_of(Phase{});
  slice->enter_phase(plan);
  slice->prepare_round(bench.chunks);
  const Cost first = slice->take_planning_cost();
  EXPECT_GT(first.tiled, 0u);
  EXPECT_GT(first.flops, 0u);
  slice->enter_phase(plan);
  slice->prepare_round(bench.chunks);
  EXPECT_EQ(slice->take_planning_cost().tiled, 0u) << "the products are remembered";
}

}  // namespace
}  // namespace strads::lasso
