// The block solver on problems small enough to know the answer, and on its edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "numerics/quadratic/l1_quadratic_problems.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads {
namespace {

using test::BlockProblem;
using test::random_problem;
using test::slow_descent;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr double kRounding = 1e-15;

TEST(L1Quadratic, SoftThresholdsASingleVariable) {
  const std::vector<double> gram{2}, gradient{3};
  std::vector<double> x{0};
  const auto result = solve_l1_quadratic({gram, gradient, 1, 9}, x, {});
  EXPECT_DOUBLE_EQ(x[0], 1);  // S(3, 1) / 2
  EXPECT_DOUBLE_EQ(result.decrease, 1);
  EXPECT_LE(result.gap, 1e-14);
}

TEST(L1Quadratic, CountsTheGradientFromTheStart) {
  // q = x^2 - 3x + |x| again, entered at x = 2 where h = 3 - 2 * 2.
  const std::vector<double> gram{2}, gradient{-1};
  std::vector<double> x{2};
  EXPECT_DOUBLE_EQ(solve_l1_quadratic({gram, gradient, 1, -1}, x, {}).decrease, 1);
  EXPECT_DOUBLE_EQ(x[0], 1);
}

TEST(L1Quadratic, AcceptsNoVariables) {
  const auto result = solve_l1_quadratic({{}, {}, 1, 2}, {}, {});
  EXPECT_EQ(result.decrease, 0);
  EXPECT_EQ(result.updates, 0U);
}

TEST(L1Quadratic, StaysAtZeroWhenThePenaltyExceedsEveryGradient) {
  for (const double fraction : {1.0, 1.5}) {
    const BlockProblem problem = random_problem({.n = 15, .k = 40, .fraction = fraction}, 3);
    std::vector<double> x = problem.start;
    const auto result = solve_l1_quadratic(problem.quadratic(), x, {});
    EXPECT_THAT(x, Each(0.0));
    EXPECT_EQ(result.decrease, 0);
    EXPECT_LE(result.gap, kRounding);
    EXPECT_EQ(result.sweeps, 1U);
  }
}

TEST(L1Quadratic, LeavesTheStartAloneWithoutSweeps) {
  const BlockProblem problem = random_problem({.warm = true}, 4);
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = 0});
  EXPECT_EQ(x, problem.start);
  EXPECT_EQ(result.decrease, 0);
  EXPECT_GT(result.gap, 0);
}

TEST(L1Quadratic, OneSweepIsPlainCyclicCoordinateDescentBitForBit) {
  const BlockProblem problem = random_problem({.n = 9, .k = 13, .warm = true}, 5);
  std::vector<double> expected = problem.start;
  std::vector<double> h = problem.gradient;
  for (std::size_t j = 0; j < problem.k; ++j) {
    const double squared = problem.gram[j * problem.k + j];
    const double z = squared * expected[j] + h[j];
    const double value = (z > problem.penalty    ? z - problem.penalty
                          : z < -problem.penalty ? z + problem.penalty
                                                 : 0) /
                         squared;
    const double step = value - expected[j];
    axpy(-step, std::span(problem.gram).subspan(j * problem.k, problem.k), h);
    expected[j] = value;
  }
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.without_residual(), x, {.sweeps_max = 1, .newton = false});
  EXPECT_EQ(x, expected);
  EXPECT_EQ(result.sweeps, 1U);
  EXPECT_EQ(result.updates, problem.k);
  EXPECT_EQ(result.newton_steps, 0U);
  EXPECT_EQ(result.gap, -1);
}

TEST(L1Quadratic, OneSweepEqualsDescentOnTheResidual) {
  const BlockProblem problem = random_problem({.n = 30, .k = 12, .correlation = 0.9, .warm = true}, 6);
  std::vector<double> x = problem.start;
  (void)solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = 1, .newton = false});
  const auto expected = slow_descent(problem, 1);
  for (std::size_t j = 0; j < problem.k; ++j) EXPECT_NEAR(x[j], expected[j], 1e-13) << j;
}

TEST(L1Quadratic, SkipsAVariableWhoseColumnIsZero) {
  const std::vector<double> gram{1, 0, 0, 0}, gradient{2, 0};
  for (const bool newton : {false, true}) {
    std::vector<double> x{0, 5};
    (void)solve_l1_quadratic({gram, gradient, 0.5, -1}, x, {.newton = newton});
    EXPECT_THAT(x, ElementsAre(1.5, 5));
  }
}

