// What `mf fit` shows and writes, from made-up events and models.
#include "mf/output/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "made_up_ratings.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

using test::NumberedIds;
using testing::HasSubstr;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ProgressEvent sweep_event(double validation, double test, bool ends_sweep = true) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.objective = event.certificate.objective = 1234.5;
  event.certificate.figures = {3,    ends_sweep ? 1.0 : 0.0, 0.75, validation, test, 1.25, 2, 1234.5, kNone, kNone, 0,
                               kNone};
  event.totals.rounds = 36;
  return event;
}

/// Two users, three items, rank 2.
FactorModel small_model() {
  FactorModel model;
  model.rank = 2;
  model.mean = 3;
  model.ids[0] = std::make_shared<NumberedIds>("u", 2);
  model.ids[1] = std::make_shared<NumberedIds>("i", 3);
  model.factors[0] = {1, 2, 0, -1};
  model.factors[1] = {1, 1, 0.5F, 0, 0, 2};
  model.biases[0] = {0.25F, -0.5F};
  model.biases[1] = {0.125F, 0, 1};
  model.counts[0] = {3, 1};
  model.counts[1] = {2, 1, 1};
  return model;
}

TEST(MfProgressLine, SaysWhatASweepReached) {
  EXPECT_EQ(progress_line(sweep_event(0.875, 0.9), 2, 2, 1000).text(),
            "2.0 s  sweep 3  objective 1234.5  train 0.75  validation 0.875  test 0.9  1.5e+03 ratings/s");
}

TEST(MfProgressLine, InTheMiddleOfASweepStillTellsOfTheLastOne) {
  ProgressEvent event = sweep_event(0.875, 0.9, false);
  event.kind = ProgressEvent::Kind::commit;
  event.objective = 1000;  // of this commit
  EXPECT_EQ(progress_line(event, 3, 2, 1000).text(),
            "3.0 s  sweep 3  objective 1234.5  train 0.75  validation 0.875  test 0.9  1.5e+03 ratings/s");
}

TEST(MfProgressLine, CallsTheErrorsThatSgdMetByTheirOwnName) {
  ProgressEvent event = sweep_event(kNone, kNone);
  auto& figures = event.certificate.figures;
  figures[kFigureObjective] = figures[kFigureTrainRmse] = kNone;
  figures[kFigureMetObjective] = 2000;
  figures[kFigureMetRmse] = 0.5;
  EXPECT_EQ(progress_line(event, 2, 2, 1000).text(), "2.0 s  sweep 3  objective met 2000  met 0.5  1.5e+03 ratings/s");
  EXPECT_EQ(trace_columns().row(event, 0.5), "0.5,3,,,,,1.25,36,0,0,0,2000,0.5,");
  figures[kFigureLists] = 0.25;
  EXPECT_THAT(trace_columns().row(event, 0.5), testing::EndsWith(",2000,0.5,0.25"));
  EXPECT_THAT(progress_line(event, 2, 2, 1000, {.metric = 3, .at = 20}).text(),
              testing::HasSubstr("  validation ndcg@20 0.25"));
}

TEST(MfKept, SaysWhichSweepTheFactorsAreOf) {
  MfSolution solution;
  const auto text = [&](std::uint32_t best, std::uint32_t sweeps, bool partial) {
    solution.best_sweep = best;
    solution.sweeps = sweeps;
    solution.partial_sweep = partial;
    return kept_text(solution);
  };
  EXPECT_EQ(text(18, 18, false), "sweep 18");
  EXPECT_EQ(text(15, 18, false), "sweep 15 of 18");
  EXPECT_EQ(text(4, 4, true), "sweep 4 and a part of the next");
  EXPECT_EQ(text(0, 0, true), "a part of the first sweep");
  EXPECT_EQ(text(0, 3, false), "the start");
}

TEST(MfProgressLine, LeavesOutErrorsThatNobodyMeasures) {
  const auto line = progress_line(sweep_event(kNone, kNone), 2, 2, 1000).text();
  EXPECT_THAT(line, Not(HasSubstr("validation")));
  EXPECT_THAT(line, Not(HasSubstr("test")));
  EXPECT_THAT(line, Not(HasSubstr("nan")));
}

