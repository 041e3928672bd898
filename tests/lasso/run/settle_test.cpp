// The fit of what has no penalty gets there from anywhere, and says where there is nothing to get to. What counts and
// offsets may be for that, and the check's dual of counts.
#include "lasso/problem/settle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "in_memory_dataset.hpp"
#include "lasso/check/checked_problem.hpp"

namespace strads::lasso {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Prepared = Result<std::shared_ptr<const PredictorData>>;

/// `cases` ones, then zeros.
std::vector<double> some_cases(std::size_t cases, std::size_t samples) {
  std::vector<double> response(samples, 0.0);
  std::fill(response.begin(), response.begin() + static_cast<std::ptrdiff_t>(cases), 1.0);
  return response;
}

Prepared prepared(const std::vector<double>& response, const std::vector<double>& offset,
                  const std::vector<std::vector<double>>& covariates = {}, const std::vector<std::string>& names = {},
                  const std::vector<double>& weights = {}) {
  return prepare_predictor(Family::binomial, response, weights, {}, offset, true, covariates, names);
}

TEST(Settle, FindsTheInterceptBesideAnOffsetOfAnySize) {
  for (const double offset : {0.0, 20.0, -50.0, 100.0, -700.0, 1e4, 1e6}) {
    const auto data = prepared(some_cases(10, 200), std::vector<double>(200, offset));
    ASSERT_TRUE(data.ok()) << offset << ": " << data.status().message();
    const double found = data.value()->space.coefficients(data.value()->null.unpenalised)[0];
    EXPECT_NEAR(found, std::log(10.0 / 190) - offset, 1e-12 * (1 + std::abs(offset))) << offset;
    EXPECT_NEAR(data.value()->null_loss, -10 * std::log(0.05) - 190 * std::log(0.95),
                1e-12 * 40 * (1 + std::abs(offset)));
  }
}

/// Scores of a path far from the null model: without a step that goes on until it is there, the intercept stops at 60.
TEST(Settle, FindsTheInterceptBesideScoresFarFromTheNullModel) {
  const auto data = prepared(some_cases(10, 100), {});
  ASSERT_TRUE(data.ok());
  for (const double size : {10.0, 300.0, 1e5}) {
    LassoState::Linear linear = data.value()->null;
    for (std::size_t i = 0; i < 100; ++i) {
      linear.predictor[i] += size * (1 + std::sin(static_cast<double>(i * i))) + (i < 10 ? size : 0.0);
    }
    SerialChunks chunks;
    const Settled settled = settle(*data.value(), linear, refresh(*data.value(), linear, chunks), chunks);
    EXPECT_TRUE(settled.there);
    double sum = 0, terms = 0;
    for (const double slope : linear.slope) sum += slope, terms += std::abs(slope);
    EXPECT_LE(std::abs(sum), 1e-9 * terms) << "size " << size;
  }
}

TEST(Settle, NamesTheCovariateThatSeparatesOneGroupOnly) {
  // All cases are men; among men there are both classes, so that only women go to infinity.
  std::vector<double> sex(60), age(60);
  for (std::size_t i = 0; i < 60; ++i) {
    sex[i] = i < 25 ? 1 : 2;
    age[i] = std::cos(static_cast<double>(7 * i));
  }
  const auto data = prepared(some_cases(10, 60), {}, {age, sex}, {"age", "sex"});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().code(), StatusCode::input);
  EXPECT_THAT(data.status().message(), AllOf(HasSubstr("'sex'"), Not(HasSubstr("'age'"))));
}

TEST(Settle, NamesCovariatesThatSeparateOnlyTogether) {
  // Both cases have both alleles; each of the four groups has controls.
  std::vector<double> first(46), second(46), age(46);
  for (std::size_t i = 0; i < 46; ++i) {
    first[i] = i < 2 || i % 2 == 0 ? 1 : 0;
    second[i] = i < 2 || i % 4 < 2 ? 1 : 0;
    age[i] = std::sin(static_cast<double>(3 * i * i));
  }
  const auto data = prepared(some_cases(2, 46), {}, {first, second, age}, {"first", "second", "age"});
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.status().message(), AllOf(HasSubstr("separated"), HasSubstr("'first' and 'second'")));
  EXPECT_THAT(data.status().message(), Not(HasSubstr("'age'")));
}

TEST(Settle, TakesACovariateThatNearlySeparates) {
  std::vector<double> sex(60);
  for (std::size_t i = 0; i < 60; ++i) sex[i] = i < 25 || i == 40 ? 1 : 2;
  sex[9] = 2;  // one case is a woman
  const auto data = prepared(some_cases(10, 60), {}, {sex}, {"sex"});
  ASSERT_TRUE(data.ok()) << data.status().message();
  // Closed form: each group has its own odds; men 9 of 25, women 1 of 35.
  const auto parts = data.value()->space.coefficients(data.value()->null.unpenalised);
  EXPECT_NEAR(parts[1], std::log(1.0 / 34) - std::log(9.0 / 16), 1e-10);
}

TEST(Settle, SamplesOfWeightZeroAreNoClass) {
  std::vector<double> weights(20, 1.0);
  for (std::size_t i = 0; i < 5; ++i) weights[i] = 0;  // all cases
  const auto data = prepared(some_cases(5, 20), {}, {}, {}, weights);
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.status().message(), HasSubstr("are of one class"));
}

