// Messages are lost, workers die, the driver is a process of its own: the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/problem/lasso_state.hpp"
#include "lasso_runs.hpp"

namespace strads::lasso {
namespace {

using support::ClusterOptions;
using support::Order;

constexpr std::uint64_t kLossyRounds = 60;

class EveryPolicyUnderFaults : public testing::TestWithParam<Policy> {
 protected:
  /// Runs `options` with every shape and a few seeds. Returns how many messages were lost and nodes killed.
  static support::ClusterRun expect_the_same(ClusterOptions options, std::uint64_t seeds) {
    support::ClusterRun sums;
    for (const Shape& shape : kShapes) {
      for (const auto& data : {small_genotypes(), small_dense()}) {
        const Problem problem(data, GetParam(), shape, kLossyRounds);
        const std::string expected = embedded(problem, 1);
        for (options.seed = 0; options.seed < seeds; ++options.seed) {
          const auto run = cluster(problem, options);
          EXPECT_EQ(outcome_of(run, problem), expected) << problem.name() << ", seed " << options.seed;
          sums.lost += run.lost;
          sums.killed += run.killed;
        }
      }
    }
    return sums;
  }
};

TEST_P(EveryPolicyUnderFaults, ADriverOfItsOwnChangesNothing) {
  expect_the_same({.nodes = 2, .coordinator_apart = true}, 1);
}

TEST_P(EveryPolicyUnderFaults, AFifthOfTheMessagesLostChangesNothing) {
  for (const std::uint32_t nodes : {1U, 2U, 5U}) {
    const auto sums = expect_the_same(
        {.nodes = nodes, .order = Order::any, .encode_messages = nodes == 2, .coordinator_apart = true, .losses = 0.2},
        2);
    EXPECT_GT(sums.lost, 0u);
  }
}

TEST_P(EveryPolicyUnderFaults, AWorkerThatDiesEveryTenthRoundChangesNothing) {
  const auto sums = expect_the_same({.nodes = 5,
                                     .order = Order::any,
                                     .delays = 0.05,
                                     .coordinator_apart = true,
                                     .workers_apart = true,
                                     .losses = 0.05,
                                     .quiets = 0.005,
                                     .kill_workers_every = 10},
                                    2);
  EXPECT_GT(sums.killed, 0u);
}

TEST_P(EveryPolicyUnderFaults, AllReplicasThatLiveEndEqual) {
  const Problem problem(small_dense(), GetParam(), {4, 3, 2}, kLossyRounds);
  const auto run = cluster(
      problem,
      {.nodes = 5, .seed = 1, .order = Order::any, .workers_apart = true, .losses = 0.2, .kill_workers_every = 20});
  ASSERT_TRUE(run.all_stopped);
  ASSERT_GE(run.states.size(), 3u);
  const auto& first = static_cast<const LassoState&>(*run.states[0]);
  for (const auto& state : run.states) {
    const auto& other = static_cast<const LassoState&>(*state);
    EXPECT_EQ(other.variables, first.variables);
    EXPECT_EQ(other.beta, first.beta);
    EXPECT_EQ(other.residual, first.residual);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicyUnderFaults, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace strads::lasso
