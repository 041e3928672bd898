// Penalty factors: every policy, every storage, with the elastic net, against coordinate descent by the book.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/model/gap_sums.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

/// Factors from 1/4 to 4, in no order.
Vector mixed_factors(std::size_t columns) {
  Vector factors;
  for (std::size_t j = 0; j < columns; ++j) factors.push_back(0.25 * std::pow(2.0, static_cast<double>(j * 7 % 5)));
  return factors;
}

Content with_factors(const Recipe& recipe) {
  Content content = random_content(recipe);
  content.factors = mixed_factors(recipe.columns);
  return content;
}

LassoOptions with_policy(Policy policy, double l1_ratio = 1) {
  LassoOptions options;
  options.policy = policy;
  options.l1_ratio = l1_ratio;
  options.eta = 1e-3;
  return options;
}

class PenaltyFactorsOf : public ::testing::TestWithParam<Policy> {};

TEST_P(PenaltyFactorsOf, ReachTheOptimumOfPlainCoordinateDescent) {
  for (const double l1_ratio : {1.0, 0.5}) {
    check(with_factors({.rows = 40, .columns = 20}), with_policy(GetParam(), l1_ratio), {.workers = 4});
  }
}

TEST_P(PenaltyFactorsOf, AtLambdaMaxNothingIsChosen) {
  LassoOptions options = with_policy(GetParam());
  options.lambda = 1;
  EXPECT_TRUE(check(with_factors({}), options).solution.variables.empty());
}

TEST_P(PenaltyFactorsOf, Of0AreProjectedOut) {
  Content content = with_factors({.rows = 60, .columns = 20});
  content.factors[0] = content.factors[7] = 0;
  check(content, with_policy(GetParam()), {.workers = 2});
}

INSTANTIATE_TEST_SUITE_P(All, PenaltyFactorsOf, all_policies(), name_of_case);

TEST(PenaltyFactors, InSparseColumnsAndWideProblems) {
  Content content = with_factors({.rows = 80, .columns = 300, .shared = 0.2, .fill = 0.1, .causes = 20});
  content.sparse = true;
  for (const double l1_ratio : {1.0, 0.3}) {
    LassoOptions options = with_policy(Policy::automatic, l1_ratio);
    options.lambda = 0.05;
    check(content, options);
    check(with_factors({.rows = 30, .columns = 400, .shared = 0.3, .causes = 10}), options);
  }
}

TEST(PenaltyFactors, InTallProblemsWithParallelRounds) {
  LassoOptions options;
  options.lambda = 0.01;
  const Fit result =
      check(with_factors({.rows = 4000, .columns = 300, .shared = 0.1, .causes = 60}), options, {.workers = 8});
  EXPECT_GT(result.run.end.totals.rounds_parallel, 0u);
}

TEST(PenaltyFactors, ReachTightTolerances) {
  LassoOptions options;
  options.tolerance = 1e-11;
  options.lambda = 0.02;
  check(with_factors({.rows = 50, .columns = 100}), options);
}

TEST(PenaltyFactors, AllEqualTo1AreTheLassoBitForBit) {
  Content content = random_content({});
  const Fit plain = fit(dataset_of(content), {});
  content.factors.assign(24, 1.0);
  EXPECT_EQ(beta_hash(fit(dataset_of(content), {}).solution, 24), beta_hash(plain.solution, 24));
}

TEST(PenaltyFactors, AllEqualTo2HalveLambda) {
  Content content = random_content({});
  LassoOptions options;
  options.lambda = 0.1;
  const Fit plain = fit(dataset_of(content), options);
  content.factors.assign(24, 2.0);
  const Fit doubled = fit(dataset_of(content), options);
  EXPECT_NEAR(doubled.solution.lambda, plain.solution.lambda / 2, 1e-15);
  EXPECT_NEAR(doubled.certificate().objective, plain.certificate().objective, 1e-12);
}

/// The coefficients of a fit with the unpenalised ones among them, and all J on the solver's scale.
struct Merged {
  Fit fitted;
  Solution solution;
  Vector beta;
};

Merged merged(const Content& content, const LassoOptions& options) {
  Merged made{fit(dataset_of(content), options), {}, Vector(content.columns.size(), 0.0)};
  made.solution = original_scale(*made.fitted.data, made.fitted.solution);
  for (std::size_t k = 0; k < made.solution.variables.size(); ++k)
    made.beta[made.solution.variables[k]] = made.solution.standardized[k];
  return made;
}

