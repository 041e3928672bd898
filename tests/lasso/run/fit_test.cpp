// Whole fits of small made-up problems against coordinate descent by the book.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kTolerance = 1e-6;  ///< of LassoOptions: relative gap

class EveryPolicy : public ::testing::TestWithParam<Policy> {};

TEST_P(EveryPolicy, ReachesTheOptimumOfPlainCoordinateDescent) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    LassoOptions options;
    options.policy = GetParam();
    options.eta = 1e-3;  // the paper's 1e-6 starves variables that moved little once: thousands of rounds
    check(random_content({.rows = 40, .columns = 20, .seed = seed}), options, {.seed = seed, .workers = 4});
  }
}

TEST_P(EveryPolicy, FitsWithCentringOrScalingOff) {
  for (int bits = 0; bits < 4; ++bits) {
    LassoOptions options;
    options.policy = GetParam();
    options.eta = 1e-3;
    options.center = (bits & 1) != 0;
    options.scale = (bits & 2) != 0;
    SCOPED_TRACE("options " + std::to_string(bits));
    check(random_content({.rows = 40, .columns = 12, .shared = 0.2}), options, {.workers = 2});
  }
}

TEST_P(EveryPolicy, AtLambdaMaxNothingIsChosen) {
  LassoOptions options;
  options.policy = GetParam();
  for (const double ratio : {1.0, 1.5}) {
    options.lambda = ratio;
    const Fit result = check(random_content({}), options);
    EXPECT_THAT(result.solution.variables, IsEmpty());
    EXPECT_NEAR(result.certificate().objective, 0.5, 1e-12);
  }
}

TEST_P(EveryPolicy, FitsASingleVariable) {
  LassoOptions options;
  options.policy = GetParam();
  const Fit result = check(random_content({.columns = 1, .causes = 1}), options);
  EXPECT_EQ(result.solution.variables.size(), 1u);
  // One unit column: beta = x'y - lambda = (1 - 0.1) lambda_max.
  EXPECT_NEAR(std::abs(result.beta()[0]), 0.9 * result.solution.problem.lambda_max, 1e-12);
}

TEST_P(EveryPolicy, FitsFewerVariablesThanWorkers) {
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  check(random_content({.columns = 3}), options, {.workers = 8});
}

TEST_P(EveryPolicy, FitsFewerVariablesThanSchedulers) {
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  check(random_content({.columns = 3}), options, {.schedulers = 5, .workers = 2, .depth = 1});
}

TEST_P(EveryPolicy, FitsDuplicatedColumns) {
  Content content = random_content({.columns = 6, .shared = 0.2});
  for (std::size_t j = 0; j < 6; ++j) content.columns.push_back(content.columns[j]);
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  check(content, options, {.workers = 4});
}

TEST_P(EveryPolicy, FitsTwoSamples) {
  Content content{.columns = {{1, 2}, {5, 3}, {0, 7}}, .response = {1, 4}};
  LassoOptions options;
  options.policy = GetParam();
  check(content, options, {.workers = 2});  // all centred columns are +- the same: correlation 1
}

TEST_P(EveryPolicy, IgnoresConstantAndExcludedColumns) {
  Content content = random_content({.columns = 10});
  for (double& value : content.columns[0]) value = 4;
  content.excluded.assign(10, 0);
  content.excluded[1] = 1;
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  const Fit result = fit(dataset_of(content), options, {.workers = 2});
  EXPECT_EQ(result.solution.problem.kept, 8u);
  EXPECT_EQ(result.solution.problem.constant, 1u);
  EXPECT_EQ(result.solution.problem.excluded, 1u);
  content.columns.erase(content.columns.begin(), content.columns.begin() + 2);
  content.excluded.clear();
  const PlainProblem plain = plain_data(content, options).problem;
  const double lambda = result.solution.lambda;
  EXPECT_NEAR(result.certificate().objective, plain.objective(plain.solve(lambda), lambda), 2 * kTolerance);
  for (const VarId j : result.solution.variables) EXPECT_GE(j, 2u);
}

TEST_P(EveryPolicy, LeavesDroppedRowsOut) {
  Content content = random_content({.columns = 8});
  content.dropped_rows = {0, 13, 39};
  for (const std::uint32_t row : content.dropped_rows) {
    content.response[row] = 0;
    for (auto& column : content.columns) column[row] = 77;
  }
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  check(content, options, {.workers = 2});
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicy, all_policies(), name_of_case);

TEST(FitAuto, ReachesTheOptimumOfWideProblems) {
  for (const double ratio : {0.3, 0.05, 0.005}) {
    LassoOptions options;
    options.lambda = ratio;
    check(random_content({.rows = 30, .columns = 400, .shared = 0.3, .causes = 10}), options);
  }
}

TEST(FitAuto, ReachesTheOptimumOfTallProblemsInParallelRounds) {
  LassoOptions options;
  options.lambda = 0.01;
  const Fit result =
      check(random_content({.rows = 4000, .columns = 300, .shared = 0.1, .causes = 60}), options, {.workers = 8});
  EXPECT_GT(result.run.end.totals.rounds_parallel, 0u) << "4,000 samples and 300 variables: blocks should pay";
}

TEST(FitAuto, ReachesTheOptimumOfSparseColumns) {
  for (const bool center : {true, false}) {
    Content content = random_content({.rows = 80, .columns = 300, .shared = 0.2, .fill = 0.1, .causes = 20});
    content.sparse = true;
    LassoOptions options;
    options.center = center;
    options.lambda = 0.05;
    check(content, options);
  }
}

