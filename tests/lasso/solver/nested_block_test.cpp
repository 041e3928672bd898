// Joint blocks that are solved on the variables that move.
#include "lasso/solver/nested_block.hpp"

#include <gtest/gtest.h>

#include <string>

#include "joint_bench.hpp"
#include "strads/policies/parallelism.hpp"

namespace strads::lasso {
namespace {

class NestedBlocks : public ::testing::TestWithParam<JointCase> {};

TEST_P(NestedBlocks, EndWithTheGapThatWasAskedFor) {
  JointBench bench(GetParam());
  for (const double gap : {1e-3, 1e-6, 1e-10}) {
    const auto found = bench.solve(Vector(bench.variables.size(), 0.0), gap);
    EXPECT_LE(bench.plain.gap(found.beta, bench.lambda), 1.01 * gap + 1e-14);
    EXPECT_GT(found.counts.steps, 2U) << "variables join a few at a time";
  }
}

TEST_P(NestedBlocks, FindTheOptimum) {
  JointBench bench(GetParam());
  const auto found = bench.solve(Vector(bench.variables.size(), 0.0), 1e-11);
  const double best = bench.plain.objective(bench.plain.solve(bench.lambda), bench.lambda);
  EXPECT_NEAR(bench.plain.objective(found.beta, bench.lambda), best, 1e-10);
}

TEST_P(NestedBlocks, SayByHowMuchTheObjectiveFell) {
  JointBench bench(GetParam());
  Vector start(bench.variables.size(), 0.0);
  start[7] = 0.05;
  start[31] = 0.1;
  const auto found = bench.solve(start, 1e-7);
  EXPECT_NEAR(found.decrease,
              bench.plain.objective(start, bench.lambda) - bench.plain.objective(found.beta, bench.lambda), 1e-11);
  EXPECT_GT(found.decrease, 0);
}

TEST_P(NestedBlocks, DoNotDependOnWhatIsRemembered) {
  JointBench bench(GetParam());
  const auto first = bench.solve(Vector(bench.variables.size(), 0.0), 1e-8);
  const auto again = bench.solve(Vector(bench.variables.size(), 0.0), 1e-8);
  EXPECT_EQ(first.beta, again.beta);
  EXPECT_EQ(first.cost.flops, again.cost.flops) << "messages count what the block says";
  EXPECT_LT(again.cost.tiled, first.cost.tiled) << "but less was computed";
}

TEST_P(NestedBlocks, StayWhereTheyAreSolvedAlready) {
  JointBench bench(GetParam());
  const auto first = bench.solve(Vector(bench.variables.size(), 0.0), 1e-9);
  const auto again = bench.solve(first.beta, 1e-8);
  EXPECT_EQ(again.counts.steps, 0U);
  EXPECT_EQ(again.beta, first.beta);
}

INSTANTIATE_TEST_SUITE_P(Penalties, NestedBlocks, joint_cases(),
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
