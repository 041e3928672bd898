// The options of `mf cv`: the grid, what it shares with `mf fit`, and the command that it recommends.
#include "mf/options/cv_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ParsedCv {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  Status status;

  explicit ParsedCv(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--ratings", "my ratings.csv"});
    status = check_cv_arguments(arguments);
    if (status.ok()) status = table.parse(arguments);
    if (status.ok()) status = settle_cv_options(options, table);
  }
};

void expect_refused(std::vector<std::string> arguments, const std::string& message) {
  const ParsedCv parsed(std::move(arguments));
  EXPECT_EQ(parsed.status.code(), StatusCode::usage);
  EXPECT_THAT(parsed.status.message(), HasSubstr(message));
}

TEST(CvOptions, TryLambdasAroundThatOfAFitOnFiveFolds) {
  const ParsedCv parsed({"--solver", "cd"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const CvPlan& plan = parsed.options.plan;
  EXPECT_EQ(plan.folds, 5U);
  ASSERT_EQ(plan.points.size(), 3U);
  const MfOptions fit;
  EXPECT_EQ(plan.points[1].rank, fit.rank);
  EXPECT_EQ(plan.points[1].lambda, fit.lambda);
  EXPECT_LT(plan.points[0].lambda, fit.lambda);
  EXPECT_GT(plan.points[2].lambda, fit.lambda);
  const ParsedCv usual({});
  EXPECT_EQ(usual.options.plan.points.at(1).lambda, 0.05) << "that of sgd";
}

TEST(CvOptions, TryEveryLambdaWithEveryRank) {
  const ParsedCv parsed({"--ranks", "10,20", "--lambdas", "0.02,1e-3", "--folds", "3"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const CvPlan& plan = parsed.options.plan;
  ASSERT_EQ(plan.points.size(), 4U);
  EXPECT_EQ(plan.size(), 12U);
  EXPECT_EQ(plan.points[1].rank, 10U);
  EXPECT_EQ(plan.points[1].lambda, 0.001);
  EXPECT_EQ(plan.points[2].rank, 20U);
  EXPECT_EQ(plan.fold_of(5), 1U);
  EXPECT_EQ(plan.point_of(5), 1U);
  EXPECT_EQ(mf_options_of(plan, 5, parsed.options.fit.mf).lambda, 0.001);
}

TEST(CvOptions, RefuseGridsThatAreNone) {
  expect_refused({"--ranks", ","}, "--ranks is empty, expected whole numbers from 1 to 1024");
  expect_refused({"--ranks", "10,x"}, "--ranks: 'x', expected whole numbers");
  expect_refused({"--ranks", "0"}, "--ranks: '0'");
  expect_refused({"--ranks", "4000"}, "--ranks: '4000'");
  expect_refused({"--ranks", "10.5"}, "--ranks: '10.5'");
  expect_refused({"--ranks", "10,20,10"}, "--ranks: 10 is there twice");
  expect_refused({"--lambdas", "0.1,0.10"}, "--lambdas: 0.10 is there twice");
  expect_refused({"--lambdas", ","}, "--lambdas is empty, expected numbers above 0");
  expect_refused({"--lambdas", "0"}, "--lambdas: '0', expected numbers above 0");
  expect_refused({"--lambdas", "-1"}, "--lambdas: '-1'");
  expect_refused({"--lambdas", "inf"}, "--lambdas: 'inf'");
  expect_refused({"--folds", "1"}, "--folds");
  std::string many = "1";
  for (int rank = 2; rank <= 300; ++rank) many += "," + std::to_string(rank);
  expect_refused({"--ranks", many, "--folds", "100"},
                 "the grid has 90000 fits, expected at most 16666 with --workers 2");
}

TEST(CvOptions, SayWhatToGiveInsteadOfAFitsOptions) {
  expect_refused({"--holdout", "0.1"}, "--holdout: mf cv tests on each fold in turn");
  expect_refused({"--test=t.csv"}, "--test: mf cv tests on each fold in turn");
  expect_refused({"--rank", "10"}, "--rank: mf cv tries several: give --ranks");
  expect_refused({"--lambda", "1"}, "--lambda: mf cv tries several: give --lambdas");
}

TEST(CvOptions, CheckWhatAFitChecks) {
  expect_refused({"--validation", "0"}, "--validation 0 leaves early stopping nothing to look at");
  const ParsedCv parsed({"--solver", "sgd", "--seed", "7"});
  EXPECT_EQ(parsed.options.fit.mf.solver, Solver::sgd);
  EXPECT_EQ(parsed.options.fit.input.seed, 7U);
  EXPECT_EQ(parsed.options.fit.input.validation, 0.05);
}

TEST(CvOptions, ComeBackFromTheTextThatNodesAreTold) {
  const ParsedCv parsed({"--ranks", "10,20", "--lambdas", "0.02,0.3", "--folds", "4"});
  CvOptions again;
  OptionTable table = cv_option_table(again);
  ASSERT_TRUE(table.parse_config_text("driver", parsed.table.config(kExecutionSections)).ok());
  ASSERT_TRUE(settle_cv_options(again, table).ok());
  EXPECT_EQ(again.plan.folds, 4U);
  ASSERT_EQ(again.plan.points.size(), 4U);
  EXPECT_EQ(again.plan.points[3].lambda, 0.3);
}

TEST(CvOptions, OfClicksTryEveryPointOfFourLists) {
  const ParsedCv parsed(
      {"--feedback", "implicit", "--ranks", "4,8", "--alpha0s", "0.1,0.3", "--nus", "0,1", "--at", "5"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const CvPlan& plan = parsed.options.plan;
  EXPECT_EQ(plan.kind, CvKind::implicit);
  EXPECT_EQ(plan.by.at, 5U);
  ASSERT_EQ(plan.points.size(), 2U * 3 * 2 * 2);
  EXPECT_EQ(plan.points[4].lambda, 0.01) << "the second of half, once and twice the fit's own";
  EXPECT_EQ(mf_options_of(plan, 3, parsed.options.fit.mf).alpha0, 0.3);
  EXPECT_EQ(mf_options_of(plan, 3, parsed.options.fit.mf).nu, 1);
  EXPECT_THAT(fit_command_of(plan.points[3], parsed.table, plan.kind),
              HasSubstr(" --feedback implicit --rank 4 --lambda 0.005 --alpha0 0.3 --nu 1"));
}

TEST(CvOptions, OfHusObjectiveTryAlphasInPlaceOfTheWeightsOfIals) {
  const ParsedCv parsed(
      {"--feedback", "implicit", "--objective", "hu", "--ranks", "4", "--lambdas", "0.1,0.2", "--alphas", "1,40"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const CvPlan& plan = parsed.options.plan;
  ASSERT_EQ(plan.points.size(), 4U);
  const MfOptions third = mf_options_of(plan, 3, parsed.options.fit.mf);
  EXPECT_TRUE(third.hu);
  EXPECT_EQ(third.alpha, 40);
  EXPECT_EQ(third.alpha0, 1);
  EXPECT_EQ(third.nu, 0);
  EXPECT_THAT(fit_command_of(plan.points[3], parsed.table, plan.kind),
              HasSubstr(" --feedback implicit --objective hu --rank 4 --lambda 0.2 --alpha 40"));
  expect_refused({"--feedback", "implicit", "--objective", "hu", "--nus", "0,1"}, "--nus is for --objective ials");
  expect_refused({"--feedback", "implicit", "--alphas", "2"}, "--alphas is for --feedback implicit --objective hu");
  expect_refused({"--feedback", "implicit", "--alpha", "2"}, "--alpha: mf cv tries several: give --alphas");
  CvOptions again;
  OptionTable table = cv_option_table(again);
  ASSERT_TRUE(table.parse_config_text("driver", parsed.table.config(kExecutionSections)).ok());
  const Status settled = settle_cv_options(again, table);
  ASSERT_TRUE(settled.ok()) << settled.message();
  EXPECT_EQ(again.plan.points.at(3).alpha, 40);
}

TEST(CvOptions, OfItemWeightsAreRescaledByTheCooccurrencesOfAFold) {
  const ParsedCv parsed({"--solver", "slim", "--l1s", "0.8", "--l2s", "3,9", "--folds", "4", "--item-power", "0.5"});
  ASSERT_TRUE(parsed.status.ok()) << parsed.status.message();
  const CvPlan& plan = parsed.options.plan;
  ASSERT_EQ(plan.points.size(), 2U);
  EXPECT_EQ(slim_options_of(plan, 3, parsed.options.fit.slim).l2, 9);
  // 3/4 of the pairs: co-occurrences are 9/16, and the scale c^-1/2 of each of two items is (3/4)^-1/2.
  const CvPoint all = point_for_all(plan, plan.points[1], parsed.options.fit.slim);
  EXPECT_EQ(all.l1, 1.06667) << "0.8 x 4/3";
  EXPECT_EQ(all.l2, 12);
  EXPECT_EQ(point_for_all(plan, plan.points[1], {}).l2, 16);
  const ParsedCv factors({"--folds", "4"});
  EXPECT_EQ(point_for_all(factors.options.plan, {10, 0.1}, {}).lambda, 0.1) << "penalties grow with the ratings";
}

TEST(CvOptions, MakeTheCommandOfTheFitThatFollows) {
  const ParsedCv parsed({"--ranks", "10,20", "--solver", "als", "--bias", "off", "--threads", "2", "--out", "run",
                         "--max-seconds", "5", "--folds", "4"});
  const auto command = fit_command_of({20, 0.05}, parsed.table);
  EXPECT_EQ(command, "mf fit --ratings 'my ratings.csv' --bias off --solver als --rank 20 --lambda 0.05");
}

}  // namespace
}  // namespace strads::mf
