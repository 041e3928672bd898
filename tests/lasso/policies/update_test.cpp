// One coordinate update: docs/DESIGN.md, "Update".
#include <gtest/gtest.h>

#include <cmath>

#include "lasso/solver/lasso_push.hpp"
#include "strads/base/random.hpp"

namespace strads::lasso {
namespace {

constexpr double kUpdateLastDigits = 1e-14;

double soft(double z, double t) {
  return std::copysign(std::max(std::abs(z) - t, 0.0), z);
}

TEST(CoordinateStep, IsTheSoftThresholdOfTheFormulaSheet) {
  CounterRng random(1, Purpose::tests);
  for (int k = 0; k < 2000; ++k) {
    const double b = 2 * random.unit() - 1, g = 4 * random.unit() - 2, squares = 0.1 + 3 * random.unit(),
                 lambda = random.unit();
    const Step step = VariablePenalty(lambda).step(b, g, squares);
    EXPECT_NEAR(b + step.delta, soft(squares * b + g, lambda) / squares, 10 * kUpdateLastDigits / squares);
  }
}

TEST(CoordinateStep, DecreaseIsTheDifferenceOfTheObjective) {
  CounterRng random(2, Purpose::tests);
  for (int k = 0; k < 2000; ++k) {
    const double b = 2 * random.unit() - 1, g = 4 * random.unit() - 2, squares = 0.1 + 3 * random.unit(),
                 lambda = random.unit();
    const Step step = VariablePenalty(lambda).step(b, g, squares);
    const auto objective = [&](double d) { return -g * d + 0.5 * squares * d * d + lambda * std::abs(b + d); };
    EXPECT_NEAR(step.decrease, objective(0) - objective(step.delta), 1e-13);
    EXPECT_GE(step.decrease, 0);
  }
}

TEST(CoordinateStep, NoOtherStepDecreasesMore) {
  for (const double b : {-0.4, 0.0, 0.3}) {
    for (const double g : {-1.5, -0.2, 0.0, 0.25, 0.9}) {
      const double squares = 0.8, lambda = 0.3;
      const Step step = VariablePenalty(lambda).step(b, g, squares);
      for (int k = -300; k <= 300; ++k) {
        const double d = 0.01 * k;
        const double decrease = g * d - 0.5 * squares * d * d - lambda * (std::abs(b + d) - std::abs(b));
        EXPECT_LE(decrease, step.decrease + kUpdateLastDigits) << "b " << b << " g " << g << " d " << d;
      }
    }
  }
}

TEST(CoordinateStep, LandsExactlyOnZero) {
  CounterRng random(3, Purpose::tests);
  for (int k = 0; k < 1000; ++k) {
    const double b = 1e-3 * (2 * random.unit() - 1);
    const double updated = b + VariablePenalty(0.2).step(b, 0.1 * (2 * random.unit() - 1), 1.0).delta;
    EXPECT_EQ(updated, 0.0);
    EXPECT_FALSE(std::signbit(updated));
  }
}

TEST(CoordinateStep, AZeroBelowLambdaStaysWhereItIs) {
  for (const double g : {-0.5, -0.2, 0.0, 0.2, 0.5}) {
    const Step step = VariablePenalty(0.5).step(0.0, g, 1.0);
    EXPECT_EQ(step.delta, 0.0) << g;
    EXPECT_FALSE(std::signbit(0.0 + step.delta)) << "-0 would reach the hash";
    EXPECT_EQ(step.decrease, 0.0) << g;
  }
}

TEST(CoordinateStep, WithoutPenaltyIsTheLeastSquaresStep) {
  const Step step = VariablePenalty(0.0).step(0.25, -0.6, 2.0);
  EXPECT_DOUBLE_EQ(step.delta, -0.3);
  EXPECT_DOUBLE_EQ(step.decrease, 0.09);
}

TEST(CoordinateStep, IsOddInTheSignOfEverything) {
  CounterRng random(4, Purpose::tests);
  for (int k = 0; k < 500; ++k) {
    const double b = 2 * random.unit() - 1, g = 4 * random.unit() - 2;
    EXPECT_EQ(VariablePenalty(0.4).step(b, g, 1.3).delta, -VariablePenalty(0.4).step(-b, -g, 1.3).delta);
  }
}

}  // namespace
}  // namespace strads::lasso
