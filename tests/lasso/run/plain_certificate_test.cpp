// The plain certificate, which the check of a run, the simulator's audit and tests go by: by hand, and beside what the
// judge says of the same solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "classes.hpp"
#include "lasso/check/check_solutions.hpp"
#include "lasso/problem/payloads.hpp"

namespace strads::lasso {
namespace {

/// Nothing is scaled, centred or fitted beside the columns.
LassoOptions as_they_are(const char* family) {
  LassoOptions options;
  options.family = *Family::named(family);
  options.intercept = options.center = options.scale = options.center_y = options.scale_y = false;
  return options;
}

PlainCertificate of_one_variable(const char* family, double y, double offset, double b, const PlainPenalty& penalty) {
  Content content;
  content.columns = {{1}};
  content.response = {y};
  if (offset != 0) content.offset = {offset};
  return DenseProblem(dataset_of(content), as_they_are(family)).certificate({b}, penalty);
}

// x = y = 1, A = 1/4, b = 1/2: r = h = 1/2, s = 1/2, F = 1/8 + 1/8, D = 1/2 1/2 - 1/8 1/4 = 7/32.
TEST(PlainCertificates, OfSquaresByHand) {
  const PlainCertificate found = of_one_variable("gaussian", 1, 0, 0.5, {.l1 = 0.25});
  EXPECT_DOUBLE_EQ(found.objective, 0.25);
  EXPECT_DOUBLE_EQ(found.gap, 1.0 / 32);
  EXPECT_DOUBLE_EQ(found.explained, 0.75);
  EXPECT_EQ(found.gradients, Vector{0.5});
}

// x = y = 1, E = 3, b = 1/2: r = g = 1/2, F = 1/8 + 3/8, D = 1/2 - 1/8 - 1/24.
TEST(PlainCertificates, OfRidgeByHand) {
  const PlainCertificate found = of_one_variable("gaussian", 1, 0, 0.5, {.l2 = 3});
  EXPECT_DOUBLE_EQ(found.objective, 0.5);
  EXPECT_DOUBLE_EQ(found.gap, 1.0 / 6);
}

// x = -y: nothing pulls upwards. b = 0 is the solution at any A, and F(0) = D.
TEST(PlainCertificates, OfCoefficientsThatAreNotNegativeByHand) {
  const PlainCertificate found = of_one_variable("gaussian", -1, 0, 0, {.l1 = 0.25, .nonnegative = true});
  EXPECT_DOUBLE_EQ(found.objective, 0.5);
  EXPECT_DOUBLE_EQ(found.gap, 0);
  EXPECT_DOUBLE_EQ(of_one_variable("gaussian", -1, 0, 0, {.l1 = 0.25}).gap, 0.5 - (0.25 - 1.0 / 32));
}

// t = 1, eta = log 3, p = 3/4: u = h = 1/4, A = 1/8, s = 1/2, q = 1/8 from the class; D = H(1/8) - 1/8 log 3.
TEST(PlainCertificates, OfTwoClassesByHand) {
  const PlainCertificate found = of_one_variable("binomial", 1, std::log(3.0), 0, {.l1 = 0.125});
  EXPECT_NEAR(found.objective, -std::log(0.75), 1e-15);
  const double entropy = -0.125 * std::log(0.125) - 0.875 * std::log(0.875);
  EXPECT_NEAR(found.gap, -std::log(0.75) - (entropy - 0.125 * std::log(3.0)), 1e-15);
  EXPECT_NEAR(found.gradients[0], 0.25, 1e-16);
}

// y = 3, mu = 2: u = h = 1, A = 1/2, s = 1/2, m = 5/2; D = (3 log 3 - 3) - (m log m - m) - 1/2 log 2.
TEST(PlainCertificates, OfCountsByHand) {
  const PlainCertificate found = of_one_variable("poisson", 3, std::log(2.0), 0, {.l1 = 0.5});
  const double loss = 2 - 3 + 3 * std::log(1.5);
  EXPECT_NEAR(found.objective, loss, 1e-15);
  const double dual = (3 * std::log(3.0) - 3) - (2.5 * std::log(2.5) - 2.5) - 0.5 * std::log(2.0);
  EXPECT_NEAR(found.gap, loss - dual, 1e-15);
  EXPECT_NEAR(found.gradients[0], 1, 1e-15);
}

/// With an intercept, and samples of weights 3 and 1: p = 3/4, mu = 3/2.
TEST(PlainCertificates, OfZerosWithAnInterceptByHand) {
  Content content;
  content.columns = {{1, -1}};
  content.weights = {3, 1};
  content.response = {1, 0};
  LassoOptions options;
  options.family = Family::binomial;
  EXPECT_NEAR(DenseProblem(dataset_of(content), options).null_objective(), -3 * std::log(0.75) - std::log(0.25), 1e-14);
  options.family = *Family::named("poisson");
  content.response = {2, 0};
  const double loss = 3 * (1.5 - 2 + 2 * std::log(2 / 1.5)) + 1.5;
  EXPECT_NEAR(DenseProblem(dataset_of(content), options).null_objective(), loss, 1e-14);
}

/// The only column is the response.
TEST(PlainCertificates, OfLambdaMaxByHand) {
  Content content;
  content.columns = {{1, -1, 4}};
  content.response = {6, 2, 12};
  LassoOptions options;
  EXPECT_NEAR(DenseProblem(dataset_of(content), options).lambda_max(), 1, 1e-15);
  options.l1_ratio = 0.5;
  EXPECT_NEAR(DenseProblem(dataset_of(content), options).lambda_max(), 2, 1e-15);
  options.l1_ratio = 0;
  EXPECT_NEAR(DenseProblem(dataset_of(content), options).lambda_max(), 1000, 1e-12);
  content.columns = {{-1, 1, -4}};
  options = {};
  options.nonnegative = true;
  EXPECT_EQ(DenseProblem(dataset_of(content), options).lambda_max(), 0);
}

// --- beside the judge ---

Content response_of(const std::string& family, const Recipe& recipe) {
  if (family == "binomial") return random_classes(recipe);
  Content content = random_content(recipe);
  if (family == "poisson") {
    for (double& y : content.response) y = std::floor(std::abs(y));
  }
  return content;
}

class PlainCertificateBesideTheJudge : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Families, PlainCertificateBesideTheJudge, ::testing::Values("gaussian", "binomial", "poisson"),
                         [](const auto& family) { return family.param; });

/// Of one that is cut off, so that its gap is large, and of one that is solved; from columns that are written out and
/// from those of the data set.
void expect_what_the_judge_says(const Content& content, LassoOptions options) {
  const auto dataset = dataset_of(content);
  const DenseProblem plain(dataset, options);
  SerialChunks chunks;
  SolutionCheck check(dataset, options, chunks);
  for (const std::uint64_t rounds : {1U, 0U}) {
    options.tolerance = rounds == 0 ? 1e-11 : 0.1;
    const Fit said = fit(dataset, options, {.rounds_max = rounds});
    const auto figures = check.recompute(std::span(&said.solution, 1));
    const PlainCertificate found = plain.certificate(said.beta(), plain.penalty(said.solution.lambda));
    // The judge leaves a gradient of what has no penalty, of which a gap has a share.
    const double allowed = 1e-12 * plain.null_objective();
    EXPECT_NEAR(said.certificate().objective, found.objective, allowed);
    EXPECT_NEAR(said.certificate().objective, figures[0].objective, allowed);
    EXPECT_NEAR(said.certificate().gap, found.gap, allowed);
    EXPECT_NEAR(said.certificate().gap, figures[0].gap, allowed);
    if (rounds > 0) {
      EXPECT_GT(found.gap, 1e-6 * plain.null_objective());
    }
    EXPECT_EQ(said.certificate().nonzeros, found.nonzeros);
    const ProblemClaim problem{said.solution.problem.lambda_max,
                               read_fields<Start>(said.run.end.problem.values).response_squared};
    EXPECT_NEAR(problem.lambda_max, plain.lambda_max(), 1e-12 * plain.lambda_max());
    EXPECT_NEAR(problem.lambda_max, check.lambda_max(), 1e-12 * plain.lambda_max());
    EXPECT_NEAR(problem.response_squared, 2 * plain.null_objective(), allowed);
    EXPECT_NEAR(problem.response_squared, check.response_squared(), allowed);
  }
}

TEST_P(PlainCertificateBesideTheJudge, SaysTheSameOfEveryPenalty) {
  const Content content = response_of(GetParam(), {.rows = 50, .columns = 12});
  Content with_more = content;
  for (std::size_t i = 0; i < 50; ++i) with_more.weights.push_back(0.5 + static_cast<double>(i % 4));
  with_more.covariates.assign(1, Vector(50));
  for (std::size_t i = 0; i < 50; ++i) with_more.covariates[0][i] = std::sin(static_cast<double>(i));
  with_more.factors.assign(12, 1.0);
  with_more.factors[5] = 4;
  LassoOptions options;
  options.family = *Family::named(GetParam());
  options.lambda = 0.2;
  for (const double l1_ratio : {1.0, 0.4, 0.0}) {
    for (const bool nonnegative : {false, true}) {
      SCOPED_TRACE(std::to_string(l1_ratio) + (nonnegative ? " nonnegative" : ""));
      options.l1_ratio = l1_ratio;
      options.nonnegative = nonnegative;
      with_more.factors[3] = nonnegative ? 1 : 0;
      expect_what_the_judge_says(content, options);
      expect_what_the_judge_says(with_more, options);
    }
  }
}

TEST_P(PlainCertificateBesideTheJudge, SaysTheSameOfEveryStorage) {
  LassoOptions options;
  options.family = *Family::named(GetParam());
  options.lambda = 0.2;
  for (const bool center : {true, false}) {
    SCOPED_TRACE(center);
    options.center = center;
    Content content = response_of(GetParam(), {.rows = 50, .columns = 12, .fill = 0.5});
    expect_what_the_judge_says(content, options);
    content.sparse = true;
    expect_what_the_judge_says(content, options);
    content.sparse = false;
    for (auto& column : content.columns) {
      for (double& value : column) value = std::clamp(std::round(value), 0.0, 2.0);
    }
    content.whole = Storage::genotype_2bit;
    expect_what_the_judge_says(content, options);
  }
}

}  // namespace
}  // namespace strads::lasso
