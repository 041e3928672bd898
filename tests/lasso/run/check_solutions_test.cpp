// What a run says about its solutions against the data: true figures pass, whatever the storage, the penalty and the
// policy; wrong ones do not.
#include "lasso/check/check_solutions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/payloads.hpp"
#include "plain_lasso.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// One finished fit, and what it says about itself.
struct Said {
  Fit fit;
  ProblemClaim problem;
  Solution solution;
};

ProblemClaim claim_of(const RunEnd& end) {
  const auto start = read_fields<Start>(end.problem.values);
  return {start.lambda_max, start.response_squared};
}

Said said_by(const Content& content, const LassoOptions& options, const EngineOptions& engine = {}) {
  Said said;
  said.fit = fit(dataset_of(content), options, engine);
  const RunEnd& end = said.fit.run.end;
  said.problem = claim_of(end);
  said.solution = said.fit.solution;
  return said;
}

Status compared(const Content& content, const LassoOptions& options, const ProblemClaim& problem,
                const std::vector<Solution>& claims) {
  SerialChunks chunks;
  return SolutionCheck(dataset_of(content), options, chunks).compare(problem, claims);
}

/// Certifies a fit that is cut off early, so that its gap is large, and one to the end.
void expect_true(const Content& content, const LassoOptions& options) {
  for (const std::uint64_t rounds_max : {3U, 0U}) {
    EngineOptions engine;
    engine.workers = 4;
    engine.schedulers = 2;
    engine.rounds_max = rounds_max;
    const Said said = said_by(content, options, engine);
    const Status status = compared(content, options, said.problem, {said.solution});
    EXPECT_TRUE(status.ok()) << status.message();
    SerialChunks chunks;
    SolutionCheck check(dataset_of(content), options, chunks);
    const auto figures = check.recompute(std::span(&said.solution, 1));
    const double allowed = 1e-13 * said.problem.response_squared / 2;
    EXPECT_NEAR(figures[0].objective, said.solution.certificate.objective, allowed);
    EXPECT_NEAR(figures[0].gap, said.solution.certificate.gap, allowed);
    EXPECT_NEAR(check.lambda_max(), said.problem.lambda_max, 1e-13 * said.problem.lambda_max);
  }
}

Content whole_numbers(Storage storage) {
  Content content = random_content({.rows = 61, .columns = 20});
  for (std::size_t j = 0; j < content.columns.size(); ++j) {
    for (double& value : content.columns[j]) value = std::clamp(std::round(value + (j % 3 == 0 ? 1 : 0)), 0.0, 2.0);
  }
  content.whole = storage;
  return content;
}

void drop(Content& content, std::initializer_list<std::uint32_t> rows) {
  for (const std::uint32_t row : rows) {
    content.dropped_rows.push_back(row);
    content.response[row] = 0;
    for (auto& covariate : content.covariates) covariate[row] = 0;
    if (!content.weights.empty()) content.weights[row] = 0;
  }
}

Content with_everything(Content content) {
  content = with_all_kinds_of_penalties(std::move(content));
  drop(content, {0, 17, 18});
  return content;
}

class CheckUnder : public ::testing::TestWithParam<Policy> {
 protected:
  [[nodiscard]] static LassoOptions options() {
    LassoOptions options;
    options.policy = GetParam();
    options.eta = 1e-3;
    return options;
  }
};

TEST_P(CheckUnder, PassesWhatIsTrueOfDenseColumns) {
  expect_true(random_content({}), options());
}

TEST_P(CheckUnder, PassesWhatIsTrueOfTheElasticNetAndOfCoefficientsThatAreNotNegative) {
  LassoOptions own = options();
  own.l1_ratio = 0.4;
  own.nonnegative = true;
  expect_true(random_content({.causes = 6}), own);
}

TEST_P(CheckUnder, PassesWhatIsTrueOfRidge) {
  LassoOptions own = options();
  own.l1_ratio = 0;
  own.lambda = 1e-3;
  expect_true(random_content({}), own);
}

INSTANTIATE_TEST_SUITE_P(Policies, CheckUnder, all_policies(), name_of_case);

