// What is written is what was certified: the check evaluates models as `lasso predict` loads them, tells a miss by
// rounding from a false one, and nothing of a false one passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lasso/check/check_solutions.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/report/model_files.hpp"
#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

/// A fit, what it says, and what would be written of it.
struct FitToWrite {
  Fit fit;
  ProblemClaim problem;
  std::vector<Solution> claims;
  FittedPath written;

  FitToWrite(const Content& content, const LassoOptions& options)
      : fit(strads::lasso::fit(dataset_of(content), options)) {
    const RunEnd& end = fit.run.end;
    const auto start = read_fields<Start>(end.problem.values);
    problem = {start.lambda_max, start.response_squared};
    claims = {fit.solution};
    written = fitted_path(*fit.data, {original_scale(*fit.data, fit.solution)});
  }
  [[nodiscard]] SolutionCheck::Finding finding(const Content& content, const LassoOptions& options) const {
    SerialChunks chunks;
    SolutionCheck check(dataset_of(content), options, chunks);
    auto found = check.examine(problem, claims);
    EXPECT_TRUE(found.ok()) << found.status().message();
    if (!found.ok()) return {.status = found.status()};
    check.examine_written(written, claims, found.value());
    return found.value()[0];
  }
};

Content numbers(bool with_all) {
  Content content = random_content({.rows = 60, .columns = 12});
  for (double& y : content.response) y = 100 + 3 * y;
  if (!with_all) return content;
  content.covariates.resize(2, std::vector<double>(60));
  for (std::size_t i = 0; i < 60; ++i) {
    content.covariates[0][i] = std::sin(static_cast<double>(i));
    content.covariates[1][i] = static_cast<double>(i % 3);
    content.weights.push_back(0.5 + static_cast<double>(i % 4) / 3);
  }
  double sum = 0;
  for (const double weight : content.weights) sum += weight;
  for (double& weight : content.weights) weight *= 60 / sum;
  return content;
}

Content two_groups(bool with_all) {
  Content content = numbers(with_all);
  std::vector<double> sorted = content.response;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < 60; ++i) content.response[i] = (content.response[i] > sorted[30]) != (i % 7 == 1) ? 1 : 0;
  content.classes = {"control", "case"};
  if (with_all) {
    for (std::size_t i = 0; i < 60; ++i) content.offset.push_back(0.3 * std::cos(static_cast<double>(i)));
  }
  return content;
}

LassoOptions options_of(Family family, double lambda_ratio = 0.2) {
  LassoOptions options;
  options.family = family;
  options.lambda = lambda_ratio;
  return options;
}

TEST(WrittenModels, HaveTheObjectiveThatWasCertified) {
  for (const Family family : {Family::gaussian, Family::binomial}) {
    for (const bool with_all : {false, true}) {
      const Content content = family == Family::gaussian ? numbers(with_all) : two_groups(with_all);
      const LassoOptions options = options_of(family);
      const FitToWrite fit(content, options);
      const auto finding = fit.finding(content, options);
      EXPECT_TRUE(finding.status.ok()) << finding.status.message();
      EXPECT_EQ(finding.gap, fit.claims[0].certificate.gap);
      EXPECT_NEAR(1 - finding.loss / (fit.problem.response_squared / 2),
                  original_scale(*fit.fit.data, fit.fit.solution).explained, 1e-12);
    }
  }
}

TEST(WrittenModels, AreRefusedWhereAnyPartOfThemIsFalse) {
  for (const Family family : {Family::gaussian, Family::binomial}) {
    const Content content = family == Family::gaussian ? numbers(true) : two_groups(true);
    const LassoOptions options = options_of(family);
    const FitToWrite fit(content, options);
    const auto refused = [&](const auto& spoil) {
      FitToWrite other = fit;
      spoil(other.written.steps[0]);
      const auto finding = other.finding(content, options);
      EXPECT_EQ(finding.status.code(), StatusCode::internal);
      EXPECT_THAT(finding.status.message(), HasSubstr("check of what is written"));
    };
    refused([](FittedStep& step) { step.intercept += 1e-3; });
    refused([](FittedStep& step) { step.covariates[1] += 1e-3; });
    refused([](FittedStep& step) { step.covariates = {}; });
    refused([](FittedStep& step) { step.coefficients[0] *= 1.01; });
    refused([](FittedStep& step) { step.places.pop_back(), step.coefficients.pop_back(); });
    refused([](FittedStep& step) { step.intercept = std::nan(""); });
  }
}

/// Columns of 10000 +- 1 that are not centred: coefficients are large and cancel.
TEST(WrittenModels, AMissByRoundingIsNoForgeryAndCountsToTheGap) {
  Content content = numbers(false);
  for (auto& column : content.columns) {
    for (double& value : column) value = 10000 + (value > 0 ? 1 : -1);
  }
  LassoOptions options = options_of(Family::gaussian, 1e-10);
  options.center = options.center_y = false;
  const FitToWrite fit(content, options);
  const auto finding = fit.finding(content, options);
  EXPECT_TRUE(finding.status.ok()) << finding.status.message();
  EXPECT_GE(finding.gap, fit.claims[0].certificate.gap);
}

TEST(WrittenModels, WhatRoundingCannotExplainIsRefusedAtATinyLambdaToo) {
  const Content content = two_groups(false);
  const LassoOptions options = options_of(Family::binomial, 1e-9);
  FitToWrite fit(content, options);
  const auto true_finding = fit.finding(content, options);
  ASSERT_TRUE(true_finding.status.ok()) << true_finding.status.message();
  fit.claims[0].certificate.objective *= 1 + 1e-6;
  EXPECT_EQ(fit.finding(content, options).status.code(), StatusCode::internal);
}

}  // namespace
}  // namespace strads::lasso
