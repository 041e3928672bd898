// What the binomial family changes in tables, summaries and closing lines, and that least squares are as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "class_dataset.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/report/closing_lines.hpp"
#include "lasso/report/family_facts.hpp"
#include "lasso/report/model_files.hpp"
#include "lasso/report/pictures.hpp"
#include "lasso/report/study_summary.hpp"
#include "lasso/report/tables.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lasso {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::shared_ptr<LassoData> data_of(std::shared_ptr<const Dataset> dataset) {
  auto data = prepare_lasso(std::move(dataset), {}).value();
  if (data->dataset->classes()[0] != data->dataset->classes()[1]) data->family = Family::binomial;
  data->response.mean = 0;  // as the binomial family has it
  data->response.norm = 1;
  return data;
}

RunEnd end_of(double null_objective) {
  RunEnd end;
  end.problem = payload_of(Start{.lambda = 0.5, .lambda_max = 2, .kept = 3, .response_squared = 2 * null_objective});
  return end;
}

/// A fit of 12 samples, 4 of them ill, that explains 0.25 of a null deviance of 16.
PathResult a_fit(std::shared_ptr<const Dataset> dataset) {
  PathResult result;
  result.data = data_of(std::move(dataset));
  result.run.end = end_of(8);
  result.run.end.certificate = {.objective = 7, .gap = 0.002};
  Solution& solution = result.steps.emplace_back();
  solution = {.lambda = 0.5,
              .certificate = result.run.end.certificate,
              .variables = {0, 2},
              .standardized = {3, -4},
              .problem = {.lambda_max = 2, .kept = 3}};
  solution.coefficients = {0.5, -1};
  solution.means = {0, 0};
  solution.intercept = 0.25;
  solution.explained = 0.25;
  return result;
}

FittedModel model_of_fit(const PathResult& result) {
  return fitted_model(*result.data, result.steps.front());
}

std::string json_of_study(StudyKind kind, const PathResult& result, const CvOptions& options = {}) {
  return summary_of(kind, options, std::span(&result, 1), nullptr).json();
}

std::string lines_of_study(StudyKind kind, const PathResult& result, const CvOptions& options = {}) {
  StudyResults results;
  results.run = result;
  results.list = {result};
  return closing_lines(kind, options, results, RunDirectory());
}

PathResult a_binomial_fit() {
  return a_fit(class_dataset(class_content(12)));
}

PathResult a_fit_of_numbers() {
  return a_fit(dataset_of(class_content(12)));
}

std::string text_of(double value) {
  return exact_text(value);
}

TEST(BinomialCoefficients, HaveTheirOddsRatiosInTheLastColumn) {
  const PathResult result = a_binomial_fit();
  EXPECT_EQ(coefficients_table(model_of_fit(result), result.steps.front().standardized),
            "id\tstandardized\tcoefficient\tcolumn\todds_ratio\n"
            "1\t3\t0.5\t1\t" +
                text_of(std::exp(0.5)) + "\n3\t-4\t-1\t3\t" + text_of(std::exp(-1)) + "\n");
}

TEST(BinomialCoefficients, HaveThemBehindAllelesToo) {
  FittedModel model = model_of_fit(a_binomial_fit());
  model.has_alleles = true;
  EXPECT_THAT(coefficients_table(model, std::vector<double>{3, -4}),
              StartsWith("id\tchromosome\tposition\tA1\tA2\tstandardized\tcoefficient\tcolumn\todds_ratio\n"));
}

TEST(CoefficientsOfNumbers, HaveNoOddsRatios) {
  const PathResult result = a_fit_of_numbers();
  EXPECT_EQ(coefficients_table(model_of_fit(result), result.steps.front().standardized),
            "id\tstandardized\tcoefficient\tcolumn\n1\t3\t0.5\t1\n3\t-4\t-1\t3\n");
}

TEST(FittedModelOf, ClassesSaysWhatTheyAreCalledAndWhetherThereWereOffsets) {
  const FittedModel plain = model_of_fit(a_binomial_fit());
  EXPECT_EQ(plain.family, "binomial");
  EXPECT_THAT(plain.classes, ElementsAre("well", "ill"));
  EXPECT_FALSE(plain.has_offset);
  EXPECT_TRUE(model_of_fit(a_fit(class_dataset(class_content(12), std::vector<double>(12, 0.5)))).has_offset);
}

TEST(FittedModelOf, NumbersIsGaussian) {
  const FittedModel model = model_of_fit(a_fit_of_numbers());
  EXPECT_EQ(model.family, "gaussian");
  EXPECT_THAT(model.classes, ElementsAre("", ""));
}

