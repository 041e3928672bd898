// Ratings in any unit give the same fit: inside they are divided by a unit, outside nobody sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_ratings.hpp"
#include "mf/check/check_factors.hpp"
#include "mf/check/recount.hpp"
#include "mf/grid/cv.hpp"
#include "mf/output/output.hpp"

namespace strads::mf {
namespace {

constexpr EngineOptions kUnitEngine{.schedulers = 2, .workers = 3, .depth = 2};

/// Their deviation is about 1.
constexpr double kStars = 1.5;

TEST(UnitOfRatings, IsOneForStars) {
  for (const double deviation : {0.5, 0.9, 1.0, 1.12, 1.4, 1.9, 2.0, 0.0, double{NAN}, double{INFINITY}}) {
    EXPECT_EQ(unit_of_ratings(deviation), 1) << deviation;
  }
}

TEST(UnitOfRatings, IsTheDeviationOfOthersInThreeDigits) {
  EXPECT_EQ(unit_of_ratings(20.8456), 20.8);
  EXPECT_EQ(unit_of_ratings(1.0428e6), 1.04e6);
  EXPECT_EQ(unit_of_ratings(0.00104278), 0.00104);
  EXPECT_EQ(unit_of_ratings(5.2), 5.2);
  EXPECT_EQ(unit_of_ratings(3e38), 3e38);
  EXPECT_EQ(unit_of_ratings(1e-44), 1e-44);
}

TEST(UnitOfRatings, HasNoJumpAndGrows) {
  double before = unit_of_ratings(0.2);
  for (double deviation = 0.2; deviation < 6; deviation *= 1.001) {
    const double unit = unit_of_ratings(deviation);
    EXPECT_GE(unit, before) << deviation;
    EXPECT_LT(unit / before, 1.02) << deviation;
    before = unit;
  }
}

/// What is said of a fit of ratings times and plus something, by all who say it.
struct OfUnit {
  std::shared_ptr<MfData> data;
  MfSolution solution;
  FactorModel factors;
  Quality test;
  std::string stop_reason;
  RunEnd end;
  std::vector<Certificate> sweeps;
  Status checked;

