// Runs that begin with the coefficients of an earlier one.
#include "lasso/problem/warm_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/study/study_runs.hpp"
#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What `lasso fit` would have written into model.bin.
std::shared_ptr<FittedModel> model_of(const Fit& fit) {
  auto model = std::make_shared<FittedModel>();
  model->columns = fit.data->columns->size();
  const Solution original = original_scale(*fit.data, fit.solution);
  for (std::size_t k = 0; k < original.coefficients.size(); ++k) {
    FittedVariable variable;
    variable.column = fit.solution.variables[k];
    variable.coefficient = original.coefficients[k];
    model->variables.push_back(variable);
  }
  return model;
}

LassoOptions warm_options(Policy policy, double ratio) {
  LassoOptions options;
  options.policy = policy;
  options.eta = 1e-3;
  options.lambda = ratio;
  return options;
}

class WarmStartOf : public ::testing::TestWithParam<Policy> {};

TEST_P(WarmStartOf, TheSameProblemIsCertifiedWithoutARound) {
  const Content content = random_content({});
  LassoOptions options = warm_options(GetParam(), 0.1);
  options.tolerance = 1e-8;
  const Fit cold = fit(dataset_of(content), options, {.workers = 2});
  options.tolerance = 1e-7;
  options.warm_start = model_of(cold);
  const Fit warm = fit(dataset_of(content), options, {.workers = 2});
  EXPECT_EQ(warm.run.end.totals.rounds, 0u);
  EXPECT_EQ(warm.run.end.stop_reason, "converged");
  EXPECT_EQ(warm.solution.variables, cold.solution.variables);
  EXPECT_NEAR(warm.certificate().objective, cold.certificate().objective, 1e-13);
}

