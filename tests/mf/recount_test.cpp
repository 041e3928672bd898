// What is told of factors is counted from the ratings, wherever the run stopped: of sgd, which meets errors on its way,
// there is no other way; of the others it is how what they say is checked.
#include "mf/check/recount.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "made_up_ratings.hpp"
#include "mf/check/all_pairs.hpp"
#include "mf/check/double_products.hpp"
#include "mf/output/output.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

using test::made_up_data;

constexpr EngineOptions kRecountEngine{.schedulers = 2, .workers = 2, .depth = 2};
constexpr std::uint32_t kRoundsOfASweep = 2 * 4;  // a round of each scheduler in each of 4 strata

MfOptions options_with(Solver solver) {
  MfOptions options;
  options.solver = solver;
  options.rank = 4;
  options.sweeps_max = 100;
  options.tolerance = 0;
  return options;
}

MfOptions sgd_options() {
  return options_with(Solver::sgd);
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
}

/// Heavy rows among them, which cd and als split.
TEST(Recount, GivesTheSameBitsFromBlocksAndFromTheFileWithAnyNumberOfThreads) {
  SerialChunks serial;
  const auto threads = make_threads(3);
  for (const bool coded : {true, false}) {
    const test::Shape shape{
        .users = 300, .items = 100, .ratings = 9000, .skew = 1.5, .validation = 200, .coded = coded};
    for (const Solver solver : test::kSolvers) {
      const MfOptions options = options_with(solver);
      EngineOptions engine = kRecountEngine;
      engine.rounds_max = 40;
      const auto data = made_up_data(shape);
      const auto model = make_mf_model(data, options, engine, false);
      const auto run = run_embedded(model, engine, {}, {}, {});
      EXPECT_EQ(data->train, nullptr);
      MfSolution solution = solution_of(*data, options, run.end);
      const FactorModel factors = factor_model(*data, solution, false);
      const auto& placed = static_cast<const MfModel&>(*model);
      const Recounted here = recounted(placed, factors, serial);
      EXPECT_TRUE(here.complete) << test::solver_name(solver);
      EXPECT_EQ(here.squared, recounted(placed, factors, *threads).squared);
      // A driver holds the ratings as the file has them, and its model has no place.
      const auto unplaced = make_mf_model(made_up_data(shape), options, engine, false);
      const Recounted there = recounted(static_cast<const MfModel&>(*unplaced), factors, *threads);
      EXPECT_TRUE(there.complete);
      EXPECT_EQ(here.squared, there.squared) << test::solver_name(solver);
      EXPECT_EQ(here.penalty, there.penalty);
      EXPECT_GT(here.reach, here.squared * (1 - 1e-12));
    }
  }
}

TEST(DoubleProducts, HaveTheSameBitsWithAllInstructionsOfThisProcessor) {
  CounterRng random(7, Purpose::tests);
  std::vector<float> numbers(300);
  for (float& number : numbers) number = static_cast<float>(random.unit() - 0.5);
  for (std::uint32_t rank = 1; rank <= 101; ++rank) {
    const float* left[] = {numbers.data(), numbers.data() + 3, numbers.data() + 64};
    const float* right[] = {numbers.data() + 150, numbers.data(), numbers.data() + 129};
    double expected[3], found[3];
    all_double_products().back().products(left, right, 3, rank, expected);
    for (std::size_t r = 0; r < 3; ++r) {
      double sum = 0;
      for (std::uint32_t k = 0; k < rank; ++k) sum += double{left[r][k]} * double{right[r][k]};
      EXPECT_NEAR(expected[r], sum, 1e-13) << rank;
    }
    for (const NamedProducts& known : all_double_products()) {
      known.products(left, right, 3, rank, found);
      for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(found[r], expected[r]) << known.name << ", " << rank;
    }
  }
}

