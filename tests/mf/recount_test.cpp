// sgd, which meets errors on its way: what is told of its factors is counted from the ratings, wherever it stopped.
#include "mf/run/recount.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "made_up_ratings.hpp"
#include "mf/output/output.hpp"

namespace strads::mf {
namespace {

using test::made_up_data;

constexpr EngineOptions kRecountEngine{.schedulers = 2, .workers = 2, .depth = 2};
constexpr std::uint32_t kRoundsOfASweep = 2 * 4;  // a round of each scheduler in each of 4 strata

MfOptions sgd_options() {
  MfOptions options;
  options.solver = Solver::sgd;
  options.rank = 4;
  options.sweeps_max = 100;
  options.tolerance = 0;
  return options;
}

struct Told {
  MfSolution solution;
  std::string hash, stop_reason;
  double squared = 0, penalty = 0;  ///< of the factors, in double precision
};

/// A run of so many rounds, what is told of it, and what is true.
Told told(const std::shared_ptr<MfData>& data, const MfOptions& options, std::uint64_t rounds, bool keep_ratings,
          Chunks& chunks) {
  EngineOptions engine = kRecountEngine;
  engine.rounds_max = rounds;
  const std::shared_ptr<Triplets> train = data->train;
  const auto model = make_mf_model(data, options, engine, keep_ratings);
  auto run = run_embedded(model, engine, {}, {}, {});
  recount(*model, run.end, chunks);
  Told told{solution_of(*data, options, run.end), {}, run.end.stop_reason};
  told.hash = model_hash(told.solution);
  const MfSolution& solution = told.solution;
  for (std::size_t t = 0; t < train->size(); ++t) {
    const std::uint32_t user = train->users[t], item = train->items[t];
    double error = double{value_of(*train, data->ratings->levels, t)} - solution.mean -
                   double{solution.biases[0][user]} - double{solution.biases[1][item]};
    for (std::uint32_t k = 0; k < options.rank; ++k) {
      error -=
          double{solution.factors[0][user * options.rank + k]} * double{solution.factors[1][item * options.rank + k]};
    }
    told.squared += error * error;
  }
  for (std::size_t side = 0; side < kSides; ++side) {
    for (std::size_t row = 0; row < data->counts[side].size(); ++row) {
      double squares = std::pow(double{solution.biases[side][row]}, 2);
      for (std::uint32_t k = 0; k < options.rank; ++k) {
        squares += std::pow(double{solution.factors[side][row * options.rank + k]}, 2);
      }
      told.penalty += data->counts[side][row] * squares;
    }
  }
  return told;
}

TEST(Recount, TellsTheErrorsOfTheFactorsThatAreKeptWhereverTheRunStopped) {
  SerialChunks serial;
  for (const std::uint64_t rounds : {3U, kRoundsOfASweep, kRoundsOfASweep + 3, 5 * kRoundsOfASweep + 1}) {
    const auto data = made_up_data({});
    const auto run = told(data, sgd_options(), rounds, true, serial);
    EXPECT_EQ(run.stop_reason, "limit");
    EXPECT_NEAR(run.solution.train.rmse, std::sqrt(run.squared / static_cast<double>(data->train_size)), 1e-6)
        << rounds << " rounds";
    EXPECT_NEAR(run.solution.objective / (run.squared + sgd_options().lambda * run.penalty), 1, 1e-6)
        << rounds << " rounds";
    EXPECT_EQ(run.solution.sweeps, rounds / kRoundsOfASweep);
    EXPECT_EQ(run.solution.best_sweep, rounds / kRoundsOfASweep);
    EXPECT_EQ(run.solution.partial_sweep, rounds % kRoundsOfASweep != 0) << rounds << " rounds";
  }
}

TEST(Recount, IsAboutTheSweepThatValidationHasKept) {
  SerialChunks serial;
  const auto data = made_up_data({.validation = 100});
  const auto run = told(data, sgd_options(), 12 * (kRoundsOfASweep + 2) + 3, true, serial);
  EXPECT_LE(run.solution.best_sweep, 12U);
  EXPECT_FALSE(run.solution.partial_sweep);
  EXPECT_NEAR(run.solution.train.rmse, std::sqrt(run.squared / static_cast<double>(data->train_size)), 1e-6);
}

TEST(Recount, GivesTheSameBitsFromTheGridAndFromTheFileWithAnyNumberOfThreads) {
  SerialChunks serial;
  const auto threads = make_threads(3);
  const test::Shape shape{.users = 300, .items = 100, .ratings = 9000, .coded = false};
  const auto grid = told(made_up_data(shape), sgd_options(), 19, false, serial);
  const auto grid_on_threads = told(made_up_data(shape), sgd_options(), 19, false, *threads);
  EXPECT_EQ(grid.solution.objective, grid_on_threads.solution.objective);
  // A driver holds the ratings as the file has them, and its model has no place.
  const auto data = made_up_data(shape);
  const auto unplaced = make_mf_model(data, sgd_options(), kRecountEngine, false);
  MfSolution solution = grid.solution;
  const auto factors = factor_model(*data, solution, false);
  solution.objective = solution.train.rmse = 0;
  recount(*unplaced, factors, solution, *threads);
  EXPECT_EQ(solution.objective, grid.solution.objective);
  EXPECT_EQ(solution.train.rmse, grid.solution.train.rmse);
}

TEST(SgdProgress, KeepsTheObjectiveOfTheLastFinishedSweepUntilTheNextHasMetEveryRating) {
  for (const std::uint32_t validation : {0U, 100U}) {
    const auto run = test::fit(made_up_data({.validation = validation}), sgd_options(), {.engine = kRecountEngine});
    const std::size_t a_sweep = kRoundsOfASweep + (validation > 0 ? 2 : 0);
    ASSERT_GT(run.objectives.size(), 3 * a_sweep);
    for (std::size_t k = 1; k < 3 * a_sweep; ++k) {
      // The last round of the last stratum ends a sweep; an evaluation changes nothing.
      const bool ends_sweep = k % a_sweep == kRoundsOfASweep - 1;
      EXPECT_EQ(run.objectives[k] != run.objectives[k - 1], ends_sweep) << "round " << k;
    }
  }
}

TEST(SgdProgress, CallsWhatWasMetByItsOwnName) {
  const auto run = test::fit(made_up_data({}), sgd_options(), {.engine = kRecountEngine});
  ASSERT_GT(run.sweeps.size(), 1U);
  const auto& figures = run.sweeps[1].figures;
  EXPECT_TRUE(std::isnan(figures[kFigureObjective]));
  EXPECT_TRUE(std::isnan(figures[kFigureTrainRmse]));
  EXPECT_GT(figures[kFigureMetRmse], 0);
  EXPECT_GT(figures[kFigureMetObjective], 0);
}

}  // namespace
}  // namespace strads::mf
