// Coefficients that must not be negative: every policy, every storage, against coordinate descent by the book.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/certificate.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

LassoOptions bounded(Policy policy = Policy::automatic, double l1_ratio = 1) {
  LassoOptions options;
  options.nonnegative = true;
  options.policy = policy;
  options.l1_ratio = l1_ratio;
  options.eta = 1e-3;
  return options;
}

Fit check_bounded(const Content& content, const LassoOptions& options, const EngineOptions& engine = {}) {
  Fit result = check(content, options, engine);
  for (const double value : result.solution.standardized) EXPECT_GT(value, 0);
  return result;
}

class NonnegativeOf : public ::testing::TestWithParam<Policy> {};

TEST_P(NonnegativeOf, ReachesTheOptimumOfPlainCoordinateDescent) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const double l1_ratio : {1.0, 0.5}) {
      check_bounded(random_content({.rows = 40, .columns = 20, .seed = seed}), bounded(GetParam(), l1_ratio),
                    {.seed = seed, .workers = 4});
    }
  }
}

TEST_P(NonnegativeOf, WithPenaltyFactors) {
  Content content = random_content({.rows = 40, .columns = 20});
  for (std::size_t j = 0; j < 20; ++j) content.factors.push_back(0.5 + static_cast<double>(j % 4));
  check_bounded(content, bounded(GetParam()), {.workers = 2});
}

TEST_P(NonnegativeOf, AtLambdaMaxNothingIsChosen) {
  LassoOptions options = bounded(GetParam());
  options.lambda = 1;
  EXPECT_TRUE(check(random_content({}), options).solution.variables.empty());
}

INSTANTIATE_TEST_SUITE_P(All, NonnegativeOf, all_policies(), name_of_case);

TEST(Nonnegative, InSparseColumnsAndWideProblems) {
  Content content = random_content({.rows = 80, .columns = 300, .shared = 0.2, .fill = 0.1, .causes = 20});
  content.sparse = true;
  LassoOptions options = bounded();
  options.lambda = 0.03;
  check_bounded(content, options);
  check_bounded(random_content({.rows = 30, .columns = 400, .shared = 0.3, .causes = 10}), options);
}

TEST(Nonnegative, InTallProblemsWithParallelRoundsAndStaleOnes) {
  LassoOptions options = bounded();
  options.lambda = 0.005;
  const Content content = random_content({.rows = 4000, .columns = 300, .shared = 0.1, .causes = 60});
  const Fit result = check_bounded(content, options, {.workers = 8});
  EXPECT_GT(result.run.end.totals.rounds_parallel, 0u);
  check_bounded(content, options, {.schedulers = 4, .workers = 4, .depth = 4});
}

TEST(Nonnegative, ReachesTightTolerances) {
  LassoOptions options = bounded();
  options.tolerance = 1e-11;
  options.lambda = 0.02;
  check_bounded(random_content({.rows = 50, .columns = 100}), options);
}

TEST(Nonnegative, BoundsNoCovariate) {
  Content content = random_content({.rows = 60, .columns = 20});
  content.covariates.assign(1, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) content.covariates[0][i] = -content.response[i] + static_cast<double>(i % 5);
  const Fit result = check_bounded(content, bounded());
  EXPECT_LT(original_scale(*result.data, result.solution).covariates[0], 0);
}

TEST(Nonnegative, RefusesVariablesWithoutAPenalty) {
  Content content = random_content({.columns = 4});
  content.factors = {1, 0, 1, 1};
  const auto data = prepare_lasso(dataset_of(content), bounded());
  EXPECT_EQ(data.status().code(), StatusCode::usage);
  EXPECT_THAT(data.status().message(), HasSubstr("--nonnegative needs penalty factors above 0"));
}

TEST(NonnegativeStep, NeverLeadsBelowZero) {
  const VariablePenalty penalty{0.2, 0.0, 1.0, true};
  EXPECT_EQ(penalty.step(0.0, -5.0, 1.0).delta, 0);
  EXPECT_EQ(0.3 + penalty.step(0.3, -5.0, 1.0).delta, 0);
  EXPECT_NEAR(penalty.step(0.0, 0.5, 1.0).delta, 0.3, 1e-15);
}

TEST(NonnegativeGap, EqualsTheDifferenceOfPrimalAndDual) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const LassoOptions options = bounded(Policy::automatic, seed % 2 == 0 ? 1.0 : 0.5);
    const PlainProblem problem = plain_data(random_content({.seed = seed}), options).problem;
    const double lambda = 0.2 * problem.lambda_max();
    CounterRng random(seed, Purpose::tests, 1);
    Vector beta(problem.x.size(), 0.0);
    for (std::size_t j = 0; j < 5; ++j) beta[j] = 0.5 * random.unit();
    const Vector r = problem.residual(beta);
    GapParts parts;
    parts.residual_squared = plain_dot(r, r);
    for (std::size_t j = 0; j < beta.size(); ++j) {
      parts.add(beta[j], plain_dot(problem.x[j], r), {problem.l1(lambda, j), problem.l2(lambda, j), 1.0, true});
    }
    EXPECT_NEAR(duality_gap(parts, problem.l1(lambda, 0), true), problem.gap(beta, lambda), 1e-12);
  }
}

/// One variable, x = y = 1, lambda = 1/4, b = 2: r = -1, r'y < 0, so that the best dual point with s >= 0 is 0 and the
/// gap is F = 1/2 + 1/2. With s = -1 it would be 1/2.
TEST(NonnegativeGap, OfAnOvershotVariableByHand) {
  GapParts parts;
  parts.residual_squared = 1;
  parts.add(2.0, -1.0, {0.25, 0.0, 1.0, true});
  EXPECT_DOUBLE_EQ(duality_gap(parts, 0.25, true), 1.0);
}

}  // namespace
}  // namespace strads::lasso
