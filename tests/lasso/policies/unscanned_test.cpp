// After a run on other processes the driver writes results from data whose columns it never scanned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/payloads.hpp"
#include "lasso/report/model_files.hpp"
#include "lasso/report/tables.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "strads/engine/model.hpp"
#include "support/made_up_data.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct NamedDataset {
  const char* name;
  std::shared_ptr<const Dataset> dataset;
};

std::vector<NamedDataset> datasets() {
  Content sparse = random_content({.rows = 60, .columns = 40, .fill = 0.3});
  sparse.sparse = true;
  Content with_covariates = random_content({.rows = 60, .columns = 40});
  CounterRng random(4, Purpose::tests);
  with_covariates.covariates.assign(2, Vector(60));
  for (auto& covariate : with_covariates.covariates) {
    for (double& value : covariate) value = random.unit();
  }
  with_covariates.excluded.assign(40, 0);
  with_covariates.excluded[1] = 1;
  return {{"genotypes", support::genotype_dataset({.rows = 90, .columns = 70, .missing = 0.05})},
          {"dense", support::dense_dataset({})},
          {"sparse", dataset_of(sparse)},
          {"covariates", dataset_of(with_covariates)}};
}

/// What `lasso fit` writes of a solution, with data in the state that `data` is in.
struct Written {
  Solution original;
  FittedModel model;
  std::string coefficients, frequencies;

  Written(const std::shared_ptr<LassoData>& data, const Solution& solution) {
    original = original_scale(*data, solution);
    model = fitted_model(*data, original);
    coefficients = coefficients_table(model, original.standardized);
    frequencies = frequency_table(*data, model);
  }
};

TEST(UnscannedData, GiveTheResultsOfTheProcessThatScannedThem) {
  for (const auto& [name, dataset] : datasets()) {
    LassoOptions options;
    const Fit fitted = fit(dataset, options);
    ASSERT_FALSE(fitted.solution.variables.empty()) << name;
    const Written expected(fitted.data, fitted.solution);
    const Written written(prepare_lasso(dataset, options).value(), fitted.solution);
    EXPECT_EQ(written.original.coefficients, expected.original.coefficients) << name;
    EXPECT_EQ(written.original.means, expected.original.means) << name;
    EXPECT_EQ(written.original.intercept, expected.original.intercept) << name;
    EXPECT_EQ(written.original.covariates, expected.original.covariates) << name;
    EXPECT_EQ(written.original.explained, expected.original.explained) << name;
    EXPECT_EQ(written.coefficients, expected.coefficients) << name;
    EXPECT_EQ(written.frequencies, expected.frequencies) << name;
    ASSERT_EQ(written.model.variables.size(), expected.model.variables.size()) << name;
    for (std::size_t k = 0; k < expected.model.variables.size(); ++k) {
      EXPECT_EQ(written.model.variables[k].mean, expected.model.variables[k].mean) << name;
    }
  }
}

/// Notes which columns this process gave back.
class NotingDataset final : public InMemoryDataset {
 public:
  using InMemoryDataset::InMemoryDataset;
  void release_columns(VarId begin, VarId end) const override { released.emplace_back(begin, end); }
  mutable std::vector<std::pair<VarId, VarId>> released;
};

TEST(SlicesOfOtherNodes, AreGivenBackAtTheStartAndAtEachVerification) {
  const auto dataset = std::make_shared<NotingDataset>(random_content({}));
  const auto model = make_lasso_model(prepare_lasso(dataset, {}).value(), {});
  const auto first = model->make_slice({0, 1, 2, 8});
  const auto second = model->make_slice({3, 10, 11});
  const Payload problem = payload_of(Start{.lambda = 0.1});
  model->begin(problem);
  const auto others = ElementsAre(Pair(4, 8), Pair(9, 10), Pair(12, 24));
  EXPECT_THAT(dataset->released, others);
  dataset->released.clear();
  SerialChunks chunks;
  const auto state = model->make_state();
  Cost cost;
  model->recompute(*state, chunks, cost);
  EXPECT_THAT(dataset->released, others) << "what blocks brought meanwhile";
}

TEST(SlicesOfOtherNodes, DoNotExistInAnEmbeddedRun) {
  const auto dataset = std::make_shared<NotingDataset>(random_content({}));
  EngineOptions engine;
  engine.schedulers = 3;
  static_cast<void>(fit(dataset, {}, engine));
  EXPECT_THAT(dataset->released, IsEmpty());
}

TEST(UnscannedData, GiveTheSameFrequenciesWhenThatIsAllThatIsAsked) {
  const auto dataset = support::genotype_dataset({.rows = 90, .columns = 70, .missing = 0.05});
  const Fit fitted = fit(dataset, {});
  const Written expected(fitted.data, fitted.solution);
  PathResult result;
  result.data = prepare_lasso(dataset, {}).value();
  EXPECT_EQ(frequency_table(*result.data, expected.model), expected.frequencies);
}

}  // namespace
}  // namespace strads::lasso
