// A factorization that is cut at any barrier and goes on from its checkpoint: the same bits.
#include <gtest/gtest.h>

#include <sstream>

#include "mf/made_up_ratings.hpp"
#include "resumed.hpp"
#include "support/sanitized.hpp"

namespace strads::mf {
namespace {

/// What a user would compare.
std::string factors_of(const RunEnd& end, const MfData& data, const MfOptions& options) {
  if (!end.status.ok()) return end.status.message();
  const MfSolution solution = solution_of(data, options, end);
  std::ostringstream text;
  text << model_hash(solution) << ' ' << end.stop_reason << ' ' << end.totals.rounds << " rounds " << end.totals.phases
       << " phases " << end.totals.updates << " updates F=" << std::hexfloat << solution.objective
       << " validation=" << solution.validation.rmse << " test=" << solution.test.rmse << " sweep "
       << solution.best_sweep << " of " << solution.sweeps;
  return text.str();
}

class ResumeOfEverySolver : public testing::TestWithParam<Solver> {};

/// Sweeps without and with validation, by which the best factors are kept and come back.
TEST_P(ResumeOfEverySolver, AFitHasTheBitsAndCountsOfTheRunThatWasNotCut) {
  for (const std::uint32_t schedulers : {1U, 3U}) {
    for (const std::uint32_t validation : {0U, 80U}) {
      const test::Shape shape{
          .users = 120, .items = 30, .ratings = 900, .skew = 1.4, .validation = validation, .test = 40};
      MfOptions options;
      options.solver = GetParam();
      options.rank = 4;
      options.lambda = 0.05;
      options.sweeps_max = 5;
      options.tolerance = 0;
      options.patience = 2;
      EngineOptions engine;
      engine.schedulers = engine.depth = schedulers;
      engine.workers = 4;
      const auto data = [&] { return test::made_up_data(shape); };
      const auto make = [&] { return make_mf_model(data(), options, engine, false); };
      const auto whole = support::run_from(make, engine, nullptr, 1, true);
      const std::string expected = factors_of(whole.end, *data(), options);
      ASSERT_GE(whole.checkpoints.size(), 5U);
      for (std::size_t k = 0; k < whole.checkpoints.size();
           k += 1 + whole.checkpoints.size() / support::repetitions<std::size_t>(12, 4)) {
        const auto again =
            support::run_from(make, engine, &whole.checkpoints[k], static_cast<unsigned>(1 + k % 2), true);
        EXPECT_EQ(factors_of(again.end, *data(), options), expected)
            << test::solver_name(GetParam()) << ", S=" << schedulers << ", validation " << validation
            << ", from checkpoint " << k << " of " << whole.checkpoints.size();
        ASSERT_EQ(again.checkpoints.size(), whole.checkpoints.size() - k);
        const auto twice = support::run_from(make, engine, &again.checkpoints.back(), 1, false);
        EXPECT_EQ(factors_of(twice.end, *data(), options), expected) << "cut twice, first at " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, ResumeOfEverySolver,
                         testing::Values(Solver::cd, Solver::ccd, Solver::als, Solver::sgd), test::solver_of);

}  // namespace
}  // namespace strads::mf
