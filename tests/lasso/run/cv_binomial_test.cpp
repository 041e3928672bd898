// Cross-validation of two classes: stratified folds, data without a fold, errors of samples held out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../report/class_dataset.hpp"
#include "lasso/study/study.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Samples of class 1 in each fold.
std::vector<int> cases_by_fold(const Dataset& data, const Folds& folds) {
  std::vector<int> cases(folds.count, 0);
  for (std::size_t i = 0; i < folds.of_row.size(); ++i) {
    if (folds.of_row[i] < folds.count && data.response()[i] == 1) ++cases[folds.of_row[i]];
  }
  return cases;
}

TEST(StratifiedFolds, HaveTheSameShareOfEachClass) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto data = class_dataset(class_content(60));  // 20 cases
    const Folds folds = draw_folds(*data, 6, seed, true).value();
    EXPECT_THAT(folds.sizes, ElementsAre(10, 10, 10, 10, 10, 10));
    auto cases = cases_by_fold(*data, folds);
    std::sort(cases.begin(), cases.end());
    EXPECT_THAT(cases, ElementsAre(3, 3, 3, 3, 4, 4)) << seed;
    EXPECT_NE(folds.of_row, draw_folds(*data, 6, seed + 9, true).value().of_row) << seed;
  }
}

TEST(StratifiedFolds, LeaveOutRowsThatTakeNoPart) {
  Content content = class_content(24);
  content.dropped_rows = {0, 1};
  content.response[0] = 0;
  const auto data = class_dataset(content);
  const Folds folds = draw_folds(*data, 7, 1, true).value();
  EXPECT_EQ(folds.of_row[0], 7u);
  EXPECT_THAT(cases_by_fold(*data, folds), ::testing::Each(1));
}

TEST(DrawnFoldsOfClasses, DoNotLookAtThem) {
  Content content = class_content(30);
  const Folds folds = draw_folds(*class_dataset(content), 3, 1).value();
  std::reverse(content.response.begin(), content.response.end());
  EXPECT_EQ(draw_folds(*class_dataset(content), 3, 1).value().of_row, folds.of_row);
}

TEST(WithoutFoldOfClasses, KeepsTheirNamesAndHidesOffsets) {
  const std::vector<double> offset{1, 2, 3, 4, 5, 6};
  const auto all = class_dataset(class_content(6), offset);
  const Folds folds = draw_folds(*all, 2, 1).value();
  const auto rest = without_fold(all, folds, 1);
  EXPECT_THAT(rest->classes(), ElementsAre("well", "ill"));
  ASSERT_EQ(rest->offset().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rest->offset()[i], folds.of_row[i] == 1 ? 0 : offset[i]);
  EXPECT_TRUE(without_fold(class_dataset(class_content(6)), folds, 0)->offset().empty());
}

/// All samples in fold 0 or 1 in turns, with weights, offsets and a covariate.
PathGroup a_cv(const Content& content, std::vector<double> offset) {
  PathGroup data;
  data.family = Family::binomial;
  data.dataset = class_dataset(content, std::move(offset), {"age"});
  data.folds.count = 2;
  for (std::uint32_t i = 0; i < content.rows(); ++i) data.folds.of_row.push_back(i % 2);
  data.paths = {{.name = "all samples"},
                {.name = "without fold 1", .watchers = rows_of_fold(data.folds, 0)},
                {.name = "without fold 2", .watchers = rows_of_fold(data.folds, 1)}};
  return data;
}

TEST(HeldOutClasses, HaveTheErrorsOfPredictionsByTheBook) {
  Content content = class_content(20);
  content.covariates = {content.columns[2]};
  std::vector<double> offset;
  for (std::size_t i = 0; i < 20; ++i) {
    content.weights.push_back(1 + 0.25 * static_cast<double>(i % 4));
    offset.push_back(0.5 * static_cast<double>(i % 5) - 1);
  }
  const PathGroup data = a_cv(content, offset);
  Solution step;
  step.variables = {1};
  step.coefficients = {0.75};
  step.means = {0};
  step.intercept = -0.5;
  step.covariates = {0.3};
  double deviance = 0, squared = 0, wrong = 0, weight = 0;
  for (std::size_t i = 1; i < 20; i += 2) {
    const double link = -0.5 + 0.75 * content.columns[1][i] + 0.3 * content.covariates[0][i] + offset[i];
    const double p = 1 / (1 + std::exp(-link)), y = content.response[i], w = content.weights[i];
    deviance += w * -2 * (y * std::log(p) + (1 - y) * std::log(1 - p));
    squared += w * (std::pow(y - p, 2) + std::pow((1 - y) - (1 - p), 2));
    wrong += w * (p > 0.5 ? 1 - y : y);
    weight += w;
  }
  EXPECT_NEAR(held_out_error(data, 2, step, Measure::deviance).sum, deviance, 1e-12);
  EXPECT_NEAR(held_out_error(data, 2, step, Measure::mse).sum, squared, 1e-12);
  EXPECT_NEAR(held_out_error(data, 2, step, Measure::misclassification).sum, wrong, 1e-12);
  EXPECT_NEAR(held_out_error(data, 2, step, Measure::deviance).weight, weight, 1e-12);
}

TEST(MeasureOfATrait, IsTheDevianceWhereFoldsAreTooSmallForAnArea) {
  EXPECT_EQ(measure_of(a_cv(class_content(18), {}), Measure::auc).value(), Measure::deviance);
  EXPECT_EQ(measure_of(a_cv(class_content(20), {}), Measure::auc).value(), Measure::auc);
}

TEST(MeasureOfATrait, IsNoAreaWhereNoFoldHasBothClasses) {
  Content content = class_content(20);
  for (std::size_t i = 0; i < 20; ++i) content.response[i] = i % 2 == 0 ? 1 : 0;
  const auto measure = measure_of(a_cv(content, {}), Measure::auc);
  EXPECT_EQ(measure.status().code(), StatusCode::usage);
  EXPECT_THAT(measure.status().message(), HasSubstr("no fold has samples of both classes"));
  EXPECT_TRUE(measure_of(a_cv(content, {}), Measure::deviance).ok());
}

}  // namespace
}  // namespace strads::lasso
