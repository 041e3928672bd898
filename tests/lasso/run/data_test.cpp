// From the data to the standardised problem and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/payloads.hpp"
#include "plain_lasso.hpp"
#include "strads/base/hash.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

constexpr double kLastDigits = 1e-12;

void expect_near(std::span<const double> found, const Vector& expected, double tolerance = kLastDigits) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// --- prepare_lasso ---

TEST(PrepareLasso, CentresAndScalesTheResponse) {
  Content content{.columns = {{1, 2, 4}}, .response = {1, 2, 6}};
  const auto data = prepare_lasso(dataset_of(content), {}).value();
  EXPECT_EQ(data->response.mean, 3);
  EXPECT_DOUBLE_EQ(data->response.norm, std::sqrt(14.0));
  expect_near(data->response.standardized, {-2 / std::sqrt(14.0), -1 / std::sqrt(14.0), 3 / std::sqrt(14.0)});
}

TEST(PrepareLasso, LeavesTheResponseAsItIsWhenAsked) {
  Content content{.columns = {{1, 2, 4}}, .response = {1, 2, 6}};
  LassoOptions options;
  options.center_y = false;
  options.scale_y = false;
  const auto data = prepare_lasso(dataset_of(content), options).value();
  EXPECT_EQ(data->response.mean, 0);
  EXPECT_EQ(data->response.norm, 1);
  expect_near(data->response.standardized, {1, 2, 6}, 0);
}

TEST(PrepareLasso, ScalesWithoutCentring) {
  Content content{.columns = {{1, 2, 4}}, .response = {1, 2, 2}};
  LassoOptions options;
  options.center_y = false;
  const auto data = prepare_lasso(dataset_of(content), options).value();
  EXPECT_EQ(data->response.norm, 3);
  expect_near(data->response.standardized, {1.0 / 3, 2.0 / 3, 2.0 / 3});
}

TEST(PrepareLasso, DroppedRowsStayExactlyZero) {
  Content content{.columns = {{1, 9, 2, 4}}, .response = {1, 0, 2, 6}, .dropped_rows = {1}};
  const auto data = prepare_lasso(dataset_of(content), {}).value();
  EXPECT_EQ(data->response.mean, 3) << "over three samples";
  EXPECT_EQ(data->response.standardized[1], 0.0);
  EXPECT_NEAR(plain_dot(data->response.standardized, data->response.standardized), 1, kLastDigits);
}

TEST(PrepareLasso, LeavesNothingOfAConstantResponse) {
  for (const double value : {0.0, 0.1, -7.3e9, 1e300}) {
    Content content{.columns = {{1, 2, 4, 5, 6}}, .response = Vector(5, value)};
    const auto data = prepare_lasso(dataset_of(content), {});
    ASSERT_TRUE(data.ok()) << value;
    EXPECT_EQ(data.value()->response.mean, value);
    EXPECT_EQ(data.value()->response.norm, 1);
    EXPECT_EQ(data.value()->response.standardized, Vector(5, 0.0));
    EXPECT_STREQ(data.value()->response.nothing_left, "is constant");
  }
}

TEST(PrepareLasso, TakesAResponseThatIsNearlyConstant) {
  Content content{.columns = {{1, 2, 4}}, .response = {1e6, 1e6 + 1e-3, 1e6}};
  EXPECT_TRUE(prepare_lasso(dataset_of(content), {}).ok());
}

TEST(PrepareLasso, CovariatesNeedCentring) {
  for (const bool columns : {true, false}) {
    Content content{.columns = {{1, 2, 4}}, .response = {1, 2, 6}, .covariates = {{1, 2, 2}}};
    LassoOptions options;
    (columns ? options.center : options.center_y) = false;
    const auto data = prepare_lasso(dataset_of(content), options);
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status().code(), StatusCode::usage);
  }
}

