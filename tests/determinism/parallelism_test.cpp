// `auto` decides by counted costs how many blocks a round gets: many where samples are many, one where they are few.
#include <gtest/gtest.h>

#include "determinism/lasso_runs.hpp"

namespace strads::lasso {
namespace {

RunTotals totals_of(std::uint32_t samples, std::uint32_t workers) {
  const auto data = support::genotype_dataset({.rows = samples, .columns = 4000, .seed = 5, .correlation = 0.9});
  Problem problem(data, Policy::automatic, Shape{1, workers, 1}, 0);
  problem.lasso.cost = CostModel{};  // the defaults: rounds cost what they cost
  problem.lasso.lambda = 0.012;
  const EmbeddedRun run = run_embedded(problem.model(), problem.engine, {.threads = 2}, {}, {});
  EXPECT_TRUE(run.end.certificate.converged);
  return run.end.totals;
}

TEST(EffectiveParallelism, IsAboveOneInMostPhasesWithNineThousandSamples) {
  const RunTotals totals = totals_of(9000, 16);
  EXPECT_GT(2 * totals.phases_parallel, totals.phases);
}

TEST(EffectiveParallelism, ShortensTheCriticalPathWithNineThousandSamples) {
  EXPECT_LT(totals_of(9000, 16).updates_path, totals_of(9000, 1).updates_path);
}

TEST(EffectiveParallelism, IsOneInEveryPhaseWithFewSamples) {
  const RunTotals totals = totals_of(463, 16);
  EXPECT_EQ(totals.phases_parallel, 0u);
  EXPECT_GT(totals.phases, 1u);
}

}  // namespace
}  // namespace strads::lasso
