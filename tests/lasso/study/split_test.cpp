// lasso path --split: the error on people who validate, where it ends a path, and the path on train and val.
#include "lasso/report/path_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lasso/run/in_memory_dataset.hpp"
#include "lasso/study/study_runs.hpp"
#include "regression/raw_columns.hpp"

namespace strads::lasso {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Every fifth row validates, every seventh of the others tests; or the other way round.
class WithSplit final : public InMemoryDataset {
 public:
  explicit WithSplit(Content content, bool other_way = false) : InMemoryDataset(std::move(content)) {
    const auto fifth = other_way ? SamplePart::test : SamplePart::validate;
    const auto seventh = other_way ? SamplePart::validate : SamplePart::test;
    for (std::uint64_t i = 0; i < columns().rows; ++i) {
      split_.push_back(i % 5 == 2 ? fifth : i % 7 == 3 ? seventh : SamplePart::train);
    }
  }
  [[nodiscard]] std::span<const SamplePart> split() const override { return split_; }

 private:
  std::vector<SamplePart> split_;
};

LassoOptions split_options(std::uint32_t count = 30) {
  LassoOptions options;
  options.path.count = count;
  options.path.min_ratio = 1e-3;
  return options;
}

struct Done {
  std::map<std::size_t, std::vector<Solution>> points;
  std::vector<double> errors;
  std::size_t chosen = 0;
};

/// A path that ends after so many lambdas without gain, with the first of them where it must.
StopRule after(std::uint32_t lambdas) {
  return {.after = lambdas, .from = 1};
}

Done run_split(const PathGroup& data, LassoOptions options, const StopRule& rule, unsigned threads = 1) {
  Done done;
  const auto watchers = watchers_of(data, Measure::mse, rule);
  const Watchers& curve = *watchers;
  EngineOptions engine;
  const StudyRuns runs = make_study_runs(
      {&data, 1}, options, engine,
      [&](const PathPlace& at, const Solution& point) { done.points[at.path].push_back(point); }, {&watchers, 1});
  RunsHooks hooks;
  hooks.ended = [&](std::size_t run, const RunEnd& end) {
    EXPECT_TRUE(end.certificate.converged) << run;
    if (run == 0) runs.choose(0, done.chosen = curve.curve(1000).least);
  };
  const Status status = run_embedded(runs.requests, 1, {.threads = threads}, hooks).status;
  EXPECT_TRUE(status.ok()) << status.message();
  done.errors = curve.curve(1000).mean;
  return done;
}

StudyDesign split_design(bool refit = true) {
  return {.kind = StudyDesign::Kind::split, .refit = refit};
}

PathGroup split_of(const Content& content, bool refit = true) {
  return make_group(std::make_shared<WithSplit>(content), split_options(), split_design(refit)).value();
}

Content noisy() {
  return random_content({.rows = 70, .columns = 40, .noise = 2});
}

TEST(Split, ErrorsOnValAreThoseOfPredictionsByTheBook) {
  const Content content = noisy();
  const PathGroup data = split_of(content);
  const Done done = run_split(data, split_options(), after(0));
  ASSERT_EQ(done.errors.size(), done.points.at(0).size());
  for (std::size_t k = 0; k < done.errors.size(); ++k) {
    const Solution& point = done.points.at(0)[k];
    const Solution original = original_scale(*data.data(), point);
    double squares = 0, count = 0;
    for (std::size_t i = 2; i < content.rows(); i += 5) {
      double predicted = original.intercept;
      for (std::size_t v = 0; v < point.variables.size(); ++v) {
        predicted += original.coefficients[v] * content.columns[point.variables[v]][i];
      }
      squares += std::pow(content.response[i] - predicted, 2);
      ++count;
    }
    EXPECT_NEAR(done.errors[k], squares / count, 1e-10 * squares) << k;
  }
}

TEST(Split, PeopleWhoValidateAndTestChangeNoSolution) {
  Content content = noisy();
  const PathGroup data = split_of(content);
  const Done done = run_split(data, split_options(), after(0));
  for (std::size_t i = 0; i < content.rows(); ++i) {
    if (i % 5 != 2 && i % 7 != 3) continue;
    content.response[i] = 1e3;
    for (auto& column : content.columns) column[i] = -7;
  }
  const Done other = run_split(split_of(content), split_options(), after(0));
  ASSERT_EQ(done.points.at(0).size(), other.points.at(0).size());
  for (std::size_t k = 0; k < done.points.at(0).size(); ++k) {
    EXPECT_EQ(done.points.at(0)[k].lambda, other.points.at(0)[k].lambda) << k;
    EXPECT_EQ(done.points.at(0)[k].standardized, other.points.at(0)[k].standardized) << k;
  }
}

TEST(Split, ThePathEndsAfterSoManyLambdasWithoutABetterErrorAndHasTheBitsOfTheWholeOne) {
  const PathGroup data = split_of(noisy());
  const Done whole = run_split(data, split_options(), after(0));
  const std::size_t best = best_of(whole.errors, Measure::mse);
  ASSERT_GT(best, 0u);
  ASSERT_LT(best + 7, whole.errors.size());
  for (const unsigned threads : {1U, 2U}) {
    const Done stopped = run_split(data, split_options(), after(3), threads);
    ASSERT_EQ(stopped.points.at(0).size(), best + 4);
    EXPECT_EQ(stopped.chosen, best);
    for (std::size_t k = 0; k < stopped.errors.size(); ++k) {
      EXPECT_EQ(stopped.errors[k], whole.errors[k]) << k;
      EXPECT_EQ(stopped.points.at(0)[k].standardized, whole.points.at(0)[k].standardized) << k;
    }
  }
  const StopRule later{.after = 3, .from = static_cast<std::uint32_t>(best) + 7};
  EXPECT_EQ(run_split(data, split_options(), later).points.at(0).size(), best + 7);
}

TEST(Split, FitsThatWaitForAChoiceComeAfterAllPaths) {
  const std::vector<std::shared_ptr<const Dataset>> datasets{std::make_shared<WithSplit>(noisy()),
                                                             std::make_shared<WithSplit>(noisy())};
  const std::vector<double> ratios{1, 0.5};
  StudyDesign design = split_design();
  design.l1_ratios = ratios;
  const auto study = make_study(datasets, split_options(), design);
  ASSERT_TRUE(study.ok()) << study.status().message();
  const auto& groups = study.value().groups;
  const StudyRuns runs = make_study_runs(groups, split_options(), {}, [](const PathPlace&, const Solution&) {});
  ASSERT_EQ(runs.places.size(), 8u);
  for (std::size_t run = 0; run < 8; ++run) {
    EXPECT_EQ(runs.places[run].group, run % 4) << run;
    EXPECT_EQ(runs.places[run].path, run / 4) << run;
  }
}

TEST(Split, TrainAndValAreFittedAtTheLambdaPerSample) {
  const PathGroup data = split_of(noisy());
  const Done done = run_split(data, split_options(), after(2));
  ASSERT_EQ(done.points.at(1).size(), 1u);
  const double lambda_y = lambda_in_y(*data.data(), done.points.at(0)[done.chosen].lambda);
  const Solution& last = done.points.at(1).back();
  EXPECT_NEAR(lambda_in_y(*data.paths[1].data, last.lambda), lambda_y, 1e-14 * lambda_y);
  // By the book: lambda sy / sqrt(N), with sy = sqrt(sum (y - ybar)^2) of those people.
  const auto sd = [](const LassoData& part) {
    return part.response.norm / std::sqrt(static_cast<double>(part.dataset->columns().samples()));
  };
  EXPECT_NEAR(last.lambda * sd(*data.paths[1].data), done.points.at(0)[done.chosen].lambda * sd(*data.data()),
              1e-12 * lambda_y);
  EXPECT_EQ(data.paths[1].data->dataset->columns().samples(),
            data.data()->dataset->columns().samples() + data.validate().size());
}

TEST(Split, WithoutRefitThereIsOneRun) {
  const PathGroup data = split_of(noisy(), false);
  EXPECT_EQ(data.paths.size(), 1u);
  EXPECT_EQ(run_split(data, split_options(), after(2)).points.size(), 1u);
}

TEST(Split, WhoValidatesIsPartOfWhatARunThatGoesOnComparesWithItsCheckpoint) {
  const Content content = noisy();
  for (const bool refit : {false, true}) {
    const auto fingerprint = [&](bool other_way) {
      const auto dataset = std::make_shared<WithSplit>(content, other_way);
      const PathGroup group = make_group(dataset, split_options(), split_design(refit)).value();
      return study_fingerprint({&group, 1});
    };
    EXPECT_NE(fingerprint(false), fingerprint(true)) << "those who train are the same";
    EXPECT_EQ(fingerprint(false), fingerprint(false));
  }
}

/// Two models that predict a number for everybody, by their intercepts.
TEST(Split, BothModelsAreScoredOnThoseWhoTest) {
  PathResult result;
  result.group = split_of(noisy());
  result.steps.resize(1);
  result.followers = {std::vector<Solution>(1)};
  result.steps[0].intercept = 0.25;
  result.followers[0][0].intercept = -1;
  score_models(result);
  const auto response = result.group.dataset->response();
  const auto mse = [&](const std::vector<std::uint32_t>& rows, double prediction) {
    double sum = 0;
    for (const std::uint32_t row : rows) sum += std::pow(response[row] - prediction, 2);
    return sum / static_cast<double>(rows.size());
  };
  EXPECT_NEAR(result.validation_score.mse, mse(result.group.validate(), 0.25), 1e-9);
  EXPECT_NEAR(result.test_score.mse, mse(result.group.test, 0.25), 1e-9);
  EXPECT_NEAR(result.refit_score.mse, mse(result.group.test, -1), 1e-9);
  EXPECT_EQ(result.refit_score.samples, result.group.test.size());
}

TEST(Split, TellsWhoIsLeftOutOfEachPart) {
  const PathGroup data = split_of(noisy());
  const auto& reasons = data.data()->dataset->dropped_samples();
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "held out to test");
  EXPECT_EQ(reasons[0].count, data.test.size());
  EXPECT_EQ(reasons[1].reason, "held out to validate");
  EXPECT_EQ(reasons[1].count, data.validate().size());
}

