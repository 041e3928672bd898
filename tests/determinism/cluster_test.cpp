// Same data, options and seed: the same bits on any number of nodes, whatever the order of messages and tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/lasso_state.hpp"
#include "lasso_runs.hpp"

namespace strads::lasso {
namespace {

using support::Order;

constexpr std::uint64_t kRounds = 60;

class EveryPolicyInACluster : public testing::TestWithParam<Policy> {
 protected:
  static std::vector<Problem> problems() {
    std::vector<Problem> all;
    for (const Shape& shape : kShapes) {
      all.emplace_back(small_genotypes(), GetParam(), shape, kRounds);
      all.emplace_back(small_dense(), GetParam(), shape, kRounds);
    }
    return all;
  }
};

TEST_P(EveryPolicyInACluster, HasTheHashOfTheEmbeddedRunOnAnyNumberOfNodes) {
  for (const Problem& problem : problems()) {
    const std::string expected = embedded(problem, 1);
    for (const std::uint32_t nodes : {1U, 2U, 3U}) {
      EXPECT_EQ(outcome_of(cluster(problem, {.nodes = nodes}), problem), expected) << problem.name() << " N=" << nodes;
    }
  }
}

TEST_P(EveryPolicyInACluster, TheOrderOfMessagesAndTasksChangesNothing) {
  for (const Problem& problem : problems()) {
    const std::string expected = embedded(problem, 1);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto run = cluster(problem, {.nodes = 1 + static_cast<std::uint32_t>(seed % 3),
                                         .seed = seed,
                                         .order = seed < 3 ? Order::per_link : Order::any});
      EXPECT_EQ(outcome_of(run, problem), expected) << problem.name() << ", order " << seed;
    }
  }
}

TEST_P(EveryPolicyInACluster, RepeatedAndDelayedMessagesChangeNothing) {
  for (const Problem& problem : problems()) {
    const std::string expected = embedded(problem, 1);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto run = cluster(problem, {.nodes = 2,
                                         .seed = seed,
                                         .order = Order::any,
                                         .duplicates = 0.3,
                                         .delays = 0.1,
                                         .encode_messages = seed == 0});
      EXPECT_EQ(outcome_of(run, problem), expected) << problem.name() << ", order " << seed;
      EXPECT_GT(run.duplicated, 0u);
    }
  }
}

TEST_P(EveryPolicyInACluster, AllReplicasEndEqual) {
  const Problem problem(small_dense(), GetParam(), {4, 3, 2}, kRounds);
  const auto run = cluster(problem, {.nodes = 3, .seed = 1, .order = Order::any});
  ASSERT_EQ(run.states.size(), 3u);
  const auto& first = static_cast<const LassoState&>(*run.states[0]);
  for (const auto& state : run.states) {
    const auto& other = static_cast<const LassoState&>(*state);
    EXPECT_EQ(other.variables, first.variables);
    EXPECT_EQ(other.beta, first.beta);
    EXPECT_EQ(other.residual, first.residual);
  }
}

TEST_P(EveryPolicyInACluster, TheCommitsAloneReproduceTheReplica) {
  for (const Shape& shape : kShapes) {
    const Problem problem(small_genotypes(), GetParam(), shape, kRounds);
    const auto run = cluster(problem, {.nodes = 2});
    // Solved data are scanned data: the replica's columns need their means.
    const auto data = prepare_lasso(problem.dataset, problem.lasso).value();
    const auto model = make_lasso_model(data, problem.lasso);
    SerialChunks chunks;
    std::vector<VarId> all(model->variables());
    for (VarId j = 0; j < all.size(); ++j) all[j] = j;
    data->columns->scan(all, chunks);
    const auto state = support::replay(*model, run);
    const auto& replayed = static_cast<const LassoState&>(*state);
    const auto& original = static_cast<const LassoState&>(*run.states[0]);
    EXPECT_EQ(replayed.residual, original.residual) << problem.name();
    Solution solution;
    solution.variables = replayed.variables;
    solution.standardized = replayed.beta;
    EXPECT_EQ(beta_hash(solution, model->variables()), beta_hash(solution_of(run.end), model->variables()));
  }
}

TEST_P(EveryPolicyInACluster, OneBitOfOneMessageChangesTheHash) {
  // So that the tests above can fail.
  const Problem problem(small_dense(), GetParam(), {2, 4, 2}, kRounds);
  const std::string expected = outcome_of(cluster(problem, {}), problem);
  for (const std::int64_t k : {0, 1}) {
    const auto run = cluster(problem, {.flip_deltas = k});
    EXPECT_NE(outcome_of(run, problem), expected) << problem.name() << ", Deltas " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyInACluster, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

TEST(ClusterRuns, ARequestToFinishStillCertifies) {
  const Problem problem(small_dense(), Policy::uniform, {4, 3, 2}, 0);
  const auto run = cluster(problem, {.nodes = 2, .seed = 3, .order = Order::any, .finish_at = 20});
  ASSERT_TRUE(run.all_stopped);
  EXPECT_EQ(run.end.stop_reason, "limit");
  EXPECT_GT(run.end.certificate.gap, 0.0);
  EXPECT_LT(run.end.totals.rounds, 100u);
}

}  // namespace
}  // namespace strads::lasso
