// Steps of all nonzeros together.
#include "lasso/solver/support_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "lasso/model/lasso_model.hpp"
#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

/// A problem, and values to begin with.
struct Start {
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  std::vector<VarId> variables;
  Vector value;
  Vector residual;
  Cost cost;
  SerialChunks chunks;

  Start(const Content& content, Vector begin)
      : data(scanned(content)),
        plain(plain_data(content, {}).problem),
        variables(begin.size()),
        value(std::move(begin)) {
    std::iota(variables.begin(), variables.end(), VarId{0});
    residual = plain.residual(value);
  }

  SupportStep step(const Penalty& penalty, double share = 1e-9) {
    StandardizedColumns::ByRows by_rows(*data->columns, variables, chunks);
    std::vector<double> gradient(variables.size());
    data->columns->dots(variables, residual, gradient, chunks);
    return step_on_support(*data->columns, by_rows, penalty, variables, gradient, share, value, residual, chunks, cost);
  }
  double slope(std::size_t j, double l1, double l2 = 0) const {
    return plain_dot(plain.x[j], plain.residual(value)) - std::copysign(l1, value[j]) - l2 * value[j];
  }
};

Content correlated(std::size_t rows = 60, std::size_t columns = 12) {
  return random_content({.rows = rows, .columns = columns, .shared = 0.5});
}

/// A few sweeps of coordinate descent from zero.
Vector swept(const PlainProblem& plain, double lambda, int sweeps) {
  Vector beta(plain.x.size(), 0.0);
  Vector r = plain.y;
  for (int s = 0; s < sweeps; ++s) {
    for (std::size_t j = 0; j < beta.size(); ++j) {
      const double l = plain_dot(plain.x[j], plain.x[j]);
      if (l == 0) continue;
      const double z = plain_dot(plain.x[j], r) + l * beta[j];
      const double shrunk = std::max(0.0, std::abs(z) - plain.l1(lambda, j));
      const double next = std::copysign(shrunk, z) / (l + plain.l2(lambda, j));
      plain_add(beta[j] - next, plain.x[j], r);
      beta[j] = next == 0 ? 0.0 : next;
    }
  }
  return beta;
}

TEST(SupportStep, LandsOnTheMinimumWhereSignsHaveSettled) {
  const Content content = correlated();
  const PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 0.05 * plain.lambda_max();
  Start start(content, swept(plain, lambda, 6));
  const double before = start.plain.objective(start.value, lambda);
  const Vector signs = start.value;
  const SupportStep step = start.step(lambda);
  EXPECT_TRUE(step.settled);
  EXPECT_GT(step.products, 0U);
  EXPECT_GT(step.decrease, 0.0);
  EXPECT_NEAR(before - start.plain.objective(start.value, lambda), step.decrease, 1e-14);
  for (std::size_t j = 0; j < signs.size(); ++j) {
    EXPECT_EQ(signs[j] == 0.0, start.value[j] == 0.0) << j;
    if (signs[j] == 0.0) continue;
    EXPECT_LE(std::abs(start.slope(j, lambda)), 2e-9 * lambda) << j;
  }
}

TEST(SupportStep, TakesFewProductsWhereLightColumnsFormAChain) {
  // Columns of two entries, each sharing a row with the next. With the diagonal alone conjugate gradients take 56
  // products.
  constexpr std::size_t kChain = 300;
  Content content;
  content.sparse = true;
  content.response.assign(kChain + 1, 0.0);
  for (std::size_t j = 0; j < kChain; ++j) {
    std::vector<double> column(kChain + 1, 0.0);
    column[j] = 1;
    column[j + 1] = -0.6 - 0.005 * static_cast<double>(j % 13);
    const double coefficient = 1 + 0.1 * static_cast<double>(j % 5);
    for (std::size_t i = j; i <= j + 1; ++i) content.response[i] += coefficient * column[i];
    content.columns.push_back(std::move(column));
  }
  const PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 1e-4 * plain.lambda_max();
  Vector begin = swept(plain, lambda, 200);
  for (double& value : begin) value *= 0.9;
  Start start(content, begin);
  const SupportStep step = start.step(lambda, 1e-6);
  EXPECT_TRUE(step.settled);
  EXPECT_GT(step.decrease, 0.0);
  EXPECT_LE(step.products, 12U);
  double steepest = 0;
  for (std::size_t j = 0; j < kChain; ++j) {
    if (start.value[j] != 0) steepest = std::max(steepest, std::abs(start.slope(j, lambda)));
  }
  EXPECT_LE(steepest, 2e-6 * lambda);
}

TEST(SupportStep, KeepsTheResidualThatOfTheValues) {
  const Content content = correlated();
  const PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 0.1 * plain.lambda_max();
  Start start(content, swept(plain, lambda, 2));
  ASSERT_GT(start.step(lambda).decrease, 0.0);
  const Vector expected = start.plain.residual(start.value);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(start.residual[i], expected[i], 1e-13);
}