TEST(Split, RefusesTheAreaUnderTheCurveWhereThoseWhoValidateAreOfOneClass) {
  Content content = noisy();
  content.classes = {"a", "b"};
  for (std::size_t i = 0; i < content.rows(); ++i) content.response[i] = i % 5 != 2 && i % 2 == 0 ? 1 : 0;
  LassoOptions options = split_options();
  options.family = Family::binomial;
  StudyDesign design = split_design();
  design.measure = Measure::auc;
  const auto split = make_group(std::make_shared<WithSplit>(content), options, design);
  ASSERT_FALSE(split.ok());
  EXPECT_THAT(split.status().message(), HasSubstr("--measure auc: all 14 val samples are of one class"));
}

TEST(StoppedImproving, CountsFromTheFirstOfTheBest) {
  const std::vector<double> curve{5, 4, 3, 3, 3.5};
  EXPECT_FALSE(has_stopped_improving(curve, Measure::mse, 0));
  EXPECT_TRUE(has_stopped_improving(curve, Measure::mse, 2));
  EXPECT_FALSE(has_stopped_improving(curve, Measure::mse, 3));
  EXPECT_FALSE(has_stopped_improving(std::span(curve).first(3), Measure::mse, 1));
  EXPECT_TRUE(has_stopped_improving(std::span(curve).first(4), Measure::mse, 1));
  EXPECT_EQ(best_of(curve, Measure::auc), 0u);
  EXPECT_TRUE(has_stopped_improving(curve, Measure::auc, 4));
}