Family poisson() {
  return *Family::named("poisson");
}

struct NullProblem {
  Family family = poisson();
  std::vector<double> response{0, 1, 2, 0, 14, 3, 1, 0}, offset, weights;
  bool intercept = true;

  [[nodiscard]] Result<std::shared_ptr<const PredictorData>> prepared() const {
    return prepare_predictor(family, response, weights, {}, offset, intercept, {}, {},
                             [](std::size_t row) { return "sample 'p" + std::to_string(row) + "'"; });
  }
  [[nodiscard]] Status status() const { return prepared().status(); }
  [[nodiscard]] std::string message() const { return status().message(); }
};

TEST(Counts, NeedSquaresThatCanBeRepresented) {
  NullProblem problem;
  EXPECT_TRUE(problem.status().ok()) << problem.message();
  for (const double factor : {1e-90, 1e-5, 1e12, 1e140}) {
    NullProblem scaled;
    for (double& count : scaled.response) count *= factor;
    EXPECT_TRUE(scaled.status().ok()) << factor << ": " << scaled.message();
  }
  for (const double count : {1e155, 1e200, 1e307}) {
    problem.response[4] = count;
    EXPECT_THAT(problem.message(), HasSubstr("the counts are too large for their squares")) << count;
  }
  problem.weights.assign(problem.response.size(), 1.0);
  problem.weights[4] = 0;
  EXPECT_TRUE(problem.status().ok()) << "it takes no part: " << problem.message();
  problem.weights.clear();
  for (double& count : problem.response) count = count > 0 ? 1e-250 : 0;
  EXPECT_THAT(problem.message(), HasSubstr("the counts are too small"));
}

TEST(Offsets, FarFromTheOthersAreNamed) {
  for (const Family family : {poisson(), Family::binomial}) {
    NullProblem problem;
    problem.family = family;
    if (family->has_classes) problem.response = {0, 1, 1, 0, 1, 0, 1, 0};
    for (const double all : {0.0, -5000.0}) {
      problem.offset.assign(problem.response.size(), all);
      EXPECT_TRUE(problem.status().ok()) << all << ": " << problem.message();
      for (const double other : {-9999.0, 1e5, -1e300, 1e300}) {
        problem.offset[4] = all + other;
        EXPECT_THAT(problem.message(), AllOf(HasSubstr("the offset of sample 'p4' is "), HasSubstr("within 500 of"),
                                             HasSubstr("a code of a missing value")));
      }
      problem.weights = {1, 1, 1, 1, 0, 1, 1, 1};
      EXPECT_TRUE(problem.status().ok()) << "it takes no part: " << problem.message();
      problem.weights.clear();
    }
    problem.intercept = false;
    problem.offset.assign(problem.response.size(), 800);
    EXPECT_THAT(problem.message(), HasSubstr("expected one within 500 of 0: ")) << "no intercept makes up for it";
  }
}

TEST(Offsets, AllFarFromZeroAreTakenUpByTheIntercept) {
  for (const Family family : {poisson(), Family::binomial}) {
    NullProblem problem;
    problem.family = family;
    if (family->has_classes) problem.response = {0, 1, 1, 0, 1, 0, 1, 0};
    for (std::size_t i = 0; i < problem.response.size(); ++i) problem.offset.push_back(0.1 * static_cast<double>(i));
    const auto near = problem.prepared();
    ASSERT_TRUE(near.ok()) << near.status().message();
    for (const double all : {150.0, 700.0, 1000.0, 5000.0, -800.0}) {
      NullProblem far = problem;
      for (double& offset : far.offset) offset += all;
      const auto moved = far.prepared();
      ASSERT_TRUE(moved.ok()) << all << ": " << moved.status().message();
      EXPECT_NEAR(moved.value()->null_loss, near.value()->null_loss, 1e-9) << all;
    }
    for (double& offset : problem.offset) offset += 1e7;
    EXPECT_THAT(problem.message(), HasSubstr("the median of the offsets is 1e+07, expected one within 1000000: "));
  }
}

/// Where next to nothing is expected of a count, s = 1 makes the dual point the whole count but for rounding.
TEST(Counts, HaveADualWhereNothingIsExpectedOfThem) {
  for (const double weight : {1.0, 3.0, 0.7, 1.9}) {
    Content content;
    content.columns = {{1, 2, 3, 5}};
    content.response = {14, 3, 1, 0};
    content.offset = {-490, 0, 0, 0};
    content.weights.assign(4, weight);
    LassoOptions options;
    options.family = poisson();
    const CheckedProblem problem(dataset_of(content), options);
    const auto& fit = problem.family().null_fit();
    std::vector<double> u(4);
    for (std::size_t i = 0; i < 4; ++i) u[i] = problem.columns().roots()[i] * fit.residual[i];
    const auto gap = [&] { return problem.family().certificate(fit.point, u, {.l1 = 1}, {}).gap; };
    EXPECT_NEAR(gap(), 0, 1e-12 * fit.point.loss) << weight;
    u[0] *= 1 + 1e-6;
    EXPECT_EQ(gap(), HUGE_VAL) << "outside of the domain";
  }
}

}  // namespace
}  // namespace strads::lasso
