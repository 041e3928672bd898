// Numbers of any size: powers of two change no bit of a fit, and what double precision cannot hold is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/check/check_solutions.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "lasso/study/study.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kHuge = 531;    ///< 2^531 is about 1e160
constexpr int kTiny = -565;   ///< 2^-565 about 1e-170
constexpr int kSmall = -100;  ///< coefficients in the units of the data remain numbers

void scale(Vector& values, int exponent) {
  for (double& value : values) value = std::ldexp(value, exponent);
}

Content data(bool sparse = false) {
  Content content = random_content({.rows = 60, .columns = 20, .fill = sparse ? 0.4 : 1.0});
  content.sparse = sparse;
  return content;
}

LassoOptions scaled_options(Policy policy) {
  LassoOptions options;
  options.policy = policy;
  options.eta = 1e-3;
  return options;
}

class Scale : public ::testing::TestWithParam<Policy> {};

TEST_P(Scale, OfColumnsAndResponseChangesNoBitOfTheCoefficients) {
  for (const bool sparse : {false, true}) {
    for (const bool weighted : {false, true}) {
      Content content = data(sparse);
      for (std::size_t i = 0; weighted && i < content.rows(); ++i)
        content.weights.push_back(1.0 + static_cast<double>(i % 3));
      const LassoOptions options = scaled_options(GetParam());
      const Fit plain = fit(dataset_of(content), options, {.workers = 4});
      Content scaled = content;
      scale(scaled.columns[0], kHuge);
      scale(scaled.columns[1], kTiny);
      scale(scaled.columns[2], kHuge);
      scale(scaled.columns[3], kHuge);
      scale(scaled.response, kSmall);
      const Fit found = fit(dataset_of(scaled), options, {.workers = 4});
      // Products of two such columns are those of decoded ones: rounding differs there.
      const Vector expected = plain.beta(), beta = found.beta();
      for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(beta[j], expected[j], 1e-3) << j;
      EXPECT_EQ(found.solution.problem.kept, 20u);
      EXPECT_EQ(found.solution.problem.lambda_max, plain.solution.problem.lambda_max);
      EXPECT_NEAR(found.certificate().objective, plain.certificate().objective, 1e-6);
      const Solution original = original_scale(*found.data, found.solution);
      const Solution before = original_scale(*plain.data, plain.solution);
      EXPECT_NEAR(original.explained, before.explained, 1e-5);
      EXPECT_NEAR(std::ldexp(original.intercept, -kSmall), before.intercept, 0.01);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Scale, all_policies(), name_of_case);

TEST(ScaleOfColumns, GivesTheSameStatisticsAndProducts) {
  Content content = data();
  Content scaled = content;
  scale(scaled.columns[4], kHuge);
  scale(scaled.columns[5], kTiny);
  const auto before = scanned(content), after = scanned(scaled);
  EXPECT_EQ(after->columns->mean(4), std::ldexp(before->columns->mean(4), kHuge));
  EXPECT_EQ(after->columns->norm(4), std::ldexp(before->columns->norm(4), kHuge));
  EXPECT_EQ(after->columns->norm(5), std::ldexp(before->columns->norm(5), kTiny));
  for (const VarId k : {4U, 5U, 6U}) {
    EXPECT_NEAR(after->columns->pair(4, k), before->columns->pair(4, k), 1e-14);
    EXPECT_NEAR(after->columns->pair(5, k), before->columns->pair(5, k), 1e-14);
  }
}

TEST(ScaleOfCovariates, ChangesOnlyTheirCoefficients) {
  Content content = data();
  content.covariates.assign(1, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) content.covariates[0][i] = static_cast<double>(i % 7);
  Content scaled = content;
  scale(scaled.covariates[0], kHuge);
  const Fit plain = fit(dataset_of(content), {}), found = fit(dataset_of(scaled), {});
  EXPECT_EQ(found.beta(), plain.beta());
  const Solution before = original_scale(*plain.data, plain.solution);
  const Solution after = original_scale(*found.data, found.solution);
  EXPECT_EQ(std::ldexp(after.covariates.at(0), kHuge), before.covariates.at(0));
  EXPECT_EQ(after.intercept, before.intercept);
}

TEST(ScaleOfTheResponse, ALargeMeanTakesNothingFromSmallDifferences) {
  Content content = data();
  for (std::size_t i = 0; i < 60; ++i) content.response[i] = content.response[i] > 3 ? 1 : 0;
  Content far = content;
  for (double& y : far.response) y += 1e15;
  const Fit plain = fit(dataset_of(content), {}), found = fit(dataset_of(far), {});
  const Vector expected = plain.beta(), beta = found.beta();
  for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(beta[j], expected[j], 1e-9);
  EXPECT_NEAR(found.data->response.norm, plain.data->response.norm, 1e-12);
  SerialChunks chunks;
  SolutionCheck check(found.data->dataset, {}, chunks);
  (void)check.recompute({});
  EXPECT_NEAR(check.lambda_max(), found.solution.problem.lambda_max, 1e-12);
}

TEST(ScaleOfCoefficients, KeepsSmallOnesAndCountsThoseThatAreNoNumbers) {
  const Content content = data();
  const Fit plain = fit(dataset_of(content), {});
  ASSERT_NE(plain.beta()[0], 0.0);
  for (const int exponent : {500, 531}) {  // a coefficient of about 2^-1065, or 2^-1096
    Content scaled = content;
    scale(scaled.columns[0], exponent);
    scale(scaled.response, kTiny);
    const Fit found = fit(dataset_of(scaled), {});
    ASSERT_EQ(found.solution.variables.at(0), 0u);
    const Solution original = original_scale(*found.data, found.solution);
    const double expected = std::ldexp(original_scale(*plain.data, plain.solution).coefficients[0], kTiny - exponent);
    EXPECT_EQ(original.coefficients[0], expected);
    EXPECT_EQ(expected == 0, exponent == 531);
    EXPECT_EQ(unrepresented(original), exponent == 531 ? 1u : 0u);
  }
  Content large = content;
  scale(large.columns[0], kTiny);
  scale(large.response, kHuge);
  const Fit found = fit(dataset_of(large), {});
  EXPECT_EQ(unrepresented(original_scale(*found.data, found.solution)), 1u);
}

std::string refusal(const Content& content, const LassoOptions& options = {}) {
  const auto prepared = prepare_lasso(dataset_of(content), options);
  EXPECT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.status().code(), StatusCode::input);
  return prepared.status().message();
}

TEST(ScaleOfTheResponse, SaysWhatCannotBeRepresented) {
  Content content = data();
  for (double& y : content.response) y = 7;
  content.response[0] = std::nextafter(7.0, 8.0);
  EXPECT_THAT(refusal(content), HasSubstr("double precision cannot tell that from rounding; subtract a constant"));
  content = data();
  scale(content.response, kTiny);
  LassoOptions options;
  options.scale_y = false;
  EXPECT_THAT(refusal(content, options), HasSubstr("multiply it by a constant, or leave out --scale-y off"));
  const auto cv = make_group(dataset_of(content), {}, {.kind = StudyDesign::Kind::cv, .folds = "3"});
  EXPECT_THAT(cv.status().message(), HasSubstr("too large or too small for squared errors"));
}

TEST(ScaleOfColumns, SaysWhichOnesVaryAndCountAsConstant) {
  Content content = data();
  for (std::size_t i = 0; i < 60; ++i) {
    content.columns[6][i] = 5;                                  // constant: nothing to say
    content.columns[7][i] = 1e15 + static_cast<double>(i % 2);  // by less than 1e-11 of its size
    content.columns[8][i] = 1e305 * static_cast<double>(i % 3);
  }
  const Fit found = fit(dataset_of(content), {});
  EXPECT_EQ(found.solution.problem.constant, 3u);
  SerialChunks chunks;
  SolutionCheck check(found.data->dataset, {}, chunks);
  (void)check.recompute({});
  EXPECT_THAT(std::vector<VarId>(check.lost().begin(), check.lost().end()), ElementsAre(7, 8));
}

}  // namespace
}  // namespace strads::lasso