TEST(BinomialSummary, HasDeviancesInPlaceOfR2) {
  const std::string json = json_of_study(StudyKind::fit, a_binomial_fit());
  EXPECT_THAT(json, AllOf(HasSubstr("\"family\": \"binomial\""), HasSubstr("\"cases\": 4,"),
                          HasSubstr("\"controls\": 8,"), HasSubstr("\"null_deviance\": 16"),
                          HasSubstr("\"deviance\": 12.0,"), HasSubstr("\"deviance_ratio\": 0.25"),
                          HasSubstr("\"gap_over_null_objective\": 0.00025"), Not(HasSubstr("\"r2"))));
  EXPECT_LT(json.find("\"well\""), json.find("\"ill\""));
}

TEST(SummaryOfNumbers, NamesItsFamilyAndHasR2) {
  const std::string json = json_of_study(StudyKind::fit, a_fit_of_numbers());
  EXPECT_THAT(json, AllOf(HasSubstr("\"family\": \"gaussian\""), HasSubstr("\"r2\": 0.25"), Not(HasSubstr("deviance")),
                          Not(HasSubstr("classes")), Not(HasSubstr("cases"))));
}

TEST(BinomialClosingLines, NameFamilyAndDevianceRatio) {
  const std::string lines = lines_of_study(StudyKind::fit, a_binomial_fit());
  EXPECT_THAT(lines, AllOf(HasSubstr("lambda_max, binomial (4 ill, 8 well), policy auto\n"),
                           HasSubstr("(gap / F(0) 0.00025), deviance ratio 0.25\n"), Not(HasSubstr("R2"))));
}

TEST(BinomialClosingLines, SayThatCovariatesAreInTheNullDeviance) {
  Content content = class_content(12);
  content.covariates = {content.columns[1]};
  const std::string lines = lines_of_study(StudyKind::fit, a_fit(class_dataset(content, {}, {"age"})));
  EXPECT_THAT(lines, HasSubstr("deviance ratio 0.25 of what covariates leave\n"));
}

TEST(ClosingLinesOfNumbers, AreAsTheyWere) {
  const std::string lines = lines_of_study(StudyKind::fit, a_fit_of_numbers());
  EXPECT_THAT(lines, AllOf(HasSubstr("lambda_max, policy auto\n"), HasSubstr("(gap / F(0) 0.00025), R2 0.25\n")));
}

Solution a_step(std::size_t index, double lambda) {
  Solution step;
  step.index = index;
  step.lambda = lambda;
  step.certificate = {.objective = 7, .gap = 0.002, .converged = true};
  step.problem = {.lambda_max = 4, .kept = 3};
  step.variables = {1};
  step.standardized = {3};
  step.coefficients = {std::log(2.0)};
  step.means = {0};
  step.covariates = {-0.5};
  step.explained = 0.25;
  return step;
}

PathResult a_binomial_path() {
  Content content = class_content(12);
  content.covariates = {content.columns[0]};
  content.weights.assign(12, 3.0);
  PathResult result;
  result.data = data_of(class_dataset(content, {}, {"age"}));
  result.run.end = end_of(8);
  result.steps = {a_step(0, 3), a_step(1, 1.5)};
  return result;
}

TEST(BinomialPath, HasOddsRatiosOfVariablesAndCovariates) {
  const PathResult result = a_binomial_path();
  const FittedPath model = fitted_path(*result.data, result.steps);
  const std::string coefficient = text_of(std::log(2.0)), odds = text_of(std::exp(std::log(2.0)));
  EXPECT_EQ(path_coefficients(model, result.steps),
            "index\tid\tstandardized\tcoefficient\tcolumn\todds_ratio\n1\t2\t3\t" + coefficient + "\t2\t" + odds +
                "\n2\t2\t3\t" + coefficient + "\t2\t" + odds + "\n");
  const std::string covariate = "\tage\t-0.5\t" + text_of(std::exp(-0.5)) + "\n";
  EXPECT_EQ(path_covariates(model, result.steps),
            "index\tcovariate\tcoefficient\todds_ratio\n1" + covariate + "2" + covariate);
  EXPECT_TRUE(model.shape.has_classes());
}

TEST(BinomialPath, HasTheLambdaOfGlmnet) {
  const PathResult result = a_binomial_path();
  EXPECT_DOUBLE_EQ(lambda_in_y(*result.data, 3), 3 / std::sqrt(result.data->columns->weight()));
}

TEST(PathThatNeverBegan, HasNoLambdaMax) {
  PathResult result = a_binomial_path();
  result.steps.clear();
  result.run.end = {};
  const std::string json = json_of_study(StudyKind::path, result);
  EXPECT_THAT(json, AllOf(HasSubstr("\"lambdas_solved\": 0"), Not(HasSubstr("lambda_max"))));
}

