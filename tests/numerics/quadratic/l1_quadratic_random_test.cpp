// Properties that must hold on any block problem, over many random ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "numerics/quadratic/l1_quadratic_problems.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads {
namespace {

using test::BlockProblem;
using test::BlockShape;
using test::random_problem;
using test::slow_descent;

/// Shapes from easy to nasty; the seed fills them.
BlockShape random_shape_of(std::uint64_t seed) {
  const std::size_t n = 5 + seed * 7 % 40;
  const std::size_t k = 1 + seed * 13 % 80;  // more variables than samples in most of them
  constexpr double kFractions[] = {0.5, 0.1, 0.01, 0.9, 0.03};
  constexpr double kCorrelations[] = {0, 0.9, 0.99};
  return {.n = n,
          .k = k,
          .fraction = kFractions[seed % 5],
          .correlation = kCorrelations[seed % 3],
          .copies = seed % 4 == 0 ? k / 3 : 0,
          .warm = seed % 2 == 0};
}

std::string name(std::uint64_t seed) {
  return "seed " + std::to_string(seed);
}

TEST(L1QuadraticRandom, MeetsTheConditionsOfOptimality) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    std::vector<double> x = problem.start;
    const auto result = solve_l1_quadratic(problem.quadratic(), x, {});
    EXPECT_LE(problem.violation(x), 1e-12) << name(seed);
    EXPECT_LE(result.gap, 1e-12) << name(seed);
  }
}

TEST(L1QuadraticRandom, MeetsThemWithoutKnowingTheResidual) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    std::vector<double> x = problem.start;
    (void)solve_l1_quadratic(problem.without_residual(), x, {});
    EXPECT_LE(problem.violation(x), 1e-12) << name(seed);
  }
}

/// How far the decrease that a solver reports may be from the one that `objective()` sees. The latter is known to a few
/// roundings of F(x0) itself. The solver sees G, whose entries are rounded to doubles: by that alone x'Gx / 2 is off by
/// up to epsilon / 4 ||x||_1^2, whatever it computes afterwards, and h = c - Gx as much again. That is nothing at usual
/// values (||x||_1 about 1); seed 167, whose 12 columns of 14 rows are near copies of each other, stopped in the middle
/// of its Newton steps is at ||x||_1 = 116, and the exact decrease by its rounded G is 7e-14 from that by its columns.
double decrease_error_max(const BlockProblem& problem, const std::vector<double>& x) {
  double norm = 0;
  for (std::size_t j = 0; j < problem.k; ++j) norm += std::abs(x[j]) + std::abs(problem.start[j]);
  return std::numeric_limits<double>::epsilon() * (8 * problem.objective(problem.start) + norm * norm / 4);
}

TEST(L1QuadraticRandom, NeverRisesAndReportsTheDecreaseThatHappened) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    const double before = problem.objective(problem.start);
    for (const std::uint32_t sweeps : {1U, 3U, 12U, 15U, 40U, 1000U}) {
      for (const bool newton : {false, true}) {
        std::vector<double> x = problem.start;
        const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = sweeps, .newton = newton});
        const double after = problem.objective(x);
        EXPECT_LE(after, before + 1e-14 * before) << name(seed);
        EXPECT_NEAR(result.decrease, before - after, decrease_error_max(problem, x)) << name(seed);
      }
    }
  }
}

TEST(L1QuadraticRandom, CertifiesAnUpperBoundOfTheDistanceToTheOptimum) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    std::vector<double> best = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), best, {});
    for (const std::uint32_t sweeps : {0U, 1U, 4U, 14U}) {
      std::vector<double> x = problem.start;
      const auto result = solve_l1_quadratic(problem.quadratic(), x, {.sweeps_max = sweeps});
      EXPECT_GE(result.gap, problem.objective(x) - problem.objective(best) - 1e-13) << name(seed);
    }
  }
}

