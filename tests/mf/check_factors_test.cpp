// What a run says of its factors is compared with what the ratings say of them.
#include "mf/check/check_factors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_ratings.hpp"
#include "mf/check/recount.hpp"
#include "mf/output/cv_output.hpp"
#include "mf/output/output.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

using test::made_up_data;
using testing::AllOf;
using testing::HasSubstr;

constexpr EngineOptions kCheckedEngine{.schedulers = 2, .workers = 3, .depth = 2};

MfOptions checked_options(Solver solver) {
  MfOptions options;
  options.solver = solver;
  options.rank = 10;
  options.sweeps_max = 12;
  return options;
}

/// A run and what it says.
struct CheckedRun {
  std::shared_ptr<MfData> data;
  MfOptions options;
  std::shared_ptr<Model> model;
  RunEnd end;
  MfSolution solution;
  FactorModel factors;

  CheckedRun(const test::Shape& shape, const MfOptions& how, std::uint64_t rounds = 0)
      : data(made_up_data(shape)), options(how) {
    EngineOptions engine = kCheckedEngine;
    engine.rounds_max = rounds;
    model = make_mf_model(data, options, engine, false);
    // One thread: hundreds of small runs wait for each other on several, and their bits are the same.
    end = run_embedded(model, engine, {.threads = 1}, {}, {}).end;
    solution = solution_of(*data, options, end);
    factors = factor_model(*data, solution, options.clip);
  }
  Status check() {
    SerialChunks serial;
    return check_factors(*model, factors, solution, serial);
  }
  [[nodiscard]] Recounted found() const {
    SerialChunks serial;
    return recounted(static_cast<const MfModel&>(*model), factors, serial);
  }
};

constexpr test::Shape kManyRatings{.users = 300, .items = 120, .ratings = 12000, .skew = 0.8, .validation = 600};
constexpr Solver kThatKnow[] = {Solver::cd, Solver::ccd, Solver::als};

class CheckFactors : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, CheckFactors, testing::ValuesIn(kThatKnow), test::solver_of);

TEST_P(CheckFactors, TellWhatTheRatingsSayWhereverTheRunStopped) {
  for (const std::uint64_t rounds : {0U, 1U, 3U, 8U, 50U}) {
    for (const std::uint32_t validation : {0U, 600U}) {
      for (const int variant : {0, 1, 2, 3, 4}) {
        test::Shape shape = kManyRatings;
        shape.validation = validation;
        shape.coded = variant != 4;
        MfOptions options = checked_options(GetParam());
        options.weighted = variant != 1;
        options.lambda = variant == 1 ? 2 : variant == 4 ? 1e-7 : 0.05;
        options.mean = options.bias = variant != 2;
        options.clip = variant != 3;
        options.rank = variant == 3 ? 1 : 10;
        CheckedRun run(shape, options, rounds);
        const double claimed = run.solution.objective;
        const Status checked = run.check();
        const std::string where = std::to_string(rounds) + " rounds, " + std::to_string(variant);
        EXPECT_TRUE(checked.ok()) << checked.message() << "; " << where;
        const Recounted found = run.found();
        EXPECT_EQ(run.solution.objective, found.objective(options.lambda));
        EXPECT_EQ(run.solution.train.rmse, std::sqrt(found.squared / static_cast<double>(run.data->train_size)));
        EXPECT_NEAR(claimed / run.solution.objective, 1, 1e-6) << where;
        EXPECT_EQ(run.solution.validation.ratings, validation);
      }
    }
  }
}

