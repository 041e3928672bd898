// What a worker computes for each kind of block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "lasso/solver/block_tally.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {
namespace {

using ::testing::SizeIs;

/// Columns, a model with lambda fixed, and a replica at some beta.
struct PushBench {
  Content content;
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  LassoModel model;
  Vector beta;
  LassoState state;
  double lambda;
  SerialChunks chunks;

  PushBench(const Content& made, const std::vector<std::pair<VarId, double>>& start, double ratio = 0.1)
      : content(made),
        data(scanned(content)),
        plain(plain_data(content, {}).problem),
        model(data, {}),
        beta(content.columns.size(), 0.0),
        state(Vector{}),
        lambda(ratio * plain.lambda_max()) {
    Payload problem;
    problem = payload_of(Start{.lambda = lambda});
    model.begin(problem);
    std::vector<VarId> variables;
    Vector values;
    for (const auto& [j, value] : start) {
      beta[j] = value;
      variables.push_back(j);
      values.push_back(value);
    }
    Vector residual = data->response.standardized;
    Vector fitted(residual.size());
    data->columns->combine(variables, values, fitted, chunks);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= fitted[i];
    state = LassoState(residual);
    state.set_values(variables, values);
    state.refresh_sums();
  }

  Block block(std::vector<VarId> variables, std::uint32_t kind, std::uint32_t sweeps = 1, double tolerance = 0) const {
    Block made;
    made.content.values = state.values(variables);
    made.content.ids = std::move(variables);
    made.kind = kind;
    made.sweeps = sweeps;
    made.tolerance = tolerance;
    return made;
  }
  Push push(const Block& wanted) { return model.push(state, wanted, chunks); }
  Vector after(const Push& push) const {
    Vector moved = beta;
    for (std::size_t k = 0; k < push.deltas.ids.size(); ++k) moved[push.deltas.ids[k]] += push.deltas.values[k];
    return moved;
  }
  double decrease(const Push& push) const {
    return plain.objective(beta, lambda) - plain.objective(after(push), lambda);
  }
};

std::vector<VarId> first_of(VarId count) {
  std::vector<VarId> list;
  for (VarId j = 0; j < count; ++j) list.push_back(j);
  return list;
}

TEST(PushInOrder, IsOneCoordinateStepOfTheVariable) {
  PushBench bench(random_content({}), {{1, 0.2}, {5, -0.1}});
  for (VarId j = 0; j < 24; ++j) {
    const Push push = bench.push(bench.block({j}, kUpdateBest));
    const double g = plain_dot(bench.plain.x[j], bench.plain.residual(bench.beta));
    const Step step = VariablePenalty(bench.lambda).step(bench.beta[j], g, 1.0);
    EXPECT_NEAR(bench.after(push)[j] - bench.beta[j], step.delta, 1e-13);
    EXPECT_NEAR(push.predicted, bench.decrease(push), 1e-13);
    EXPECT_EQ(push.cost.updates, 1u);
  }
}

TEST(PushInOrder, SaysNothingAboutAVariableThatStays) {
  PushBench bench(random_content({}), {}, 1.0);
  EXPECT_THAT(bench.push(bench.block({3}, kUpdateBest)).deltas.ids, SizeIs(0));
}

TEST(PushBest, UpdatesTheVariableThatDecreasesMost) {
  PushBench bench(random_content({}), {{2, 0.3}});
  const Push push = bench.push(bench.block(first_of(24), kUpdateBest));
  ASSERT_THAT(push.deltas.ids, SizeIs(1));
  for (VarId j = 0; j < 24; ++j)
    EXPECT_LE(bench.decrease(bench.push(bench.block({j}, kUpdateBest))), push.predicted + 1e-14);
  EXPECT_NEAR(push.predicted, bench.decrease(push), 1e-13);
}

TEST(PushBest, SkipsConstantColumns) {
  Content content = random_content({});
  for (double& value : content.columns[4]) value = 2.5;
  PushBench bench(content, {});
  EXPECT_THAT(bench.push(bench.block({4}, kUpdateBest)).deltas.ids, SizeIs(0));
  EXPECT_EQ(bench.push(bench.block({4}, kUpdateBest)).cost.updates, 0u);
  EXPECT_THAT(bench.push(bench.block({4}, kUpdateBest)).tally, SizeIs(0))
      << "a round of one update has nothing to tell";
}

/// Both ways to solve a block: dense columns take the Gram matrix, sparse ones the residual.
struct Shape {
  const char* name;
  std::size_t rows, columns;
  bool sparse;
};

class PushSolve : public ::testing::TestWithParam<Shape> {
 protected:
  static Content content() {
    Content made = random_content(
        {.rows = GetParam().rows, .columns = GetParam().columns, .shared = 0.3, .fill = GetParam().sparse ? 0.2 : 1.0});
    made.sparse = GetParam().sparse;
    return made;
  }
};

TEST_P(PushSolve, JointBlockReachesItsDualityGap) {
  PushBench bench(content(), {{0, 0.05}, {1, 0.1}});
  const auto all = first_of(static_cast<VarId>(GetParam().columns));
  for (const double gap : {1e-3, 1e-6, 1e-10}) {
    const Push push = bench.push(bench.block(all, kSolveJoint, 100000, gap));
    EXPECT_LE(bench.plain.gap(bench.after(push), bench.lambda), gap * 1.001 + 1e-14);
    EXPECT_NEAR(push.predicted, bench.decrease(push), 1e-11);
  }
}

TEST_P(PushSolve, OrdinaryBlockDecreasesTheObjectiveByWhatItPredicts) {
  PushBench bench(content(), {{1, 0.2}});
  const auto some = first_of(static_cast<VarId>(GetParam().columns / 2));
  const Push push = bench.push(bench.block(some, kSolveBlock, 20, 1e-9));
  EXPECT_GT(push.predicted, 0);
  EXPECT_NEAR(push.predicted, bench.decrease(push), 1e-12);
}

TEST_P(PushSolve, DoesNotDependOnWhatOtherVariablesAreZero) {
  // A block of the variables that matter gives the same solution as a block with all of them.
  PushBench bench(content(), {});
  const auto all = first_of(static_cast<VarId>(GetParam().columns));
  const Push whole = bench.push(bench.block(all, kSolveJoint, 100000, 1e-13));
  const Push part = bench.push(bench.block(whole.deltas.ids, kSolveJoint, 100000, 1e-13));
  const Vector a = bench.after(whole), b = bench.after(part);
  EXPECT_NEAR(bench.plain.objective(a, bench.lambda), bench.plain.objective(b, bench.lambda), 1e-12);
}

TEST_P(PushSolve, NamesChangedVariablesInTheOrderOfTheBlock) {
  PushBench bench(content(), {{1, 0.2}});
  const Push push = bench.push(bench.block(first_of(static_cast<VarId>(GetParam().columns)), kSolveJoint, 1000, 1e-6));
  EXPECT_TRUE(std::is_sorted(push.deltas.ids.begin(), push.deltas.ids.end()));
  for (const double delta : push.deltas.values) EXPECT_NE(delta, 0.0);
}

TEST_P(PushSolve, LeavesTheReplicaAlone) {
  PushBench bench(content(), {{1, 0.2}});
  const Vector before = bench.state.residual;
  static_cast<void>(bench.push(bench.block(first_of(static_cast<VarId>(GetParam().columns)), kSolveJoint, 1000, 1e-6)));
  EXPECT_EQ(bench.state.residual, before);
}

TEST_P(PushSolve, TellsHowTheBlockWasSolved) {
  PushBench bench(content(), {{1, 0.2}});
  const auto block = bench.block(first_of(static_cast<VarId>(GetParam().columns)), kSolveJoint, 1000, 1e-10);
  const Push push = bench.push(block);
  ASSERT_THAT(push.tally, SizeIs(kBlockCounts));
  const bool gram = std::string(GetParam().name).ends_with("Gram");
  EXPECT_EQ(push.tally[kGramBlocks], gram ? 1U : 0U);
  EXPECT_EQ(push.tally[kResidualBlocks], gram ? 0U : 1U);
  EXPECT_GT(push.tally[gram ? kGramSweeps : kResidualSweeps], 1U);
  EXPECT_EQ(push.tally[gram ? kResidualSweeps : kGramSweeps], 0U);
  EXPECT_LE(push.tally[kSupportSteps], push.tally[kSupportProducts]);
  // What is missing is the gradient at base, which a solve on the residual does not need: a product with each column.
  const std::uint64_t inner = push.tally[kResidualFlops] + push.tally[kGramProductFlops] + push.tally[kGramSolveFlops];
  std::uint64_t gradient = 0;
  for (const VarId j : block.content.ids) gradient += gram ? bench.data->columns->work(j) : 0;
  EXPECT_EQ(push.cost.flops, gradient + inner);
}

TEST(PushSolved, NewtonStepsAndStepsTogetherAreCountedWhereTheyHappen) {
  // Strongly coupled columns at a small gap: sweeps alone crawl.
  Content content = random_content({.rows = 60, .columns = 80, .shared = 0.3, .fill = 0.2});
  content.sparse = true;
  PushBench sparse(content, {});
  const Push residual = sparse.push(sparse.block(first_of(80), kSolveJoint, 10000, 1e-12));
  EXPECT_EQ(residual.tally[kResidualBlocks], 1U);
  EXPECT_GT(residual.tally[kSupportSteps], 0U);
  EXPECT_GT(residual.tally[kSupportProducts], residual.tally[kSupportSteps]);
  PushBench tall(random_content({.rows = 400, .columns = 60, .shared = 0.99}), {});
  const Push gram = tall.push(tall.block(first_of(60), kSolveJoint, 10000, 1e-14));
  EXPECT_EQ(gram.tally[kGramBlocks], 1U);
  EXPECT_GT(gram.tally[kNewtonSteps], 0U);
  EXPECT_EQ(gram.tally[kNewtonBlocks], 1U);
}

TEST_P(PushSolve, GivesTheSameBitsAgain) {
  PushBench bench(content(), {{1, 0.2}});
  const auto block = bench.block(first_of(static_cast<VarId>(GetParam().columns)), kSolveJoint, 1000, 1e-6);
  EXPECT_EQ(bench.push(block).deltas, bench.push(block).deltas);
}

INSTANTIATE_TEST_SUITE_P(Storages, PushSolve,
                         ::testing::Values(Shape{"DenseGram", 400, 20, false}, Shape{"WideGram", 30, 200, false},
                                           Shape{"SparseResidual", 60, 80, true}),
                         [](const auto& shape) { return shape.param.name; });

TEST(GramCache, RemembersWithoutChangingABit) {
  const auto data = scanned(random_content({.rows = 50, .columns = 40}));
  SerialChunks chunks;
  GramCache cache;
  for (const auto& block : {std::vector<VarId>{1, 4, 7, 8}, {0, 4, 5, 8, 30}, {0, 4, 5, 8, 30}, {2, 3}, {}, {3, 39}}) {
    Vector remembered, fresh(block.size() * block.size());
    static_cast<void>(cache.gram(*data->columns, block, remembered, chunks));
    data->columns->gram(block, fresh, chunks);
    EXPECT_EQ(remembered, fresh);
    cache.keep(block, remembered);
  }
}

TEST(GramCache, RearrangesInItsOwnMemory) {
  const auto data = scanned(random_content({.rows = 50, .columns = 40}));
  SerialChunks chunks;
  GramCache cache;
  CounterRng random(4, Purpose::tests);
  const double* memory = nullptr;
  for (int round = 0; round < 200; ++round) {
    std::vector<VarId> block;
    for (VarId j = 0; j < 40; ++j) {
      if (random.below(4) != 0) block.push_back(j);
    }
    Vector remembered, fresh(block.size() * block.size());
    static_cast<void>(cache.gram(*data->columns, block, remembered, chunks));
    data->columns->gram(block, fresh, chunks);
    ASSERT_EQ(remembered, fresh) << round;
    if (round > 0) {
      ASSERT_EQ(remembered.data(), memory) << round << ": two matrices at once";
    }
    memory = remembered.data();
    cache.keep(block, std::move(remembered));
  }
}

TEST(PairCache, RemembersWithoutChangingABit) {
  const auto data = scanned(random_content({.rows = 50, .columns = 40}));
  SerialChunks chunks;
  PairCache cache;
  CounterRng random(3, Purpose::tests);
  for (int round = 0; round < 200; ++round) {
    std::vector<VarId> block;
    for (VarId j = 0; j < 40; ++j) {
      if (random.below(3) == 0) block.push_back(j);
    }
    Vector remembered, fresh(block.size() * block.size());
    static_cast<void>(cache.gram(*data->columns, block, remembered, chunks));
    data->columns->gram(block, fresh, chunks);
    ASSERT_EQ(remembered, fresh) << round;
  }
}

TEST(PairCache, ComputesNoMoreRowsThanItMust) {
  const auto data = scanned(random_content({.rows = 50, .columns = 40}));
  SerialChunks chunks;
  PairCache cache;
  Vector out;
  const std::uint64_t work = data->columns->work(0);
  const auto flops = [&](const std::vector<VarId>& block) {
    return cache.gram(*data->columns, block, out, chunks) / work;
  };
  EXPECT_EQ(flops({0, 1, 2, 3}), 10u);
  EXPECT_EQ(flops({0, 1, 2, 3}), 0u);
  EXPECT_EQ(flops({2, 3, 7}), 3u) << "the row of 7: with 2, 3 and itself";
  EXPECT_EQ(flops({0, 7}), 2u) << "they never met; one of the two rows fills the gap";
  EXPECT_EQ(flops({0, 7}), 0u);
}

/// A joint block that says how many of its variables are new, and how far its penalty is raised.
Block joint_block(const PushBench& bench, std::vector<VarId> variables, double fresh, double raise = 1) {
  Block block = bench.block(std::move(variables), kSolveJoint, 1000, 1e-6);
  block.content.values.push_back(fresh);
  block.content.values.push_back(raise);
  return block;
}

TEST(PushRaised, AJointBlockIsSolvedForTheLargerPenalty) {
  // Many short columns are solved on the residual, few long ones in their Gram matrix.
  for (const VarId columns : {5000U, 60U}) {
    PushBench bench(random_content({.rows = columns == 60 ? 400U : 10U, .columns = columns}), {});
    Block block = joint_block(bench, first_of(columns), columns, 3);
    block.tolerance = 1e-9;
    const Push push = bench.push(block);
    EXPECT_EQ(push.cost.tiled == 0, columns == 5000);
    EXPECT_LE(bench.plain.gap(bench.after(push), 3 * bench.lambda), 1.001e-9) << columns;
    EXPECT_GT(bench.plain.gap(bench.after(push), bench.lambda), 1e-4) << columns;
  }
}

TEST(PushRaised, AFactorBelowOneOrNoneAtAllRaisesNothing) {
  PushBench bench(random_content({.rows = 400, .columns = 20}), {});
  const Push plain = bench.push(joint_block(bench, first_of(20), 20));
  for (const double raise : {0.0, 0.5, -1.0, std::nan("")}) {
    EXPECT_EQ(bench.push(joint_block(bench, first_of(20), 20, raise)).deltas, plain.deltas) << raise;
  }
}

TEST(PushCost, CountsPairsWithNewVariables) {
  PushBench bench(random_content({.rows = 400, .columns = 20}), {});
  const auto flops = [&](double fresh) { return bench.push(joint_block(bench, first_of(20), fresh)).cost.flops; };
  const std::uint64_t work = bench.data->columns->work(0);
  EXPECT_EQ(flops(20) - flops(0), work * 200);
  EXPECT_EQ(flops(4) - flops(0), work * (4 * 16 + 8));
}

TEST(PushCost, IsAFunctionOfTheBlockAndNotOfWhatThisNodeRemembers) {
  const Content content = random_content({.rows = 400, .columns = 20});
  PushBench knows(content, {}), does_not(content, {});
  static_cast<void>(knows.push(joint_block(knows, first_of(15), 15)));
  const auto block = joint_block(knows, first_of(20), 5);
  EXPECT_EQ(knows.push(block).cost.flops, does_not.push(block).cost.flops);
  EXPECT_EQ(knows.push(block).cost.flops, does_not.push(block).cost.flops) << "asked again";
}

TEST(PushCost, CountsAllPairsWhenTheBlockDoesNotSayHowManyVariablesAreNew) {
  PushBench bench(random_content({.rows = 400, .columns = 20}), {});
  const std::uint64_t all = bench.push(joint_block(bench, first_of(20), 20)).cost.flops;
  EXPECT_EQ(bench.push(bench.block(first_of(20), kSolveJoint, 1000, 1e-6)).cost.flops, all);
}

TEST_P(PushSolve, TheNumberOfNewVariablesIsNoStartValue) {
  PushBench bench(content(), {{1, 0.2}});
  const auto all = first_of(static_cast<VarId>(GetParam().columns));
  for (const std::uint32_t kind : {kUpdateBest, kSolveBlock, kSolveJoint}) {
    const Block plain = bench.block(all, kind, 1000, 1e-6);
    Block longer = plain;
    longer.content.values.insert(longer.content.values.end(), {3, 1});
    EXPECT_EQ(bench.push(longer).deltas, bench.push(plain).deltas) << kind;
  }
}

TEST(PushSolveWithCovariates, ReachesItsDualityGapOnManyShortColumns) {
  // 200 columns of 30 rows are solved on a private residual, which must stay free of the covariates.
  Content content = random_content({.rows = 30, .columns = 200, .shared = 0.3});
  CounterRng random(9, Purpose::tests);
  content.covariates.assign(2, Vector(30));
  for (auto& covariate : content.covariates) {
    for (double& value : covariate) value = random.unit();
  }
  PushBench bench(content, {});
  const Push push = bench.push(bench.block(first_of(200), kSolveJoint, 1000, 1e-8));
  EXPECT_LE(bench.plain.gap(bench.after(push), bench.lambda), 1.001e-8);
}

}  // namespace
}  // namespace strads::lasso