TEST(Unpenalised, AreFittedWithTheOthers) {
  Content content = with_factors({.rows = 60, .columns = 20, .shared = 0.3});
  content.factors[3] = content.factors[11] = 0;
  LassoOptions options;
  options.tolerance = 1e-13;
  const Merged found = merged(content, options);
  // The whole problem at once: the same columns, not projected, and thresholds of 0 for two of them.
  Content whole = content;
  whole.factors.clear();
  PlainProblem plain = plain_data(whole, options).problem;
  plain.factors = content.factors;
  const Vector expected = plain.solve(found.solution.lambda);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(found.beta[j], expected[j], 1e-6) << j;
  EXPECT_NE(found.beta[3], 0);
  EXPECT_NE(found.beta[11], 0);
}

TEST(Unpenalised, ComeBackInTheUnitsOfTheData) {
  Content content = with_factors({.rows = 60, .columns = 12});
  content.factors[0] = content.factors[5] = 0;
  content.covariates.assign(1, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) content.covariates[0][i] = static_cast<double>(i % 7);
  LassoOptions options;
  options.tolerance = 1e-12;
  const Merged found = merged(content, options);
  Vector rest = content.response;
  for (double& value : rest) value -= found.solution.intercept;
  plain_add(-found.solution.covariates[0], content.covariates[0], rest);
  for (std::size_t k = 0; k < found.solution.variables.size(); ++k)
    plain_add(-found.solution.coefficients[k], content.columns[found.solution.variables[k]], rest);
  // Nothing of them is left in the residual, and what is left is what the fit says.
  EXPECT_NEAR(plain_mean(rest), 0, 1e-12);
  EXPECT_NEAR(plain_dot(rest, content.columns[0]), 0, 1e-10);
  EXPECT_NEAR(plain_dot(rest, content.columns[5]), 0, 1e-10);
  EXPECT_NEAR(plain_dot(rest, content.covariates[0]), 0, 1e-10);
  const double norm = found.fitted.data->response.norm;
  double l1 = 0;
  for (const VarId j : found.fitted.solution.variables) l1 += content.factors[j] * std::abs(found.beta[j]);
  EXPECT_NEAR(plain_dot(rest, rest) / norm / norm / 2 + found.fitted.solution.lambda * l1,
              found.fitted.certificate().objective, 1e-12);
}

TEST(Unpenalised, ThatAreConstantCountAsConstant) {
  Content content = with_factors({.rows = 40, .columns = 6});
  content.factors[2] = 0;
  for (double& value : content.columns[2]) value = 3;
  const Merged found = merged(content, {});
  EXPECT_EQ(found.fitted.solution.problem.constant, 1u);
  EXPECT_EQ(found.beta[2], 0);
}

TEST(Unpenalised, ThatTheCovariatesExplainHaveNoCoefficient) {
  Content content = with_factors({.rows = 40, .columns = 6});
  content.factors[2] = 0;
  content.covariates = {content.columns[2], Vector(40, 1.0)};
  const Merged found = merged(content, {});
  EXPECT_NEAR(found.beta[2], 0, 1e-12);
  ASSERT_EQ(found.solution.covariates.size(), 2u);
  EXPECT_NE(found.solution.covariates[0], 0);
}

TEST(Unpenalised, NeedCentring) {
  Content content = with_factors({.rows = 40, .columns = 6});
  content.factors[2] = 0;
  LassoOptions options;
  options.center = false;
  const auto data = prepare_lasso(dataset_of(content), options);
  EXPECT_EQ(data.status().code(), StatusCode::usage);
  EXPECT_THAT(data.status().message(), HasSubstr("penalty factors of 0 need --center on"));
}

TEST(PenaltyFactorsGap, EqualsTheDifferenceOfPrimalAndDual) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    LassoOptions options;
    options.l1_ratio = 0.6;
    const PlainProblem problem = plain_data(with_factors({.seed = seed}), options).problem;
    const double lambda = 0.2 * problem.lambda_max();
    const Vector beta = some_coefficients(problem, seed);
    const GapParts parts = gap_sums(problem, beta, lambda);
    EXPECT_NEAR(duality_gap(parts, 0.6 * lambda), problem.gap(beta, lambda), 1e-12);
  }
}

}  // namespace
}  // namespace strads::lasso
