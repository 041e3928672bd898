// Ridge, l1 ratio 0: against the normal equations and coordinate descent by the book, with every policy, storage and
// family; and its certificate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lasso/model/gap_sums.hpp"
#include "lasso/run/classes.hpp"
#include "lasso/solver/block_tally.hpp"

namespace strads::lasso {
namespace {

LassoOptions ridge(double lambda = 1e-3, Policy policy = Policy::automatic) {
  LassoOptions options;
  options.l1_ratio = 0;
  options.lambda = lambda;
  options.policy = policy;
  options.eta = 1e-3;
  return options;
}

/// (X'X + E)^-1 X'y by Gaussian elimination.
Vector normal_equations(const PlainProblem& problem, double lambda) {
  const std::size_t size = problem.x.size();
  std::vector<Vector> a(size, Vector(size + 1));
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < size; ++k) a[j][k] = plain_dot(problem.x[j], problem.x[k]);
    a[j][j] += problem.l2(lambda, j);
    a[j][size] = plain_dot(problem.x[j], problem.y);
  }
  for (std::size_t p = 0; p < size; ++p) {
    for (std::size_t j = p + 1; j < size; ++j) {
      const double share = a[j][p] / a[p][p];
      for (std::size_t k = p; k <= size; ++k) a[j][k] -= share * a[p][k];
    }
  }
  Vector beta(size);
  for (std::size_t p = size; p-- > 0;) {
    beta[p] = a[p][size];
    for (std::size_t k = p + 1; k < size; ++k) beta[p] -= a[p][k] * beta[k];
    beta[p] /= a[p][p];
  }
  return beta;
}

/// Solves far beyond what a tolerance asks for: the gap is quadratic in the distance to the solution.
void expect_normal_equations(const Content& content, LassoOptions options, const EngineOptions& engine = {}) {
  options.tolerance = 1e-20;
  const Fit result = fit(dataset_of(content), options, engine);
  const PlainProblem plain = plain_data(content, options).problem;
  const Vector expected = normal_equations(plain, result.solution.lambda), found = result.beta();
  EXPECT_NEAR(result.solution.problem.lambda_max, plain.lambda_max(), 1e-12 * plain.lambda_max());
  double largest = 0;
  for (const double b : expected) largest = std::max(largest, std::abs(b));
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-10 * largest) << j;
}

class RidgeOf : public ::testing::TestWithParam<Policy> {};

TEST_P(RidgeOf, ReachesTheOptimumOfPlainCoordinateDescent) {
  for (const double lambda : {1.0, 1e-2, 1e-4}) {
    check(random_content({.rows = 40, .columns = 20}), ridge(lambda, GetParam()), {.workers = 4});
  }
}

TEST_P(RidgeOf, ReachesTheOptimumOfAPlainLogisticRegression) {
  LassoOptions options = ridge(1e-2, GetParam());
  options.tolerance = GetParam() == Policy::automatic ? 1e-8 : 1e-5;
  check_logistic(random_classes({.rows = 60, .columns = 15}), options, {.workers = 4});
}

TEST_P(RidgeOf, FitsWithCentringOrScalingOff) {
  for (int bits = 0; bits < 4; ++bits) {
    LassoOptions options = ridge(1e-3, GetParam());
    options.center = (bits & 1) != 0;
    options.scale = (bits & 2) != 0;
    check(random_content({.rows = 40, .columns = 12, .shared = 0.2}), options, {.workers = 2});
  }
}

INSTANTIATE_TEST_SUITE_P(All, RidgeOf, all_policies(), name_of_case);

TEST(Ridge, EqualsTheNormalEquations) {
  for (const double lambda : {1.0, 1e-2, 1e-4}) {
    expect_normal_equations(random_content({.rows = 40, .columns = 20}), ridge(lambda));
    expect_normal_equations(random_content({.rows = 30, .columns = 90, .shared = 0.3}), ridge(lambda));
  }
}