TEST(PrepareLasso, ProjectsTheResponseOffTheCovariates) {
  Content content = random_content({.rows = 20, .columns = 3});
  content.covariates = {Vector(20), Vector(20)};
  for (std::size_t i = 0; i < 20; ++i)
    content.covariates[0][i] = std::sin(static_cast<double>(i)), content.covariates[1][i] = static_cast<double>(i);
  const auto data = prepare_lasso(dataset_of(content), {}).value();
  for (const auto& covariate : content.covariates)
    EXPECT_NEAR(plain_dot(data->response.standardized, covariate), 0, 1e-11);
  expect_near(data->response.standardized, plain_data(content, {}).problem.y);
}

// --- beta_hash ---

TEST(BetaHash, IsPinned) {
  Solution solution;
  solution.variables = {1, 3};
  solution.standardized = {0.5, -0.25};
  Hash64 expected;
  for (const double value : {0.0, 0.5, 0.0, -0.25, 0.0}) expected.update_f64(value);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(expected.digest()));
  EXPECT_EQ(beta_hash(solution, 5), text);
  EXPECT_EQ(beta_hash(solution, 5), "cd103bc8cdbf25fa");
}

TEST(BetaHash, OfMinusZeroIsThatOfZero) {
  Solution none, minus;
  minus.variables = {2};
  minus.standardized = {-0.0};
  EXPECT_EQ(beta_hash(none, 4), beta_hash(minus, 4));
}

TEST(BetaHash, SeesWhereAValueIsAndItsLastBit) {
  Solution one, moved, nudged;
  one.variables = {2};
  moved.variables = {1};
  nudged.variables = {2};
  one.standardized = moved.standardized = {0.5};
  nudged.standardized = {std::nextafter(0.5, 1.0)};
  EXPECT_NE(beta_hash(one, 4), beta_hash(moved, 4));
  EXPECT_NE(beta_hash(one, 4), beta_hash(nudged, 4));
  EXPECT_NE(beta_hash(one, 4), beta_hash(one, 5)) << "J zeros are part of it";
}

// --- solution_of ---

TEST(SolutionOf, SortsTheNonzerosOfAllSlicesAndLeavesCandidatesOut) {
  RunEnd end;
  end.problem = payload_of(Start{.lambda = 0.25, .kept = 9});
  Payload even = payload_of(StatusHead{.nonzeros = 2}), odd = payload_of(StatusHead{.nonzeros = 1});
  even.ids = {2, 8, 4};
  even.values.insert(even.values.end(), {0.2, 0.8, 99});
  odd.ids = {5};
  odd.values.push_back(-0.5);
  end.statuses = {even, odd};
  const Solution solution = solution_of(end);
  EXPECT_EQ(solution.variables, (std::vector<VarId>{2, 5, 8}));
  EXPECT_EQ(solution.standardized, (Vector{0.2, -0.5, 0.8}));
  EXPECT_EQ(solution.lambda, 0.25);
  EXPECT_EQ(solution.problem.kept, 9u);
}

// --- original_scale ---

/// Predictions on the original scale must be mean + norm x predictions on the standardised one.
void check_original_scale(const Content& content, const LassoOptions& options) {
  const auto data = scanned(content, options);
  const PlainData plain = plain_data(content, options);
  Solution solution;
  solution.variables = {0, 2, 3};
  solution.standardized = {0.4, -0.3, 0.05};
  const Solution original = original_scale(*data, solution);
  double intercept = plain.response_mean;
  for (std::size_t k = 0; k < 3; ++k) {
    const VarId j = solution.variables[k];
    const double coefficient = plain.response_norm * solution.standardized[k] / plain.norms[j];
    EXPECT_NEAR(original.coefficients[k], coefficient, kLastDigits * std::max(1.0, std::abs(coefficient)));
    intercept -= coefficient * plain.means[j];
    Vector samples;
    for (std::size_t i = 0; i < content.rows(); ++i) {
      if (content.takes_part(i)) samples.push_back(content.columns[j][i]);
    }
    EXPECT_NEAR(original.means[k], plain_mean(samples), kLastDigits) << "also with centring off";
  }
  EXPECT_NEAR(original.intercept, intercept, 10 * kLastDigits * std::max(1.0, std::abs(intercept)));
  Vector beta(content.columns.size(), 0.0);
  for (std::size_t k = 0; k < 3; ++k) beta[solution.variables[k]] = solution.standardized[k];
  const Vector r = plain.problem.residual(beta);
  EXPECT_NEAR(original.explained, 1 - plain_dot(r, r) / plain_dot(plain.problem.y, plain.problem.y), kLastDigits);
}