TEST(Check, PassesWhatIsTrueOfEveryStorageWithWeightsCovariatesFactorsAndDroppedRows) {
  Content sparse = random_content({.rows = 60, .columns = 20, .fill = 0.3});
  sparse.sparse = true;
  for (const Content& content : {random_content({.rows = 60, .columns = 20}), sparse, whole_numbers(Storage::dense_u8),
                                 whole_numbers(Storage::dense_i8), whole_numbers(Storage::genotype_2bit)}) {
    expect_true(content, {});
    Content full = with_everything(content);
    LassoOptions options;
    options.l1_ratio = 0;
    options.lambda = 1e-4;
    expect_true(full, options);
    options.l1_ratio = 0.7;
    options.lambda = 0.1;
    expect_true(full, options);
    // The reference knows neither excluded columns nor covariates that give no direction of their own.
    full.excluded.assign(full.columns.size(), 0);
    full.excluded[7] = 1;
    full.covariates.push_back(full.covariates[0]);
    for (double& value : full.covariates[2]) value = 2 * value + 1;
    for (const std::uint32_t row : full.dropped_rows) full.covariates[2][row] = 0;
    const Said said = said_by(full, options, {.schedulers = 2});
    const Status status = compared(full, options, said.problem, {said.solution});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(Check, ColumnsThatCovariatesExplainCountForNoRidge) {
  // The first column has a part of its own that is too small to be there, and as large as the response's.
  Content content = random_content({.rows = 60, .columns = 8});
  content.covariates.assign(1, Vector(60));
  for (std::size_t i = 0; i < 60; ++i) {
    content.covariates[0][i] = static_cast<double>(i % 7);
    content.columns[0][i] = content.covariates[0][i] + 5e-6 * content.response[i];
  }
  LassoOptions options;
  options.l1_ratio = 0;
  for (const double lambda : {1e-3, 1e-9}) {
    for (const bool scale : {true, false}) {
      options.lambda = lambda;
      options.scale = scale;
      const Said said = said_by(content, options);
      EXPECT_EQ(said.solution.variables.size(), 7u);
      const Status status = compared(content, options, said.problem, {said.solution});
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
}

TEST(Check, PassesWhatIsTrueWithoutCentringAndScaling) {
  Content sparse = random_content({.rows = 60, .columns = 20, .fill = 0.3});
  sparse.sparse = true;
  for (const bool center : {true, false}) {
    for (const bool scale : {true, false}) {
      LassoOptions options;
      options.center = center;
      options.scale = options.center_y = scale;
      options.scale_y = center;
      expect_true(random_content({}), options);
      expect_true(sparse, options);
    }
  }
}

TEST(Check, PassesWhatIsTrueOfLargeMeans) {
  for (const bool sparse : {false, true}) {
    Content content = random_content({.rows = 60, .columns = 20});
    content.sparse = sparse;
    for (double& value : content.columns[1]) value += 1e9;
    for (double& value : content.columns[2]) value += sparse ? 1e8 : 1e10;
    for (double& y : content.response) y += 1e12;
    content.covariates.assign(1, Vector(60));
    for (std::size_t i = 0; i < 60; ++i) content.covariates[0][i] = 1e8 + static_cast<double>(i % 7);
    const Said said = said_by(content, {});
    const Status status = compared(content, {}, said.problem, {said.solution});
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

/// A path of more lambdas than one reading of the columns takes.
struct SaidPath {
  Content content;
  LassoOptions options;
  ProblemClaim problem;
  std::vector<Solution> claims;

  explicit SaidPath(std::size_t columns = 30) : content(random_content({.rows = 50, .columns = columns})) {
    options.lambda_scale = LambdaScale::unit;
    options.path.count = 20;
    options.path.min_ratio = 0.01;
    options.path.early_end = false;
    const auto data = prepare_lasso(dataset_of(content), options);
    const auto model =
        make_lasso_model(data.value(), options, [this](const Solution& point) { claims.push_back(point); });
    const RunEnd end = run_embedded(model, {}, {.threads = 1}, nullptr, nullptr).end;
    problem = claim_of(end);
  }
};

TEST(Check, TakesPathsOfAnyLengthOnAnyNumberOfThreads) {
  const SaidPath said;
  ASSERT_EQ(said.claims.size(), 20u);
  const auto threads = make_threads(3);
  SolutionCheck parallel(dataset_of(said.content), said.options, *threads);
  const Status status = parallel.compare(said.problem, said.claims);
  EXPECT_TRUE(status.ok()) << status.message();
  SerialChunks serial;
  SolutionCheck alone(dataset_of(said.content), said.options, serial);
  const auto here = parallel.recompute(said.claims), there = alone.recompute(said.claims);
  for (std::size_t k = 0; k < here.size(); ++k) EXPECT_EQ(here[k].gap, there[k].gap) << k;
}

TEST(Check, SaysHowFarItIs) {
  const SaidPath said;
  SerialChunks chunks;
  SolutionCheck check(dataset_of(said.content), said.options, chunks);
  std::vector<double> heard;
  check.tell([&](double done, double of) {
    heard.push_back(done);
    EXPECT_EQ(of, 2);
  });
  auto claims = said.claims;
  for (int more = 0; more < 2; ++more) claims.insert(claims.end(), said.claims.begin(), said.claims.end());
  (void)check.recompute(claims);
  EXPECT_EQ(heard, (std::vector<double>{1, 2})) << "60 solutions and lambda_max: two readings of one window";
}

/// What each of them comes to when no other is there, which no bound can change.
void expect_same_figures_one_by_one(const SaidPath& said, std::span<const Solution> claims) {
  SerialChunks chunks;
  SolutionCheck check(dataset_of(said.content), said.options, chunks);
  const auto together = check.recompute(claims);
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const auto alone = check.recompute(claims.subspan(k, 1));
    EXPECT_EQ(together[k].gap, alone[0].gap) << k;
    EXPECT_EQ(together[k].objective, alone[0].objective) << k;
  }
}

TEST(Check, FindsOfAPathWhatItFindsOfEachSolutionAlone) {
  const SaidPath said(2000);  // most are zero in every solution
  expect_same_figures_one_by_one(said, said.claims);
}

TEST(Check, FindsTheSameOfSolutionsThatAreNoPath) {
  const SaidPath said(2000);
  auto claims = said.claims;
  // Every fourth one - those between which bounds are kept - explains all that the best column can, and so has a small
  // product with it; the others do not, and it is the steepest of all.
  const auto& first = said.claims[1];
  const auto largest = std::ranges::max_element(first.standardized, {}, [](double b) { return std::abs(b); });
  const VarId best = first.variables[static_cast<std::size_t>(largest - first.standardized.begin())];
  const double product = std::copysign(said.problem.lambda_max, *largest);
  for (std::size_t k = 0; k < claims.size(); ++k) {
    claims[k].variables = {k % 4 == 0 ? best : (best + 1 + static_cast<VarId>(k)) % 2000};
    claims[k].standardized = {k % 4 == 0 ? product : 0.01};
  }
  expect_same_figures_one_by_one(said, claims);
}

TEST(Check, ColumnsThatCovariatesExplainCountForNoSolution) {
  // Of the first column the covariate leaves a millionth, and that is the response: it would be steeper than the second
  // one, which has a product of 1e-8 with it.
  constexpr std::size_t kRows = 60;
  Vector covariate(kRows), response(kRows), almost(kRows), other(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    covariate[i] = static_cast<double>(i % 7);
    response[i] = std::sin(static_cast<double>(i * i));
    other[i] = std::cos(3.0 * static_cast<double>(i));
  }
  const auto without = [](Vector v, const Vector& direction) {
    const double share = plain_dot(v, direction) / plain_dot(direction, direction);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share * direction[i];
    return v;
  };
  const Vector ones(kRows, 1.0), slope = without(covariate, ones);
  response = without(without(response, ones), slope);
  other = without(without(without(other, ones), slope), response);
  for (std::size_t i = 0; i < kRows; ++i) {
    almost[i] = covariate[i] + 1e-6 * response[i];
    other[i] += 1e-8 * response[i];
  }
  Content content;
  content.response = response;
  content.covariates = {covariate};
  content.columns = {almost, other};
  std::vector<Solution> claims(20);
  for (std::size_t k = 0; k < claims.size(); ++k) {
    claims[k].index = k;
    claims[k].lambda = 1e-8 / static_cast<double>(k + 1);
  }
  SerialChunks serial;
  SolutionCheck check(dataset_of(content), {}, serial);
  const auto figures = check.recompute(claims);
  const double product = 1e-8 * std::sqrt(plain_dot(response, response) / plain_dot(other, other));
  EXPECT_NEAR(check.lambda_max(), product, 1e-4 * product);
  const auto threads = make_threads(3);
  SolutionCheck parallel(dataset_of(content), {}, *threads);
  const auto again = parallel.recompute(claims);
  for (std::size_t k = 0; k < claims.size(); ++k) {
    EXPECT_NEAR(figures[k].gap, 0.5 * std::pow(1 - std::min(1.0, claims[k].lambda / product), 2), 1e-4) << k;
    EXPECT_EQ(figures[k].gap, again[k].gap) << k;
  }
}

TEST(Check, FindsOneWrongFigureAmongThoseOfAPathAndSaysBoth) {
  const SaidPath said;
  // F(0) = 1/2: what is allowed is 5e-11.
  for (const std::size_t k : {0U, 6U, 7U, 19U}) {
    auto claims = said.claims;
    claims[k].certificate.objective -= 4e-11;
    EXPECT_TRUE(compared(said.content, said.options, said.problem, claims).ok());
    claims[k].certificate.objective -= 2e-11;
    const Status objective = compared(said.content, said.options, said.problem, claims);
    EXPECT_EQ(objective.code(), StatusCode::internal);
    EXPECT_THAT(objective.message(), AllOf(HasSubstr("lambda " + std::to_string(k + 1) + " an objective of"),
                                           HasSubstr(short_text(claims[k].certificate.objective, 12)),
                                           HasSubstr("a bug or a forged message")));
    claims = said.claims;
    claims[k].certificate.gap += 6e-11;
    EXPECT_THAT(compared(said.content, said.options, said.problem, claims).message(), HasSubstr("a duality gap of"));
  }
}

TEST(Check, FindsCoefficientsThatDoNotBelongToTheFigures) {
  const SaidPath said;
  auto claims = said.claims;
  claims[12].standardized[0] *= 1.001;
  EXPECT_EQ(compared(said.content, said.options, said.problem, claims).code(), StatusCode::internal);
  claims = said.claims;
  claims[12].lambda *= 1 + 1e-8;
  EXPECT_EQ(compared(said.content, said.options, said.problem, claims).code(), StatusCode::internal);
}

TEST(Check, FindsAProblemThatIsNotThatOfTheData) {
  const SaidPath said;
  ProblemClaim problem = said.problem;
  problem.lambda_max *= 1 + 1e-8;
  EXPECT_THAT(compared(said.content, said.options, problem, said.claims).message(), HasSubstr("lambda_max"));
  problem = said.problem;
  problem.response_squared *= 1 + 1e-8;
  EXPECT_THAT(compared(said.content, said.options, problem, said.claims).message(), HasSubstr("y'y"));
}

TEST(Check, RefusesCoefficientsThatCannotBe) {
  const SaidPath said;
  const Solution& good = said.claims[19];
  ASSERT_GE(good.variables.size(), 2u);
  const auto refused = [&](const auto& spoil, Content content = random_content({.rows = 50, .columns = 30}),
                           bool nonnegative = false) {
    Solution claim = good;
    spoil(claim);
    LassoOptions options = said.options;
    options.nonnegative = nonnegative;
    const Status status = compared(content, options, said.problem, {claim});
    EXPECT_EQ(status.code(), StatusCode::internal);
    EXPECT_THAT(status.message(), HasSubstr("which cannot be"));
  };
  refused([](Solution& claim) { claim.variables[1] = claim.variables[0]; });
  refused([](Solution& claim) { claim.variables.back() = 30; });
  refused([](Solution& claim) { claim.standardized[0] = std::numeric_limits<double>::quiet_NaN(); });
  refused([](Solution& claim) { claim.standardized[0] = -0.1; }, said.content, true);
  Content without = said.content;
  without.excluded.assign(30, 0);
  without.excluded[good.variables[0]] = 1;
  refused([](Solution&) {}, without);
}

}  // namespace
}  // namespace strads::lasso
