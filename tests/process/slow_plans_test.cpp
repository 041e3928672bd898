// What a run tells about plans that come late. It takes time on purpose, so that it stands here.
#include "slow_planner.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "determinism/lasso_runs.hpp"
#include "determinism/rogue_member.hpp"
#include "support/threaded_cluster.hpp"

namespace strads::lasso {
namespace {

using support::run_threaded;
using support::ThreadedCluster;
using support::ThreadedRun;

TEST(PlansThatAreHeldBack, ShowInTheSharesOfEarlyPlansAndOfWaiting) {
  // 32 draws a round: plans of this size are made beside the loop, on the thread pool.
  const Problem problem(small_dense(), Policy::paper, {4, 8, 2}, 120);
  const auto run_with = [&](std::chrono::microseconds pause) {
    ThreadedCluster cluster = cluster_of(problem, 2);
    cluster.make_model = [&problem, pause] { return std::make_shared<SlowPlanner>(problem.model(), pause); };
    return run_threaded(cluster);
  };
  const auto early_share = [](const ThreadedRun& run) {
    return static_cast<double>(run.run.end.totals.planned_early) / static_cast<double>(run.run.end.totals.rounds);
  };
  const auto quick = run_with(std::chrono::microseconds(0));
  const auto held_back = run_with(std::chrono::milliseconds(20));
  EXPECT_EQ(outcome_of(quick, problem), outcome_of(held_back, problem)) << "when a plan is ready changes no bit";
  EXPECT_LT(early_share(held_back), early_share(quick));
  EXPECT_GT(held_back.run.worker_wait_share, 0.5);
  EXPECT_LT(quick.run.worker_wait_share, held_back.run.worker_wait_share);
}

}  // namespace
}  // namespace strads::lasso
