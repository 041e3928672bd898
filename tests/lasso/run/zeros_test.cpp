// Where zeros are the solution at every lambda: that is the answer, with a certificate, whatever the sizes of columns
// and response; and what is not that is solved, however small its numbers are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lasso/check/check_solutions.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/study/study.hpp"
#include "plain_lasso.hpp"

namespace strads::lasso {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

/// One kind of data that has nothing to find.
struct Nothing {
  std::string name;
  Content content;
  LassoOptions options{};
  bool zero_objective = false;  ///< nothing is left of the response
};

Vector times(Vector v, double factor) {
  for (double& value : v) value *= factor;
  return v;
}

Content orthogonal() {
  return {.columns = {{1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, 1, 1, -1, -1, -1, -1}},
          .response = {1, 1, -1, -1, 1, 1, -1, -1}};
}

std::vector<Nothing> every_kind_of_nothing() {
  std::vector<Nothing> kinds;
  kinds.push_back({"orthogonal", orthogonal()});
  for (const double size : {1e-16, 1e-100, 1e120}) {
    for (const bool scale : {true, false}) {
      Nothing sized{"orthogonal of other size", orthogonal()};
      for (Vector& column : sized.content.columns) column = times(column, size);
      sized.options.scale = scale;
      kinds.push_back(sized);
      Nothing small_response{"orthogonal response of other size", orthogonal()};
      small_response.content.response = times(small_response.content.response, size);
      small_response.options.scale = scale;
      kinds.push_back(small_response);
    }
  }
  Nothing shifted{"orthogonal around a mean", orthogonal()};
  for (Vector& column : shifted.content.columns) {
    for (double& value : column) value += 1000.1;
  }
  kinds.push_back(shifted);
  Nothing falls{"no column rises", {.columns = {{1, 2, 3, 5}, {0, 0, 1, 1}}, .response = {4, 3, 2, 0}}};
  falls.options.nonnegative = true;
  kinds.push_back(falls);
  kinds.push_back({"constant response", {.columns = {{1, 2, 3, 5}}, .response = Vector(4, 0.1)}, {}, true});
  Nothing zero{"response of zeros", {.columns = {{1, 2, 3, 5}}, .response = Vector(4, 0.0)}, {}, true};
  zero.options.center = zero.options.center_y = false;
  kinds.push_back(zero);
  kinds.push_back({"constant columns", {.columns = {Vector(5, 1.0), Vector(5, 2.0)}, .response = {1, 2, 3, 4, 6}}});
  Nothing explained{"explained by covariates", random_content({.rows = 40, .columns = 6}), {}, true};
  explained.content.covariates = {explained.content.response};
  kinds.push_back(explained);
  Nothing collinear{"columns explained by covariates", random_content({.rows = 40, .columns = 1})};
  collinear.content.covariates = {collinear.content.columns[0]};
  kinds.push_back(collinear);
  Nothing classes{"classes", orthogonal()};
  classes.content.response = {1, 1, 0, 0, 1, 1, 0, 0};
  classes.options.family = Family::binomial;
  kinds.push_back(classes);
  classes.options.scale = false;
  for (Vector& column : classes.content.columns) column = times(column, 1e-16);
  kinds.push_back(classes);
  return kinds;
}

Status checked(const Nothing& kind, const LassoOptions& options, const RunEnd& end,
               const std::vector<Solution>& claims) {
  SerialChunks chunks;
  const auto start = read_fields<Start>(end.problem.values);
  return SolutionCheck(dataset_of(kind.content), options, chunks)
      .compare({start.lambda_max, start.response_squared}, claims);
}

TEST(Zeros, AreTheCertifiedSolutionWhateverLambdaIs) {
  for (const Nothing& kind : every_kind_of_nothing()) {
    for (const double l1_ratio : {1.0, 0.5, 0.0}) {
      for (const auto& [scale, lambda] :
           {std::pair{LambdaScale::unit, 1e-30}, {LambdaScale::unit, 0.3}, {LambdaScale::ratio, 0.1}}) {
        if (l1_ratio == 0 && kind.options.nonnegative) continue;
        LassoOptions options = kind.options;
        options.l1_ratio = l1_ratio;
        options.lambda = lambda;
        options.lambda_scale = scale;
        SCOPED_TRACE(kind.name + ", l1 ratio " + std::to_string(l1_ratio) + ", lambda " + std::to_string(lambda));
        const Fit found = fit(dataset_of(kind.content), options, {.schedulers = 2, .workers = 2});
        ASSERT_TRUE(found.run.end.status.ok());
        EXPECT_EQ(found.run.end.stop_reason, "converged");
        EXPECT_TRUE(found.certificate().converged);
        EXPECT_EQ(found.certificate().gap, 0);
        EXPECT_EQ(found.certificate().objective == 0, kind.zero_objective);
        EXPECT_THAT(found.solution.variables, IsEmpty());
        EXPECT_EQ(found.solution.problem.lambda_max, 0);
        EXPECT_GT(found.solution.lambda, 0);
        const Solution claim{.lambda = found.solution.lambda,
                             .certificate = {.objective = found.certificate().objective}};
        const Status status = checked(kind, options, found.run.end, {claim});
        EXPECT_TRUE(status.ok()) << status.message();
      }
    }
  }
}

TEST(Zeros, OfAPathAreOneSolutionOrThoseThatWereListed) {
  for (const Nothing& kind : every_kind_of_nothing()) {
    SCOPED_TRACE(kind.name);
    for (const bool listed : {false, true}) {
      LassoOptions options = kind.options;
      options.lambda_scale = LambdaScale::unit;
      options.path.count = 100;
      if (listed) options.path.given = {2, 0.5, 1e-25};
      std::vector<Solution> points;
      const auto data = prepare_lasso(dataset_of(kind.content), options);
      ASSERT_TRUE(data.ok());
      const auto model =
          make_lasso_model(data.value(), options, [&](const Solution& point) { points.push_back(point); });
      const RunEnd end = run_embedded(model, {}, {.threads = 1}, nullptr, nullptr).end;
      ASSERT_TRUE(end.status.ok()) << end.status.message();
      EXPECT_TRUE(end.certificate.converged);
      ASSERT_EQ(points.size(), listed ? 3U : 1U);
      for (const Solution& point : points) {
        EXPECT_THAT(point.variables, IsEmpty());
        EXPECT_EQ(point.certificate.gap, 0);
        EXPECT_TRUE(point.certificate.converged);
        EXPECT_EQ(point.deviance_ratio, 0);
        EXPECT_GT(point.lambda, 0);
      }
      if (listed) {
        EXPECT_EQ(points[2].lambda, 1e-25);
      }
    }
  }
}

/// A warm start would find what rounding calls better.
TEST(Zeros, DoNotBeginWithAnEarlierSolution) {
  LassoOptions options;
  auto data = prepare_lasso(dataset_of(orthogonal()), options).value();
  data->start.variables = {0};
  data->start.standardized = {1e-9};
  const auto run = run_embedded(make_lasso_model(data, options), {}, {.threads = 1}, nullptr, nullptr);
  EXPECT_THAT(solution_of(run.end).variables, IsEmpty());
  EXPECT_EQ(run.end.certificate.gap, 0);
}

/// What looks like nothing by the size of its numbers alone.
TEST(NotZeros, AreSolvedWhateverTheSizeOfTheColumns) {
  const Content content = random_content({.rows = 40, .columns = 6});
  for (const bool center : {true, false}) {
    LassoOptions options;
    options.scale = false;
    options.center = center;
    options.tolerance = 1e-10;
    const Fit plain = fit(dataset_of(content), options);
    ASSERT_FALSE(plain.solution.variables.empty());
    for (const int exponent : {-450, -53, -20, 40, 400}) {
      Content sized = content;
      for (Vector& column : sized.columns) column = times(column, std::ldexp(1.0, exponent));
      const Fit found = fit(dataset_of(sized), options);
      EXPECT_EQ(found.solution.variables, plain.solution.variables) << exponent;
      for (std::size_t k = 0; k < plain.solution.variables.size(); ++k) {
        EXPECT_NEAR(std::ldexp(found.solution.standardized[k], exponent), plain.solution.standardized[k], 1e-5);
      }
    }
  }
}

TEST(TheCheck, SeesAForgedLambdaMaxOfZero) {
  const Content content = random_content({.rows = 40, .columns = 6});
  SerialChunks chunks;
  SolutionCheck check(dataset_of(content), {}, chunks);
  const Status status =
      check.compare({0, 1}, std::vector<Solution>{{.lambda = 0.1, .certificate = {.objective = 0.5}}});
  EXPECT_EQ(status.code(), StatusCode::internal);
}

/// The response is constant in all folds but one: the path on all samples has something to find, that one has not.
TEST(Zeros, OfAFoldDoNotEndTheCrossValidation) {
  Content content = random_content({.rows = 24, .columns = 4});
  for (std::size_t i = 0; i < 24; ++i) content.response[i] = i < 8 ? static_cast<double>(i) : 3.0;
  std::vector<std::uint32_t> folds(24);
  for (std::uint32_t i = 0; i < 24; ++i) folds[i] = i / 8;
  const auto data = make_group(dataset_of(content), {}, {.kind = StudyDesign::Kind::cv, .folds_of_rows = folds});
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_STREQ(data.value().paths[1].data->response.nothing_left, "is constant");
  EXPECT_STREQ(data.value().data()->response.nothing_left, "");
}

}  // namespace
}  // namespace strads::lasso
