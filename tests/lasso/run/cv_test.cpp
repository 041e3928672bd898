// Cross-validation: folds, data without one, all paths in one schedule, errors, and which lambda is chosen.
#include "lasso/study/study_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "plain_lasso.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace strads::lasso {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;

/// With ids "s<number>", numbers as given.
class NamedParts final : public InMemoryDataset {
 public:
  NamedParts(Content content, const std::vector<int>& numbers) : InMemoryDataset(std::move(content)) {
    for (const int number : numbers) ids_.push_back("s" + std::to_string(number));
  }
  [[nodiscard]] SampleName sample(std::uint64_t row) const override { return {"", ids_[row]}; }

 private:
  std::vector<std::string> ids_;
};

/// Two classes, and row i's offset is i + 1.
class TwoClassesWithOffsets final : public InMemoryDataset {
 public:
  explicit TwoClassesWithOffsets(Content content) : InMemoryDataset(std::move(content)) {
    offset_.resize(columns().rows);
    std::iota(offset_.begin(), offset_.end(), 1.0);
  }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return classes_; }
  [[nodiscard]] std::span<const double> offset() const override { return offset_; }

 private:
  std::array<std::string, 2> classes_{"ALL", "AML"};
  std::vector<double> offset_;
};

std::vector<int> counted(int n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(DrawnFolds, HaveNearlyTheSameSize) {
  const auto folds = draw_folds(*dataset_of(random_content({.rows = 23})), 5, 1).value();
  EXPECT_EQ(folds.count, 5u);
  EXPECT_THAT(folds.sizes, ElementsAre(5, 5, 5, 4, 4));
  EXPECT_EQ(folds.of_row.size(), 23u);
}

TEST(DrawnFolds, DoNotDependOnTheOrderOfSamples) {
  auto numbers = counted(20);
  const auto there = draw_folds(NamedParts(random_content({.rows = 20}), numbers), 4, 1).value();
  std::reverse(numbers.begin(), numbers.end());
  const auto back = draw_folds(NamedParts(random_content({.rows = 20}), numbers), 4, 1).value();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(back.of_row[19 - i], there.of_row[i]);
}

TEST(DrawnFolds, DependOnTheSeed) {
  const auto data = dataset_of(random_content({.rows = 40}));
  EXPECT_EQ(draw_folds(*data, 4, 1).value().of_row, draw_folds(*data, 4, 1).value().of_row);
  EXPECT_NE(draw_folds(*data, 4, 1).value().of_row, draw_folds(*data, 4, 2).value().of_row);
}

TEST(DrawnFolds, LeaveOutRowsThatTakeNoPart) {
  Content content = random_content({.rows = 12});
  content.dropped_rows = {3, 7};
  const auto folds = draw_folds(*dataset_of(content), 5, 1).value();
  EXPECT_THAT(folds.sizes, Each(Eq(2u)));
  EXPECT_EQ(folds.of_row[3], 5u);
}

TEST(DrawnFolds, AreAtMostAsManyAsSamples) {
  const auto data = dataset_of(random_content({.rows = 12}));
  EXPECT_TRUE(draw_folds(*data, 12, 1).ok());
  EXPECT_FALSE(draw_folds(*data, 13, 1).ok());
  EXPECT_FALSE(draw_folds(*data, 1, 1).ok());
}

class FoldsFromAFile : public testing::Test {
 protected:
  Result<Folds> read(const std::string& text) {
    folder_.write("folds", text);
    return read_folds(data_, folder_.path("folds"));
  }
  test::TemporaryFolder folder_;
  NamedParts data_{random_content({.rows = 4}), {0, 1, 2, 3}};
};

TEST_F(FoldsFromAFile, AreMatchedById) {
  const auto folds = read("IID\tfold\ns3 10\ns1 2\ns0 10\ns2 2\ns9 7\n");
  ASSERT_TRUE(folds.ok()) << folds.status().message();
  EXPECT_THAT(folds.value().names, ElementsAre("2", "10"));
  EXPECT_THAT(folds.value().of_row, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(folds.value().sizes, ElementsAre(2, 2));
}

TEST_F(FoldsFromAFile, ComeBackFromTheTableThatIsWritten) {
  const auto drawn = draw_folds(data_, 2, 1).value();
  const auto folds = read(folds_table(data_, drawn));
  ASSERT_TRUE(folds.ok()) << folds.status().message();
  EXPECT_EQ(folds.value().of_row, drawn.of_row);
}

TEST_F(FoldsFromAFile, HaveEverySampleOnce) {
  EXPECT_THAT(read("s0 1\ns1 2\ns2 1\n").status().message(), HasSubstr("no fold for sample 's3'"));
  EXPECT_THAT(read("s0 1\ns1 2\ns2 1\ns0 2\n").status().message(), HasSubstr(":4: sample 's0' is there a second time"));
  EXPECT_THAT(read("s0 1\ns1\n").status().message(), HasSubstr(":2: 1 fields, expected a sample's id and its fold"));
  EXPECT_THAT(read("s0 1\ns1 1\ns2 1\ns3 1\n").status().message(), HasSubstr("at least two folds"));
}

TEST(WithoutFold, HidesItsSamplesAndCopiesNoColumns) {
  Content content = random_content({.rows = 10, .columns = 3});
  content.covariates = {content.columns[2]};
  for (int i = 0; i < 10; ++i) content.weights.push_back(0.5 + 0.1 * i);
  const auto all = dataset_of(content);
  const auto folds = draw_folds(*all, 5, 1).value();
  const auto rest = without_fold(all, folds, 2);
  EXPECT_EQ(rest->columns().values, all->columns().values);
  EXPECT_EQ(rest->columns().samples(), 8u);
  for (std::size_t i = 0; i < 10; ++i) {
    const bool out = folds.of_row[i] == 2;
    EXPECT_EQ(rest->response()[i], out ? 0.0 : content.response[i]);
    EXPECT_EQ(rest->covariates()[0][i], out ? 0.0 : content.covariates[0][i]);
    EXPECT_EQ(rest->columns().weights[i] == 0, out);
  }
  EXPECT_NE(rest->fingerprint(), all->fingerprint());
  EXPECT_NE(rest->fingerprint(), without_fold(all, folds, 1)->fingerprint());
}

TEST(WithoutFold, WeightsOfThoseLeftAreWhatTheyAreWhereNobodyElseIsRead) {
  Content content = random_content({.rows = 10, .columns = 3});
  content.weights = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  const Folds folds{2, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 9}, {"1", "2"}};
  const auto rest = without_fold(dataset_of(content), folds, 0);
  EXPECT_THAT(rest->columns().weights, ElementsAre(0, 18.0 / 14, 9.0 / 14, 18.0 / 14, 9.0 / 14, 18.0 / 14, 9.0 / 14,
                                                   18.0 / 14, 9.0 / 14, 18.0 / 14));
  const Folds odd{2, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, {5, 5}, {"1", "2"}};
  EXPECT_TRUE(without_fold(dataset_of(content), odd, 0)->columns().weights.empty()) << "equal ones are none";
}

TEST(WithoutFold, PassesClassesAndOffsetsOnAndHidesThoseOfItsSamples) {
  const auto all = std::make_shared<const TwoClassesWithOffsets>(random_content({.rows = 10, .columns = 3}));
  const auto folds = draw_folds(*all, 5, 1).value();
  const auto rest = without_fold(all, folds, 2);
  EXPECT_THAT(rest->classes(), ElementsAre("ALL", "AML"));
  ASSERT_EQ(rest->offset().size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(rest->offset()[i], folds.of_row[i] == 2 ? 0.0 : static_cast<double>(i + 1));
  }
  EXPECT_TRUE(without_fold(dataset_of(random_content({.rows = 10})), folds, 2)->offset().empty());
}

FoldError error(double sum, double squares, double weight) {
  return {sum, squares, weight};
}

TEST(Curve, WeighsFoldsByTheirSamples) {
  // Means 1 and 4 of folds of 3 and 6 samples: 3; spread 1/3 x 4 + 2/3 x 1 = 2, over K - 1 = 1.
  const Curve curve = curve_of({{error(3, 0, 3)}, {error(24, 0, 6)}}, 9);
  EXPECT_TRUE(curve.grouped);
  EXPECT_DOUBLE_EQ(curve.mean[0], 3);
  EXPECT_DOUBLE_EQ(curve.standard_error[0], std::sqrt(2.0));
}

TEST(Curve, GoesBySamplesWhereFoldsAreTiny) {
  // Errors 1, 3 | 2, 6: mean 3, spread (4 + 0 + 1 + 9) / 4, over N - 1 = 3.
  const Curve curve = curve_of({{error(4, 10, 2)}, {error(8, 40, 2)}}, 4);
  EXPECT_FALSE(curve.grouped);
  EXPECT_DOUBLE_EQ(curve.mean[0], 3);
  EXPECT_DOUBLE_EQ(curve.standard_error[0], std::sqrt(3.5 / 3));
}

TEST(Curve, ChoosesTheLargestLambdaOfEqualOnesAndOneWithinAnError) {
  const auto fold = [](std::vector<double> means) {
    std::vector<FoldError> errors;
    for (const double mean : means) errors.push_back(error(4 * mean, 0, 4));
    return errors;
  };
  // Means 9, 5, 4, 4, 4.5; the standard error at the least is 1.
  const Curve curve = curve_of({fold({9, 5, 3, 3, 4.5}), fold({9, 5, 5, 5, 4.5})}, 8);
  EXPECT_EQ(curve.least, 2u);
  EXPECT_EQ(curve.simplest, 1u);
}

LassoOptions cv_options(std::uint32_t count = 12) {
  LassoOptions options;
  options.eta = 1e-3;
  options.lambda_scale = LambdaScale::unit;
  options.path.count = count;
  options.path.min_ratio = 0.02;
  return options;
}

/// A cross-validation with so many folds.
StudyDesign folds(const std::string& count) {
  return {.kind = StudyDesign::Kind::cv, .folds = count};
}

Result<PathGroup> folds_of(const std::shared_ptr<const Dataset>& dataset, const LassoOptions& options,
                           const std::string& count) {
  return make_group(dataset, options, folds(count));
}

using Points = std::map<std::size_t, std::vector<Solution>>;

/// The points of several traits, by trait and part.
std::vector<Points> cross_validate_together(std::span<const PathGroup> traits, LassoOptions options,
                                            const EngineOptions& engine) {
  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
  std::vector<Points> points(traits.size());
  const StudyRuns runs = make_study_runs(traits, options, engine, [&](const PathPlace& at, const Solution& point) {
    points[at.group][at.path].push_back(point);
  });
  RunsHooks hooks;
  hooks.ended = [&](std::size_t run, const RunEnd& end) {
    runs.note_end(run);
    EXPECT_TRUE(end.certificate.converged) << run;
  };
  const Status status = run_embedded(runs.requests, 3, {.threads = 1}, hooks).status;
  EXPECT_TRUE(status.ok()) << status.message();
  return points;
}

Points cross_validate(const PathGroup& data, const LassoOptions& options, const EngineOptions& engine) {
  return cross_validate_together({&data, 1}, options, engine).front();
}

/// The path of one data set alone at these lambdas, in units of y.
std::vector<Solution> path_alone(const std::shared_ptr<LassoData>& data, LassoOptions options,
                                 const std::vector<double>& lambdas, const EngineOptions& engine) {
  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
  options.path.given = lambdas;
  options.lambda_scale = LambdaScale::y;
  std::vector<Solution> points;
  const auto model = make_lasso_model(data, options, [&](const Solution& point) { points.push_back(point); });
  EXPECT_TRUE(run_embedded(model, engine, {.threads = 1}, nullptr, nullptr).end.status.ok());
  return points;
}

class CvOf : public ::testing::TestWithParam<Policy> {};

TEST_P(CvOf, EachFoldHasTheBitsOfAPathOnItsSamplesAlone) {
  LassoOptions options = cv_options(6);
  options.policy = GetParam();
  options.cost.round_seconds = options.cost.block_seconds = 0;  // `auto` goes parallel
  const auto dataset = dataset_of(random_content({.rows = 60, .columns = 30}));
  for (const auto& [schedulers, workers] : {std::pair{1U, 1U}, {2U, 3U}}) {
    if (support::kSanitized && schedulers == 1) continue;
    EngineOptions engine;
    engine.schedulers = schedulers;
    engine.workers = workers;
    const PathGroup data = folds_of(dataset, options, "4").value();
    const Points points = cross_validate(data, options, engine);
    ASSERT_EQ(points.size(), 5u);
    std::vector<double> lambdas;
    for (const Solution& point : points.at(0)) lambdas.push_back(lambda_in_y(*data.data(), point.lambda));
    for (std::size_t part = 1; part < 5; ++part) {
      const auto alone = path_alone(data.paths[part].data, options, lambdas, engine);
      ASSERT_GE(points.at(part).size(), alone.size()) << part;
      for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_EQ(points.at(part)[k].variables, alone[k].variables) << part << " " << k;
        EXPECT_EQ(points.at(part)[k].standardized, alone[k].standardized) << part << " " << k;
        EXPECT_EQ(points.at(part)[k].certificate.gap, alone[k].certificate.gap) << part << " " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CvOf, all_policies(), name_of_case);

TEST(Cv, FoldsEndSoonAfterThePathOnAllSamplesHasEnded) {
  LassoOptions options = cv_options(100);
  options.path.min_ratio = 1e-6;
  const PathGroup data = folds_of(dataset_of(random_content({.rows = 80})), options, "4").value();
  const Points points = cross_validate(data, options, {});
  const std::size_t count = points.at(0).size();
  EXPECT_LT(count, 100u);
  for (std::size_t part = 1; part < 5; ++part) {
    EXPECT_GE(points.at(part).size(), count);
    EXPECT_LT(points.at(part).size(), 100u);
  }
}

TEST(Cv, ErrorsAreThoseOfPredictionsByTheBook) {
  const Content content = random_content({.rows = 30, .columns = 8});
  const LassoOptions options = cv_options(4);
  const PathGroup data = folds_of(dataset_of(content), options, "3").value();
  const Points points = cross_validate(data, options, {});
  for (std::uint32_t fold = 0; fold < 3; ++fold) {
    const Solution step = original_scale(*data.paths[fold + 1].data, points.at(fold + 1)[3]);
    double squared = 0;
    double absolute = 0;
    for (std::size_t i = 0; i < content.rows(); ++i) {
      if (data.folds.of_row[i] != fold) continue;
      double predicted = step.intercept;
      for (std::size_t k = 0; k < step.variables.size(); ++k) {
        predicted += step.coefficients[k] * content.columns[step.variables[k]][i];
      }
      squared += (content.response[i] - predicted) * (content.response[i] - predicted);
      absolute += std::abs(content.response[i] - predicted);
    }
    EXPECT_NEAR(held_out_error(data, fold + 1, step, Measure::mse).sum, squared, 1e-10 * squared);
    EXPECT_NEAR(held_out_error(data, fold + 1, step, Measure::mae).sum, absolute, 1e-10 * absolute);
    EXPECT_EQ(held_out_error(data, fold + 1, step, Measure::mae).weight, 10);
  }
}

TEST(Cv, NamesTheFoldWithoutWhichTheResponseCannotBeFitted) {
  Content content = random_content({.rows = 4});
  content.response = {1e15, 1e15, 1e15 + 0.125, 2e15};  // without the last one it varies by rounding alone
  const auto data = folds_of(dataset_of(content), cv_options(), "4");
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.status().message(), HasSubstr("without fold "));
}

TEST(Cv, TakesAFoldWithoutWhichTheResponseIsConstant) {
  Content content = random_content({.rows = 4});
  content.response = {1, 1, 1, 2};
  const auto data = folds_of(dataset_of(content), cv_options(), "4");
  EXPECT_TRUE(data.ok()) << data.status().message();
}

TEST_P(CvOf, EachTraitHasTheBitsThatItHasAlone) {
  LassoOptions options = cv_options(3);
  options.policy = GetParam();
  options.path.min_ratio = 0.3;
  options.cost.round_seconds = options.cost.block_seconds = 0;
  Content first = random_content({.rows = 40, .columns = 12, .shared = 0});
  Content second = first;  // other samples, another response, so another grid and other folds
  std::reverse(second.response.begin(), second.response.end());
  second.dropped_rows = {4, 17, 31};
  for (const std::uint32_t row : second.dropped_rows) second.response[row] = 0;
  const std::vector<std::shared_ptr<const Dataset>> datasets{dataset_of(first), dataset_of(second)};
  EngineOptions engine;
  engine.schedulers = 2;
  engine.workers = 3;
  const auto together =
      cross_validate_together(make_study(datasets, options, folds("2")).value().groups, options, engine);
  EXPECT_NE(together[0].at(0)[1].lambda, together[1].at(0)[1].lambda);
  for (std::size_t t = 0; t < 2; ++t) {
    const Points alone = cross_validate(folds_of(datasets[t], options, "2").value(), options, engine);
    for (std::size_t part = 0; part < 3; ++part) {
      ASSERT_EQ(together[t].at(part).size(), alone.at(part).size()) << t << " " << part;
      for (std::size_t k = 0; k < alone.at(part).size(); ++k) {
        EXPECT_EQ(together[t].at(part)[k].lambda, alone.at(part)[k].lambda);
        EXPECT_EQ(together[t].at(part)[k].variables, alone.at(part)[k].variables) << t << " " << part << " " << k;
        EXPECT_EQ(together[t].at(part)[k].standardized, alone.at(part)[k].standardized) << t << " " << part;
        EXPECT_EQ(together[t].at(part)[k].certificate.gap, alone.at(part)[k].certificate.gap);
      }
    }
  }
}

TEST_P(CvOf, EachL1RatioHasTheBitsThatItHasAlone) {
  LassoOptions options = cv_options(3);
  options.policy = GetParam();
  options.path.min_ratio = 0.3;
  options.cost.round_seconds = options.cost.block_seconds = 0;
  const std::vector<std::shared_ptr<const Dataset>> datasets{
      dataset_of(random_content({.rows = 40, .columns = 12, .shared = 0}))};
  EngineOptions engine;
  engine.schedulers = 2;
  engine.workers = 3;
  const std::vector<double> ratios{1, 0.3};
  StudyDesign design = folds("2");
  design.l1_ratios = ratios;
  const auto together = cross_validate_together(make_study(datasets, options, design).value().groups, options, engine);
  ASSERT_EQ(together.size(), 2u);
  EXPECT_NE(together[0].at(0)[1].lambda, together[1].at(0)[1].lambda) << "each has its own grid";
  for (std::size_t r = 0; r < 2; ++r) {
    options.l1_ratio = ratios[r];
    const Points alone = cross_validate(folds_of(datasets[0], options, "2").value(), options, engine);
    for (std::size_t part = 0; part < 3; ++part) {
      ASSERT_EQ(together[r].at(part).size(), alone.at(part).size()) << r << " " << part;
      for (std::size_t k = 0; k < alone.at(part).size(); ++k) {
        EXPECT_EQ(together[r].at(part)[k].lambda, alone.at(part)[k].lambda);
        EXPECT_EQ(together[r].at(part)[k].variables, alone.at(part)[k].variables) << r << " " << part << " " << k;
        EXPECT_EQ(together[r].at(part)[k].standardized, alone.at(part)[k].standardized) << r << " " << part;
        EXPECT_EQ(together[r].at(part)[k].certificate.gap, alone.at(part)[k].certificate.gap);
      }
    }
  }
}

TEST(Traits, ThatCannotBeFittedAreNamed) {
  Content constant = random_content({.rows = 12});
  constant.response.assign(12, 1e15);
  constant.response[3] += 0.125;  // rounding
  const std::vector<std::shared_ptr<const Dataset>> datasets{dataset_of(random_content({.rows = 12})),
                                                             dataset_of(constant)};
  const auto data = make_study(datasets, cv_options(), folds("3"));
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().code(), StatusCode::input);
  EXPECT_THAT(data.status().message(), HasSubstr("trait 'y': response 'y' lies between"));
}

TEST(Traits, HaveTheVarianceOfTheirOwnSamples) {
  Content content = random_content({.rows = 4});
  content.response = {1, 0, 3, 5};  // mean 3, squares 4 + 0 + 4
  content.dropped_rows = {1};
  EXPECT_DOUBLE_EQ(response_variance(folds_of(dataset_of(content), cv_options(), "3").value()), 8.0 / 3);
  content.weights = {2, 0, 1, 1};  // mean 2.5, squares 2 x 2.25 + 0.25 + 6.25
  EXPECT_DOUBLE_EQ(response_variance(folds_of(dataset_of(content), cv_options(), "3").value()), 11.0 / 4);
}

}  // namespace
}  // namespace strads::lasso