/// More factors than a square of the Gram matrix has.
TEST(AllPairs, AreCountedByTheGramMatricesAsOneByOne) {
  for (const std::uint32_t rank : {1U, 64U, 65U, 150U}) {
    FactorModel factors;
    factors.rank = rank;
    const std::size_t sizes[] = {37, 9};
    CounterRng random(7, Purpose::tests, rank);
    for (std::size_t s = 0; s < 2; ++s) {
      factors.biases[s].assign(sizes[s], 0.0F);
      factors.factors[s].resize(sizes[s] * rank);
      for (float& number : factors.factors[s]) number = static_cast<float>(random.unit() - 0.4);
    }
    double expected = 0;
    for (std::uint32_t user = 0; user < sizes[0]; ++user) {
      for (std::uint32_t item = 0; item < sizes[1]; ++item) {
        double score = 0;
        for (std::uint32_t k = 0; k < rank; ++k) {
          score += double{factors.row(Side::users, user)[k]} * double{factors.row(Side::items, item)[k]};
        }
        expected += 0.3 * score * score;
      }
    }
    Recounted found;
    SerialChunks serial;
    add_all_pairs(factors, 0.3, serial, found);
    EXPECT_NEAR(found.squared, expected, 1e-12 * expected) << rank;
    EXPECT_GE(found.reach, found.squared) << rank;
  }
}

TEST(DoubleTiles, HaveTheSameBitsWithAllInstructionsOfThisProcessor) {
  constexpr std::size_t kRows = 11, kSquare = kTileSide * kTileSide;
  CounterRng random(7, Purpose::tests);
  std::vector<double> a(kRows * kTileSide), b(a.size());
  for (double& number : a) number = static_cast<double>(static_cast<float>(random.unit() - 0.5));
  for (double& number : b) number = static_cast<double>(static_cast<float>(random.unit() - 0.5));
  std::vector<double> expected(kSquare, 0.25);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t at = 0; at < kSquare; ++at) {
      expected[at] += a[r * kTileSide + at / kTileSide] * b[r * kTileSide + at % kTileSide];
    }
  }
  for (const NamedProducts& known : all_double_products()) {
    std::vector<double> found(kSquare, 0.25);
    known.tiles(a.data(), b.data(), kRows, found.data());
    EXPECT_EQ(found, expected) << known.name;
  }
}

TEST(Recount, NoticesRatingsThatAreNotThoseThatWereRead) {
  SerialChunks serial;
  for (const Solver solver : test::kSolvers) {
    const auto data = made_up_data({});
    const auto model = make_mf_model(data, options_with(solver), kRecountEngine, true);
    EngineOptions engine = kRecountEngine;
    engine.rounds_max = 20;
    const auto run = run_embedded(model, engine, {}, {}, {});
    MfSolution solution = solution_of(*data, options_with(solver), run.end);
    const FactorModel factors = factor_model(*data, solution, false);
    EXPECT_TRUE(recounted(static_cast<const MfModel&>(*model), factors, serial).complete);
    auto other = test::made_up_ratings({});
    std::swap(other->train.codes[3], other->train.codes[4]);
    std::swap(other->train.codes[5], other->train.codes[600]);
    data->marks = prepare_mf(other, 1, std::make_shared<SerialChunks>()).value()->marks;
    EXPECT_FALSE(recounted(static_cast<const MfModel&>(*model), factors, serial).complete);
  }
}

TEST(Recount, KnowsErrorsOfAnySize) {
  SerialChunks serial;
  for (const float size : {1e-15F, 1e-3F, 1.0F, 1e12F}) {
    const auto data = made_up_data({});
    const auto model = make_mf_model(data, options_with(Solver::cd), kRecountEngine, true);
    FactorModel factors;
    factors.rank = 1;
    double squared = 0;
    for (const Side side : {Side::users, Side::items}) {
      factors.factors[mf::index_of(side)].assign(data->size(side), side == Side::users ? size : 1.0F);
      factors.biases[mf::index_of(side)].assign(data->size(side), 0.0F);
    }
    for (std::size_t t = 0; t < data->train_size; ++t) {
      squared += std::pow(double{value_of(*data->train, data->ratings->levels, t)} - double{size}, 2);
    }
    const Recounted found = recounted(static_cast<const MfModel&>(*model), factors, serial);
    EXPECT_NEAR(found.squared / squared, 1, 1e-12) << size;
  }
  FactorModel nothing;
  nothing.rank = 1;
  const auto data = made_up_data({});
  const auto model = make_mf_model(data, options_with(Solver::cd), kRecountEngine, true);
  for (const Side side : {Side::users, Side::items}) {
    nothing.factors[mf::index_of(side)].assign(data->size(side), std::numeric_limits<float>::quiet_NaN());
    nothing.biases[mf::index_of(side)].assign(data->size(side), 0.0F);
  }
  EXPECT_TRUE(std::isinf(recounted(static_cast<const MfModel&>(*model), nothing, serial).squared));
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
