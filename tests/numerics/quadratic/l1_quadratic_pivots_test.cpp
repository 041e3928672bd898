// Block pivots: from the solution for one penalty to that for the next.
#include "numerics/quadratic/l1_quadratic_pivots.hpp"

#include <gtest/gtest.h>

#include "numerics/columns/columns_fixture.hpp"
#include "numerics/quadratic/l1_quadratic_problems.hpp"

namespace strads::l1 {
namespace {

constexpr double kGap = 1e-10;

/// The problem for a penalty smaller by the share `step`, which starts at the solution of the given one.
test::BlockProblem next_on_path(test::BlockProblem problem, double step) {
  std::vector<double> x = problem.start;
  (void)solve_l1_quadratic(problem.quadratic(), x, {.gap_max = kGap});
  problem.start = x;
  problem.penalty *= 1 - step;
  const auto residual = problem.residual(x);
  for (std::size_t j = 0; j < problem.k; ++j) problem.gradient[j] = problem.column_dot(j, residual);
  problem.residual_squared = 0;
  for (const double value : residual) problem.residual_squared += value * value;
  return problem;
}

std::size_t count_nonzeros(const std::vector<double>& x) {
  return x.size() - static_cast<std::size_t>(std::count(x.begin(), x.end(), 0.0));
}

struct Pivoted {
  bool ended = false;
  std::uint32_t steps = 0;
  Point at;
};

Pivoted pivot(const test::BlockProblem& made) {
  SerialChunks serial;
  Problem problem(made.quadratic(), made.start, serial);
  Pivoted result{.at = {made.start, made.gradient}};
  BlockPivots pivots(problem, result.at, kGap);
  result.ended = pivots.run(1000);
  result.steps = pivots.steps();
  return result;
}

TEST(BlockPivots, GoFromOneSolutionOfAPathToTheNext) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem =
        next_on_path(test::random_problem({.n = 120, .k = 300, .fraction = 0.1, .correlation = 0.8}, seed), 0.1);
    const Pivoted pivoted = pivot(problem);
    EXPECT_TRUE(pivoted.ended) << seed;
    EXPECT_LE(pivoted.steps, 30U) << seed;
    EXPECT_LE(problem.violation(pivoted.at.x), 1e-6) << seed;
    EXPECT_LE(problem.objective(pivoted.at.x), problem.objective(slow_descent(problem, 100)) + kGap) << seed;
  }
}

TEST(BlockPivots, ChooseAmongEqualColumns) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto problem = next_on_path(
        test::random_problem({.n = 80, .k = 200, .fraction = 0.1, .correlation = 0.9, .copies = 60}, seed), 0.05);
    const Pivoted pivoted = pivot(problem);
    EXPECT_TRUE(pivoted.ended) << seed;
    EXPECT_LE(problem.violation(pivoted.at.x), 1e-6) << seed;
  }
}

TEST(BlockPivots, KeepFactorsOfThePenaltyAndSigns) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto given = test::random_problem({.n = 120, .k = 200, .fraction = 0.05, .correlation = 0.5}, seed);
    given.nonnegative = seed % 2 == 0;
    for (std::size_t j = 0; j < given.k; ++j) given.factors.push_back(0.5 + static_cast<double>(j % 3));
    const auto problem = next_on_path(given, 0.1);
    const Pivoted pivoted = pivot(problem);
    EXPECT_TRUE(pivoted.ended) << seed;
    EXPECT_LE(problem.violation(pivoted.at.x), 1e-6) << seed;
  }
}

TEST(BlockPivots, NeverEndAboveTheirStart) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    // Signs and support are wrong: a start that this is not made for.
    const auto problem = test::random_problem(
        {.n = 40, .k = 120, .fraction = 0.01, .correlation = 0.95, .copies = 20, .warm = true}, seed);
    const Pivoted pivoted = pivot(problem);
    EXPECT_LE(problem.objective(pivoted.at.x), problem.objective(problem.start) * (1 + 1e-12)) << seed;
    const auto residual = problem.residual(pivoted.at.x);
    for (std::size_t j = 0; j < problem.k; ++j) {
      EXPECT_NEAR(pivoted.at.h[j], problem.column_dot(j, residual), 1e-9) << seed;
    }
    if (pivoted.ended) {
      EXPECT_LE(problem.violation(pivoted.at.x), 1e-5) << seed;
    }
  }
}

TEST(BlockPivots, TakeLargeStartsWithoutASweepAndThreadsChangeNoBit) {
  const auto problem =
      next_on_path(test::random_problem({.n = 560, .k = 600, .fraction = 0.005, .correlation = 0.3}, 4), 0.1);
  ASSERT_GE(count_nonzeros(problem.start), 500U);
  std::vector<double> x = problem.start, y = problem.start;
  SerialChunks serial;
  test::BackwardChunks backward;
  const auto a = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-9}, serial);
  const auto b = solve_l1_quadratic(problem.quadratic(), y, {.gap_max = 1e-9}, backward);
  EXPECT_EQ(x, y);
  EXPECT_EQ(a.flops, b.flops);
  EXPECT_EQ(a.sweeps, 0U);
  EXPECT_GT(a.newton_steps, 1U);
  EXPECT_LE(a.gap, 1e-9);
  EXPECT_LE(problem.violation(x), 1e-5);
}

TEST(BlockPivots, LeaveWhatTheyCannotEndToTheOthers) {
  // 500 nonzeros at random: whatever the pivots make of them, the answer is the solution.
  const auto problem = test::random_problem(
      {.n = 100, .k = 1000, .fraction = 0.05, .correlation = 0.95, .copies = 100, .warm = true}, 2);
  ASSERT_GE(count_nonzeros(problem.start), 500U);
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-9});
  EXPECT_LE(result.gap, 1e-9);
  EXPECT_LE(problem.violation(x), 1e-4);
}

}  // namespace
}  // namespace strads::l1