TEST(OriginalScale, IsPlainArithmeticForEveryStandardisation) {
  for (int bits = 0; bits < 16; ++bits) {
    LassoOptions options;
    options.center = (bits & 1) != 0;
    options.scale = (bits & 2) != 0;
    options.center_y = (bits & 4) != 0;
    options.scale_y = (bits & 8) != 0;
    SCOPED_TRACE("options " + std::to_string(bits));
    check_original_scale(random_content({.rows = 25, .columns = 5}), options);
  }
}

TEST(OriginalScale, LeavesDroppedRowsOut) {
  Content content = random_content({.rows = 25, .columns = 5});
  content.dropped_rows = {3, 7, 24};
  for (const std::uint32_t row : content.dropped_rows) {
    content.response[row] = 0;
    content.columns[0][row] = 1000;
  }
  check_original_scale(content, {});
}

TEST(OriginalScale, CovariatesAndInterceptAreTheLeastSquaresOfWhatIsLeft) {
  Content content = random_content({.rows = 25, .columns = 5});
  content.dropped_rows = {6};
  content.covariates = {Vector(25), Vector(25)};
  for (std::size_t i = 0; i < 25; ++i) {
    content.covariates[0][i] = i == 6 ? 0 : 5 + std::cos(static_cast<double>(3 * i));
    content.covariates[1][i] = i == 6 ? 0 : static_cast<double>(i * i) / 100;
  }
  content.response[6] = 0;
  const auto data = scanned(content);
  Solution solution;
  solution.variables = {1, 4};
  solution.standardized = {0.3, -0.2};
  const Solution original = original_scale(*data, solution);
  ASSERT_EQ(original.covariates.size(), 2u);
  // e = y - X beta - b0 - C a is orthogonal to 1 and to each covariate, over the samples.
  Vector e;
  std::vector<Vector> against(3);
  for (std::size_t i = 0; i < 25; ++i) {
    if (!content.takes_part(i)) continue;
    double value = content.response[i] - original.intercept;
    for (std::size_t k = 0; k < 2; ++k) value -= original.coefficients[k] * content.columns[solution.variables[k]][i];
    for (std::size_t k = 0; k < 2; ++k) value -= original.covariates[k] * content.covariates[k][i];
    e.push_back(value);
    against[0].push_back(1);
    for (std::size_t k = 0; k < 2; ++k) against[k + 1].push_back(content.covariates[k][i]);
  }
  for (const auto& direction : against) EXPECT_NEAR(plain_dot(e, direction), 0, 1e-10);
}

TEST(OriginalScale, OfTheEmptyModelIsTheMean) {
  Content content = random_content({.rows = 25, .columns = 5});
  const auto data = scanned(content);
  const Solution original = original_scale(*data, {});
  EXPECT_TRUE(original.coefficients.empty());
  EXPECT_DOUBLE_EQ(original.intercept, plain_mean(content.response));
  EXPECT_EQ(original.explained, 0.0);
}

TEST(PolicyName, OfEveryPolicy) {
  EXPECT_STREQ(policy_name(Policy::uniform), "uniform");
  EXPECT_STREQ(policy_name(Policy::fixed_structure), "static");
  EXPECT_STREQ(policy_name(Policy::paper), "paper");
  EXPECT_STREQ(policy_name(Policy::theorem1), "theorem1");
  EXPECT_STREQ(policy_name(Policy::block_greedy), "block-greedy");
  EXPECT_STREQ(policy_name(Policy::automatic), "auto");
}

}  // namespace
}  // namespace strads::lasso
