// Several Lassos in one schedule: each has the bits, the rounds and the phases of a run of its own, whoever computes
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "lasso_runs.hpp"
#include "strads/engine/many_models.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::lasso {
namespace {

using support::ClusterOptions;
using support::Order;

using Outcomes = std::map<std::size_t, std::string>;

/// The data of part `i`: other rows and other values, the same number of columns.
std::shared_ptr<const Dataset> part_data(std::uint32_t i) {
  static std::map<std::uint32_t, std::shared_ptr<const Dataset>> made;
  auto& data = made[i];
  if (data == nullptr && i % 2 == 0) {
    data = support::dense_dataset({.rows = 61 + i, .columns = 90, .seed = 2 + i, .correlation = 0.2});
  } else if (data == nullptr) {
    data = support::genotype_dataset(
        {.rows = 200 + 20 * i, .columns = 90, .seed = 1 + i, .correlation = 0.3, .missing = 0.02});
  }
  return data;
}

std::string text_of(const RunEnd& end, VarId variables) {
  if (!end.status.ok()) return end.status.message();
  std::ostringstream text;
  const RunTotals& totals = end.totals;
  text << beta_hash(solution_of(end), variables) << ' ' << end.stop_reason << ' ' << totals.rounds << " rounds, "
       << totals.rounds_parallel << " parallel, " << totals.empty_rounds << " empty, " << totals.phases << " phases, "
       << totals.phases_parallel << " parallel, " << totals.updates << " updates, " << totals.blocks
       << " blocks F=" << std::hexfloat << end.certificate.objective << " gap=" << end.certificate.gap
       << (end.certificate.converged ? "" : " not converged");
  return text.str();
}

/// Lassos of different rows and lambdas.
struct Parts {
  std::vector<Problem> parts;

  Parts(Policy policy, const Shape& shape, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Problem& own = parts.emplace_back(part_data(i), policy, shape, 0);
      own.lasso.lambda = 0.6 / static_cast<double>(1 + i);
      own.lasso.tolerance = policy == Policy::automatic ? 1e-6 : 0.02;
      own.lasso.check_interval = policy == Policy::automatic ? 0 : 40 + 15 * i;
      // The others: one joint round a phase.
      if (i % 3 == 1) own.lasso.cost = CostModel{};
    }
  }
  [[nodiscard]] const EngineOptions& engine() const { return parts[0].engine; }
  [[nodiscard]] VarId variables() const { return parts[0].dataset->columns().columns; }
  [[nodiscard]] PartEnded collect(Outcomes& outcomes) const {
    return [&outcomes, variables = variables()](std::size_t i, const RunEnd& end) {
      EXPECT_TRUE(outcomes.emplace(i, text_of(end, variables)).second) << "part " << i;
    };
  }
  [[nodiscard]] std::shared_ptr<Model> model(PartEnded ended = {}) const {
    std::vector<std::shared_ptr<Model>> models;
    for (const Problem& own : parts) models.push_back(own.model());
    return many_models(std::move(models), engine(), std::move(ended));
  }
  [[nodiscard]] Outcomes one_by_one() const {
    Outcomes outcomes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto run = run_embedded(parts[i].model(), parts[i].engine, {.threads = 1}, {}, {});
      outcomes.emplace(i, text_of(run.end, variables()));
    }
    return outcomes;
  }
  [[nodiscard]] Outcomes embedded(unsigned threads, bool encode_messages = false) const {
    Outcomes outcomes;
    const auto run = run_embedded(model(collect(outcomes)), engine(),
                                  {.threads = threads, .encode_messages = encode_messages}, {}, {});
    EXPECT_TRUE(run.end.status.ok());
    EXPECT_EQ(run.end.stop_reason, "every part has ended");
    return outcomes;
  }
  /// Of a cluster; only the model that holds the coordinator tells.
  [[nodiscard]] Outcomes cluster(ClusterOptions options, support::ClusterRun& sums) const {
    Outcomes outcomes;
    options.engine = engine();
    const auto run = support::run_cluster([&] { return model(collect(outcomes)); }, options);
    EXPECT_TRUE(run.ended);
    for (const auto& state : run.states) EXPECT_EQ(state->content(), run.states[0]->content());
    sums.lost += run.lost;
    sums.killed += run.killed;
    return outcomes;
  }
};

constexpr std::uint32_t kParts = 4;
constexpr std::array kManyShapes{Shape{1, 1, 1}, Shape{1, 4, 1}, Shape{2, 3, 1}, Shape{2, 2, 2},
                                 Shape{3, 4, 2}, Shape{4, 3, 1}, Shape{4, 3, 2}, Shape{4, 8, 4}};

class ManyLassosBy : public testing::TestWithParam<Policy> {};