/// A prediction in single precision is rounded at the size of the mean and of the biases, and squares below 1e-45 are
/// 0: none of that is a bug or a forgery.
TEST_P(CheckFactors, AreNotRefusedForWhatRoundingDoesToRatingsOfAnySize) {
  struct Size {
    double times, plus;
  };
  constexpr Size kSizes[] = {{1, 1e3},     {1, 1e5},      {1e-3, 1},  {1e6, 1e11}, {1e12, 0},
                             {1e12, 1e17}, {1e-10, 1e-5}, {1e-20, 0}, {1e-30, 0},  {1e-30, 1e-27}};
  for (const Size& size : kSizes) {
    for (const test::Shape& made : {test::Shape{.users = 4, .items = 3, .ratings = 7, .validation = 2},
                                    test::Shape{.users = 12, .items = 9, .ratings = 70, .validation = 9},
                                    test::Shape{.users = 60, .items = 40, .ratings = 900, .validation = 60}}) {
      for (const bool plain : {false, true}) {
        test::Shape shape = made;
        shape.times = size.times;
        shape.plus = size.plus;
        MfOptions options = checked_options(GetParam());
        options.lambda = plain ? 1e-6 : 0.05;
        options.mean = !plain;
        CheckedRun run(shape, options);
        const Status checked = run.check();
        EXPECT_TRUE(checked.ok()) << checked.message() << "; ratings x " << size.times << " + " << size.plus << ", "
                                  << shape.ratings;
      }
    }
  }
}

TEST(CheckFactorsRounding, CountsTheMeanAndWhatIsTooSmallForSinglePrecision) {
  const ErrorSum plain{.squared = 100, .reach = 1e4, .mean = 0, .ratings = 1'000'000};
  EXPECT_NEAR(rounding_of(plain), 0x1p-24 * 1.064 * (1e3 + 1e4 / 16), 1e-8);
  ErrorSum far = plain;
  far.mean = 1e3;
  EXPECT_NEAR(rounding_of(far) / (0x1p-24 * 1.064 * 1e7), 1, 0.01);
  EXPECT_EQ(rounding_of({.squared = 0, .reach = 0, .mean = 0, .ratings = 3}), 3 * 0x1p-147);
  // A forged error of a thousandth is found where nothing is extreme, however many ratings there are.
  EXPECT_LT(rounding_of({.squared = 5e7, .reach = 6e8, .mean = 3.5, .ratings = 100'000'000}), 50);
}

TEST_P(CheckFactors, RefuseAnObjectiveThatIsOffByAMillionth) {
  for (const double share : {-1e-6, 1e-6}) {
    CheckedRun run(kManyRatings, checked_options(GetParam()));
    const double claimed = run.solution.objective *= 1 + share;
    const Status checked = run.check();
    EXPECT_EQ(checked.code(), StatusCode::internal);
    EXPECT_THAT(checked.message(), AllOf(HasSubstr("an objective of " + short_text(claimed, 12)),
                                         HasSubstr("the ratings " + short_text(run.solution.objective, 12)),
                                         HasSubstr("a bug or a forged message")));
  }
}

TEST_P(CheckFactors, RefuseTrainingAndValidationErrorsThatAreNotSo) {
  CheckedRun run(kManyRatings, checked_options(GetParam()));
  const MfSolution says = run.solution;
  run.solution.train.rmse *= 1 - 1e-6;
  EXPECT_THAT(run.check().message(), HasSubstr("a training RMSE of"));
  run.solution = says;
  run.solution.validation.rmse *= 1 - 1e-5;
  EXPECT_THAT(run.check().message(), HasSubstr("a validation RMSE of"));
  run.solution = says;
  --run.solution.validation.ratings;
  EXPECT_THAT(run.check().message(), HasSubstr("a number of validation ratings of 599, the ratings 600"));
  run.solution = says;
  run.solution.objective = std::nan("");
  EXPECT_FALSE(run.check().ok());
  run.solution = says;
  run.solution.train.rmse = std::nan("");
  EXPECT_FALSE(run.check().ok());
  run.solution = says;
  EXPECT_TRUE(run.check().ok()) << run.check().message();
}

