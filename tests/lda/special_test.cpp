// ln Gamma and its derivative against the standard library, sums that do not depend on their order.
#include <gtest/gtest.h>

#include <cmath>

#include "lda/problem/special.hpp"

namespace strads::lda {
namespace {

TEST(LogGamma, IsThatOfTheStandardLibrary) {
  for (double x = 1e-6; x < 1e12; x *= 1.37) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-12 * (1 + std::abs(std::lgamma(x)))) << x;
  }
}

TEST(Digamma, IsTheSlopeOfLogGamma) {
  for (double x = 0.01; x < 1e5; x *= 1.7) {
    const double step = 1e-4 * x;
    EXPECT_NEAR(digamma(x), (std::lgamma(x + step) - std::lgamma(x - step)) / (2 * step), 1e-5 * (1 + 1 / x)) << x;
  }
}

TEST(LogRising, IsADifferenceOfLogGammas) {
  for (const double a : {0.001, 0.01, 0.5, 3.0, 700.0}) {
    for (const std::uint64_t n : {0U, 1U, 2U, 16U, 17U, 5000U}) {
      const double expected = std::lgamma(a + static_cast<double>(n)) - std::lgamma(a);
      EXPECT_NEAR(log_rising(a, n), expected, 1e-9 * (1 + std::abs(expected))) << a << " " << n;
      EXPECT_NEAR(digamma_rising(a, n), digamma(a + static_cast<double>(n)) - digamma(a), 1e-9 * (1 + 1 / a));
    }
  }
}

TEST(FixedSum, IsTheSameHoweverItsRowsArePutTogether) {
  FixedSum all, first, second;
  for (int i = 0; i < 1000; ++i) {
    const double row = std::sin(i) * 1e7 - 3e6;
    all.add(row);
    (i % 3 == 0 ? first : second).add(row);
  }
  const auto [high, low] = all.parts();
  const auto one = first.parts(), other = second.parts();
  EXPECT_EQ(FixedSum::value(one.first + other.first, one.second + other.second), FixedSum::value(high, low));
  double plain = 0;
  for (int i = 0; i < 1000; ++i) plain += std::sin(i) * 1e7 - 3e6;
  EXPECT_NEAR(FixedSum::value(high, low), plain, 1e-2);
}

}  // namespace
}  // namespace strads::lda
