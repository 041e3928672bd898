// Sample weights: every policy against coordinate descent by the book, and against rows that are repeated.
#include <gtest/gtest.h>

#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

/// Weights 1, 2, 3, ... 5 in no order; 0 at dropped rows.
Content with_weights(const Recipe& recipe) {
  Content content = random_content(recipe);
  for (std::size_t i = 0; i < recipe.rows; ++i) content.weights.push_back(1.0 + static_cast<double>(i * 7 % 5));
  return content;
}

/// The same fit without weights: each row as often as its weight says.
Content repeated(const Content& content) {
  Content plain = content;
  plain.weights.clear();
  const auto repeat = [&content](const Vector& values) {
    Vector out;
    for (std::size_t i = 0; i < values.size(); ++i)
      out.insert(out.end(), static_cast<std::size_t>(content.weights[i]), values[i]);
    return out;
  };
  for (Vector& column : plain.columns) column = repeat(column);
  for (Vector& covariate : plain.covariates) covariate = repeat(covariate);
  plain.response = repeat(content.response);
  return plain;
}

LassoOptions weighted_options(Policy policy) {
  LassoOptions options;
  options.policy = policy;
  options.eta = 1e-3;
  return options;
}

class WeightsUnder : public ::testing::TestWithParam<Policy> {};

TEST_P(WeightsUnder, ReachTheOptimumOfPlainCoordinateDescent) {
  check(with_weights({.rows = 40, .columns = 20}), weighted_options(GetParam()), {.workers = 4});
}

TEST_P(WeightsUnder, InSparseColumnsReachIt) {
  Content content = with_weights({.rows = 60, .columns = 20, .fill = 0.3});
  content.sparse = true;
  for (const bool center : {true, false}) {
    LassoOptions options = weighted_options(GetParam());
    options.center = center;
    check(content, options, {.workers = 2});
  }
}

TEST_P(WeightsUnder, WithFactorsRidgeAndDroppedRowsReachIt) {
  Content content = with_weights({.rows = 60, .columns = 20});
  content.factors.assign(20, 1.0);
  content.factors[2] = 0;
  content.factors[5] = 3;
  for (const std::uint32_t row : {3u, 17u, 40u}) {
    content.dropped_rows.push_back(row);
    content.weights[row] = 0;
  }
  LassoOptions options = weighted_options(GetParam());
  options.l1_ratio = 0.7;
  check(content, options, {.workers = 2});
}

INSTANTIATE_TEST_SUITE_P(All, WeightsUnder, all_policies(), name_of_case);

TEST(Weights, OfWholeNumbersAreRowsRepeated) {
  Content content = with_weights({.rows = 50, .columns = 30});
  Vector covariate;
  for (std::size_t i = 0; i < 50; ++i) covariate.push_back(std::sin(static_cast<double>(i)));
  content.covariates = {covariate};
  LassoOptions options;
  options.tolerance = 1e-12;
  options.lambda = 0.02;
  const Fit weighted = check(content, options);
  const Fit plain = check(repeated(content), options);
  ASSERT_EQ(weighted.solution.variables, plain.solution.variables);
  const Solution a = original_scale(*weighted.data, weighted.solution);
  const Solution b = original_scale(*plain.data, plain.solution);
  for (std::size_t k = 0; k < a.coefficients.size(); ++k) EXPECT_NEAR(a.coefficients[k], b.coefficients[k], 1e-6);
  EXPECT_NEAR(a.intercept, b.intercept, 1e-6);
  EXPECT_NEAR(a.covariates[0], b.covariates[0], 1e-6);
  EXPECT_NEAR(a.explained, b.explained, 1e-7);
}

TEST(Weights, ThatAreMultipliedByANumberChangeNothing) {
  Content content = with_weights({.rows = 50, .columns = 30});
  const Fit once = fit(dataset_of(content), {});
  for (double& weight : content.weights) weight *= 4;  // exact in binary
  const Fit four_times = fit(dataset_of(content), {});
  EXPECT_EQ(once.solution.variables, four_times.solution.variables);
  for (std::size_t k = 0; k < once.solution.standardized.size(); ++k)
    EXPECT_NEAR(once.solution.standardized[k], four_times.solution.standardized[k], 1e-12);
}

TEST(Weights, InWideProblemsReachTightTolerances) {
  LassoOptions options;
  options.tolerance = 1e-11;
  options.lambda = 0.02;
  check(with_weights({.rows = 30, .columns = 200, .shared = 0.3, .causes = 10}), options);
}

TEST(Weights, InTallProblemsWithParallelRounds) {
  LassoOptions options;
  options.lambda = 0.01;
  const Fit result =
      check(with_weights({.rows = 4000, .columns = 200, .shared = 0.1, .causes = 60}), options, {.workers = 8});
  EXPECT_GT(result.run.end.totals.rounds_parallel, 0u);
}

TEST(Weights, MakeARunOfItsOwn) {
  const Recipe recipe{.rows = 50, .columns = 30};
  EXPECT_GT(std::abs(fit(dataset_of(with_weights(recipe)), {}).solution.problem.lambda_max -
                     fit(dataset_of(random_content(recipe)), {}).solution.problem.lambda_max),
            1e-3);
}

}  // namespace
}  // namespace strads::lasso
