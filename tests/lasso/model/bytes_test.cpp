// Fits, paths and folds on columns of bytes: the optimum of plain coordinate descent, and the fit of the same numbers
// stored as doubles or as genotypes.
#include <gtest/gtest.h>

#include "lasso/run/plain_lasso.hpp"
#include "lasso/study/study_runs.hpp"

namespace strads::lasso {
namespace {

constexpr double kSame = 1e-12;  ///< of objectives: sums of the same numbers in another order
constexpr double kNear = 1e-8;   ///< of coefficients, which a gap of 1e-6 leaves freer than the objective
/// Of all storages, so that a run has the same number of blocks whatever a flop of its own storage costs.
constexpr CostModel kSamePrice{.flop_seconds = 1e-10};

Content whole_numbers(const Recipe& recipe, double middle, double factor, double low, double high) {
  Content content = random_content(recipe);
  for (Vector& column : content.columns) {
    for (double& value : column) value = std::clamp(std::round(middle + factor * value), low, high);
  }
  return content;
}

Content signed_numbers(const Recipe& recipe) {
  Content content = whole_numbers(recipe, 0, 30, -128, 127);
  content.whole = Storage::dense_i8;
  return content;
}

Content dosages(const Recipe& recipe, Storage storage) {
  Content content = whole_numbers(recipe, 1, 0.6, 0, 2);
  content.whole = storage;
  return content;
}

Content stored(Content content, std::optional<Storage> storage) {
  content.whole = storage;
  return content;
}

/// What besides columns and response there can be.
struct Case {
  const char* name;
  bool weights = false, covariates = false, factors = false, dropped = false;
  bool center = true, scale = true;
  double l1_ratio = 1;
};

class BytesWith : public ::testing::TestWithParam<Case> {
 protected:
  static Content dressed(Content content) {
    const Case& wanted = GetParam();
    const std::size_t rows = content.rows();
    if (wanted.dropped) content.dropped_rows = {3, 17, 40};
    for (std::size_t i = 0; wanted.weights && i < rows; ++i) {
      content.weights.push_back(content.takes_part(i) ? 1.0 + static_cast<double>(i * 7 % 5) : 0.0);
    }
    if (wanted.covariates) content.covariates = {random_content({.rows = rows, .columns = 1, .seed = 9}).columns[0]};
    for (const std::uint32_t row : content.dropped_rows) {
      content.response[row] = 0;
      for (Vector& covariate : content.covariates) covariate[row] = 0;
    }
    if (wanted.factors) {
      content.factors.assign(content.columns.size(), 1.0);
      content.factors[2] = 0;
      content.factors[5] = 3;
    }
    return content;
  }
  static LassoOptions options() {
    LassoOptions options;
    options.center = GetParam().center;
    options.scale = GetParam().scale;
    options.l1_ratio = GetParam().l1_ratio;
    options.cost = kSamePrice;
    return options;
  }
  static void expect_same(const Content& bytes, std::optional<Storage> storage) {
    const EngineOptions engine{.schedulers = 2, .workers = 4};
    const Fit here = check(bytes, options(), engine);
    const Fit there = fit(dataset_of(stored(bytes, storage)), options(), engine);
    const double objective = there.certificate().objective;
    EXPECT_NEAR(here.certificate().objective, objective, kSame * objective);
    EXPECT_EQ(here.solution.variables, there.solution.variables);
    const Vector a = here.beta(), b = there.beta();
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], kNear) << j;
  }
};

TEST_P(BytesWith, FitsLikeDoubles) {
  expect_same(dressed(signed_numbers({.rows = 60, .columns = 30})), std::nullopt);
  expect_same(dressed(dosages({.rows = 60, .columns = 30, .seed = 2}, Storage::dense_u8)), std::nullopt);
}

TEST_P(BytesWith, FitsLikeGenotypes) {
  expect_same(dressed(dosages({.rows = 61, .columns = 40, .seed = 3}, Storage::dense_i8)), Storage::genotype_2bit);
}

INSTANTIATE_TEST_SUITE_P(
    All, BytesWith,
    ::testing::Values(
        Case{"nothing"}, Case{.name = "weights", .weights = true}, Case{.name = "covariates", .covariates = true},
        Case{.name = "factors", .factors = true}, Case{.name = "dropped", .dropped = true},
        Case{.name = "plain", .center = false, .scale = false}, Case{.name = "unscaled", .scale = false},
        Case{.name = "net", .l1_ratio = 0.5},
        Case{.name = "all", .weights = true, .covariates = true, .factors = true, .dropped = true, .l1_ratio = 0.7}),
    [](const auto& one) { return std::string(one.param.name); });

class BytesUnder : public ::testing::TestWithParam<Policy> {};

TEST_P(BytesUnder, ReachTheOptimumOfPlainCoordinateDescent) {
  LassoOptions options;
  options.policy = GetParam();
  options.eta = 1e-3;
  check(signed_numbers({.rows = 40, .columns = 20}), options, {.workers = 4});
}

INSTANTIATE_TEST_SUITE_P(Policies, BytesUnder, all_policies(), name_of_case);

TEST(Bytes, HavePathsOfFoldsLikeDoubles) {
  const Content content = dosages({.rows = 60, .columns = 40}, Storage::dense_i8);
  LassoOptions options;
  options.lambda_scale = LambdaScale::unit;
  options.path.count = 12;
  options.path.min_ratio = 0.02;
  options.cost = kSamePrice;
  const EngineOptions engine;
  const auto objectives = [&](std::optional<Storage> storage) {
    const std::vector<PathGroup> data = {
        make_group(dataset_of(stored(content, storage)), options, {.kind = StudyDesign::Kind::cv, .folds = "4"})
            .value()};
    std::vector<double> found(5 * 12, 0.0);
    const StudyRuns runs = make_study_runs(data, options, engine, [&](const PathPlace& at, const Solution& point) {
      found.at(12 * at.path + point.index) = point.certificate.objective;
    });
    RunsHooks hooks;
    hooks.ended = [&](std::size_t run, const RunEnd&) { runs.note_end(run); };
    EXPECT_TRUE(run_embedded(runs.requests, 2, {.threads = 1}, hooks).status.ok());
    return found;
  };
  const auto bytes = objectives(Storage::dense_i8), doubles = objectives(std::nullopt);
  std::size_t solved = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    EXPECT_NEAR(bytes[k], doubles[k], kSame * doubles[k]) << "part " << k / 12 << " lambda " << k % 12;
    solved += bytes[k] > 0 ? 1 : 0;
  }
  EXPECT_GT(solved, 30u);
}

}  // namespace
}  // namespace strads::lasso