TEST_P(WarmStartOf, AnotherLambdaReachesTheOptimum) {
  const Content content = random_content({});
  const PlainProblem plain = plain_data(content, {}).problem;
  for (const auto& [from, to] : {std::pair{0.3, 0.1}, {0.05, 0.2}}) {
    LassoOptions options = warm_options(GetParam(), from);
    const auto earlier = model_of(fit(dataset_of(content), options, {.workers = 2}));
    options.lambda = to;
    options.warm_start = earlier;
    const Fit warm = fit(dataset_of(content), options, {.workers = 2});
    const double best = plain.objective(plain.solve(warm.solution.lambda), warm.solution.lambda);
    EXPECT_NEAR(warm.certificate().objective, best, 1e-6 * best);
    EXPECT_LE(warm.certificate().relative_gap, options.tolerance);
    EXPECT_NEAR(plain.gap(warm.beta(), warm.solution.lambda), warm.certificate().gap, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WarmStartOf, all_policies(), name_of_case);

/// The replica that a run with this start begins with.
std::unique_ptr<State> first_state(const Content& content, const LassoOptions& options, double lambda) {
  LassoModel model(prepare_lasso(dataset_of(content), options).value(), options);
  Payload problem;
  problem = payload_of(Start{.lambda = lambda, .lambda_max = 1});
  model.begin(problem);
  return model.make_state();
}

TEST(WarmStart, BeginsWithTheResidualOfTheEarlierRun) {
  const Content content = random_content({.rows = 60, .columns = 30});
  LassoOptions options;
  const Fit cold = fit(dataset_of(content), options);
  options.warm_start = model_of(cold);
  const auto state = first_state(content, options, cold.solution.lambda);
  const PlainProblem plain = plain_data(content, options).problem;
  EXPECT_NEAR(static_cast<const LassoState&>(*state).objective(cold.solution.lambda),
              plain.objective(cold.beta(), cold.solution.lambda), 1e-13);
}

TEST(WarmStart, ThatIsWorseThanZeroIsNotUsed) {
  const Content content = random_content({});
  LassoOptions options;
  const Fit cold = fit(dataset_of(content), options);
  const auto wild = model_of(cold);
  for (auto& variable : wild->variables) variable.coefficient *= 1e4;
  options.warm_start = wild;
  const Fit warm = fit(dataset_of(content), options);
  EXPECT_EQ(beta_hash(warm.solution, 24), beta_hash(cold.solution, 24));
  EXPECT_EQ(warm.run.end.totals.rounds, cold.run.end.totals.rounds);
}

TEST(WarmStart, OnOtherSamplesTakesTheirScales) {
  Content content = random_content({});
  LassoOptions options;
  const auto earlier = model_of(fit(dataset_of(content), options));
  content.dropped_rows = {0, 1, 2, 3};
  for (const std::uint32_t row : content.dropped_rows) content.response[row] = 0;
  const auto data = prepare_lasso(dataset_of(content), options).value();
  const auto start = warm_start(*earlier, *data->dataset, *data->columns, data->response.norm);
  ASSERT_TRUE(start.ok());
  const PlainData plain = plain_data(content, options);
  for (std::size_t k = 0; k < start.value().variables.size(); ++k) {
    const double norm = plain.norms[start.value().variables[k]];
    EXPECT_NEAR(start.value().standardized[k], earlier->variables[k].coefficient * norm / plain.response_norm, 1e-14);
  }
}

TEST(WarmStart, LeavesOutWhatTakesNoPartHere) {
  Content content = random_content({.columns = 4});
  LassoOptions options;
  options.lambda = 0.01;
  const auto earlier = model_of(fit(dataset_of(content), options));
  ASSERT_EQ(earlier->variables.size(), 4u);
  for (double& value : content.columns[1]) value = 5;
  content.excluded = {0, 0, 1, 0};
  const auto data = prepare_lasso(dataset_of(content), options).value();
  EXPECT_THAT(warm_start(*earlier, *data->dataset, *data->columns, 1.0).value().variables, ElementsAre(0, 3));
}

/// As the example's columns, with names.
FittedModel named(const std::vector<std::string>& ids) {
  FittedModel model;
  model.has_names = true;
  model.samples = 40;
  for (const std::string& id : ids) model.variables.push_back({0, id, "", "", "", "", 2.0, 0.0});
  return model;
}

/// Columns "x0", "x1", ...
class NamedColumns final : public InMemoryDataset {
 public:
  explicit NamedColumns(Content content) : InMemoryDataset(std::move(content)) {
    for (VarId j = 0; j < columns().columns; ++j) names_.push_back("x" + std::to_string(j));
  }
  [[nodiscard]] VariableName variable(VarId j) const override { return {names_[j], "", "", "", ""}; }

 private:
  std::vector<std::string> names_;
};

TEST(WarmStart, TakesTheVariablesThatAreThereAndSaysHowMany) {
  LassoOptions options;
  const auto data =
      prepare_lasso(std::make_shared<const NamedColumns>(random_content({.columns = 5})), options).value();
  const auto start = warm_start(named({"x3", "gone", "x1"}), *data->dataset, *data->columns, 1.0).value();
  EXPECT_THAT(start.variables, ElementsAre(1, 3));
  EXPECT_EQ(warm_start_text(start, 60),
            "warm start: in the data are 2 of the earlier run's 3 variables, the others begin at 0; 60 samples now, "
            "40 then");
  const auto none = warm_start(named({"gone", "lost"}), *data->dataset, *data->columns, 1.0);
  EXPECT_EQ(none.status().code(), StatusCode::input);
}

TEST(WarmStart, RefusesOtherData) {
  LassoOptions options;
  options.warm_start = model_of(fit(dataset_of(random_content({.columns = 10})), options));
  const auto data = prepare_lasso(dataset_of(random_content({.columns = 12})), options);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().code(), StatusCode::input);
  EXPECT_THAT(data.status().message(), HasSubstr("the data has 12 columns, the model was fitted on 10"));
}

TEST(WarmStart, IsPartOfWhatNodesCompare) {
  const Content content = random_content({});
  LassoOptions options;
  const Fit cold = fit(dataset_of(content), options);
  const auto fingerprint = [&](const LassoOptions& how) {
    return LassoModel(prepare_lasso(dataset_of(content), how).value(), how).fingerprint();
  };
  const auto plain = fingerprint(options);
  options.warm_start = model_of(cold);
  const auto warm = fingerprint(options);
  EXPECT_NE(warm, plain);
  const auto other = model_of(cold);
  other->variables.back().coefficient *= 2;
  options.warm_start = other;
  EXPECT_NE(fingerprint(options), warm);
}

/// Every path of a study begins with them, whoever follows whom.
TEST(WarmStartOfAStudy, LeavesEverySolutionCertifiedAndSavesRounds) {
  const Content content = random_content({.rows = 60, .columns = 24});
  LassoOptions options;
  options.lambda_scale = LambdaScale::ratio;
  options.path.given = {0.1, 0.08};
  const auto earlier = model_of(fit(dataset_of(content), warm_options(Policy::automatic, 0.1)));
  const auto solved = [&](bool warm, std::uint64_t& rounds) {
    options.warm_start = warm ? earlier : nullptr;
    const auto design = StudyDesign{.kind = StudyDesign::Kind::cv, .folds = "3"};
    const PathGroup group = make_group(dataset_of(content), options, design).value();
    std::map<std::pair<std::size_t, std::uint64_t>, double> objectives;
    const StudyRuns runs = make_study_runs({&group, 1}, options, {}, [&](const PathPlace& at, const Solution& point) {
      EXPECT_TRUE(point.certificate.converged);
      objectives[{at.path, point.index}] = point.certificate.objective;
    });
    RunsHooks hooks;
    hooks.ended = [&](std::size_t run, const RunEnd& end) {
      runs.note_end(run);
      rounds += end.totals.rounds;
    };
    EXPECT_TRUE(run_embedded(runs.requests, 2, {.threads = 1}, hooks).status.ok());
    return objectives;
  };
  std::uint64_t cold_rounds = 0, warm_rounds = 0;
  const auto cold = solved(false, cold_rounds), warm = solved(true, warm_rounds);
  ASSERT_EQ(cold.size(), 8u);
  ASSERT_EQ(warm.size(), 8u);
  for (const auto& [at, objective] : cold) EXPECT_NEAR(warm.at(at), objective, 2e-6 * objective);
  EXPECT_LT(warm_rounds, cold_rounds);
}

}  // namespace
}  // namespace strads::lasso
