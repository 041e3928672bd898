// The elastic net: every policy, every storage, both ways to solve a block, against coordinate descent by the book.
#include <gtest/gtest.h>

#include "lasso/model/gap_sums.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {
namespace {

LassoOptions net(double l1_ratio, Policy policy = Policy::automatic) {
  LassoOptions options;
  options.l1_ratio = l1_ratio;
  options.policy = policy;
  options.eta = 1e-3;
  return options;
}

class ElasticNetOf : public ::testing::TestWithParam<Policy> {};

TEST_P(ElasticNetOf, ReachesTheOptimumOfPlainCoordinateDescent) {
  for (const double l1_ratio : {0.9, 0.5, 0.05}) {
    check(random_content({.rows = 40, .columns = 20}), net(l1_ratio, GetParam()), {.workers = 4});
  }
}

TEST_P(ElasticNetOf, FitsWithCentringOrScalingOff) {
  for (int bits = 0; bits < 4; ++bits) {
    LassoOptions options = net(0.6, GetParam());
    options.center = (bits & 1) != 0;
    options.scale = (bits & 2) != 0;
    check(random_content({.rows = 40, .columns = 12, .shared = 0.2}), options, {.workers = 2});
  }
}

TEST_P(ElasticNetOf, AtLambdaMaxNothingIsChosen) {
  LassoOptions options = net(0.4, GetParam());
  options.lambda = 1;
  EXPECT_TRUE(check(random_content({}), options).solution.variables.empty());
}

INSTANTIATE_TEST_SUITE_P(All, ElasticNetOf, all_policies(), name_of_case);

TEST(ElasticNet, ReachesTheOptimumOfSparseColumnsAndOfWideProblems) {
  for (const double l1_ratio : {0.8, 0.2}) {
    Content content = random_content({.rows = 80, .columns = 300, .shared = 0.2, .fill = 0.1, .causes = 20});
    content.sparse = true;
    LassoOptions options = net(l1_ratio);
    options.lambda = 0.05;
    check(content, options);
    check(random_content({.rows = 30, .columns = 400, .shared = 0.3, .causes = 10}), options);
  }
}

TEST(ElasticNet, ReachesTheOptimumOfTallProblemsInParallelRounds) {
  LassoOptions options = net(0.5);
  options.lambda = 0.01;
  const Fit result =
      check(random_content({.rows = 4000, .columns = 300, .shared = 0.1, .causes = 60}), options, {.workers = 8});
  EXPECT_GT(result.run.end.totals.rounds_parallel, 0u);
}

TEST(ElasticNet, WithSeveralSchedulersAndStaleRounds) {
  LassoOptions options = net(0.7);
  options.lambda = 0.02;
  for (const std::uint32_t depth : {1U, 4U}) {
    check(random_content({.rows = 1500, .columns = 200, .shared = 0.1, .causes = 40}), options,
          {.schedulers = 4, .workers = 4, .depth = depth});
  }
}

TEST(ElasticNet, ReachesTightTolerances) {
  LassoOptions options = net(0.5);
  options.tolerance = 1e-11;
  options.lambda = 0.02;
  check(random_content({.rows = 50, .columns = 100}), options);
}

TEST(ElasticNet, SharesTheWeightOfEqualColumns) {
  Content content = random_content({.columns = 6, .shared = 0.2});
  for (std::size_t j = 0; j < 6; ++j) content.columns.push_back(content.columns[j]);
  LassoOptions options = net(0.5);
  options.tolerance = 1e-12;
  const Vector beta = check(content, options).beta();
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(beta[j], beta[j + 6], 1e-6) << "strictly convex: one answer";
}

TEST(ElasticNet, WithCovariates) {
  Content content = random_content({.rows = 60, .columns = 20});
  content.covariates.assign(1, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) content.covariates[0][i] = static_cast<double>(i % 7);
  check(content, net(0.5));
}

TEST(ElasticNet, WithL1Ratio1IsTheLassoBitForBit) {
  const Content content = random_content({});
  const Fit lasso = fit(dataset_of(content), {});
  LassoOptions options;
  options.l1_ratio = 1;
  EXPECT_EQ(beta_hash(fit(dataset_of(content), options).solution, 24), beta_hash(lasso.solution, 24));
}

TEST(ElasticNet, LambdaOfYIsGlmnets) {
  // glmnet divides y by its standard deviation and lambda with it. Its conditions for standardised x_j and y:
  // x_j'e / N = lambda / sd_y (a sign(b_j) + (1 - a) b_j).
  const Content content = random_content({});
  LassoOptions options = net(0.3);
  options.tolerance = 1e-13;
  options.lambda_scale = LambdaScale::y;
  options.lambda = 0.05;
  const Fit result = fit(dataset_of(content), options);
  ASSERT_FALSE(result.solution.variables.empty());
  const Solution original = original_scale(*result.data, result.solution);
  Vector e = content.response;
  Vector y = content.response;
  const double mean_y = plain_mean(y);
  for (double& value : y) value -= mean_y;
  const double sd_y = std::sqrt(plain_dot(y, y) / 40);
  for (double& value : e) value -= original.intercept;
  for (std::size_t k = 0; k < original.coefficients.size(); ++k)
    plain_add(-original.coefficients[k], content.columns[result.solution.variables[k]], e);
  for (std::size_t k = 0; k < original.coefficients.size(); ++k) {
    Vector centred = content.columns[result.solution.variables[k]];
    const double mean = plain_mean(centred);
    for (double& value : centred) value -= mean;
    const double sd = std::sqrt(plain_dot(centred, centred) / 40);
    const double scaled = original.coefficients[k] * sd / sd_y;  // of the standardised x_j and y
    const double expected = 0.05 / sd_y * (std::copysign(0.3, scaled) + 0.7 * scaled);
    EXPECT_NEAR(plain_dot(centred, e) / 40 / sd / sd_y, expected, 1e-7);
  }
}

TEST(ElasticNetStep, MinimisesOverOneCoordinate) {
  const VariablePenalty penalty{0.2, 0.5};
  const double b = 0.3;
  const double g = -0.8;
  const double squares = 1.4;
  const auto f = [&](double x) {
    const double d = x - b;
    return -g * d + 0.5 * squares * d * d + penalty.l1 * std::abs(x) + 0.5 * penalty.l2 * x * x;
  };
  const Step step = penalty.step(b, g, squares);
  const double at = b + step.delta;
  EXPECT_NEAR(f(b) - f(at), step.decrease, 1e-15);
  for (const double h : {1e-4, -1e-4}) EXPECT_GT(f(at + h), f(at));
}

TEST(ElasticNetGap, EqualsTheDifferenceOfPrimalAndDual) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    LassoOptions options = net(0.4);
    const PlainProblem problem = plain_data(random_content({.seed = seed}), options).problem;
    const double lambda = 0.2 * problem.lambda_max();
    const Vector beta = some_coefficients(problem, seed);
    const GapParts parts = gap_sums(problem, beta, lambda);
    EXPECT_NEAR(duality_gap(parts, problem.l1(lambda, 0)), problem.gap(beta, lambda), 1e-12);
  }
}

}  // namespace
}  // namespace strads::lasso