TEST(MfProgressLine, NeedsNoSweep) {
  EXPECT_EQ(progress_line(ProgressEvent{}, 0, 0, 1000, {}, {"", 0, 20}).text(), "0.0 s  sweep 0 of 20  round 0");
}

TEST(MfTrace, HasARowForEachSweepAndForNothingElse) {
  const auto columns = trace_columns();
  EXPECT_EQ(columns.row(sweep_event(0.875, kNone), 0.5), "0.5,3,1234.5,0.75,0.875,,1.25,36,0,0,0,,,");
  EXPECT_EQ(std::count(columns.header.begin(), columns.header.end(), ','), 13);
  EXPECT_EQ(columns.row(sweep_event(0.875, 0.9, false), 0.5), "") << "in the middle of a sweep";
  EXPECT_EQ(columns.row(ProgressEvent{}, 0.5), "") << "a commit";
}

TEST(FactorModel, AddsMeanBiasesAndProduct) {
  const auto model = small_model();
  EXPECT_EQ(score(model, 0, 0), 3 + 0.25F + 0.125F + 3);
  EXPECT_EQ(score(model, 1, 2), 3 - 0.5F + 1 - 2);
}

TEST(FactorModel, LeavesOutWhatItDoesNotKnow) {
  const auto model = small_model();
  EXPECT_EQ(score(model, 2, 2), 3 + 1);
  EXPECT_EQ(score(model, 0, 3), 3 + 0.25F);
  EXPECT_EQ(score(model, 2, 3), 3);
}

TEST(FactorModel, StaysInTheRangeOfTheRatings) {
  auto model = small_model();
  EXPECT_EQ(predict(model, 0, 0), 6.375F);
  model.lowest = 1;
  model.highest = 5;
  EXPECT_EQ(predict(model, 0, 0), 5);
}

TEST(TestQuality, CountsTestRatingsAndStrangers) {
  const auto model = small_model();
  for (const double unit : {1.0, 0.25}) {
    const auto stored = [unit](double value) { return static_cast<float>(value / unit); };
    auto ratings = std::make_shared<Ratings>();
    ratings->test.users = {0};
    ratings->test.items = {0};
    ratings->test.values = {stored(6)};  // error -0.375
    ratings->strangers.users = {2};
    ratings->strangers.items = {2};
    ratings->strangers.values = {stored(5)};  // error 1
    MfData data;
    data.ratings = ratings;
    data.unit = unit;
    SerialChunks serial;
    const auto quality = test_quality(model, data, serial);
    EXPECT_EQ(quality.ratings, 2U);
    EXPECT_DOUBLE_EQ(quality.rmse, std::sqrt((0.375 * 0.375 + 1) / 2));
    EXPECT_DOUBLE_EQ(quality.mae, (0.375 + 1) / 2);
  }
}

TEST(TestQuality, IsNoNumberWithoutRatings) {
  MfData data;
  data.ratings = std::make_shared<Ratings>();
  SerialChunks serial;
  const auto quality = test_quality(small_model(), data, serial);
  EXPECT_EQ(quality.ratings, 0U);
  EXPECT_TRUE(std::isnan(quality.rmse));
  EXPECT_TRUE(std::isnan(quality.mae));
}

TEST(TestQuality, IsTheSameWithAnyNumberOfThreads) {
  const auto ratings = test::made_up_ratings({.users = 600, .items = 500, .ratings = 100000, .skew = 0, .test = 90000});
  auto data = prepare_mf(ratings, 1, std::make_shared<SerialChunks>()).value();
  MfSolution solution;
  solution.rank = 1;
  solution.mean = data->mean;
  for (std::size_t side = 0; side < kSides; ++side) {
    solution.factors[side].assign(data->counts[side].size(), 0.5F);
    solution.biases[side].assign(data->counts[side].size(), -0.1F);
  }
  const auto model = factor_model(*data, solution, true);
  SerialChunks serial;
  const auto threads = make_threads(3);
  const auto one = test_quality(model, *data, serial), three = test_quality(model, *data, *threads);
  EXPECT_EQ(one.rmse, three.rmse);
  EXPECT_EQ(one.mae, three.mae);
  EXPECT_EQ(model.lowest, 0.5F);
  EXPECT_EQ(model.highest, 5.0F);
}

}  // namespace
}  // namespace strads::mf