TEST(Ridge, EqualsTheNormalEquationsOfEveryStorage) {
  Content content = random_content({.rows = 61, .columns = 20, .fill = 0.3});
  content.sparse = true;
  expect_normal_equations(content, ridge());
  content.sparse = false;
  for (auto& column : content.columns) {
    for (double& value : column) value = std::clamp(std::rint(value + 1), 0.0, 2.0);
  }
  for (const Storage storage : {Storage::genotype_2bit, Storage::dense_i8, Storage::dense_u8}) {
    content.whole = storage;
    expect_normal_equations(content, ridge());
  }
}

TEST(Ridge, EqualsTheNormalEquationsWithWeightsCovariatesAndPenaltyFactors) {
  Content content = with_all_kinds_of_penalties(random_content({.rows = 60, .columns = 20}));
  for (const bool sparse : {false, true}) {
    content.sparse = sparse;
    expect_normal_equations(content, ridge(1e-4));
  }
}

TEST(Ridge, OfClassesHasWeightsCovariatesAndPenaltyFactors) {
  Content content = with_all_kinds_of_penalties(random_classes({.rows = 90, .columns = 20, .noise = 2}));
  LassoOptions options = ridge(1e-4);
  options.tolerance = 1e-9;
  for (const bool sparse : {false, true}) {
    content.sparse = sparse;
    check_logistic(content, options);
  }
}

TEST(Ridge, TakesOnePhaseAndNoProductOfAPair) {
  const Fit result = fit(dataset_of(random_content({.rows = 50, .columns = 400})), ridge());
  EXPECT_EQ(result.run.end.totals.rounds, 1u);
  EXPECT_EQ(result.run.end.totals.tally[kGramBlocks], 0u);
  EXPECT_EQ(result.solution.variables.size(), 400u);
  EXPECT_GT(result.run.end.totals.tally[kSupportProducts], 3u);
  EXPECT_LT(result.run.end.totals.tally[kSupportProducts], 60u);
}

TEST(Ridge, OfClassesHasNoProductOfAPairEither) {
  LassoOptions options = ridge();
  options.family = Family::binomial;
  const Fit result = fit(dataset_of(random_classes({.rows = 50, .columns = 200})), options);
  EXPECT_EQ(result.run.end.totals.tally[kGramProductFlops], 0u);
  EXPECT_EQ(result.run.end.totals.tally[kNewtonSteps], 0u);
  EXPECT_GT(result.run.end.totals.tally[kSupportProducts], 3u);
  EXPECT_EQ(result.solution.variables.size(), 200u);
}

TEST(Ridge, HasVariablesThatDoNotVaryAtZero) {
  Content content = random_content({.rows = 40, .columns = 10});
  content.columns[3].assign(40, 2.5);
  content.excluded.assign(10, 0);
  content.excluded[8] = 1;
  const Fit result = fit(dataset_of(content), ridge());
  EXPECT_THAT(result.solution.variables, ::testing::ElementsAre(0, 1, 2, 4, 5, 6, 7, 9));
}

TEST(Ridge, HasTheSameBitsForAnyNumberOfThreadsAndSchedulers) {
  for (const Family family : {Family::gaussian, Family::binomial}) {
    const Content content = random_classes({.rows = 300, .columns = 120});
    LassoOptions options = ridge();
    options.family = family;
    std::string first;
    for (const std::uint32_t schedulers : {1U, 2U, 3U}) {
      options.schedulers = schedulers;
      const auto data = prepare_lasso(dataset_of(content), options).value();
      for (const std::uint32_t threads : {1U, 2U, 5U}) {
        EmbeddedOptions embedded;
        embedded.threads = threads;
        const EngineOptions engine{.schedulers = schedulers, .workers = 4, .depth = schedulers};
        const auto run = run_embedded(make_lasso_model(data, options), engine, embedded, nullptr, nullptr);
        ASSERT_TRUE(run.end.status.ok());
        const std::string hash = beta_hash(solution_of(run.end), 120);
        if (first.empty()) first = hash;
        EXPECT_EQ(hash, first) << threads << " threads, " << schedulers << " schedulers";
      }
    }
  }
}

