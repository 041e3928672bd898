// t of p, beside quantiles of mpmath with 40 digits.
#include "data/sumstats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace strads::data {
namespace {

constexpr double kRelative = 1e-12;

TEST(StudentQuantile, IsThatOfMpmath) {
  const struct {
    double log_p, freedom, t;
  } kKnown[] = {{std::log(0.05), 10, 2.2281388519862747},
                {std::log(0.66), 59998, 0.43991535344891766},
                {std::log(1e-8), 3, 604.16489581861044},
                {std::log(1e-30), 59998, 11.530311363949363},
                {-400 * std::log(10.0), 999998, 42.846061745381042}};
  for (const auto& known : kKnown) {
    EXPECT_NEAR(student_quantile(known.log_p, known.freedom) / known.t, 1, kRelative) << known.t;
  }
}

TEST(StudentQuantile, OfTwoDegreesOfFreedomIsItsClosedForm) {
  for (const double p : {0.9, 0.5, 0.05, 1e-5, 1e-12}) {
    // P(|T| > t) = 1 - t / sqrt(2 + t^2)
    const double t = std::sqrt(2 * (1 - p) * (1 - p) / (p * (2 - p)));
    EXPECT_NEAR(student_quantile(std::log(p), 2) / t, 1, kRelative) << p;
  }
}

TEST(StudentQuantile, OfSeriesAndOfNewtonMeet) {
  const double freedom = 5000, z = std::sqrt(freedom / 100);
  const double log_p = std::log(std::erfc(z / std::sqrt(2.0)));
  const double below = student_quantile(log_p * (1 - 1e-9), freedom),
               above = student_quantile(log_p * (1 + 1e-9), freedom);
  EXPECT_GT(above, below);
  EXPECT_NEAR(above / below, 1, 1e-8);
}

TEST(NormalQuantile, IsThatOfMpmathAndZeroForPOfOne) {
  EXPECT_NEAR(normal_quantile(std::log(0.05)), 1.9599639845400542, kRelative);
  EXPECT_NEAR(normal_quantile(-400 * std::log(10.0)), 42.826406491171178, 1e-11);
  EXPECT_EQ(normal_quantile(0), 0);
  EXPECT_EQ(student_quantile(0, 5), 0);
}

}  // namespace
}  // namespace strads::data
