// What a run of the binomial family says about its solutions against the data: true figures pass, whatever the storage,
// the penalty and what goes without one; wrong ones do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lasso/check/check_solutions.hpp"
#include "lasso/problem/payloads.hpp"
#include "plain_lasso.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

/// Classes that depend on the columns and are not separated by them.
Content two_classes(const Recipe& recipe) {
  Content content = random_content(recipe);
  std::vector<double> sorted = content.response;
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[sorted.size() * 2 / 5];
  for (std::size_t i = 0; i < content.rows(); ++i) {
    const bool above = content.response[i] > middle;
    content.response[i] = above != (i % 6 == 1) ? 1 : 0;
  }
  content.classes = {"control", "case"};
  return content;
}

LassoOptions binomial() {
  LassoOptions options;
  options.family = Family::binomial;
  return options;
}

/// A problem, some points on their way to solutions, and solutions, with what the judge said of them.
struct SaidOfClasses {
  Content content;
  LassoOptions options;
  ProblemClaim problem;
  std::vector<Solution> claims;

  SaidOfClasses(Content what, const LassoOptions& how, std::size_t lambdas = 2)
      : content(std::move(what)), options(how) {
    for (std::size_t k = 0; k < lambdas; ++k) {
      LassoOptions own = options;
      own.lambda = std::pow(0.1, static_cast<double>(k + 1) / static_cast<double>(lambdas));
      own.tolerance = 1e-12;
      EngineOptions engine;
      if (k < 2) {
        engine.rounds_max = 3;
        engine.workers = 4;
        own.policy = Policy::uniform;
        say(own, engine);
        own.policy = options.policy;
      }
      say(own, {});
    }
  }
  void say(const LassoOptions& how, const EngineOptions& engine) {
    const Fit said = fit(dataset_of(content), how, engine);
    const auto start = read_fields<Start>(said.run.end.problem.values);
    problem = {start.lambda_max, start.response_squared};
    claims.push_back(said.solution);
    claims.back().index = claims.size() - 1;
  }
  [[nodiscard]] double null_objective() const { return problem.response_squared / 2; }
  [[nodiscard]] Status compared() const {
    SerialChunks chunks;
    return SolutionCheck(dataset_of(content), options, chunks).compare(problem, claims);
  }
};

void expect_true_of_classes(const Content& content, const LassoOptions& options) {
  const SaidOfClasses said(content, options);
  const Status status = said.compared();
  EXPECT_TRUE(status.ok()) << status.message();
  SerialChunks chunks;
  SolutionCheck check(dataset_of(content), options, chunks);
  const auto figures = check.recompute(said.claims);
  const double allowed = 1e-12 * said.null_objective();
  for (std::size_t k = 0; k < figures.size(); ++k) {
    EXPECT_NEAR(figures[k].objective, said.claims[k].certificate.objective, allowed) << k;
    EXPECT_NEAR(figures[k].gap, said.claims[k].certificate.gap, allowed) << k;
    EXPECT_GE(figures[k].gap, 0);
    if (k % 2 == 1) {
      EXPECT_LE(figures[k].gap, 100 * allowed) << "solved, as far as doubles go";
    } else {
      EXPECT_GE(figures[k].gap, 1e-8 * said.null_objective()) << "not solved";
    }
  }
  EXPECT_NEAR(check.lambda_max(), said.problem.lambda_max, 1e-12 * said.problem.lambda_max);
  EXPECT_NEAR(check.response_squared(), said.problem.response_squared, allowed);
}

Content genotypes_of_classes() {
  Content content = two_classes({.rows = 61, .columns = 12});
  for (auto& column : content.columns) {
    for (double& value : column) value = std::clamp(std::round(value), 0.0, 2.0);
  }
  content.whole = Storage::genotype_2bit;
  return content;
}

Content sparse_classes() {
  Content content = two_classes({.rows = 60, .columns = 12, .fill = 0.4});
  content.sparse = true;
  return content;
}

std::vector<Content> storages() {
  return {two_classes({.rows = 60, .columns = 12}), sparse_classes(), genotypes_of_classes()};
}