TEST(Ridge, OfAPathIsSolvedAtEveryLambda) {
  const Content content = random_content({.rows = 50, .columns = 80});
  LassoOptions options = ridge();
  options.path.count = 12;
  options.path.min_ratio = 1e-4;
  options.path.early_end = false;
  const PlainProblem plain = plain_data(content, options).problem;
  std::size_t lambdas = 0;
  const auto look = [&](const Solution& point) {
    Vector beta(80, 0.0);
    for (std::size_t k = 0; k < point.variables.size(); ++k) beta[point.variables[k]] = point.standardized[k];
    EXPECT_NEAR(point.certificate.gap, plain.gap(beta, point.lambda), 1e-13);
    EXPECT_LE(point.certificate.gap, 1e-6 * point.certificate.objective);
    const double best = plain.objective(normal_equations(plain, point.lambda), point.lambda);
    EXPECT_LE(point.certificate.objective - best, point.certificate.gap + 1e-13);
    EXPECT_EQ(point.phases, 1u) << point.index;
    ++lambdas;
  };
  const auto data = prepare_lasso(dataset_of(content), options).value();
  const RunEnd end = run_embedded(make_lasso_model(data, options, look), {}, {.threads = 1}, nullptr, nullptr).end;
  EXPECT_EQ(end.stop_reason, "converged");
  EXPECT_EQ(lambdas, 12u);
}

TEST(Ridge, OfAPathHasAllVariablesWhereZeroWasGoodEnoughBefore) {
  LassoOptions options = ridge();
  options.tolerance = 0.05;  // at lambda_max nothing is done
  options.path.count = 3;
  options.path.min_ratio = 1e-4;
  std::vector<std::size_t> nonzeros;
  std::uint64_t phases = 0;
  const auto look = [&](const Solution& point) {
    nonzeros.push_back(point.variables.size());
    phases += point.phases;
  };
  const auto data = prepare_lasso(dataset_of(random_content({.rows = 50, .columns = 10})), options).value();
  const RunEnd end = run_embedded(make_lasso_model(data, options, look), {}, {.threads = 1}, nullptr, nullptr).end;
  EXPECT_EQ(end.stop_reason, "converged");
  EXPECT_THAT(nonzeros, ::testing::ElementsAre(0, 10, 10));
  EXPECT_EQ(phases, 2u) << "none has an empty block";
}

TEST(Ridge, IsWhereTheElasticNetGoesAsItsL1RatioFalls) {
  const Content content = random_content({.rows = 50, .columns = 30});
  LassoOptions options = ridge();
  options.tolerance = 1e-13;
  options.lambda_scale = LambdaScale::unit;
  options.lambda = 0.5;
  const Vector at_zero = fit(dataset_of(content), options).beta();
  options.l1_ratio = 1e-7;
  const Vector near_zero = fit(dataset_of(content), options).beta();
  for (std::size_t j = 0; j < at_zero.size(); ++j) EXPECT_NEAR(at_zero[j], near_zero[j], 1e-6);
}

TEST(RidgeGap, EqualsTheDifferenceOfPrimalAndDual) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LassoOptions options = ridge();
    const PlainProblem problem = plain_data(random_content({.seed = seed}), options).problem;
    const double lambda = std::pow(10.0, -static_cast<double>(seed % 4)) * problem.lambda_max();
    const Vector beta = some_coefficients(problem, seed);
    const GapParts parts = gap_sums(problem, beta, lambda);
    EXPECT_NEAR(duality_gap(parts, 0), problem.gap(beta, lambda), 1e-12 * (1 + problem.objective(beta, lambda)));
    EXPECT_EQ(predictor_gap(parts, 0), duality_gap(parts, 0)) << "at s = 1 no loss adds anything";
  }
}

// One variable, x = y = 1, E = 3: the optimum is b = 1/4, F = 3/8. At b = 1/2: r = g = 1/2, h = -1, gap = 1/6, which is
// F - D(r) = (1/8 + 3/8) - (1/2 - 1/8 - 1/24).
TEST(RidgeGap, OfOneVariableByHand) {
  GapParts parts;
  parts.add(0.5, 0.5, {0.0, 3.0});
  EXPECT_DOUBLE_EQ(duality_gap(parts, 0), 1.0 / 6);
}

}  // namespace
}  // namespace strads::lasso
