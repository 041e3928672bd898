// Block problems whose variables have penalties of their own.
#include <gtest/gtest.h>

#include <algorithm>

#include "numerics/quadratic/l1_quadratic_problems.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads {
namespace {

using test::BlockProblem;
using test::BlockShape;
using test::random_problem;

/// From few variables to more than there are samples; every other problem starts away from zero.
BlockShape shape_of(std::uint64_t seed) {
  constexpr double kFractions[] = {0.5, 0.1, 0.01};
  return {.n = 10 + seed % 30,
          .k = 1 + seed * 13 % 60,
          .fraction = kFractions[seed % 3],
          .correlation = seed % 2 == 0 ? 0.9 : 0.0,
          .warm = seed % 2 == 0};
}

BlockProblem with_factors(std::uint64_t seed) {
  BlockProblem problem = random_problem(shape_of(seed), seed);
  for (std::size_t j = 0; j < problem.k; ++j) problem.factors.push_back(0.25 + static_cast<double>(j * 7 % 11) / 4);
  return problem;
}

TEST(L1QuadraticFactors, MeetTheConditionsOfOptimality) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const BlockProblem problem = with_factors(seed);
    for (const bool newton : {true, false}) {
      std::vector<double> x = problem.start;
      const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = 100000, .newton = newton});
      EXPECT_LE(problem.violation(x), newton ? 1e-12 : 1e-9) << seed;
      EXPECT_LE(result.gap, newton ? 1e-12 : 1e-9) << seed;
      EXPECT_NEAR(result.decrease, problem.objective(problem.start) - problem.objective(x), 1e-12) << seed;
    }
  }
}

TEST(L1QuadraticFactors, HaveAGapThatBoundsTheDistanceToTheOptimum) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const BlockProblem problem = with_factors(seed);
    std::vector<double> best = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), best, {});
    for (const std::uint32_t sweeps : {0U, 1U, 4U, 14U}) {
      std::vector<double> x = problem.start;
      const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = sweeps});
      EXPECT_GE(result.gap, problem.objective(x) - problem.objective(best) - 1e-13) << seed;
    }
  }
}

TEST(L1QuadraticFactors, OfOneValueScaleThePenalty) {
  BlockProblem problem = random_problem({.n = 20, .k = 12, .fraction = 0.2}, 1);
  BlockProblem doubled = problem;
  doubled.factors.assign(12, 2.0);
  problem.penalty *= 2;
  std::vector<double> x = problem.start;
  std::vector<double> y = doubled.start;
  (void)solve_l1_quadratic(problem.quadratic(), x, {});
  (void)solve_l1_quadratic(doubled.quadratic(), y, {});
  EXPECT_EQ(x, y);
}

BlockProblem nonnegative(std::uint64_t seed) {
  BlockProblem problem = seed % 2 == 0 ? with_factors(seed) : random_problem(shape_of(seed), seed);
  problem.nonnegative = true;
  for (double& value : problem.start) value = std::max(value, 0.0);
  problem.complete();
  return problem;
}

TEST(L1QuadraticNonnegative, MeetsTheConditionsOfOptimality) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const BlockProblem problem = nonnegative(seed);
    for (const bool newton : {true, false}) {
      std::vector<double> x = problem.start;
      const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = 100000, .newton = newton});
      EXPECT_LE(problem.violation(x), newton ? 1e-12 : 1e-9) << seed;
      EXPECT_LE(result.gap, newton ? 1e-12 : 1e-9) << seed;
      EXPECT_NEAR(result.decrease, problem.objective(problem.start) - problem.objective(x), 1e-12) << seed;
    }
  }
}

TEST(L1QuadraticNonnegative, TakesNewtonStepsWhereDescentCrawls) {
  // Neighbours with a correlation of 0.99 and hardly a penalty.
  BlockProblem problem = random_problem({.n = 80, .k = 60, .fraction = 0.001, .correlation = 0.99}, 3);
  problem.nonnegative = true;
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = 100000});
  EXPECT_GT(result.newton_steps, 0u);
  EXPECT_LE(problem.violation(x), 1e-11);
}

TEST(L1QuadraticNonnegative, HasAGapThatBoundsTheDistanceToTheOptimum) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const BlockProblem problem = nonnegative(seed);
    std::vector<double> best = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), best, {});
    for (const std::uint32_t sweeps : {0U, 1U, 4U, 14U, 30U}) {
      std::vector<double> x = problem.start;
      const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = sweeps});
      EXPECT_GE(result.gap, problem.objective(x) - problem.objective(best) - 1e-13) << seed;
      for (const double value : x) EXPECT_GE(value, 0) << seed;
    }
  }
}

TEST(L1QuadraticNonnegative, IsTheLassoWhereNothingPullsDown) {
  BlockProblem problem;
  problem.n = problem.k = 2;
  problem.columns = {1, 0, 0, 1};
  problem.target = {0.7, -0.5};
  problem.penalty = 0.1;
  problem.complete();
  problem.nonnegative = true;
  std::vector<double> x = {0, 0};
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {});
  EXPECT_DOUBLE_EQ(x[0], 0.6);
  EXPECT_EQ(x[1], 0);
  EXPECT_LE(result.gap, 1e-16);
}

}  // namespace
}  // namespace strads