/// Weights, covariates, an offset, penalty factors, an excluded column and rows that are no samples.
Content with_all(Content content) {
  const std::size_t rows = content.rows();
  content.covariates.assign(2, std::vector<double>(rows));
  content.weights.resize(rows);
  content.offset.resize(rows);
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    content.weights[i] = 1.0 + static_cast<double>(i * 7 % 5);
    content.offset[i] = 0.5 * std::cos(static_cast<double>(i)) - 0.3;
    content.covariates[0][i] = 20 + static_cast<double>(i % 7);
    content.covariates[1][i] = std::sin(static_cast<double>(i));
  }
  content.factors.assign(content.columns.size(), 1.0);
  content.factors[2] = 0;
  content.factors[5] = 3;
  content.excluded.assign(content.columns.size(), 0);
  content.excluded[7] = 1;
  content.dropped_rows = {0, 17, 18};
  for (const std::uint32_t row : content.dropped_rows) {
    content.response[row] = content.weights[row] = content.offset[row] = 0;
    for (auto& covariate : content.covariates) covariate[row] = 0;
  }
  for (const double weight : content.weights) total += weight;
  for (double& weight : content.weights) weight *= static_cast<double>(rows - content.dropped_rows.size()) / total;
  return content;
}

TEST(CheckOfClasses, PassesWhatIsTrueOfEveryStorage) {
  for (const Content& content : storages()) expect_true_of_classes(content, binomial());
}

TEST(CheckOfClasses, PassesWhatIsTrueWithWeightsCovariatesAnOffsetFactorsAndDroppedRows) {
  for (const Content& content : storages()) expect_true_of_classes(with_all(content), binomial());
}

TEST(CheckOfClasses, PassesWhatIsTrueOfTheElasticNetAndOfCoefficientsThatAreNotNegative) {
  LassoOptions options = binomial();
  options.l1_ratio = 0.4;
  for (const bool nonnegative : {false, true}) {
    options.nonnegative = nonnegative;
    for (const Content& content : storages()) expect_true_of_classes(content, options);
    expect_true_of_classes(with_all(two_classes({.rows = 60, .columns = 12})), options);
  }
}

TEST(CheckOfClasses, PassesWhatIsTrueWithoutInterceptCentringAndScaling) {
  LassoOptions options = binomial();
  options.center = false;
  for (const bool intercept : {true, false}) {
    for (const bool scale : {true, false}) {
      options.intercept = intercept;
      options.scale = scale;
      expect_true_of_classes(sparse_classes(), options);
      expect_true_of_classes(two_classes({.rows = 60, .columns = 6, .shared = 0}), options);
    }
  }
  options.scale = true;
  expect_true_of_classes(with_all(sparse_classes()), options);
}

TEST(CheckOfClasses, TakesCovariatesThatGiveNoDirectionOfTheirOwn) {
  const SaidOfClasses said(with_all(two_classes({.rows = 60, .columns = 12})), binomial());
  SaidOfClasses more = said;
  more.content.covariates.push_back(said.content.covariates[0]);
  for (double& value : more.content.covariates[2]) value = 2 * value + 1;
  for (const std::uint32_t row : said.content.dropped_rows) more.content.covariates[2][row] = 0;
  const Status status = more.compared();
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CheckOfClasses, TakesSamplesThatAreNearlyCertain) {
  Content content = two_classes({.rows = 60, .columns = 12});
  content.offset.assign(60, 0.0);
  // Far on the right side and far on the wrong one, where 1 - p has no digits left.
  for (std::size_t i = 0; i < 60; i += 5) content.offset[i] = content.response[i] > 0.5 ? 45 : -45;
  content.offset[11] = content.response[11] > 0.5 ? -30 : 30;
  const SaidOfClasses said(content, binomial());
  const Status status = said.compared();
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CheckOfClasses, FindsOfAPathWhatItFindsOfEachSolutionAlone) {
  const SaidOfClasses said(two_classes({.rows = 60, .columns = 200}), binomial(), 10);
  auto claims = said.claims;
  std::sort(claims.begin(), claims.end(), [](const auto& a, const auto& b) { return a.lambda > b.lambda; });
  const auto threads = make_threads(3);
  SolutionCheck parallel(dataset_of(said.content), said.options, *threads);
  const Status status = parallel.compare(said.problem, claims);
  EXPECT_TRUE(status.ok()) << status.message();
  const auto together = parallel.recompute(claims);
  SerialChunks serial;
  SolutionCheck check(dataset_of(said.content), said.options, serial);
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const auto alone = check.recompute(std::span(claims).subspan(k, 1));
    EXPECT_EQ(together[k].gap, alone[0].gap) << k;
    EXPECT_EQ(together[k].objective, alone[0].objective) << k;
  }
}

