// Joint blocks that are solved on the variables that move.
#include "lasso/solver/nested_block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "lasso/policies/parallelism.hpp"
#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

struct NestedCase {
  const char* name;
  double l1_ratio = 1;
  bool nonnegative = false;
  bool factors = false;
  bool covariates = false;
  bool weights = false;
};

Content nested_content(const NestedCase& wanted) {
  Content content = random_content({.rows = 150, .columns = 400, .shared = 0.4});
  if (wanted.covariates) {
    content.covariates = {content.columns[0], content.columns[1]};
    content.covariates[0][3] += 1;
    content.covariates[1][5] -= 2;
  }
  if (wanted.factors) {
    for (std::size_t j = 0; j < content.columns.size(); ++j) content.factors.push_back(j % 3 == 0 ? 2.0 : 0.5);
  }
  if (wanted.weights) {
    for (std::size_t i = 0; i < content.rows(); ++i) content.weights.push_back(i % 2 == 0 ? 1.5 : 0.5);
  }
  return content;
}

struct NestedBench {
  LassoOptions options;
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  Penalty penalty;
  double lambda = 0;
  std::vector<VarId> variables;
  GramCache cache;
  SerialChunks chunks;

  explicit NestedBench(const NestedCase& wanted, double ratio = 0.02) {
    options.l1_ratio = wanted.l1_ratio;
    options.nonnegative = wanted.nonnegative;
    const Content content = nested_content(wanted);
    data = scanned(content, options);
    plain = plain_data(content, options).problem;
    lambda = ratio * plain.lambda_max();
    penalty = Penalty(lambda, options.l1_ratio, plain.factors, options.nonnegative);
    variables.resize(content.columns.size());
    std::iota(variables.begin(), variables.end(), VarId{0});
  }

  struct Outcome {
    Vector beta;
    double decrease = 0;
    NestedBlock::Counts counts;
    Cost cost;
  };
  Outcome solve(const Vector& start, double gap_max, Chunks& threads) {
    Vector residual = data->response.standardized, fitted(residual.size());
    data->columns->combine(variables, start, fitted, chunks);
    axpy(-1.0, fitted, residual);
    Local local{variables, start, Vector(variables.size())};
    data->columns->dots(variables, residual, local.gradient, chunks);
    Outcome outcome;
    NestedBlock block(*data->columns, penalty, residual, std::move(local), cache, threads, outcome.cost);
    outcome.decrease = block.solve(gap_max, 10000);
    outcome.beta = block.local().value;
    outcome.counts = block.counts();
    return outcome;
  }
  Outcome solve(const Vector& start, double gap_max) { return solve(start, gap_max, chunks); }
};

class NestedBlocks : public ::testing::TestWithParam<NestedCase> {};

TEST_P(NestedBlocks, EndWithTheGapThatWasAskedFor) {
  NestedBench bench(GetParam());
  for (const double gap : {1e-3, 1e-6, 1e-10}) {
    const auto found = bench.solve(Vector(bench.variables.size(), 0.0), gap);
    EXPECT_LE(bench.plain.gap(found.beta, bench.lambda), 1.01 * gap + 1e-14);
    EXPECT_GT(found.counts.steps, 2U) << "variables join a few at a time";
  }
}

TEST_P(NestedBlocks, FindTheOptimum) {
  NestedBench bench(GetParam());
  const auto found = bench.solve(Vector(bench.variables.size(), 0.0), 1e-11);
  const double best = bench.plain.objective(bench.plain.solve(bench.lambda), bench.lambda);
  EXPECT_NEAR(bench.plain.objective(found.beta, bench.lambda), best, 1e-10);
}

TEST_P(NestedBlocks, SayByHowMuchTheObjectiveFell) {
  NestedBench bench(GetParam());
  Vector start(bench.variables.size(), 0.0);
  start[7] = 0.05;
  start[31] = 0.1;
  const auto found = bench.solve(start, 1e-7);
  EXPECT_NEAR(found.decrease,
              bench.plain.objective(start, bench.lambda) - bench.plain.objective(found.beta, bench.lambda), 1e-11);
  EXPECT_GT(found.decrease, 0);
}

TEST_P(NestedBlocks, DoNotDependOnWhatIsRemembered) {
  NestedBench bench(GetParam());
  const auto first = bench.solve(Vector(bench.variables.size(), 0.0), 1e-8);
  const auto again = bench.solve(Vector(bench.variables.size(), 0.0), 1e-8);
  EXPECT_EQ(first.beta, again.beta);
  EXPECT_EQ(first.cost.flops, again.cost.flops) << "messages count what the block says";
  EXPECT_LT(again.cost.tiled, first.cost.tiled) << "but less was computed";
}

TEST_P(NestedBlocks, StayWhereTheyAreSolvedAlready) {
  NestedBench bench(GetParam());
  const auto first = bench.solve(Vector(bench.variables.size(), 0.0), 1e-9);
  const auto again = bench.solve(first.beta, 1e-8);
  EXPECT_EQ(again.counts.steps, 0U);
  EXPECT_EQ(again.beta, first.beta);
}

INSTANTIATE_TEST_SUITE_P(Penalties, NestedBlocks,
                         ::testing::Values(NestedCase{.name = "Lasso"},
                                           NestedCase{.name = "ElasticNet", .l1_ratio = 0.7},
                                           NestedCase{.name = "Nonnegative", .nonnegative = true},
                                           NestedCase{.name = "Factors", .l1_ratio = 0.9, .factors = true},
                                           NestedCase{.name = "Covariates", .covariates = true},
                                           NestedCase{.name = "Weights", .weights = true}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(NestedBlockMemory, HoldsNoMoreThanSixThousandVariables) {
  EXPECT_TRUE(NestedBlock::can_hold(5000));
  EXPECT_FALSE(NestedBlock::can_hold(6000));
}

TEST(NestedBlockChoice, MakesOneLargeBlockCheaperThanSeveral) {
  // Blocks of few samples' products are what they were; of many samples one block beats eight.
  PairProducts plain;
  PairProducts nested;
  nested.nested = true;
  CostModel cost;
  cost.flop_seconds = streaming_seconds(Storage::genotype_2bit);
  EXPECT_EQ(Parallelism(cost, 8, plain).choose(1000, 463, 926).blocks,
            Parallelism(cost, 8, nested).choose(1000, 463, 926).blocks);
  plain.sampled = nested.sampled = 0.1;
  EXPECT_GT(Parallelism(cost, 8, plain).choose(2000, 20000, 40000).blocks, 1U);
  EXPECT_EQ(Parallelism(cost, 8, nested).choose(2000, 20000, 40000).blocks, 1U);
  // What several blocks leave costs passes.
  EXPECT_GT(Parallelism(cost, 8, nested).choose(1200, 20000, 40000).blocks, 1U);
  EXPECT_EQ(Parallelism(cost, 8, nested).choose(1200, 20000, 40000, 50000.0 * 40000).blocks, 1U);
}

}  // namespace
}  // namespace strads::lasso
