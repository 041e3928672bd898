// When a path has gone far enough: the least number of lambdas, the lag, and the loss beside the measure.
#include "lasso/study/stop_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lasso/report/unseen.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

/// Falls by 0.01 a lambda to the lambda `best`, from 1 on, and rises by as much after it.
std::vector<double> valley(std::size_t lambdas, std::size_t best) {
  std::vector<double> curve;
  for (std::size_t k = 1; k <= lambdas; ++k) {
    curve.push_back(1 + 0.01 * (k < best ? static_cast<double>(best - k) : static_cast<double>(k - best)));
  }
  return curve;
}

HeldOutCurves watched_curves(Measure measure, std::vector<double> errors, std::vector<double> losses) {
  return {.measure = measure, .errors = std::move(errors), .loss = Measure::deviance, .losses = std::move(losses)};
}

TEST(StopRuleOfAPath, LooksAtHalfOfTheGridInAnyCaseUnlessAnotherNumberIsGiven) {
  EXPECT_EQ(stop_rule(5, 0, 100).from, 50u);
  EXPECT_EQ(stop_rule(5, 0, 25).from, 13u);
  EXPECT_EQ(stop_rule(5, 0, 1).from, 1u);
  EXPECT_EQ(stop_rule(5, 7, 100).from, 7u);
  EXPECT_EQ(stop_rule(5, 7, 100).after, 5u);
}

TEST(StopRuleOfAPath, WatchesTheLossThatIsFittedBesideTheMeasure) {
  EXPECT_EQ(loss_of(Family::gaussian), Measure::mse);
  EXPECT_EQ(loss_of(Family::binomial), Measure::deviance);
}

TEST(StopRuleOfAPath, DoesNotEndWhereMisclassifiedPeopleAreAsManyAsAtFirstWhileTheDevianceStillFalls) {
  std::vector<double> flat(100, 0.2);
  const auto curves = watched_curves(Measure::misclassification, flat, valley(100, 70));
  EXPECT_EQ(lambdas_until_stop(curves, {.after = 5, .from = 1}), 75u);
}

TEST(StopRuleOfAPath, DoesNotEndWhereTheDevianceRisesWhileTheAreaStillGrows) {
  std::vector<double> area = valley(100, 80);
  for (double& one : area) one = 1.9 - one;
  const auto curves = watched_curves(Measure::auc, area, valley(100, 40));
  EXPECT_EQ(lambdas_until_stop(curves, {.after = 5, .from = 1}), 85u);
}

TEST(StopRuleOfAPath, EndsAtTheFirstLambdaThatIsSoManyBehindTheBetterOfBoth) {
  const auto curves = watched_curves(Measure::mae, valley(100, 60), valley(100, 55));
  EXPECT_FALSE(is_far_enough(curves, 64, {.after = 5, .from = 50}));
  EXPECT_TRUE(is_far_enough(curves, 65, {.after = 5, .from = 50}));
  EXPECT_EQ(lambdas_until_stop(curves, {.after = 5, .from = 50}), 65u);
  EXPECT_EQ(lambdas_until_stop(curves, {.after = 5, .from = 80}), 80u);
}

TEST(StopRuleOfAPath, EndsInTheMiddleOfTheGridWhereNothingIsBetterThanTheFirstLambda) {
  const auto curves = watched_curves(Measure::deviance, valley(100, 1), valley(100, 1));
  EXPECT_EQ(lambdas_until_stop(curves, stop_rule(5, 0, 100)), 50u);
  const std::vector<double> ties(100, 0.5);
  EXPECT_EQ(lambdas_until_stop(watched_curves(Measure::auc, ties, ties), stop_rule(5, 0, 100)), 50u)
      << "an error that is as good is no gain";
}

TEST(StopRuleOfAPath, NeverEndsWithoutALagOrWhereTheLastLambdasStillGain) {
  const auto curves = watched_curves(Measure::deviance, valley(100, 10), valley(100, 10));
  EXPECT_EQ(lambdas_until_stop(curves, stop_rule(0, 0, 100)), 100u);
  EXPECT_FALSE(is_far_enough(curves, 100, stop_rule(0, 0, 100)));
  const auto falling = watched_curves(Measure::deviance, valley(100, 100), valley(100, 100));
  EXPECT_EQ(lambdas_until_stop(falling, stop_rule(5, 0, 100)), 100u);
  EXPECT_FALSE(is_far_enough(falling, 100, stop_rule(5, 0, 100)));
}

TEST(UnseenLambdas, AreToldWithTheLastOfThemAndHowToLookAtThem) {
  const Unseen unseen{.planned = 100, .lambdas = 45, .last = 0.002, .last_ratio = 0.01};
  EXPECT_EQ(unseen_line(unseen, Measure::auc, Family::binomial, {.after = 5, .from = 50}, "on val"),
            "unseen   45 of 100 lambdas, down to 0.01 lambda_max: the last 5 lambdas had neither a better auc nor a "
            "better deviance on val; --stop-after 0 looks at all\n");
  EXPECT_THAT(unseen_line(unseen, Measure::mse, Family::gaussian, {.after = 5, .from = 50}, "over the folds"),
              HasSubstr(": the last 5 lambdas had no better mse over the folds; --stop-after 0"));
  EXPECT_EQ(unseen_line(std::nullopt, Measure::mse, Family::gaussian, {.after = 5, .from = 50}, "on val"), "");
  const std::vector<Unseen> several{unseen, {.planned = 100, .lambdas = 5, .last = 0.002, .last_ratio = 0.01}};
  EXPECT_EQ(unseen_line(several, 3),
            "unseen   50 of 200 lambdas of the 2 of 3 grids that were stopped; --stop-after 0 looks at all\n");
  EXPECT_EQ(unseen_line(std::span<const Unseen>(), 3), "");
}

}  // namespace
}  // namespace strads::lasso
