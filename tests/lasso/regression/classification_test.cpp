// Probabilities, deviances and the area under the curve, against sums over pairs by the book.
#include "regression/classification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "strads/base/random.hpp"

namespace strads::lasso {
namespace {

/// Every pair of a case and a control.
double area_by_pairs(const std::vector<double>& scores, const std::vector<double>& is_case,
                     const std::vector<double>& weights) {
  double won = 0, all = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (is_case[i] == 0 || is_case[j] != 0) continue;
      const double weight = weights.empty() ? 1.0 : weights[i] * weights[j];
      all += weight;
      won += weight * (scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0);
    }
  }
  return won / all;
}

TEST(AreaUnderCurve, IsTheShareOfPairsInTheRightOrderWithTiesHalf) {
  CounterRng random(7, Purpose::tests);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t size = 2 + static_cast<std::size_t>(random.unit() * 30);
    std::vector<double> scores, is_case, weights;
    for (std::size_t i = 0; i < size; ++i) {
      scores.push_back(std::floor(random.unit() * 8) / 8);  // few values: many ties
      is_case.push_back(i == 0 ? 1.0 : i == 1 ? 0.0 : random.unit() < 0.4 ? 1.0 : 0.0);
      weights.push_back(0.25 + random.unit());
    }
    EXPECT_NEAR(area_under_curve(scores, is_case, {}), area_by_pairs(scores, is_case, {}), 1e-14) << trial;
    EXPECT_NEAR(area_under_curve(scores, is_case, weights), area_by_pairs(scores, is_case, weights), 1e-14) << trial;
  }
}

TEST(AreaUnderCurve, IsOneWhereAllCasesComeFirstAndHalfWhereAllAreEqual) {
  const std::vector<double> is_case{1, 0, 1, 0};
  EXPECT_EQ(area_under_curve(std::vector<double>{3, 1, 4, 2}, is_case, {}), 1);
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 3, 2, 4}, is_case, {}), 0);
  EXPECT_EQ(area_under_curve(std::vector<double>{5, 5, 5, 5}, is_case, {}), 0.5);
}

TEST(AreaUnderCurve, IsNoneOfOneClassAlone) {
  const std::vector<double> scores{1, 2};
  EXPECT_TRUE(std::isnan(area_under_curve(scores, std::vector<double>{1, 1}, {})));
  EXPECT_TRUE(std::isnan(area_under_curve(scores, std::vector<double>{0, 0}, {})));
  EXPECT_TRUE(std::isnan(area_under_curve({}, {}, {})));
}

TEST(Deviance, IsMinusTwiceTheLogLikelihood) {
  for (const double link : {-3.0, -0.5, 0.0, 0.25, 2.0}) {
    const double probability = probability_of(link);
    EXPECT_NEAR(deviance_of(link, true), -2 * std::log(probability), 1e-14) << link;
    EXPECT_NEAR(deviance_of(link, false), -2 * std::log(1 - probability), 1e-14) << link;
  }
}

TEST(Deviance, IsANumberHoweverSureThePredictionIs) {
  EXPECT_EQ(deviance_of(1e300, false), 2e300);
  EXPECT_EQ(deviance_of(1e300, true), 0);
  EXPECT_DOUBLE_EQ(deviance_of(40, true), 2 * std::exp(-40.0));  // 1 - probability would be 0
  EXPECT_EQ(probability_of(800), 1);
  EXPECT_EQ(probability_of(-800), 0);
}

}  // namespace
}  // namespace strads::lasso
