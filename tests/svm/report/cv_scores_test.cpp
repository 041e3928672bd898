// Scores of costs and what is chosen of them.
#include "svm/report/cv_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace strads::svm {
namespace {

CvFit fit_with(std::uint64_t wrong, double balanced = 0.5, double area = 0.5) {
  CvFit fit;
  fit.finished = fit.met = true;
  fit.samples = 10;
  fit.wrong = wrong;
  fit.balanced_error = balanced;
  fit.area = area;
  return fit;
}

constexpr double kCosts[] = {0.1, 1, 10};

TEST(SvmCvScores, AreMeansOverFoldsWithTheirStandardErrors) {
  const std::vector<CvFit> fits{fit_with(1), fit_with(2), fit_with(3), fit_with(3), fit_with(2), fit_with(5)};
  const auto scores = scores_of({.costs = 3, .folds = 2}, kCosts, fits);
  EXPECT_DOUBLE_EQ(scores[0].error.value, 0.2);
  EXPECT_DOUBLE_EQ(scores[0].error.error, std::sqrt(0.02 / 2));
  EXPECT_EQ(scores[0].wrong, 4U);
  EXPECT_DOUBLE_EQ(scores[1].error.error, 0);
  EXPECT_DOUBLE_EQ(scores[2].error.value, 0.4);
}

TEST(SvmCvScores, ChooseTheLeastCostOfEqualOnes) {
  const std::vector<CvFit> fits{fit_with(3), fit_with(2), fit_with(2)};
  const auto choice = choice_of(scores_of({.costs = 3, .folds = 1}, kCosts, fits), Measure::error);
  EXPECT_EQ(choice->best, 1U);
}

TEST(SvmCvScores, TakeTheLeastCostWithinOneStandardErrorAsTheSimplest) {
  // The best, at cost 10: 0.2 +- 0.1. At cost 1 it is 0.3, at 0.1 more.
  const std::vector<CvFit> fits{fit_with(4), fit_with(3), fit_with(1), fit_with(4), fit_with(3), fit_with(3)};
  const auto choice = choice_of(scores_of({.costs = 3, .folds = 2}, kCosts, fits), Measure::error);
  EXPECT_EQ(choice->best, 2U);
  EXPECT_EQ(choice->simplest, 1U);
  EXPECT_EQ(choice->of(Refit::best), 2U);
  EXPECT_EQ(choice->of(Refit::simplest), 1U);
}

TEST(SvmCvScores, OfAnAreaMoreIsBetter) {
  const std::vector<CvFit> fits{fit_with(0, 0.1, 0.7), fit_with(1, 0.3, 0.9), fit_with(2, 0.2, 0.8)};
  const auto scores = scores_of({.costs = 3, .folds = 1}, kCosts, fits);
  EXPECT_EQ(choice_of(scores, Measure::auc)->best, 1U);
  EXPECT_EQ(choice_of(scores, Measure::balanced_error)->best, 0U);
}

TEST(SvmCvScores, AreUnknownOfACostWithoutOneOfItsFolds) {
  std::vector<CvFit> fits{fit_with(1), fit_with(2), fit_with(3), fit_with(1), fit_with(2), fit_with(3)};
  fits[3].finished = false;
  const auto scores = scores_of({.costs = 3, .folds = 2}, kCosts, fits);
  EXPECT_FALSE(scores[0].complete);
  EXPECT_TRUE(std::isnan(scores[0].error.value));
  EXPECT_EQ(choice_of(scores, Measure::error)->best, 1U);
  for (CvFit& fit : fits) fit.finished = false;
  EXPECT_FALSE(choice_of(scores_of({.costs = 3, .folds = 2}, kCosts, fits), Measure::error).has_value());
}

TEST(SvmCvScores, KeepAFitInACheckpoint) {
  CvFit fit = fit_with(3, 0.25, std::nan(""));
  fit.stop_reason = "converged";
  fit.model_hash = "0123";
  fit.met = false;
  const auto again = fit_of_kept(kept_of_fit(fit));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().wrong, 3U);
  EXPECT_TRUE(again.value().finished);
  EXPECT_FALSE(again.value().met);
  EXPECT_EQ(again.value().model_hash, "0123");
  EXPECT_FALSE(fit_of_kept({}).ok());
}

}  // namespace
}  // namespace strads::svm