TEST(L1QuadraticRandom, AgreesWithManySweepsOfTextbookDescent) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    BlockShape shape = random_shape_of(seed);
    shape.fraction = 0.3;
    shape.correlation = 0.3;
    const BlockProblem problem = random_problem(shape, seed);
    std::vector<double> x = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), x, {});
    EXPECT_NEAR(problem.objective(x), problem.objective(slow_descent(problem, 3000)), 1e-9) << name(seed);
    EXPECT_LE(problem.objective(x), problem.objective(slow_descent(problem, 3000)) + 1e-13) << name(seed);
  }
}

/// Smallest objective over all sign patterns of three variables: on each, the quadratic's stationary point.
double best_of_all_supports(const BlockProblem& problem) {
  double best = problem.objective({0, 0, 0});
  for (int pattern = 0; pattern < 27; ++pattern) {
    const double sign[3] = {pattern % 3 - 1.0, pattern / 3 % 3 - 1.0, pattern / 9 - 1.0};
    std::vector<double> x(3, 0.0);
    // Gauss-Seidel on the support's normal equations, to convergence: n is well above 3 here.
    for (int sweep = 0; sweep < 2000; ++sweep) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (sign[j] == 0) continue;
        x[j] += (problem.column_dot(j, problem.residual(x)) - problem.penalty * sign[j]) / problem.gram[j * 4];
      }
    }
    best = std::min(best, problem.objective(x));  // an upper bound of the minimum whatever the signs turn out to be
  }
  return best;
}

TEST(L1QuadraticRandom, EqualsTheBestOfAllSupportsOfThreeVariables) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const BlockProblem problem = random_problem({.n = 12, .k = 3, .fraction = 0.3, .correlation = 0.4}, seed);
    std::vector<double> x = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), x, {});
    EXPECT_NEAR(problem.objective(x), best_of_all_supports(problem), 1e-14) << name(seed);
  }
}

TEST(L1QuadraticRandom, GivesTheSameBitsTwice) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    std::vector<double> first = problem.start, second = problem.start;
    const auto one = solve_l1_quadratic(problem.quadratic(), first, {});
    const auto two = solve_l1_quadratic(problem.quadratic(), second, {});
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0) << name(seed);
    EXPECT_EQ(one.flops, two.flops);
    EXPECT_EQ(one.newton_steps, two.newton_steps);
  }
}

TEST(L1QuadraticRandom, ZerosAreExactAndTheSupportDoesNotExceedWhatIsNeeded) {
  for (std::uint64_t seed = 1; seed < 200; seed += 4) {  // no copies: the solution is unique
    const BlockProblem problem = random_problem(random_shape_of(seed), seed);
    std::vector<double> x = problem.start;
    (void)solve_l1_quadratic(problem.quadratic(), x, {});
    std::size_t nonzeros = 0;
    for (const double value : x) nonzeros += value != 0;
    EXPECT_LE(nonzeros, std::min(problem.n, problem.k)) << name(seed);
  }
}

TEST(L1QuadraticRandom, SolvesALargeSingularProblemWithLinkedCopies) {
  const BlockProblem problem =
      random_problem({.n = 80, .k = 300, .fraction = 0.01, .correlation = 0.95, .copies = 60}, 21);
  std::vector<double> x = problem.start;
  const auto result = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-13});
  EXPECT_LE(result.gap, 1e-13);
  EXPECT_LT(result.newton_steps, 120U);
}

TEST(L1QuadraticRandom, WorksAtAnyScaleOfTheColumns) {
  for (const double scale : {1e-3, 1e3}) {
    BlockProblem problem = random_problem({.n = 40, .k = 90, .fraction = 0.02, .correlation = 0.9}, 22);
    for (double& value : problem.columns) value *= scale;
    problem.penalty *= scale;
    problem.complete();
    std::vector<double> x = problem.start;
    const auto result = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-12});
    EXPECT_LE(result.gap, 1e-12);
    EXPECT_LT(result.sweeps + result.newton_steps, 300U);
  }
}

}  // namespace
}  // namespace strads