TEST(CheckOfClasses, RefusesWrongFiguresAndSaysBoth) {
  const SaidOfClasses said(with_all(two_classes({.rows = 60, .columns = 12})), binomial());
  const auto refused = [&said](const std::string& about, const auto& spoil, bool is_refused = true) {
    SaidOfClasses other = said;
    spoil(other);
    const Status status = other.compared();
    EXPECT_EQ(status.ok(), !is_refused) << about;
    EXPECT_THAT(status.message(), HasSubstr(is_refused ? "the messages of this run say " + about : ""));
  };
  const double whole = said.null_objective();
  for (std::size_t k = 0; k < said.claims.size(); ++k) {
    const std::string of = "of lambda " + std::to_string(k + 1);
    refused(
        of + " an objective of", [&](auto& other) { other.claims[k].certificate.objective -= 0.9e-10 * whole; }, false);
    refused(of + " an objective of", [&](auto& other) { other.claims[k].certificate.objective -= 1.1e-10 * whole; });
    refused(of + " an objective of", [&](auto& other) { other.claims[k].certificate.objective += 1.1e-10 * whole; });
    // The dual point is shortened to the penalty, so that a gap may be off by more than an objective.
    refused(of + " a duality gap of", [&](auto& other) { other.claims[k].certificate.gap += 1e-8 * whole; });
    refused(of + " an objective of", [&](auto& other) { other.claims[k].standardized[0] *= 1.01; });
    refused(of + " an objective of", [&](auto& other) { other.claims[k].lambda *= 1 + 1e-6; });
  }
  refused("lambda_max", [](auto& other) { other.problem.lambda_max *= 1 + 1e-8; });
  refused("2 F(0)", [](auto& other) { other.problem.response_squared *= 1 - 1e-8; });
}

TEST(CheckOfClasses, RefusesFiguresOfOtherData) {
  const SaidOfClasses said(with_all(two_classes({.rows = 60, .columns = 12})), binomial());
  const auto refused = [&said](const auto& change) {
    SaidOfClasses other = said;
    change(other.content, other.options);
    EXPECT_EQ(other.compared().code(), StatusCode::internal);
  };
  refused([](Content& content, LassoOptions&) { content.response[4] = 1 - content.response[4]; });
  refused([](Content& content, LassoOptions&) { content.offset[4] += 1e-6; });
  refused([](Content& content, LassoOptions&) { content.weights[4] += 1e-6; });
  refused([](Content& content, LassoOptions&) { content.covariates[1][4] += 1e-4; });
  refused([](Content& content, LassoOptions&) { content.columns[2][4] += 1e-4; });
  refused([](Content&, LassoOptions& options) { options.intercept = false; });
}

TEST(CheckOfClasses, RefusesCoefficientsThatCannotBe) {
  const SaidOfClasses said(with_all(two_classes({.rows = 60, .columns = 12})), binomial());
  const auto refused = [&said](VarId variable, double value, bool nonnegative) {
    SaidOfClasses other = said;
    other.options.nonnegative = nonnegative;
    other.claims = {{.lambda = said.claims[1].lambda,
                     .certificate = {.objective = 1},
                     .variables = {variable},
                     .standardized = {value}}};
    EXPECT_THAT(other.compared().message(), HasSubstr("which cannot be"));
  };
  refused(2, 1, false);   // has no penalty, and is not among the penalised
  refused(7, 1, false);   // excluded
  refused(12, 1, false);  // no variable
  refused(0, -1, true);
  refused(0, std::nan(""), false);
}

TEST(CheckOfClasses, RefusesWhatIsBeyondNumbers) {
  SaidOfClasses said(two_classes({.rows = 60, .columns = 12}), binomial());
  for (const double huge : {1e6, 1e300}) {
    said.claims[0].standardized[0] = huge;
    EXPECT_EQ(said.compared().code(), StatusCode::internal);
  }
}

}  // namespace
}  // namespace strads::lasso
