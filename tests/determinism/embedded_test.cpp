// Same data, options and seed: the same bits, whatever executes them. Embedded runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lasso_runs.hpp"

namespace strads::lasso {
namespace {

constexpr std::uint64_t kEmbeddedRounds = 150;

void expect_one_outcome(const Problem& problem) {
  const std::string expected = embedded(problem, 1);
  EXPECT_EQ(embedded(problem, 2), expected) << problem.name();
  EXPECT_EQ(embedded(problem, 7), expected) << problem.name();
  EXPECT_EQ(embedded(problem, 2, true), expected) << problem.name() << ", messages encoded";
}

class EveryPolicy : public testing::TestWithParam<Policy> {};

TEST_P(EveryPolicy, HasOneHashOnDenseDataAtAnyNumberOfThreads) {
  for (const Shape& shape : kShapes) expect_one_outcome({small_dense(), GetParam(), shape, kEmbeddedRounds});
}

TEST_P(EveryPolicy, HasOneHashOnGenotypesAtAnyNumberOfThreads) {
  for (const Shape& shape : kShapes) expect_one_outcome({small_genotypes(), GetParam(), shape, kEmbeddedRounds});
}

TEST_P(EveryPolicy, DependsOnTheSeed) {
  // Genotypes: there `auto` runs parallel rounds. A joint round is the same for any seed, since it takes all slices.
  Problem problem(small_genotypes(), GetParam(), {2, 3, 1}, 40);
  const std::string one = embedded(problem, 1);
  problem.engine.seed = 2;
  EXPECT_NE(embedded(problem, 1), one);
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn(kPolicies), [](const auto& policy) {
  std::string name = policy_name(policy.param);
  std::erase(name, '-');
  return name;
});

TEST(EmbeddedRuns, OfAutoUseParallelRoundsInTheseTests) {
  // Else the tests above would look at joint rounds only.
  const Problem problem(small_genotypes(), Policy::automatic, {2, 4, 1}, 0);
  const auto run = run_embedded(problem.model(), problem.engine, {.threads = 1}, {}, {});
  EXPECT_EQ(run.end.stop_reason, "converged");
  EXPECT_GT(run.end.totals.rounds_parallel, 0u);
}

TEST(EmbeddedRuns, OfOtherShapesAreOtherRuns) {
  std::set<std::string> outcomes;
  for (const Shape& shape : kShapes)
    outcomes.insert(embedded({small_dense(), Policy::uniform, shape, kEmbeddedRounds}, 1));
  EXPECT_EQ(outcomes.size(), kShapes.size());
}

TEST(EmbeddedRuns, HaveOneHashForEachSimdTarget) {
  std::size_t targets = 0;
  for (const Simd target : {Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (!choose_simd(target).ok()) continue;  // this CPU lacks it
    ++targets;
    for (const Policy policy : {Policy::paper, Policy::automatic}) {
      for (const auto& data : {small_dense(), small_genotypes()}) {
        const Problem problem(data, policy, {2, 4, 2}, kEmbeddedRounds);
        const std::string expected = embedded(problem, 1);
        EXPECT_EQ(embedded(problem, 3), expected) << simd_name() << ' ' << problem.name();
        EXPECT_EQ(outcome_of(cluster(problem, {.nodes = 2, .seed = 4, .order = support::Order::any}), problem),
                  expected)
            << simd_name() << ' ' << problem.name();
      }
    }
  }
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
  EXPECT_GE(targets, 1u);
}

TEST(EmbeddedRuns, WithFewerVariablesThanSchedulersStillConverge) {
  const Problem problem(support::dense_dataset({.rows = 30, .columns = 9, .seed = 3}), Policy::paper, {16, 4, 3}, 0);
  const std::string expected = embedded(problem, 1);
  EXPECT_THAT(expected, testing::HasSubstr("converged"));
  EXPECT_EQ(embedded(problem, 3), expected);
}

}  // namespace
}  // namespace strads::lasso