TEST(SupportStep, NeverRaisesTheObjectiveAndCrossesNoZero) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Content content = random_content({.rows = 20,
                                      .columns = 40,
                                      .seed = seed,
                                      .shared = 0.3 * static_cast<double>(seed % 4),
                                      .fill = seed % 2 == 0 ? 0.3 : 1.0});
    content.sparse = seed % 2 == 0;
    const PlainProblem plain = plain_data(content, {}).problem;
    const double lambda = (seed % 3 == 0 ? 0.3 : 0.01) * plain.lambda_max();
    Start start(content, swept(plain, lambda, 1));
    const Vector before = start.value;
    const SupportStep step = start.step(lambda, 1e-6);
    EXPECT_GE(step.decrease, 0.0);
    EXPECT_LE(start.plain.objective(start.value, lambda), start.plain.objective(before, lambda) * (1 + 1e-14));
    for (std::size_t j = 0; j < before.size(); ++j) EXPECT_GE(before[j] * start.value[j], 0.0) << j;
  }
}

TEST(SupportStep, GoesNoFurtherThanTheObjectiveFallsAndHoldsOnlyWhatWouldCross) {
  int shortened = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Content content = random_content({.rows = 60, .columns = 50, .seed = seed, .shared = 0.6});
    const PlainProblem plain = plain_data(content, {}).problem;
    const double lambda = 0.01 * plain.lambda_max();
    Vector before = swept(plain, lambda, 3);
    for (std::size_t j = seed % 9; j < before.size(); j += 9) before[j] = -0.1 * before[j];
    Start start(content, before);
    const SupportStep step = start.step(lambda, 1e-6);
    if (step.decrease == 0) continue;
    Vector shorter = before;
    for (std::size_t j = 0; j < before.size(); ++j) shorter[j] += 0.9 * (start.value[j] - before[j]);
    EXPECT_GE(plain.objective(shorter, lambda), plain.objective(start.value, lambda) - 1e-15);
    const bool whole =
        std::count(start.value.begin(), start.value.end(), 0.0) > std::count(before.begin(), before.end(), 0.0);
    shortened += whole ? 0 : 1;
    if (!step.settled || step.products >= 200 || !whole) continue;
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (before[j] == 0.0 || start.value[j] != 0.0) continue;
      ++held;
      const double slope = plain_dot(plain.x[j], plain.residual(start.value)) - std::copysign(lambda, before[j]);
      EXPECT_LE(std::copysign(1.0, before[j]) * slope, 2e-6 * lambda) << j;
    }
  }
  EXPECT_GT(shortened, 10);
  EXPECT_GT(held, 100);
}

TEST(SupportStep, StopsAtZeroWhatWouldCrossIt) {
  // All have their signs but one: the others go to the minimum without it.
  const Content content = random_content({.rows = 200, .columns = 60, .shared = 0.1});
  const PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 0.02 * plain.lambda_max();
  Vector begin = swept(plain, lambda, 60);
  std::size_t wrong = begin.size();  // the smallest
  for (std::size_t j = 0; j < begin.size(); ++j) {
    if (begin[j] != 0.0 && (wrong == begin.size() || std::abs(begin[j]) < std::abs(begin[wrong]))) wrong = j;
  }
  begin[wrong] = -begin[wrong];
  Start start(content, begin);
  const SupportStep step = start.step(lambda);
  EXPECT_EQ(start.value[wrong], 0.0);
  EXPECT_GT(step.decrease, 0.0);
  for (std::size_t j = 0; j < begin.size(); ++j) {
    if (start.value[j] == 0.0) continue;
    EXPECT_LE(std::abs(start.slope(j, lambda)), 1e-6 * lambda) << j;
  }
}

TEST(SupportStep, EndsEarlyWhereManySignsWouldChange) {
  const Content content = correlated(200, 40);
  const PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 0.02 * plain.lambda_max();
  Vector begin = swept(plain, lambda, 60);
  for (double& value : begin) value = -value;
  Start start(content, begin);
  EXPECT_FALSE(start.step(lambda).settled);
}

TEST(SupportStep, KnowsTheElasticNetFactorsAndBounds) {
  const Content content = correlated();
  PlainProblem plain = plain_data(content, {}).problem;
  const double lambda = 0.05 * plain.lambda_max();
  Vector factors(plain.x.size());
  for (std::size_t j = 0; j < factors.size(); ++j) factors[j] = 0.5 + 0.1 * static_cast<double>(j);
  plain.factors = factors;
  plain.l1_ratio = 0.5;
  Start start(content, swept(plain, lambda, 3));
  const Penalty penalty(lambda, 0.5, 1, factors, false);
  const double before = plain.objective(start.value, lambda);
  const SupportStep step = start.step(penalty);
  ASSERT_GT(step.products, 1U);
  EXPECT_NEAR(before - plain.objective(start.value, lambda), step.decrease, 1e-14);
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (start.value[j] == 0.0) continue;
    const VariablePenalty own = penalty.of(static_cast<VarId>(j));
    EXPECT_LE(std::abs(start.slope(j, own.l1, own.l2)), 2e-9 * own.l1) << j;
  }
}

TEST(SupportStep, DoesNothingWithoutNonzeros) {
  Start start(correlated(), Vector(12, 0.0));
  const SupportStep step = start.step(1.0);
  EXPECT_EQ(step.decrease, 0.0);
  EXPECT_EQ(step.products, 0U);
  EXPECT_EQ(start.value, Vector(12, 0.0));
}

}  // namespace
}  // namespace strads::lasso
