// Messages are lost, nodes die: the commits, the end and every replica are those of a run in which nothing happened.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <sstream>

#include "engine/session/eventful.hpp"
#include "examples/ridge/ridge_model.hpp"
#include "strads/base/random.hpp"
#include "support/cluster.hpp"

namespace strads::engine {
namespace {

using support::ClusterOptions;
using support::ClusterRun;
using support::Order;
using support::run_cluster;
using support::Script;
using support::ScriptedModel;

struct Case {
  std::uint32_t nodes, schedulers, workers, depth;
  bool coordinator_apart;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  std::ostringstream name;
  name << 'N' << c.nodes << 'S' << c.schedulers << 'P' << c.workers << 'D' << c.depth
       << (c.coordinator_apart ? "Driver" : "");
  return name.str();
}

ClusterOptions options_of(const Case& c) {
  ClusterOptions options;
  options.engine.schedulers = c.schedulers;
  options.engine.workers = c.workers;
  options.engine.depth = c.depth;
  options.nodes = c.nodes;
  options.coordinator_apart = c.coordinator_apart;
  options.steps_max = 300'000;  // a hundred times what a run takes
  return options;
}

ClusterRun scripted(const ClusterOptions& options) {
  const Script script = eventful();
  return run_cluster([&script] { return std::make_shared<ScriptedModel>(script); }, options);
}

TEST(TestCluster, FailsTheTestWhenNobodyGetsOnOrThereIsNoEnd) {
  ClusterOptions options = options_of({2, 2, 2, 1, false});
  options.steps_max = 64;
  EXPECT_NONFATAL_FAILURE(static_cast<void>(scripted(options)), "no end after 64 steps");
  options.steps_without_progress_max = 0;
  EXPECT_NONFATAL_FAILURE(static_cast<void>(scripted(options)), "a livelock: nobody got on for 0 steps");
}

class Faults : public testing::TestWithParam<Case> {
 protected:
  /// Runs many seeds and compares each with the run on one node in the order of sending. Returns sums over the seeds.
  ClusterRun expect_the_same(ClusterOptions options, std::uint64_t seeds = 25) {
    ClusterOptions plain;
    plain.engine = options.engine;
    const auto expected = outcome(scripted(plain));
    ClusterRun sums;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      options.seed = seed;
      const auto run = scripted(options);
      EXPECT_EQ(outcome(run), expected) << "seed " << seed;
      EXPECT_TRUE(run.all_stopped) << "seed " << seed;
      if (HasFailure()) break;
      sums.lost += run.lost;
      sums.killed += run.killed;
      sums.repeated += run.repeated;
      sums.quiet_rounds += run.quiet_rounds;
    }
    return sums;
  }
};

TEST_P(Faults, ADriverOfItsOwnCommitsTheSame) {
  expect_the_same(options_of(GetParam()), 2);
}

TEST_P(Faults, AFifthOfTheMessagesLostCommitsTheSame) {
  auto options = options_of(GetParam());
  options.order = Order::any;
  options.losses = 0.2;
  const auto sums = expect_the_same(options);
  if (GetParam().nodes == 1 && !GetParam().coordinator_apart) return;
  EXPECT_GT(sums.lost, 0u);
  EXPECT_GT(sums.repeated, 0u);
  EXPECT_GT(sums.quiet_rounds, 0u);
}

TEST_P(Faults, LossRepetitionAndDelayTogetherCommitTheSame) {
  auto options = options_of(GetParam());
  options.order = Order::any;
  options.losses = 0.2;
  options.duplicates = 0.2;
  options.delays = 0.2;
  options.quiets = 0.01;
  options.encode_messages = true;
  expect_the_same(options);
}

TEST_P(Faults, BeingCalledQuietAtAnyMomentCommitsTheSame) {
  auto options = options_of(GetParam());
  options.order = Order::any;
  options.quiets = 0.02;
  // Nothing is lost: what is repeated was not needed.
  expect_the_same(options, 10);
}

INSTANTIATE_TEST_SUITE_P(Clusters, Faults,
                         testing::Values(Case{1, 1, 1, 1, false}, Case{1, 3, 4, 2, true}, Case{2, 1, 4, 1, true},
                                         Case{2, 2, 3, 2, false}, Case{2, 2, 3, 2, true}, Case{3, 3, 3, 1, true},
                                         Case{3, 2, 5, 1, false}, Case{4, 4, 8, 4, true}, Case{5, 4, 8, 2, true},
                                         Case{5, 3, 2, 1, false}),
                         name_of);

class DyingWorkers : public Faults {};

TEST_P(DyingWorkers, AreReplacedAndTheCommitsAreTheSame) {
  auto options = options_of(GetParam());
  options.order = Order::any;
  options.workers_apart = true;
  options.kill_workers_every = 10;
  const auto sums = expect_the_same(options);
  EXPECT_GT(sums.killed, 0u);
}

TEST_P(DyingWorkers, AndLostMessagesStillCommitTheSame) {
  auto options = options_of(GetParam());
  options.order = Order::any;
  options.workers_apart = true;
  options.kill_workers_every = 10;
  options.losses = 0.2;
  options.duplicates = 0.1;
  options.delays = 0.1;
  const auto sums = expect_the_same(options);
  EXPECT_GT(sums.killed, 0u);
  EXPECT_GT(sums.lost, 0u);
}

INSTANTIATE_TEST_SUITE_P(Clusters, DyingWorkers,
                         testing::Values(Case{4, 1, 4, 1, true}, Case{4, 2, 3, 2, true}, Case{5, 4, 8, 4, true},
                                         Case{5, 2, 6, 1, false}),
                         name_of);

TEST(LossyCluster, ARunInWhichNothingArrivesIsGivenUp) {
  auto options = options_of({2, 1, 1, 1, true});
  options.losses = 1;
  const auto run = scripted(options);
  EXPECT_FALSE(run.ended);
  EXPECT_EQ(run.quiet_rounds, 50u);
}

TEST(LossyCluster, ARequestToFinishIsHeardInTheEnd) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Script script;
    script.phases = {support::go_on(100'000)};
    auto options = options_of({2, 2, 2, 2, true});
    options.seed = seed;
    options.order = Order::any;
    options.losses = 0.3;
    options.finish_at = 5;
    const auto run = run_cluster([&script] { return std::make_shared<ScriptedModel>(script); }, options);
    ASSERT_TRUE(run.ended && run.all_stopped) << "seed " << seed;
    EXPECT_EQ(run.end.stop_reason, "limit");
    EXPECT_LT(run.end.totals.rounds, 200u) << "seed " << seed;
  }
}

TEST(LossyCluster, KeepsFewVerdictsWhenItHearsThatAllHaveThem) {
  Script script;
  for (int k = 0; k < 200; ++k) script.phases.push_back(support::go_on(2));
  auto options = options_of({3, 2, 2, 1, true});
  options.order = Order::any;
  options.losses = 0.1;
  const auto run = run_cluster([&script] { return std::make_shared<ScriptedModel>(script); }, options);
  ASSERT_TRUE(run.all_stopped);
  EXPECT_EQ(run.end.totals.phases, 200u);
  EXPECT_LT(run.kept, 20u);
}

/// 30 x 18, every column correlated with the one before.
ridge::Problem small_problem() {
  CounterRng random(8, Purpose::tests);
  ridge::Problem problem;
  problem.mu = 0.5;
  problem.tolerance = 1e-9;
  problem.x.assign(18, std::vector<double>(30));
  for (std::size_t j = 0; j < problem.x.size(); ++j) {
    for (std::size_t i = 0; i < 30; ++i) {
      problem.x[j][i] = random.unit() - 0.5 + (j > 0 ? 0.4 * problem.x[j - 1][i] : 0.0);
    }
  }
  for (std::size_t i = 0; i < 30; ++i) problem.y.push_back(random.unit() - 0.5 + problem.x[7][i]);
  return problem;
}

// As matrix factorization does it: answers without ids, arrays of floats, blocks that stay with their workers.
TEST(LossyCluster, PagesOfSteadyPhasesHaveTheSameBits) {
  Script script = eventful();
  script.pages = true;
  for (PhasePlan& phase : script.phases) {
    if (!phase.joint()) phase.mode = PhasePlan::Mode::steady;
  }
  const auto make = [&script] { return std::make_shared<ScriptedModel>(script); };
  ClusterOptions options;
  options.engine = {.schedulers = 2, .workers = 5, .depth = 2};
  const auto run = run_cluster(make, options);
  ASSERT_TRUE(run.all_stopped);
  ASSERT_FALSE(run.all<wire::Commit>().front().changes.bulk.empty());
  const auto expected = outcome(run);
  options.order = Order::any;
  options.encode_messages = true;
  options.losses = 0.1;
  options.duplicates = 0.1;
  options.coordinator_apart = true;
  options.nodes = 5;
  options.workers_apart = true;
  options.kill_workers_every = 8;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    const auto faulty = run_cluster(make, options);
    EXPECT_TRUE(faulty.all_stopped);
    EXPECT_EQ(outcome(faulty), expected) << "seed " << options.seed;
  }
}

TEST(LossyCluster, RidgeHasTheSameBits) {
  const auto make = [] { return std::make_shared<ridge::RidgeModel>(small_problem()); };
  for (const auto& [schedulers, depth] : {std::pair{1U, 1U}, {2U, 2U}, {4U, 4U}, {4U, 1U}}) {
    ClusterOptions options;
    options.engine = {.seed = 5, .schedulers = schedulers, .workers = 4, .depth = depth, .rounds_max = 20'000};
    const auto expected = run_cluster(make, options);
    ASSERT_EQ(expected.end.stop_reason, "converged");
    options.order = Order::any;
    options.losses = 0.2;
    options.coordinator_apart = true;
    for (const std::uint32_t nodes : {1U, 3U, 5U}) {
      options.nodes = nodes;
      options.seed = nodes;
      options.workers_apart = nodes == 5;
      options.kill_workers_every = nodes == 5 ? 10 : 0;
      const auto run = run_cluster(make, options);
      EXPECT_TRUE(run.all_stopped);
      EXPECT_EQ(run.killed > 0, nodes == 5);
      EXPECT_EQ(run.end.statuses, expected.end.statuses) << "S=" << schedulers << " N=" << nodes;
    }
  }
}

}  // namespace
}  // namespace strads::engine
