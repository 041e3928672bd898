// The duality gap: docs/DESIGN.md, "Certificate".
#include "lasso/problem/certificate.hpp"

#include <gtest/gtest.h>

#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

GapParts parts_of(const PlainProblem& problem, const Vector& beta, double lambda) {
  GapParts parts;
  const Vector r = problem.residual(beta);
  parts.residual_squared = plain_dot(r, r);
  for (std::size_t j = 0; j < beta.size(); ++j) parts.add(beta[j], plain_dot(problem.x[j], r), lambda);
  return parts;
}

PlainProblem random_problem(std::uint64_t seed) {
  return plain_data(random_content({.rows = 15, .columns = 20, .seed = seed}), {}).problem;
}

Vector random_beta(std::size_t size, std::uint64_t seed) {
  CounterRng random(seed, Purpose::tests, 7);
  Vector beta(size, 0.0);
  for (double& value : beta) value = random.unit() < 0.5 ? 0.0 : 0.4 * (2 * random.unit() - 1);
  return beta;
}

TEST(DualityGap, IsThePlainDifferenceOfPrimalAndDual) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const PlainProblem problem = random_problem(seed);
    const Vector beta = random_beta(20, seed);
    const double lambda = 0.2 * problem.lambda_max();
    EXPECT_NEAR(duality_gap(parts_of(problem, beta, lambda), lambda), problem.gap(beta, lambda), 1e-12);
  }
}

TEST(DualityGap, IsNeverBelowTheDistanceToTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const PlainProblem problem = random_problem(seed);
    const double lambda = 0.15 * problem.lambda_max();
    const double optimum = problem.objective(problem.solve(lambda), lambda);
    const Vector beta = random_beta(20, seed + 1000);
    const double gap = duality_gap(parts_of(problem, beta, lambda), lambda);
    EXPECT_GE(gap, 0);
    EXPECT_GE(gap, problem.objective(beta, lambda) - optimum - 1e-12) << seed;
  }
}

TEST(DualityGap, VanishesAtTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const PlainProblem problem = random_problem(seed);
    const double lambda = 0.1 * problem.lambda_max();
    const Vector best = problem.solve(lambda);
    EXPECT_LT(duality_gap(parts_of(problem, best, lambda), lambda), 1e-12) << seed;
  }
}

TEST(DualityGap, VanishesAtZeroWhenLambdaIsLambdaMax) {
  const PlainProblem problem = random_problem(3);
  const double lambda = problem.lambda_max();
  EXPECT_NEAR(duality_gap(parts_of(problem, Vector(20, 0.0), lambda), lambda), 0, 1e-15);
}

// One variable, x = y = 1, lambda = 1/4: the optimum is b = 3/4; at b = 1/2, r = 1/2, g = 1/2, s = min(2, 1/2) = 1/2:
// F = 1/8 + 1/8, D = 1/2 * 1/2 - 1/8 * 1/4 = 7/32, gap = 1/32.
TEST(DualityGap, OfOneVariableByHand) {
  GapParts parts;
  parts.residual_squared = 0.25;
  parts.add(0.5, 0.5, 0.25);
  EXPECT_DOUBLE_EQ(duality_gap(parts, 0.25), 1.0 / 32);
}

TEST(DualityGap, WithoutResidualIsThePenalty) {
  GapParts parts;  // r = 0: every gradient is 0, the dual point is 0
  parts.add(0.5, 0.0, 0.25);
  EXPECT_DOUBLE_EQ(duality_gap(parts, 0.25), 0.125);
}

TEST(DualityGap, ResolvesGapsFarBelowTheRoundingOfTheObjective) {
  // F is near 1e6, its rounding 1e-10. r = (1000, 1000), x = (1, -1)/sqrt 2, b = e: gradient 0, gap = 1/2 (1-s)^2 r'r +
  // lambda b, s = 1.
  GapParts parts;
  parts.residual_squared = 2e6;
  parts.add(1e-20, 0.0, 1.0);
  const double gap = duality_gap(parts, 1.0);
  EXPECT_NEAR(gap, 1e-20, 1e-26);
}

TEST(GapParts, TakesTheMaximumFromZeroVariablesAsWell) {
  GapParts parts;
  parts.add(0.0, -3.0, 1.0);
  parts.add(2.0, 1.0, 1.0);
  EXPECT_EQ(parts.gradient_max, 3.0);
  EXPECT_EQ(parts.slack, 0.0);
  EXPECT_EQ(parts.product, 2.0);
}

TEST(GapParts, OfTwoSlicesAddUp) {
  const PlainProblem problem = random_problem(5);
  const Vector beta = random_beta(20, 5);
  const double lambda = 0.1;
  const GapParts whole = parts_of(problem, beta, lambda);
  const Vector r = problem.residual(beta);
  GapParts halves[2];
  for (std::size_t j = 0; j < 20; ++j) halves[j % 2].add(beta[j], plain_dot(problem.x[j], r), lambda);
  EXPECT_NEAR(halves[0].slack + halves[1].slack, whole.slack, 1e-13);
  EXPECT_NEAR(halves[0].product + halves[1].product, whole.product, 1e-13);
  EXPECT_EQ(std::max(halves[0].gradient_max, halves[1].gradient_max), whole.gradient_max);
}

}  // namespace
}  // namespace strads::lasso