TEST(BinomialPath, SumsUpDeviances) {
  const std::string json = json_of_study(StudyKind::path, a_binomial_path());
  EXPECT_THAT(
      json, AllOf(HasSubstr("\"family\": \"binomial\""), HasSubstr("\"deviance_ratio_last\": 0.25"),
                  HasSubstr("\"deviance_last\": 12"), HasSubstr("\"null_deviance\": 16"), Not(HasSubstr("r2_whole"))));
  EXPECT_THAT(lines_of_study(StudyKind::path, a_binomial_path()), HasSubstr("binomial (4 ill, 8 well), policy"));
}

/// Two folds, two lambdas; the area under the curve of the second fold is none at the first lambda.
PathResult a_binomial_cv(Measure measure) {
  PathResult result;
  result = a_binomial_path();
  result.measure = measure;
  result.group.family = Family::binomial;
  result.group.dataset = result.data->dataset;
  result.group.folds = {2, std::vector<std::uint32_t>(12, 0), {6, 6}, {"1", "2"}};
  result.group.paths = std::vector<Path>(3, {.name = "", .data = result.data});
  for (std::uint32_t row = 0; row < 12; ++row) result.group.paths[1 + row / 6].watchers.push_back(row);
  result.followers = {result.steps, result.steps};
  result.curve = curve_of({{{6, 6, 6}, {3, 3, 6}}, {{NAN, NAN, 6}, {4.5, 4.5, 6}}}, 12, measure);
  return result;
}

std::vector<std::string> line_of(const std::string& table, std::size_t number) {
  std::istringstream lines(table);
  std::string line;
  for (std::size_t k = 0; k <= number; ++k) std::getline(lines, line);
  std::istringstream fields(line);
  std::vector<std::string> found;
  for (std::string one; std::getline(fields, one, '\t');) found.push_back(one);
  return found;
}

TEST(BinomialCv, NamesItsMeasureInEveryLine) {
  const PathResult result = a_binomial_cv(Measure::auc);
  const std::string table = cv_table(result);
  EXPECT_THAT(line_of(table, 0), ElementsAre("index", "lambda", "lambda_y", "lambda_ratio", "nonzeros", "mean",
                                             "standard_error", "measure", "choice", "fold_1", "fold_2"));
  const auto first = line_of(table, 1), second = line_of(table, 2);
  EXPECT_THAT(std::vector(first.begin() + 5, first.end()), ElementsAre("1", "0", "auc", "min,1se", "1", "NA"));
  EXPECT_THAT(std::vector(second.begin() + 7, second.end()), ElementsAre("auc", "", "0.5", "0.75"));
  EXPECT_EQ(line_of(cv_paths_table(result), 3)[12], "NA");
  EXPECT_EQ(line_of(cv_paths_table(result), 4)[12], "0.75");
}

TEST(BinomialCv, NamesItsMeasureInSummaryPictureAndClosingLine) {
  const PathResult result = a_binomial_cv(Measure::deviance);
  CvOptions options;
  options.stratify = true;
  EXPECT_THAT(json_of_study(StudyKind::cv, result, options),
              AllOf(HasSubstr("\"measure\": \"deviance\""), HasSubstr("\"family\": \"binomial\""),
                    HasSubstr("\"stratify\": true"), Not(HasSubstr("\"r2\""))));
  EXPECT_THAT(curve_picture(result), HasSubstr("binomial deviance"));
  EXPECT_THAT(lines_of_study(StudyKind::cv, result, options),
              AllOf(HasSubstr("lambda_max (deviance "), HasSubstr("binomial (4 ill, 8 well), "), Not(HasSubstr("R2"))));
}

TEST(CvOfNumbers, IsAsItWas) {
  PathResult result = a_binomial_cv(Measure::mse);
  result.data = data_of(dataset_of(class_content(12)));
  result.group.family = Family::gaussian;
  result.variance = 2.0;
  EXPECT_THAT(line_of(cv_table(result), 0), ElementsAre("index", "lambda", "lambda_y", "lambda_ratio", "nonzeros",
                                                        "mean", "standard_error", "choice", "fold_1", "fold_2"));
  EXPECT_THAT(json_of_study(StudyKind::cv, result),
              AllOf(HasSubstr("\"measure\": \"mse\""), HasSubstr("\"r2\": 0."), Not(HasSubstr("stratify"))));
  EXPECT_THAT(curve_picture(result), HasSubstr("mean squared error<"));
  EXPECT_THAT(lines_of_study(StudyKind::cv, result), HasSubstr("lambda_max (0.625 +- "));
}

}  // namespace
}  // namespace strads::lasso
