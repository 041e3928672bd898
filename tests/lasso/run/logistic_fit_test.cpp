// Whole logistic regressions of small made-up problems against the plain certificate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "classes.hpp"
#include "lasso/solver/block_tally.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

class EveryPolicyOfClasses : public ::testing::TestWithParam<Policy> {
 protected:
  [[nodiscard]] static LassoOptions options() {
    LassoOptions options;
    options.policy = GetParam();
    options.family = Family::binomial;
    options.eta = 1e-3;
    options.lambda = 0.2;
    options.tolerance = GetParam() == Policy::automatic ? 1e-8 : 1e-5;
    return options;
  }
};

TEST_P(EveryPolicyOfClasses, ReachesTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    check_logistic(random_classes({.rows = 60, .columns = 20, .seed = seed}), options(), {.seed = seed, .workers = 4});
  }
}

TEST_P(EveryPolicyOfClasses, NeedsNoIntercept) {
  LassoOptions without = options();
  without.intercept = without.center = false;
  check_logistic(random_classes({.rows = 60, .columns = 12, .shared = 0.2}), without, {.workers = 2});
}

TEST_P(EveryPolicyOfClasses, FitsSparseColumns) {
  Content content = random_classes({.rows = 80, .columns = 30, .fill = 0.2});
  content.sparse = true;
  check_logistic(content, options(), {.schedulers = 2, .workers = 3});
}

TEST_P(EveryPolicyOfClasses, ChoosesNothingAtLambdaMax) {
  LassoOptions at_top = options();
  at_top.lambda = 1;
  const Fit result = check_logistic(random_classes({}), at_top);
  EXPECT_TRUE(result.solution.variables.empty());
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyOfClasses, all_policies(), name_of_case);

LassoOptions exact(double lambda = 0.1) {
  LassoOptions options;
  options.family = Family::binomial;
  options.lambda = lambda;
  options.tolerance = 1e-9;
  return options;
}

Vector some_offset(std::size_t rows) {
  Vector offset(rows);
  for (std::size_t i = 0; i < rows; ++i) offset[i] = std::sin(static_cast<double>(3 * i));
  return offset;
}

TEST(LogisticFit, HasWeightsAnOffsetAndDroppedRows) {
  Content content = random_classes({.rows = 70, .columns = 25});
  for (std::size_t i = 0; i < 70; ++i) content.weights.push_back(0.2 + static_cast<double>(i % 5));
  content.dropped_rows = {4, 40};
  content.weights[4] = content.weights[40] = 0;
  content.offset = some_offset(70);
  content.offset[4] = content.offset[40] = 0;
  for (const bool sparse : {false, true}) {
    content.sparse = sparse;
    check_logistic(content, exact());
  }
}

TEST(LogisticFit, FitsCovariatesAndVariablesWithoutAPenalty) {
  Content content = random_classes({.rows = 90, .columns = 20, .noise = 2});
  content.covariates = {some_offset(90), Vector(90, 0.0)};
  for (std::size_t i = 0; i < 90; ++i) content.covariates[1][i] = 1e3 + static_cast<double>(i % 4);
  content.factors.assign(20, 1.0);
  content.factors[7] = 0;
  content.factors[3] = 2.5;
  for (const bool sparse : {false, true}) {
    content.sparse = sparse;
    check_logistic(content, exact());
  }
}

TEST(LogisticFit, FitsTheElasticNetAndCoefficientsOfOneSign) {
  LassoOptions options = exact();
  options.l1_ratio = 0.4;
  const Content content = random_classes({.rows = 60, .columns = 30});
  check_logistic(content, options);
  options.nonnegative = true;
  const Fit result = check_logistic(content, options);
  for (const double b : result.solution.standardized) EXPECT_GT(b, 0);
}

TEST(LogisticFit, FitsGenotypesAndColumnsThatAreNotScaled) {
  Content content = random_classes({.rows = 75, .columns = 20});
  LassoOptions options = exact();
  options.scale = false;
  check_logistic(content, options);
  for (auto& column : content.columns) {
    for (double& value : column) value = std::clamp(std::rint(value + 1), 0.0, 2.0);
  }
  for (const Storage storage : {Storage::genotype_2bit, Storage::dense_i8, Storage::dense_u8}) {
    content.whole = storage;
    check_logistic(content, exact());
  }
}

TEST(LogisticFit, IsTheSameForAnyNumberOfThreads) {
  const Content content = random_classes({.rows = 300, .columns = 120});
  LassoOptions options = exact(0.05);
  options.schedulers = 2;
  options.workers = 4;
  auto data = prepare_lasso(dataset_of(content), options).value();
  std::string first;
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    EmbeddedOptions embedded;
    embedded.threads = threads;
    const EngineOptions engine{.schedulers = 2, .workers = 4, .depth = 2};
    const auto run = run_embedded(make_lasso_model(data, options), engine, embedded, nullptr, nullptr);
    ASSERT_TRUE(run.end.status.ok());
    const std::string hash = beta_hash(solution_of(run.end), 120);
    if (first.empty()) first = hash;
    EXPECT_EQ(hash, first) << threads;
  }
}