TEST(RawRows, HaveTheBitsOfWholeColumns) {
  Content content = random_content({.rows = 37, .columns = 3, .fill = 0.6});
  for (const bool sparse : {false, true}) {
    content.sparse = sparse;
    const InMemoryDataset data(content);
    const std::vector<std::uint32_t> rows{0, 1, 5, 17, 18, 36};
    std::vector<double> all(37, 0.3), some(rows.size(), 0.3);
    for (VarId j = 0; j < 3; ++j) {
      add_raw_column(data.columns(), j, 1.7, 0.0, all);
      add_raw_rows(data.columns(), j, 1.7, 0.0, rows, some);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(some[k], all[rows[k]]) << sparse << " " << k;
  }
}

TEST(RawRows, OfGenotypesHaveTheBitsOfWholeColumns) {
  Content content = random_content({.rows = 37, .columns = 2});
  for (auto& column : content.columns) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<double>((i * 7) % 3);
  }
  for (const Storage storage : {Storage::genotype_2bit, Storage::dense_i8, Storage::dense_u8}) {
    content.whole = storage;
    const InMemoryDataset data(content);
    const std::vector<std::uint32_t> rows{0, 1, 5, 17, 18, 36};
    std::vector<double> all(37, 0.3), some(rows.size(), 0.3);
    for (VarId j = 0; j < 2; ++j) {
      add_raw_column(data.columns(), j, 1.7, 0.4, all);
      add_raw_rows(data.columns(), j, 1.7, 0.4, rows, some);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(some[k], all[rows[k]]) << k;
  }
}

// --stop-after of a cross-validation.

struct CvDone {
  std::map<std::size_t, std::vector<Solution>> points;
  std::vector<double> mean;
};

CvDone run_cv(const PathGroup& data, const StopRule& rule, unsigned threads) {
  CvDone done;
  const LassoOptions options = split_options();
  std::vector<std::shared_ptr<Watchers>> stops;
  if (rule.after > 0) stops.push_back(watchers_of(data, Measure::mse, rule));
  const StudyRuns runs = make_study_runs(
      {&data, 1}, options, {},
      [&](const PathPlace& at, const Solution& point) { done.points[at.path].push_back(point); }, stops);
  RunsHooks hooks;
  hooks.ended = [&](std::size_t run, const RunEnd&) { runs.note_end(run); };
  EXPECT_TRUE(run_embedded(runs.requests, data.paths.size(), {.threads = threads}, hooks).status.ok());
  std::vector<std::vector<FoldError>> errors(data.folds.count);
  for (std::uint32_t f = 0; f < data.folds.count; ++f) {
    for (const Solution& point : done.points.at(f + 1)) {
      errors[f].push_back(held_out_error(data, f + 1, original_scale(*data.paths[f + 1].data, point), Measure::mse));
    }
  }
  std::size_t common = errors[0].size();
  for (const auto& fold : errors) common = std::min(common, fold.size());
  for (auto& fold : errors) fold.resize(common);
  done.mean = curve_of(std::move(errors), data.dataset->columns().samples()).mean;
  return done;
}

std::size_t until_stop(const std::vector<double>& mean) {
  return lambdas_until_stop({.measure = Measure::mse, .errors = mean, .loss = Measure::mse, .losses = mean}, after(2));
}

TEST(CvStopAfter, EndsEveryPathOneLambdaAfterTheMeanErrorSaysSoWithTheSameBits) {
  const PathGroup data =
      make_group(dataset_of(noisy()), split_options(), {.kind = StudyDesign::Kind::cv, .folds = "4"}).value();
  const CvDone whole = run_cv(data, after(0), 1);
  const std::size_t best = best_of(whole.mean, Measure::mse);
  ASSERT_GT(best, 0u);
  ASSERT_LT(best + 6, whole.mean.size());
  for (const unsigned threads : {1U, 2U}) {
    const CvDone stopped = run_cv(data, after(2), threads);
    EXPECT_EQ(until_stop(whole.mean), best + 3);
    EXPECT_EQ(until_stop(stopped.mean), best + 3);
    for (std::size_t part = 0; part < data.paths.size(); ++part) {
      ASSERT_EQ(stopped.points.at(part).size(), best + 4) << part;
      for (std::size_t k = 0; k < best + 4; ++k) {
        EXPECT_EQ(stopped.points.at(part)[k].standardized, whole.points.at(part)[k].standardized) << part << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace strads::lasso