TEST(FitAuto, ReachesTightTolerances) {
  LassoOptions options;
  // F is about 0.04 here: a tenth of this would be below the rounding floor, 1e-13 F(0), where a run ends and says so.
  options.tolerance = 1e-11;
  options.lambda = 0.02;
  check(random_content({.rows = 50, .columns = 100}), options);
}

TEST(FitAuto, WithSeveralSchedulersAndStaleRounds) {
  LassoOptions options;
  options.lambda = 0.02;
  for (const std::uint32_t depth : {1U, 2U, 4U}) {
    check(random_content({.rows = 1500, .columns = 200, .shared = 0.1, .causes = 40}), options,
          {.schedulers = 4, .workers = 4, .depth = depth});
  }
}

TEST(FitAuto, ProjectsCovariatesOut) {
  // Few tall columns are solved in their Gram matrix.
  Content content = random_content({.rows = 60, .columns = 20});
  content.covariates.assign(2, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) {
    content.covariates[0][i] = content.columns[0][i] + std::sin(static_cast<double>(i));
    content.covariates[1][i] = static_cast<double>(i % 7);
  }
  check(content, {});
}

TEST(FitAuto, ProjectsCovariatesOutOfColumnsThatAreSolvedOnAResidual) {
  // Many short columns, and sparse ones: push then keeps a private residual, which must stay free of the covariates.
  for (const bool sparse : {false, true}) {
    Content content =
        random_content({.rows = 80, .columns = 300, .shared = 0.3, .fill = sparse ? 0.1 : 1.0, .causes = 20});
    content.sparse = sparse;
    content.covariates.assign(2, Vector(80));
    for (std::size_t i = 0; i < 80; ++i) {
      content.covariates[0][i] =
          std::sin(static_cast<double>(i * i)) + 3 * content.columns[0][i] + content.columns[1][i];
      content.covariates[1][i] = static_cast<double>(i % 7) + content.columns[2][i];
    }
    LassoOptions options;
    options.lambda = 0.01;
    const Fit result = check(content, options);
    EXPECT_LT(result.run.end.totals.phases, 20u) << "the guard rescues a wrong block, but slowly";
  }
}

TEST(FitLimit, SaysSoAndStillCertifies) {
  LassoOptions options;
  options.policy = Policy::paper;
  const Content content = random_content({});
  const Fit result = fit(dataset_of(content), options, {.workers = 2, .rounds_max = 5});
  EXPECT_EQ(result.run.end.stop_reason, "limit");
  EXPECT_EQ(result.run.end.totals.rounds, 5u);
  const PlainProblem plain = plain_data(content, options).problem;
  const double lambda = result.solution.lambda;
  EXPECT_NEAR(result.certificate().gap, plain.gap(result.beta(), lambda), 1e-12);
}

// --- scales of lambda ---

TEST(LambdaScale, AllThreeNameTheSameProblem) {
  const Content content = random_content({});
  LassoOptions ratio;
  ratio.lambda = 0.2;
  const Fit by_ratio = fit(dataset_of(content), ratio);
  LassoOptions unit;
  unit.lambda_scale = LambdaScale::unit;
  unit.lambda = by_ratio.solution.lambda;
  LassoOptions in_y;
  in_y.lambda_scale = LambdaScale::y;
  in_y.lambda = by_ratio.solution.lambda * by_ratio.data->response.norm / std::sqrt(40.0);
  const Fit by_unit = fit(dataset_of(content), unit);
  const Fit by_y = fit(dataset_of(content), in_y);
  EXPECT_EQ(beta_hash(by_unit.solution, 24), beta_hash(by_ratio.solution, 24));
  EXPECT_NEAR(by_y.solution.lambda, by_ratio.solution.lambda, 1e-15);
  for (VarId j = 0; j < 24; ++j) EXPECT_NEAR(by_y.beta()[j], by_ratio.beta()[j], 1e-9);
}

TEST(LambdaScale, OfYIsGlmnets) {
  // glmnet: 1/(2N) ||y - X b||^2 + lambda sum |b_j| sd_j, columns and response in their own units. Its optimality
  // conditions at our coefficients: |x_j'e| / N = lambda sd_j, sd_j with divisor N.
  const Content content = random_content({});
  LassoOptions options;
  options.tolerance = 1e-13;
  options.lambda_scale = LambdaScale::y;
  options.lambda = 0.05;
  const Fit result = fit(dataset_of(content), options);
  ASSERT_FALSE(result.solution.variables.empty());
  const Solution original = original_scale(*result.data, result.solution);
  Vector e = content.response;
  for (double& value : e) value -= original.intercept;
  for (std::size_t k = 0; k < original.coefficients.size(); ++k)
    plain_add(-original.coefficients[k], content.columns[result.solution.variables[k]], e);
  for (const VarId j : result.solution.variables) {
    Vector centred = content.columns[j];
    const double mean = plain_mean(centred);
    for (double& value : centred) value -= mean;
    const double sd = std::sqrt(plain_dot(centred, centred) / 40);
    EXPECT_NEAR(std::abs(plain_dot(centred, e)) / 40, 0.05 * sd, 1e-7);
  }
}

}  // namespace
}  // namespace strads::lasso
