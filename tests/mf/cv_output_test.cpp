// Scores of a cross-validation, the choice, and the files.
#include "mf/output/cv_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_ratings.hpp"
#include "mf/grid/fit_data.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {
namespace {

using testing::HasSubstr;
using testing::Not;

CvPlan plan_of(std::vector<CvPoint> points, std::uint32_t folds) {
  return {std::move(points), folds};
}

CvFit fit_of(double rmse, std::uint32_t sweeps = 4, bool finished = true) {
  CvFit fit;
  fit.finished = finished;
  fit.test = {rmse, rmse / 2, 100};
  fit.sweeps = sweeps;
  fit.best_sweep = sweeps - 1;
  fit.model_hash = "00ff";
  return fit;
}

/// 2 points on 3 folds.
struct Example {
  CvPlan plan = plan_of({{5, 0.1}, {10, 0.1}}, 3);
  CvResult result;

  Example() {
    result.fits = {fit_of(0.9), fit_of(0.8), fit_of(1.0), fit_of(0.95), fit_of(1.1), fit_of(0.98, 10)};
    const auto all = test::made_up_ratings({});
    result.data = make_folds(all, 3, 0.1, 1, std::make_shared<SerialChunks>(), {}).value();
  }
};

TEST(CvScores, AreMeansOverTheFoldsWithTheirStandardError) {
  const Example example;
  const auto scores = scores_of(example.plan, example.result.fits);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_NEAR(scores[0].rmse, 1.0, 1e-12);
  EXPECT_NEAR(scores[0].rmse_error, std::sqrt(0.02 / 2 / 3), 1e-12);
  EXPECT_NEAR(scores[1].rmse, 0.91, 1e-12);
  EXPECT_NEAR(scores[1].mae, 0.455, 1e-12);
  EXPECT_NEAR(scores[1].sweeps, 6, 1e-12);
  EXPECT_TRUE(scores[0].complete && scores[1].complete);
}

TEST(CvScores, OfAPointWithoutAllItsFoldsAreNone) {
  Example example;
  example.result.fits[3].finished = false;
  const auto scores = scores_of(example.plan, example.result.fits);
  EXPECT_FALSE(scores[1].complete);
  EXPECT_EQ(scores[1].finished, 2U);
  EXPECT_TRUE(std::isnan(scores[1].rmse));
  const auto choice = choice_of(scores);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->best, 0U);
  const auto table = cv_table(example.plan, example.result);
  EXPECT_THAT(table, HasSubstr("\n10\t0.1\t2\t\t\t\t\t\t0.8\t\t0.98\t")) << table;
}

TEST(CvScores, OfAFitThatHasFailedNeverWinAndSayWhy) {
  Example example;
  example.result.fits[3].finished = false;
  example.result.fits[3].stop_reason = kStopRose;
  example.result.fits[3].test.rmse = 0.1;
  EXPECT_EQ(failed_fits(example.result), 1U);
  EXPECT_EQ(first_failure(example.plan, example.result), "fold 2, rank 10, lambda 0.1: objective rose");
  const auto scores = scores_of(example.plan, example.result.fits);
  EXPECT_EQ(scores[1].failure, kStopRose);
  EXPECT_EQ(choice_of(scores)->best, 0U);
}

TEST(CvScores, OfListsAreBestWhereTheyAreLargest) {
  CvPlan plan{.points = {{2, 0.1}, {4, 0.1}}, .folds = 2, .kind = CvKind::implicit, .by = {.metric = 3, .at = 20}};
  std::vector<CvFit> fits(4);
  for (std::size_t fit = 0; fit < fits.size(); ++fit) {
    fits[fit].finished = true;
    fits[fit].ranked.means[0] = 1 - 0.1 * static_cast<double>(plan.point_of(fit));  // recall, which does not decide
    fits[fit].ranked.means[3] =
        0.2 + 0.1 * static_cast<double>(plan.point_of(fit)) + 0.02 * static_cast<double>(fit / 2);
  }
  const auto scores = scores_of(plan, fits);
  EXPECT_NEAR(scores[1].lists[3], 0.31, 1e-12);
  EXPECT_NEAR(scores[1].lists_error, 0.01, 1e-12);
  EXPECT_EQ(choice_of(scores)->best, 1U);
  EXPECT_EQ(choice_of(scores)->simplest, 1U);
  fits[0].ranked.means[3] = fits[2].ranked.means[3] = 0.305;
  EXPECT_EQ(choice_of(scores_of(plan, fits))->simplest, 0U) << "within one error, and of a smaller rank";
}

