// Anderson extrapolation on sequences whose limit is known.
#include "lasso/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace strads::lasso {
namespace {

TEST(Extrapolation, FindsTheLimitOfAGeometricSequence) {
  // Three modes of their own rates around the limit (1, -2, 3): five steps tell them apart.
  constexpr double kRidgeError = 1e-4;  // the weights are those of a slightly regularised system
  const std::vector<double> limit{1, -2, 3}, rate{0.9, 0.5, -0.3};
  Extrapolation extrapolation;
  for (int sweep = 0; !extrapolation.ready(); ++sweep) {
    std::vector<double> x(3), residual(1, 10);
    for (std::size_t j = 0; j < 3; ++j) {
      x[j] = limit[j] + std::pow(rate[j], sweep);
      residual[0] -= x[j];
    }
    extrapolation.add(x, residual);
  }
  std::vector<double> x(3), residual(1);
  ASSERT_TRUE(extrapolation.combine(x, residual));
  double sum = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(x[j], limit[j], kRidgeError);
    sum += x[j];
  }
  EXPECT_NEAR(residual[0], 10 - sum, 1e-12) << "the residual is combined like the iterate";
}

TEST(Extrapolation, RefusesASequenceThatStandsStill) {
  Extrapolation extrapolation;
  const std::vector<double> x{1, 2}, residual{3};
  while (!extrapolation.ready()) extrapolation.add(x, residual);
  std::vector<double> combined(2), at(1);
  EXPECT_FALSE(extrapolation.combine(combined, at));
}

TEST(Extrapolation, BeginsAnew) {
  Extrapolation extrapolation;
  const std::vector<double> x{1}, residual{3};
  while (!extrapolation.ready()) extrapolation.add(x, residual);
  extrapolation.clear();
  EXPECT_FALSE(extrapolation.ready());
}

}  // namespace
}  // namespace strads::lasso