/// No commit raises the true objective, whatever P, S and D.
TEST(LogisticFit, NeverRaisesTheObjective) {
  std::uint64_t commits = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    LassoOptions options = exact(0.02);
    options.policy = seed % 3 == 0 ? Policy::uniform : seed % 3 == 1 ? Policy::automatic : Policy::paper;
    options.tolerance = 1e-5;
    options.cost.round_seconds = options.cost.block_seconds = 0;  // parallel blocks pay
    options.workers = static_cast<std::uint32_t>(1 + seed % 8);
    options.schedulers = static_cast<std::uint32_t>(1 + seed % 4);
    const EngineOptions engine{.seed = seed,
                               .schedulers = options.schedulers,
                               .workers = options.workers,
                               .depth = static_cast<std::uint32_t>(1 + seed % options.schedulers)};
    Content content = random_classes({.rows = 50, .columns = 40, .seed = seed, .shared = 2});
    content.sparse = seed % 2 == 0;
    auto data = prepare_lasso(dataset_of(content), options).value();
    double before = data->null_loss;
    const auto watch = [&](const ProgressEvent& event) {
      if (event.kind != ProgressEvent::Kind::commit) return false;
      EXPECT_LE(event.certificate.objective, before + 1e-12 * data->null_loss) << "seed " << seed;
      before = event.certificate.objective;
      return ++commits % 400 == 0;  // a limit: some policies take long to their end
    };
    EmbeddedOptions embedded;
    embedded.threads = 1;
    const auto run = run_embedded(make_lasso_model(data, options), engine, embedded, watch, nullptr);
    ASSERT_TRUE(run.end.status.ok()) << run.end.status.message();
  }
  EXPECT_GT(commits, 1000u);
}

TEST(LogisticFit, RefusesCovariatesThatSeparateTheClasses) {
  Content content = random_classes({.rows = 40, .columns = 5});
  content.covariates = {some_offset(40), content.response};
  class OfTwo final : public InMemoryDataset {
   public:
    using InMemoryDataset::InMemoryDataset;
    [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return names_; }

   private:
    std::vector<std::string> names_{"age", "status"};
  };
  const auto refused = prepare_lasso(std::make_shared<OfTwo>(content), exact());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::input);
  EXPECT_THAT(refused.status().message(), HasSubstr("separated by what has no penalty"));
  EXPECT_THAT(refused.status().message(), HasSubstr("'status'"));
}

TEST(LogisticFit, TakesFewNewtonSteps) {
  for (const bool sparse : {false, true}) {
    Content content = random_classes({.rows = 200, .columns = 60});
    content.sparse = sparse;
    LassoOptions options = exact(0.05);
    options.tolerance = 1e-10;
    const Fit result = fit(dataset_of(content), options);
    EXPECT_LE(result.run.end.totals.tally[place_of(LossKind::logistic) + kPredictorSteps],
              12 * result.run.end.totals.rounds)
        << sparse;
    EXPECT_LE(result.run.end.totals.tally[place_of(LossKind::logistic) + kPredictorSteps], 40u) << sparse;
  }
}

/// Separable classes have a finite optimum with a penalty.
TEST(LogisticFit, FitsClassesThatVariablesSeparate) {
  Content content = random_classes({.rows = 40, .columns = 30});
  content.columns[2] = content.response;
  const Fit result = check_logistic(content, exact(0.01));
  const Solution original = original_scale(*result.data, result.solution);
  EXPECT_GT(original.explained, 0.9);
}

/// In units of the data: the probabilities that follow are those of the standardised problem.
TEST(LogisticFit, ComesBackInUnitsOfTheData) {
  Content content = random_classes({.rows = 60, .columns = 15});
  content.covariates = {some_offset(60)};
  content.offset = some_offset(60);
  const Fit result = check_logistic(content, exact());
  const Solution original = original_scale(*result.data, result.solution);
  Vector eta = content.offset;
  for (double& value : eta) value += original.intercept;
  for (std::size_t k = 0; k < original.coefficients.size(); ++k) {
    plain_add(original.coefficients[k], content.columns[result.solution.variables[k]], eta);
  }
  plain_add(original.covariates[0], content.covariates[0], eta);
  double loss = 0, norm = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) loss += std::log1p(std::exp(eta[i])) - content.response[i] * eta[i];
  for (const double b : result.solution.standardized) norm += std::abs(b);
  EXPECT_NEAR(loss + result.solution.lambda * norm, result.certificate().objective, 1e-10);
  EXPECT_NEAR(original.explained, 1 - loss / result.data->null_loss, 1e-10);
}

}  // namespace
}  // namespace strads::lasso