CvScore score_of(std::uint32_t rank, double lambda, double rmse, double error) {
  CvScore score;
  score.point = {rank, lambda};
  score.complete = true;
  score.rmse = rmse;
  score.rmse_error = error;
  return score;
}

TEST(CvChoice, IsTheLeastErrorAndTheSimplestWithinOneStandardErrorOfIt) {
  const std::vector<CvScore> scores = {score_of(5, 0.1, 0.92, 0.001), score_of(5, 0.2, 0.905, 0.5),
                                       score_of(5, 0.4, 0.909, 0.1), score_of(10, 0.1, 0.90, 0.01),
                                       score_of(20, 0.4, 0.9, 0.001)};
  const auto choice = choice_of(scores);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->best, 3U) << "the first of equal ones";
  EXPECT_EQ(choice->simplest, 2U) << "rank 5 and the largest lambda that is within 0.01";
  EXPECT_FALSE(choice_of({}).has_value());
}

TEST(CvOutput, NamesTheColumnsOfEveryFold) {
  const Example example;
  const auto table = cv_table(example.plan, example.result);
  EXPECT_THAT(table, testing::StartsWith("rank\tlambda\tfolds_finished\ttest_rmse\ttest_rmse_error\ttest_mae\tsweeps\t"
                                         "best_sweep\tfold1_rmse\tfold2_rmse\tfold3_rmse\tfold1_mae\t"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
}

TEST(CvOutput, EndsWithTheCommandThatUsesTheChoice) {
  const Example example;
  CvOptions options;
  OptionTable table = cv_option_table(options);
  ASSERT_TRUE(table.parse(std::vector<std::string>{"--ratings", "r.csv", "--ranks", "5,10", "--lambdas", "0.1"}).ok());
  ASSERT_TRUE(settle_cv_options(options, table).ok());
  options.plan.folds = 3;
  const auto lines = cv_closing_lines(options, table, example.result, {});
  EXPECT_THAT(lines, HasSubstr("best     rank 10, lambda 0.1: test RMSE 0.91 +- 0.056"));
  EXPECT_THAT(lines, HasSubstr("next     mf fit --ratings r.csv --rank 10 --lambda 0.1 --out DIR"));
  EXPECT_THAT(lines, Not(HasSubstr("incomplete")));
  const auto json = cv_summary(options, example.result).json();
  EXPECT_THAT(json, HasSubstr("\"simplest_within_one_error\""));
  EXPECT_THAT(json, HasSubstr("\"model_hash\": \"00ff\""));
}

TEST(CvOutput, MarksWhatIsIncompleteAndChoosesNothingThen) {
  Example example;
  for (auto& fit : example.result.fits) fit.finished = false;
  CvOptions options;
  const OptionTable table = cv_option_table(options);
  options.plan = example.plan;
  const auto lines = cv_closing_lines(options, table, example.result, {});
  EXPECT_THAT(lines, HasSubstr("incomplete: 0 of 3 folds"));
  EXPECT_THAT(lines, HasSubstr("best     unknown: no point has all its folds"));
  EXPECT_THAT(lines, Not(HasSubstr("mf fit")));
  EXPECT_THAT(cv_summary(options, example.result).json(), Not(HasSubstr("\"best\"")));
}

TEST(CvOutput, TellsHowFarTheFitsAre) {
  const Example example;
  ProgressEvent event;
  const std::string all = " of " + std::to_string(example.plan.size());
  EXPECT_THAT(cv_progress_line(example.plan, example.result, 0, event, 1).text(), HasSubstr("fit 0" + all));
  event.certificate.figures.assign(kFigures, 0.0);
  event.certificate.figures[kFigureSweep] = 3;
  EXPECT_THAT(cv_progress_line(example.plan, example.result, 1, event, 1).text(),
              testing::AllOf(HasSubstr("fit 1" + all + "  one in sweep 4"),
                             HasSubstr("best so far rank 10, lambda 0.1: test 0.91")));
}

TEST(CvFolds, AreRefusedWhenThereAreMoreThanRatings) {
  const auto all = test::made_up_ratings({.users = 5, .items = 3, .ratings = 6});
  const auto threads = std::make_shared<SerialChunks>();
  const auto many = make_folds(all, 7, 0, 1, threads, {});
  EXPECT_EQ(many.status().code(), StatusCode::input);
  EXPECT_THAT(many.status().message(), HasSubstr("--folds 7, but there are 6 ratings"));
  const auto empty = make_folds(all, 6, 0, 1, threads, {});
  EXPECT_EQ(empty.status().code(), StatusCode::input);
  EXPECT_THAT(empty.status().message(), HasSubstr("got no ratings of 6 ratings"));
}

TEST(CvFolds, ShareTheirRatingsAmongTheirPoints) {
  const auto all = test::made_up_ratings({});
  const auto data = make_folds(all, 2, 0.1, 1, std::make_shared<SerialChunks>(), {}).value();
  const CvPlan plan = plan_of({{2, 0.1}, {3, 0.1}, {4, 0.1}}, 2);
  const EngineOptions engine{.schedulers = 2, .workers = 2, .depth = 2};
  CvModels models(data, plan, {}, engine);
  std::vector<RunRequest> requests;
  for (std::size_t fit = 0; fit < plan.size(); ++fit) {
    requests.push_back({engine, [&models, fit] { return Result(models.make(fit)); }});
  }
  EXPECT_EQ(all.use_count() > 1, true) << "until they are sorted";
  ASSERT_TRUE(run_embedded(requests, 1, {.threads = 1}, {}).status.ok());
  for (const auto& fold : data.folds) {
    EXPECT_EQ(fold->train, nullptr);
    EXPECT_FALSE(fold->make_train);
  }
  EXPECT_EQ(all.use_count(), 1) << "every fold has its part";
}

TEST(CvEdge, NamesTheValuesBeyondTheEndOfTheGrid) {
  const CvPlan plan = plan_of({{10, 0.05}, {10, 0.1}, {20, 0.05}, {20, 0.1}}, 3);
  EXPECT_EQ(edge_of_grid(plan, {20, 0.05}),
            "the best rank is the largest that was tried: go on with --ranks 20,40,80; "
            "the best lambda is the least that was tried: go on with --lambdas 0.0125,0.025,0.05");
  EXPECT_EQ(edge_of_grid(plan, {10, 0.1}),
            "the best rank is the least that was tried: go on with --ranks 2,5,10; "
            "the best lambda is the largest that was tried: go on with --lambdas 0.1,0.2,0.4");
}

TEST(CvEdge, IsNoneInTheMiddleAndOfASingleValue) {
  const CvPlan plan = plan_of({{10, 0.05}, {10, 0.1}, {10, 0.2}}, 3);
  EXPECT_EQ(edge_of_grid(plan, {10, 0.1}), "");
  EXPECT_EQ(edge_of_grid(plan, {10, 0.2}),
            "the best lambda is the largest that was tried: go on with --lambdas 0.2,0.4,0.8");
  EXPECT_EQ(edge_of_grid(plan_of({{1, 0.1}, {2, 0.1}}, 3), {1, 0.1}), "") << "there is no rank below";
  EXPECT_EQ(edge_of_grid(plan_of({{1024, 0.1}, {512, 0.1}}, 3), {1024, 0.1}), "") << "nor above";
}

// --- values that are no ratings ---

TEST(RatingValues, ThatAreAllEqualAreNoRatings) {
  Ratings ratings;
  ratings.train.users = ratings.train.items = {0, 1};
  ratings.lowest = ratings.highest = 1;
  EXPECT_THAT(about_values(ratings, "f"), HasSubstr("f: all ratings are 1: these are not ratings"));
  ratings.highest = 2;
  EXPECT_EQ(about_values(ratings, "f"), "");
}

TEST(RatingValues, ThatAreDividedAreSaid) {
  EXPECT_EQ(about_unit(1), "");
  EXPECT_THAT(about_unit(20.8), HasSubstr("the ratings are divided by 20.8, about their standard deviation"));
}

}  // namespace
}  // namespace strads::mf
