// The table of policies, and what the halves that it makes have in common.
#include "strads/policies/policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lasso/model/lasso_slice.hpp"
#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Policies, AreFoundByTheirNames) {
  EXPECT_THAT(policy_names(), ElementsAre("auto", "uniform", "static", "paper", "theorem1", "block-greedy"));
  std::set<Policy> found;
  for (const std::string& name : policy_names()) {
    const std::optional<Policy> policy = policy_named(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ(policy_name(*policy), name);
    EXPECT_EQ(entry_of(*policy).policy, *policy);
    found.insert(*policy);
  }
  EXPECT_EQ(found.size(), policy_names().size());
  EXPECT_EQ(policy_named("Auto"), std::nullopt);
}

TEST(Policies, OnlyThoseOfTheSapPaperAreDealtVariableByVariable) {
  std::vector<std::string> single;
  for (const std::string& name : policy_names()) {
    if (entry_of(*policy_named(name)).single_variables) single.push_back(name);
  }
  EXPECT_THAT(single, ElementsAre("static", "paper", "theorem1"));
}

std::vector<VarId> touched_by_a_commit(Policy policy) {
  LassoOptions options;
  options.policy = policy;
  LassoSlice slice(scanned(random_content({.columns = 6}), options), std::make_shared<BlockCaches>(), options,
                   {0, 1, 2, 3, 4, 5});
  const std::vector<VarId> drawn{1, 4};
  const Payload changes{{4}, {0.25}};
  std::vector<VarId> touched;
  slice.committed({.drawn = drawn, .changes = &changes}, touched);
  return touched;
}

TEST(Policies, ThatLearnNothingFromACommitHaveNothingWeighedAgain) {
  EXPECT_THAT(touched_by_a_commit(Policy::paper), ElementsAre(1, 4));
  EXPECT_THAT(touched_by_a_commit(Policy::theorem1), ElementsAre(1, 4));
  for (const Policy policy : {Policy::automatic, Policy::uniform, Policy::fixed_structure, Policy::block_greedy}) {
    EXPECT_THAT(touched_by_a_commit(policy), IsEmpty()) << policy_name(policy);
  }
}

}  // namespace
}  // namespace strads::lasso
