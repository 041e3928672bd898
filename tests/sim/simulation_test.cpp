// Simulated clusters give the bits of embedded runs; their time is made up, and the same every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "determinism/lasso_runs.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::lasso {
namespace {

using sim::SimulatedRun;
using sim::SimulationOptions;
using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Lt;

SimulationOptions cluster_of(std::uint32_t nodes, const Problem& problem) {
  SimulationOptions options;
  options.engine = problem.engine;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 4, 1});
    options.nodes.push_back({n, true, true, 0});
  }
  return options;
}

SimulatedRun simulated(const Problem& problem, const SimulationOptions& options,
                       const sim::SimulationHooks& hooks = {}) {
  return sim::simulate([&] { return problem.model(); }, options, hooks);
}

std::string outcome_of(const SimulatedRun& run, const Problem& problem) {
  if (!run.ended) return "no end";
  return lasso::outcome_of(run.end, problem.dataset->columns().columns);
}

class EveryPolicySimulated : public testing::TestWithParam<Policy> {};

TEST_P(EveryPolicySimulated, HasTheHashOfTheEmbeddedRunOnAnyNumberOfNodes) {
  for (const Shape& shape : kShapes) {
    const Problem problem(small_genotypes(), GetParam(), shape, 40);
    const std::string expected = embedded(problem, 1);
    for (const std::uint32_t nodes : {1U, 2U, 5U}) {
      EXPECT_EQ(outcome_of(simulated(problem, cluster_of(nodes, problem)), problem), expected)
          << problem.name() << " N=" << nodes;
    }
    SimulationOptions alone = cluster_of(1, problem);
    alone.embedded = true;
    EXPECT_EQ(outcome_of(simulated(problem, alone), problem), expected) << problem.name() << " embedded";
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicySimulated, testing::ValuesIn(kPolicies), [](const auto& which) {
  std::string name = policy_name(which.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

Problem problem_with(const Shape& shape) {
  return {small_genotypes(), Policy::paper, shape, 60};
}

TEST(Simulation, HappensTheSameWayTwiceToTheLastByte) {
  const Problem problem = problem_with({4, 8, 2});
  SimulationOptions options = cluster_of(3, problem);
  options.network.jitter = 0.5;
  std::vector<std::string> logs[2];
  std::uint64_t hashes[2] = {};
  for (int k = 0; k < 2; ++k) {
    hashes[k] =
        simulated(problem, options, {.observe = {}, .trace = [&](const std::string& line) { logs[k].push_back(line); }})
            .log_hash;
  }
  EXPECT_GT(logs[0].size(), 100u);
  EXPECT_EQ(logs[0], logs[1]);
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Simulation, AnotherSeedIsAnotherLogAndTheSameResult) {
  const Problem problem = problem_with({2, 4, 2});
  SimulationOptions options = cluster_of(3, problem);
  options.network.jitter = 0.5;
  const SimulatedRun first = simulated(problem, options);
  options.seed = 2;
  const SimulatedRun second = simulated(problem, options);
  EXPECT_NE(first.log_hash, second.log_hash);
  EXPECT_EQ(outcome_of(first, problem), outcome_of(second, problem));
}

TEST(Simulation, TakesLongerOverASlowerLink) {
  const Problem problem = problem_with({1, 4, 1});
  SimulationOptions options = cluster_of(2, problem);
  const double fast = simulated(problem, options).seconds;
  options.network.latency = 5e-3;
  const double slow = simulated(problem, options).seconds;
  // 60 rounds, each with at least one way there and one back to the other host.
  EXPECT_GT(slow - fast, 60 * 2 * 4.9e-3);
}

TEST(Simulation, ASecondRoundInFlightHidesTheLink) {
  SimulationOptions options;
  double seconds[2] = {};
  for (const std::uint32_t depth : {1U, 2U}) {
    const Problem problem = problem_with({4, 4, depth});
    options = cluster_of(2, problem);
    options.nodes[0].works = false;
    options.nodes[1].schedules = false;
    options.network.latency = 5e-3;
    seconds[depth - 1] = simulated(problem, options).seconds;
  }
  EXPECT_THAT(seconds[1] / seconds[0], AllOf(Gt(0.4), Lt(0.7)));
}

TEST(Simulation, MoreCoresShortenAPass) {
  const Problem problem{small_dense(), Policy::automatic, {1, 4, 1}, 0};
  SimulationOptions options = cluster_of(1, problem);
  options.costs.streamed_flop = 1e-6;  // passes are all that costs
  options.hosts[0].cores = 1;
  const double one = simulated(problem, options).seconds;
  options.hosts[0].cores = 16;
  const double many = simulated(problem, options).seconds;
  EXPECT_LT(many, one);
}

TEST(Simulation, EveryProcessLeavesSoonAfterTheEnd) {
  const Problem problem = problem_with({2, 4, 1});
  const SimulatedRun run = simulated(problem, cluster_of(3, problem));
  EXPECT_TRUE(run.ended);
  EXPECT_THAT(run.seconds_until_gone - run.seconds, AllOf(Gt(0.0), Lt(0.5)));
}

TEST(Simulation, CountsWhatProcessesDid) {
  const Problem problem = problem_with({2, 4, 1});
  const SimulatedRun run = simulated(problem, cluster_of(2, problem));
  ASSERT_EQ(run.processes.size(), 3u);
  EXPECT_EQ(run.processes[0].updates + run.processes[1].updates, run.end.totals.updates);
  EXPECT_EQ(run.processes[2].name, "driver");
  for (const auto& process : run.processes) EXPECT_GT(process.messages, 0u) << process.name;
  double busy = 0;
  for (const auto& kind : run.task_seconds) busy += kind.seconds;
  EXPECT_NEAR(busy, run.processes[0].busy_seconds + run.processes[1].busy_seconds, 1e-12);
}

TEST(Simulation, EndsWithTheNextCommitWhenAskedTo) {
  const Problem problem{small_genotypes(), Policy::uniform, {2, 2, 1}, 0};
  const auto run =
      simulated(problem, cluster_of(2, problem),
                {.observe = [](const ProgressEvent& event, double) { return event.version >= 20; }, .trace = {}});
  EXPECT_TRUE(run.ended);
  EXPECT_EQ(run.end.stop_reason, "limit");
  EXPECT_THAT(run.end.totals.rounds, AllOf(Gt(20u), Lt(40u)));
}

TEST(Simulation, TraceLinesNameTimePlaceAndMessage) {
  const Problem problem = problem_with({1, 2, 1});
  std::vector<std::string> log;
  (void)simulated(problem, cluster_of(2, problem),
                  {.observe = {}, .trace = [&](const std::string& line) { log.push_back(line); }});
  EXPECT_THAT(log, testing::Contains(HasSubstr(" ms  node 1 <- node 0: Assign round=0")));
  EXPECT_THAT(log, testing::Contains(HasSubstr("driver ends")));
  EXPECT_THAT(log.back(), HasSubstr("leaves: the run is over")) << "a node goes when the driver has its last report";
}

TEST(Simulation, LetsANodeWhoseMessagesAllGoToItselfBeat) {
  // One scheduler and one worker, both on node 0: what it says to itself never ends within a phase.
  const Problem problem(small_dense(), Policy::paper, {1, 1, 1}, 80);
  SimulationOptions options = cluster_of(2, problem);
  options.lease_seconds = 0.5;
  options.costs.streamed_flop = options.costs.scattered_flop = options.costs.local_flop = 1e-5;
  options.small_task_flops = std::uint64_t{1} << 40;  // all of them on the loop
  const SimulatedRun run = simulated(problem, options);
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_GT(run.seconds, 2 * options.lease_seconds);
}

TEST(Simulation, GivesTheSameBitsHoweverLateThreadsStart) {
  const Problem problem = problem_with({4, 8, 2});
  SimulationOptions options = cluster_of(3, problem);
  options.small_task_flops = 0;
  const SimulatedRun at_once = simulated(problem, options);
  options.thread_wait_seconds = 0.001;
  const SimulatedRun late = simulated(problem, options);
  EXPECT_EQ(outcome_of(late, problem), outcome_of(at_once, problem));
  EXPECT_GT(late.seconds, at_once.seconds);
}

// --- late nodes ---

/// The slow node works and schedules nothing: what it holds up are its blocks alone.
SimulationOptions with_a_slow_node(const Problem& problem, double slowdown) {
  SimulationOptions options = cluster_of(3, problem);
  options.nodes[2].schedules = false;
  options.hosts[2].slowdown = slowdown;
  // Blocks of a few milliseconds, on threads.
  options.small_task_flops = 0;
  for (double* flop : {&options.costs.streamed_flop, &options.costs.swept_flop, &options.costs.scattered_flop,
                       &options.costs.tiled_flop, &options.costs.local_flop}) {
    *flop = 1e-6;
  }
  return options;
}

std::uint64_t second_workers(const SimulatedRun& run) {
  for (const sim::Tally& recovery : run.recoveries) {
    if (recovery.name == "second worker") return recovery.count;
  }
  ADD_FAILURE() << "no such recovery";
  return 0;
}

TEST(Simulation, ANodeThatIsTwentyTimesSlowerDoesNotMakeTheRunAsSlow) {
  for (const Policy policy : {Policy::uniform, Policy::paper}) {
    const Problem problem{small_genotypes(), policy, {2, 6, 1}, 400};
    const SimulatedRun healthy = simulated(problem, with_a_slow_node(problem, 1));
    const SimulatedRun slow = simulated(problem, with_a_slow_node(problem, 20));
    EXPECT_EQ(second_workers(healthy), 0U);
    EXPECT_GT(second_workers(slow), 0U);
    EXPECT_LT(slow.seconds, 2 * healthy.seconds) << "policy " << policy_name(policy);
    EXPECT_EQ(outcome_of(slow, problem), embedded(problem, 1));
  }
}

}  // namespace
}  // namespace strads::lasso