TEST(L1Quadratic, SolvesWithoutPenaltyAsLeastSquares) {
  BlockProblem problem = random_problem({.n = 30, .k = 8, .fraction = 0}, 7);
  std::vector<double> x = problem.start;
  (void)solve_l1_quadratic(problem.quadratic(), x, {});
  EXPECT_LE(problem.violation(x), 1e-13);
}

TEST(L1Quadratic, SplitsNothingAwayBetweenTwoCopiesOfAColumn) {
  // Two equal columns: any split of the sum 1.5 is optimal.
  const std::vector<double> gram{1, 1, 1, 1}, gradient{2, 2};
  std::vector<double> x{0, 0};
  const auto result = solve_l1_quadratic({gram, gradient, 0.5, 4}, x, {});
  EXPECT_NEAR(x[0] + x[1], 1.5, kRounding);
  EXPECT_GE(x[0], 0);
  EXPECT_GE(x[1], 0);
  EXPECT_NEAR(result.decrease, 1.125, kRounding);
}

TEST(L1Quadratic, KeepsToItsBudget) {
  const BlockProblem problem = random_problem({.n = 40, .k = 120, .fraction = 0.01, .correlation = 0.95}, 8);
  for (const std::uint32_t budget : {1U, 2U, 3U, 7U, 20U, 33U}) {
    std::vector<double> x = problem.start;
    const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = budget});
    EXPECT_LE(result.sweeps + result.newton_steps, budget);
    EXPECT_GT(result.decrease, 0);
  }
}

TEST(L1Quadratic, StopsAtTheGapItWasAskedFor) {
  const BlockProblem problem = random_problem({.n = 60, .k = 100, .fraction = 0.1, .correlation = 0.5}, 9);
  for (const double gap_max : {1e-2, 1e-5, 1e-10}) {
    std::vector<double> x = problem.start;
    EXPECT_LE(solve_l1_quadratic(problem.quadratic(), x, {.gap_max = gap_max}).gap, gap_max);
  }
  std::vector<double> rough = problem.start, fine = problem.start;
  EXPECT_LT(solve_l1_quadratic(problem.quadratic(), rough, {.gap_max = 1e-2}).flops,
            solve_l1_quadratic(problem.quadratic(), fine, {.gap_max = 1e-10}).flops);
}

TEST(L1Quadratic, StopsOnASmallDecreaseWhenTheGapIsUnknown) {
  const BlockProblem problem = random_problem({.n = 60, .k = 30, .fraction = 0.1}, 10);
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.without_residual(), x, {.gap_max = 1e-10, .newton = false});
  EXPECT_LT(result.sweeps, 200U);
  EXPECT_LE(problem.objective(x), problem.objective(slow_descent(problem, 1000)) + 1e-8);
}

TEST(L1Quadratic, NeedsNoNewtonWhereDescentIsFast) {
  const BlockProblem problem = random_problem({.n = 4000, .k = 60, .fraction = 0.1}, 11);
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-12});
  EXPECT_EQ(result.newton_steps, 0U);
  EXPECT_LE(result.gap, 1e-12);
}

TEST(L1Quadratic, TakesFewNewtonStepsWhereDescentCrawls) {
  const BlockProblem problem = random_problem({.n = 60, .k = 200, .fraction = 0.01, .correlation = 0.9}, 12);
  std::vector<double> descent = problem.start, x = problem.start;
  const auto slow = solve_l1_quadratic(problem.quadratic(), descent, {.gap_max = 1e-10, .newton = false});
  const auto fast = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-10});
  EXPECT_GT(slow.sweeps, 1000U);
  EXPECT_GT(fast.newton_steps, 0U);
  EXPECT_LT(fast.sweeps + fast.newton_steps, 200U);
  EXPECT_LE(fast.gap, 1e-10);
}

TEST(L1Quadratic, ReturnsAtOnceFromTheOptimum) {
  BlockProblem problem = random_problem({.n = 60, .k = 100, .fraction = 0.05}, 13);
  std::vector<double> x = problem.start;
  (void)solve_l1_quadratic(problem.quadratic(), x, {});
  problem.start = x;
  problem.complete();
  const auto again = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-12});
  EXPECT_EQ(again.sweeps, 1U);
  EXPECT_EQ(again.newton_steps, 0U);
  EXPECT_LE(again.gap, 1e-12);
}

TEST(L1QuadraticDeath, RefusesAGramMatrixOfAnotherSize) {
  const std::vector<double> gram{1, 0}, gradient{1, 1};
  std::vector<double> x{0, 0};
  EXPECT_DEATH((void)solve_l1_quadratic({gram, gradient, 1, -1}, x, {}), "k x k");
}

}  // namespace
}  // namespace strads