  OfUnit(double times, double plus, MfOptions options, bool coded) {
    test::Shape shape{.users = 300, .items = 120, .ratings = 9000, .skew = 0.8, .validation = 600, .test = 900};
    shape.coded = coded;
    shape.times = kStars * times;
    shape.plus = plus;
    data = test::made_up_data(shape);
    options.rank = 6;
    const auto model = make_mf_model(data, options, kUnitEngine, true);
    const auto observe = [&](const ProgressEvent& event) {
      if (event.kind == ProgressEvent::Kind::barrier && event.certificate.figures[kFigureEndsSweep] != 0) {
        sweeps.push_back(event.certificate);
      }
      return false;
    };
    end = run_embedded(model, kUnitEngine, {.threads = 1, .encode_messages = true}, observe, {}).end;
    SerialChunks serial;
    recount(*model, end, serial);
    solution = solution_of(*data, options, end);
    stop_reason = end.stop_reason;
    factors = factor_model(*data, solution, options.clip);
    checked = check_factors(*model, factors, solution, serial);
    test = test_quality(factors, *data, serial);
  }
};

class Unit : public testing::TestWithParam<Solver> {
 protected:
  [[nodiscard]] static MfOptions options() {
    MfOptions options;
    options.solver = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, Unit, testing::ValuesIn(test::kSolvers), test::solver_of);

TEST_P(Unit, OfRatingsChangesNothingButTheUnit) {
  struct Change {
    double times, plus;
  };
  for (const bool coded : {true, false}) {
    const OfUnit stars(1, 0, options(), coded);
    ASSERT_EQ(stars.data->unit, 1);
    for (const Change& change : {Change{20, 0}, {1e-3, 0}, {1e6, 0}, {1e25, 0}, {1e-25, 0}, {1, 1000}, {20, 1e4}}) {
      const OfUnit other(change.times, change.plus, options(), coded);
      const double times = change.times;
      const std::string where = std::to_string(change.times) + " " + std::to_string(change.plus);
      EXPECT_EQ(other.data->unit == 1, times == 1);
      EXPECT_TRUE(other.checked.ok()) << other.checked.message() << where;
      EXPECT_EQ(other.end.certificate.converged, stars.end.certificate.converged) << other.stop_reason;
      constexpr double kNear = 0.01;
      EXPECT_NEAR(other.test.rmse / times / stars.test.rmse, 1, kNear) << where;
      EXPECT_NEAR(other.test.mae / times / stars.test.mae, 1, kNear) << where;
      EXPECT_NEAR(other.solution.validation.rmse / times / stars.solution.validation.rmse, 1, kNear) << where;
      EXPECT_NEAR(other.solution.train.rmse / times / stars.solution.train.rmse, 1, 0.05) << where;
      // The figures on the way and those of the messages are in the user's unit as well.
      EXPECT_NEAR(other.solution.test.rmse / other.test.rmse, 1, 1e-4) << where;
      ASSERT_FALSE(other.sweeps.empty());
      for (const Figure figure : {kFigureValidation, kFigureTest}) {
        EXPECT_NEAR(other.sweeps[0].figures[figure] / times / stars.sweeps[0].figures[figure], 1, 0.05) << where;
      }
      const Figure objective = GetParam() == Solver::sgd ? kFigureMetObjective : kFigureObjective;
      EXPECT_NEAR(other.sweeps[0].figures[objective] / (times * times) / stars.sweeps[0].figures[objective], 1, 0.1);
      EXPECT_NEAR(other.factors.mean, stars.factors.mean * change.times + change.plus, 1e-3 * times);
      EXPECT_EQ(other.factors.lowest, other.data->ratings->lowest);
    }
  }
}

/// F as docs/MODELS.md has it: factors have lambda times the unit, biases lambda.
TEST_P(Unit, IsInTheObjectiveAsItIsWrittenDown) {
  for (const double times : {1.0, 30.0}) {
    const OfUnit run(times, 0, options(), false);
    const MfData& data = *run.data;
    double f = 0;
    for (std::size_t t = 0; t < data.train->size(); ++t) {
      const std::uint32_t user = data.train->users[t], item = data.train->items[t];
      double error = double{data.train->values[t]} * data.unit - double{run.factors.mean} -
                     double{run.factors.biases[0][user]} - double{run.factors.biases[1][item]};
      for (std::uint32_t k = 0; k < 6; ++k) {
        error -= double{run.factors.row(Side::users, user)[k]} * double{run.factors.row(Side::items, item)[k]};
      }
      f += error * error;
    }
    for (const Side side : {Side::users, Side::items}) {
      const std::size_t s = mf::index_of(side);
      for (std::uint32_t row = 0; row < data.size(side); ++row) {
        double penalty = std::pow(double{run.factors.biases[s][row]}, 2);
        for (std::uint32_t k = 0; k < 6; ++k) penalty += data.unit * std::pow(double{run.factors.row(side, row)[k]}, 2);
        f += options().lambda * data.counts[s][row] * penalty;
      }
    }
    EXPECT_NEAR(run.solution.objective / f, 1, 1e-9);
    EXPECT_NEAR(run.end.certificate.objective / f, 1, 1e-5);
  }
}

/// What whoever gets a lost worker's blocks reads, and what a fold gives its models.
TEST(UnitOfFolds, IsInRatingsThatAreMadeAgain) {
  for (const bool coded : {true, false}) {
    test::Shape shape;
    shape.coded = coded;
    shape.times = 30;
    const std::shared_ptr<const Ratings> all = test::made_up_ratings(shape);
    const auto reload = [shape]() -> Result<std::shared_ptr<const Ratings>> {
      return std::shared_ptr<const Ratings>(test::made_up_ratings(shape));
    };
    const auto folds = make_folds(all, 3, 0.1, 1, std::make_shared<SerialChunks>(), reload).value().folds;
    for (const auto& fold : folds) {
      EXPECT_GT(fold->unit, 10);
      const auto made = fold->make_train();
      const auto again = fold->reload().value();
      EXPECT_EQ(made->values, again->values);
      double sum = 0;
      for (std::size_t t = 0; t < made->size(); ++t) sum += double{value_of(*made, fold->ratings->levels, t)};
      EXPECT_NEAR(sum / static_cast<double>(made->size()), fold->mean, 1e-9);
      EXPECT_LT(fold->mean, 10);
      EXPECT_GT(fold->user_mean(), 30);
    }
  }
}

}  // namespace
}  // namespace strads::mf