TEST_P(ManyLassosBy, HaveEachTheBitsThatItHasAlone) {
  for (const Shape& shape : kManyShapes) {
    const Parts parts(GetParam(), shape, kParts);
    const Outcomes alone = parts.one_by_one();
    ASSERT_EQ(alone.size(), kParts);
    EXPECT_EQ(parts.embedded(1), alone) << parts.parts[0].name();
    EXPECT_EQ(parts.embedded(3, true), alone) << parts.parts[0].name();
  }
}

TEST_P(ManyLassosBy, OfOneNeedNotARoundMoreThanItAlone) {
  for (const Shape& shape : kManyShapes) {
    const Parts parts(GetParam(), shape, 1);
    const auto alone = run_embedded(parts.parts[0].model(), parts.engine(), {.threads = 1}, {}, {});
    const auto whole = run_embedded(parts.model(), parts.engine(), {.threads = 1}, {}, {});
    EXPECT_EQ(whole.end.totals.rounds, alone.end.totals.rounds) << parts.parts[0].name();
    EXPECT_EQ(whole.end.totals.updates, alone.end.totals.updates);
    EXPECT_EQ(whole.end.totals.updates_path, alone.end.totals.updates_path);
  }
}

TEST_P(ManyLassosBy, HaveOneOutcomeOnAnyNumberOfNodesInAnyOrderOfMessages) {
  for (const Shape& shape : {Shape{2, 3, 1}, Shape{4, 3, 2}}) {
    const Parts parts(GetParam(), shape, kParts);
    const Outcomes expected = parts.embedded(1);
    support::ClusterRun sums;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const ClusterOptions options{.nodes = 1 + static_cast<std::uint32_t>(seed),
                                   .seed = seed,
                                   .order = Order::any,
                                   .duplicates = 0.1,
                                   .delays = 0.05,
                                   .encode_messages = true,
                                   .coordinator_apart = seed == 2,
                                   .losses = 0.1};
      EXPECT_EQ(parts.cluster(options, sums), expected) << parts.parts[0].name() << ", order " << seed;
    }
    EXPECT_GT(sums.lost, 0U);
  }
}

TEST_P(ManyLassosBy, HaveOneOutcomeWhenWorkersDie) {
  const Parts parts(GetParam(), {2, 4, 2}, kParts);
  const Outcomes expected = parts.embedded(1);
  support::ClusterRun sums;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const ClusterOptions options{.nodes = 5,
                                 .seed = seed,
                                 .order = Order::any,
                                 .delays = 0.05,
                                 .encode_messages = true,
                                 .coordinator_apart = true,
                                 .workers_apart = true,
                                 .losses = 0.05,
                                 .quiets = 0.005,
                                 .kill_workers_every = 5};
    EXPECT_EQ(parts.cluster(options, sums), expected) << "seed " << seed;
  }
  EXPECT_GT(sums.killed, 0U);
}

TEST_P(ManyLassosBy, HaveOneOutcomeInASimulatedClusterOfWhichANodeCrashes) {
  const Parts parts(GetParam(), {2, 3, 2}, kParts);
  const Outcomes expected = parts.embedded(1);
  sim::SimulationOptions options;
  options.engine = parts.engine();
  options.faults = {.enabled = true, .horizon_seconds = 0.02, .losing_schedulers = false};
  options.lease_seconds = 0.2;
  for (std::uint32_t n = 0; n < 4; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 2, 1});
    options.nodes.push_back({n, n == 0, n != 0, 0});
  }
  std::uint64_t reassigned = 0;
  for (options.seed = 1; options.seed <= 4; ++options.seed) {
    Outcomes outcomes;
    const auto run = sim::simulate([&] { return parts.model(parts.collect(outcomes)); }, options, {});
    ASSERT_TRUE(run.ended) << options.seed;
    EXPECT_EQ(outcomes, expected) << options.seed;
    for (const sim::Tally& tally : run.recoveries) reassigned += tally.name == "reassign" ? tally.count : 0;
  }
  EXPECT_GT(reassigned, 0U);
}

/// Lost schedulers and nodes that come back as well, and every block, step and replica computed again beside it.
TEST_P(ManyLassosBy, KeepEveryRuleInClustersWithFaults) {
  const sim::SwarmModels models = [](std::uint64_t, const EngineOptions& engine) -> sim::SwarmSubject {
    const Shape shape{engine.schedulers, engine.workers, engine.depth};
    auto parts = std::make_shared<Parts>(GetParam(), shape, 3);
    for (Problem& own : parts->parts) own.engine = engine;
    return {[parts] { return parts->model(); }};
  };
  const auto report = sim::run_swarm(1, 13, 1, models);
  EXPECT_EQ(report.runs, 12U);
  for (const auto& violation : report.violations) ADD_FAILURE() << "seed " << violation.seed << ": " << violation.what;
}

INSTANTIATE_TEST_SUITE_P(Policies, ManyLassosBy, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace strads::lasso