TEST_P(CheckFactors, RefuseFactorsThatLackARowOrHaveAnothersOrAnotherMean) {
  const auto refuses = [](auto&& spoil) {
    CheckedRun run(kManyRatings, checked_options(GetParam()));
    spoil(run.factors);
    return !run.check().ok();
  };
  EXPECT_FALSE(refuses([](FactorModel&) {}));
  EXPECT_TRUE(refuses([](FactorModel& m) { std::fill_n(m.factors[0].begin() + 50, 10, 0.0F); }));
  EXPECT_TRUE(refuses([](FactorModel& m) {
    std::swap_ranges(m.factors[1].begin(), m.factors[1].begin() + 10, m.factors[1].begin() + 30);
  }));
  EXPECT_TRUE(refuses([](FactorModel& m) { m.biases[1][7] += 1e-2F; }));
  EXPECT_TRUE(refuses([](FactorModel& m) { m.mean += 1e-2F; }));
}

TEST(CheckReports, RefuseFactorsThatAreMissingOrThereTwice) {
  for (const Solver solver : test::kSolvers) {
    const CheckedRun run(kManyRatings, checked_options(solver), 40);
    EXPECT_TRUE(check_reports(*run.data, run.end).ok());
    RunEnd lacks = run.end;
    lacks.statuses[1].ids.pop_back();
    EXPECT_THAT(check_reports(*run.data, lacks).message(), HasSubstr("not at all"));
    RunEnd twice = run.end;
    twice.statuses[1].ids.push_back(twice.statuses[0].ids[0]);
    EXPECT_THAT(check_reports(*run.data, twice).message(), AllOf(HasSubstr("more than once"), HasSubstr("'u")));
  }
}

TEST(CheckFactorsOfSgd, CompareNoObjectiveButTheValidationError) {
  CheckedRun run(kManyRatings, checked_options(Solver::sgd));
  EXPECT_TRUE(run.check().ok());
  EXPECT_EQ(run.solution.objective, run.found().objective(run.options.lambda));
  run.solution.validation.rmse *= 1 + 1e-5;
  EXPECT_FALSE(run.check().ok());
}

TEST(CheckFactorsOfCv, FailTheFitAndKeepTheOthers) {
  SerialChunks serial;
  test::Shape shape = kManyRatings;
  shape.test = 300;
  CheckedRun run(shape, checked_options(Solver::cd));
  const CvFit honest = cv_fit_of(*run.model, *run.data, run.options, run.end, serial);
  EXPECT_EQ(honest.stop_reason, run.end.stop_reason);
  EXPECT_TRUE(honest.complaint.empty());
  run.end.certificate.objective *= 1.00001;
  const CvFit forged = cv_fit_of(*run.model, *run.data, run.options, run.end, serial);
  EXPECT_EQ(forged.stop_reason, kStopFalse);
  EXPECT_FALSE(forged.finished);
  EXPECT_THAT(forged.complaint, HasSubstr("an objective of"));
  EXPECT_EQ(forged.objective, honest.objective) << "what was found";
  CvResult result;
  result.fits = {honest, forged};
  EXPECT_EQ(failed_fits(result), 1U);
}

TEST(CheckFactorsOfCv, LookAtNoListsOfAFitThatWasCutOff) {
  SerialChunks serial;
  test::Shape shape = kManyRatings;
  shape.test = 300;
  CheckedRun run(shape, checked_options(Solver::cd));
  const RankedFold fold = ranked_fold(*run.data->ratings, {}, false);
  const RankedBy by{ranking_metric("ndcg"), 5};
  run.end.certificate.converged = true;
  const CvFit whole = cv_fit_of(*run.model, *run.data, run.options, run.end, serial, &fold, by);
  EXPECT_GT(whole.ranked.users, 0U);
  EXPECT_TRUE(whole.finished);
  run.end.certificate.converged = false;
  run.end.stop_reason = "signal";
  const CvFit cut = cv_fit_of(*run.model, *run.data, run.options, run.end, serial, &fold, by);
  EXPECT_EQ(cut.stop_reason, "signal");
  EXPECT_EQ(cut.ranked.users, 0U);
  for (const double mean : cut.ranked.means) EXPECT_TRUE(std::isnan(mean));
  EXPECT_EQ(cut.test.rmse, whole.test.rmse);
}

}  // namespace
}  // namespace strads::mf
