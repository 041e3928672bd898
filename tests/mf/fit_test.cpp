// Whole fits of small matrices, embedded.
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_ratings.hpp"

namespace strads::mf {
namespace {

using test::fit;
using test::made_up_data;

/// F in double precision from the factors of a solution.
double objective_of(const MfData& data, const MfOptions& options, const MfSolution& solution) {
  const Triplets& train = *data.train;
  double sum = 0;
  for (std::size_t t = 0; t < train.size(); ++t) {
    const double value = data.ratings->levels.empty() ? static_cast<double>(train.values[t])
                                                      : static_cast<double>(data.ratings->levels[train.codes[t]]);
    double error = value - solution.mean - static_cast<double>(solution.biases[0][train.users[t]]) -
                   static_cast<double>(solution.biases[1][train.items[t]]);
    for (std::uint32_t k = 0; k < options.rank; ++k) {
      error -= static_cast<double>(solution.factors[0][train.users[t] * options.rank + k]) *
               static_cast<double>(solution.factors[1][train.items[t] * options.rank + k]);
    }
    sum += error * error;
  }
  for (std::size_t side = 0; side < kSides; ++side) {
    for (std::size_t row = 0; row < data.counts[side].size(); ++row) {
      double squares = std::pow(static_cast<double>(solution.biases[side][row]), 2);
      for (std::uint32_t k = 0; k < options.rank; ++k) {
        squares += std::pow(static_cast<double>(solution.factors[side][row * options.rank + k]), 2);
      }
      sum += options.lambda * (options.weighted ? data.counts[side][row] : 1.0) * squares;
    }
  }
  return sum;
}

struct Case {
  Solver solver;
  bool weighted, bias;
};

class FitOf : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static MfOptions options() {
    MfOptions options;
    options.solver = GetParam().solver;
    options.weighted = GetParam().weighted;
    options.bias = GetParam().bias;
    options.mean = GetParam().bias;
    options.rank = 5;
    options.width = 3;
    options.lambda = options.weighted ? 0.05 : 0.5;
    options.sweeps_max = 12;
    options.tolerance = 0;
    return options;
  }
};

TEST_P(FitOf, NeverRaisesTheObjective) {
  const auto run = fit(made_up_data({}), options());
  ASSERT_GT(run.objectives.size(), 10U);
  for (std::size_t k = 1; k < run.objectives.size(); ++k) {
    ASSERT_LE(run.objectives[k], run.objectives[k - 1] * (1 + 1e-6)) << "commit " << k;
  }
}

TEST_P(FitOf, ReportsTheObjectiveOfTheFactorsThatItWrites) {
  const auto data = made_up_data({});
  const auto run = fit(data, options());
  EXPECT_NEAR(run.solution.objective / objective_of(*data, options(), run.solution), 1.0, 1e-5);
}

TEST_P(FitOf, GivesTheSameBitsWithTwoThreadsAndEncodedMessages) {
  const auto one = fit(made_up_data({}), options());
  test::Machine machine;
  machine.threads = 2;
  machine.encode = true;
  EXPECT_EQ(fit(made_up_data({}), options(), machine).hash, one.hash);
}

TEST_P(FitOf, GivesTheSameBitsAtAnyDepth) {
  test::Machine machine;
  machine.engine.depth = 1;
  EXPECT_EQ(fit(made_up_data({}), options(), machine).hash, fit(made_up_data({}), options()).hash);
}

TEST_P(FitOf, KeepsTheFactorsWithTheLeastValidationError) {
  auto early = options();
  early.lambda = early.weighted ? 0.03 : 0.2;
  early.rank = 12;
  early.patience = 1;
  early.sweeps_max = 300;
  const auto data = made_up_data({.users = 150, .items = 60, .validation = 150});
  const auto run = fit(data, early);
  double best = 1e9;
  std::uint32_t sweep = 0;
  for (const auto& certificate : run.sweeps) {
    if (certificate.figures[kFigureValidation] >= best) continue;
    best = certificate.figures[kFigureValidation];
    sweep = static_cast<std::uint32_t>(certificate.figures[kFigureSweep]);
  }
  EXPECT_EQ(run.solution.best_sweep, sweep);
  EXPECT_DOUBLE_EQ(run.solution.validation.rmse, best);
  EXPECT_NEAR(run.solution.objective / objective_of(*data, early, run.solution), 1.0, 1e-5);
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"Cd", "Ccd", "Als", "Sgd"};
  return std::string(kNames[static_cast<int>(info.param.solver)]) + (info.param.weighted ? "Weighted" : "Plain") +
         (info.param.bias ? "WithBiases" : "");
}

INSTANTIATE_TEST_SUITE_P(Descent, FitOf,
                         testing::Values(Case{Solver::cd, true, true}, Case{Solver::cd, false, false},
                                         Case{Solver::als, true, true}, Case{Solver::als, false, false},
                                         Case{Solver::ccd, true, true}, Case{Solver::ccd, false, false}),
                         name_of_case);

TEST(Fit, StopsWhenTheValidationErrorNoLongerFalls) {
  MfOptions options;
  options.rank = 12;
  options.lambda = 0.001;
  options.sweeps_max = 200;
  options.tolerance = 0;
  options.relaxation = 1;  // steps beyond the minimum get so far that 200 sweeps do not overfit here
  const auto run = fit(made_up_data({.validation = 150}), options);
  EXPECT_EQ(run.stop_reason, "early stopping");
  EXPECT_EQ(run.solution.sweeps, run.solution.best_sweep + options.patience);
}

TEST(Fit, SplitsRowsThatAreTooHeavyAndFindsNearlyTheSameFactors) {
  MfOptions options;
  options.rank = 4;
  options.sweeps_max = 5;
  options.tolerance = 0;
  const test::Shape shape{.users = 200, .items = 20, .ratings = 1500, .skew = 2};
  test::Machine split, whole;
  split.engine.workers = 8;
  whole.engine.workers = 1;
  const auto data = made_up_data(shape);
  const auto a = fit(data, options, split);
  const auto b = fit(data, options, whole);
  EXPECT_NEAR(a.solution.objective / b.solution.objective, 1.0, 1e-4);
  EXPECT_LT(a.solution.imbalance, 1.25) << "7 items a slice on 8 workers";
  options.balance = Balance::rows;
  EXPECT_GT(fit(data, options, split).solution.imbalance, 2.0);
}

TEST(Fit, TakesMoreSchedulersAndWorkersThanThereAreRows) {
  MfOptions options;
  options.rank = 2;
  options.sweeps_max = 3;
  test::Machine machine;
  machine.engine = {.schedulers = 6, .workers = 8, .depth = 6};
  const auto run = fit(made_up_data({.users = 3, .items = 2, .ratings = 5}), options, machine);
  EXPECT_EQ(run.solution.factors[0].size(), 6U);
}

}  // namespace
}  // namespace strads::mf
