#include "engine/planning/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<VarId> all_of(const std::vector<std::vector<VarId>>& slices) {
  std::vector<VarId> all;
  for (const auto& slice : slices) all.insert(all.end(), slice.begin(), slice.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<VarId> up_to(VarId count) {
  std::vector<VarId> all(count);
  std::iota(all.begin(), all.end(), VarId{0});
  return all;
}

TEST(Slices, OneSliceHoldsEverythingInOrder) {
  EXPECT_THAT(deal_slices(9, 4, 1, 1), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Slices, EveryVariableIsInExactlyOneSlice) {
  for (const std::uint32_t slices : {1U, 2U, 3U, 7U, 64U}) {
    for (const VarId count : {0U, 1U, 2U, 63U, 1000U, 5003U}) {
      for (const VarId stripe : {1U, 4U, 17U}) {
        ASSERT_EQ(all_of(deal_slices(5, count, slices, stripe)), up_to(count))
            << slices << ' ' << count << ' ' << stripe;
      }
    }
  }
}

TEST(Slices, AreAscending) {
  for (const auto& slice : deal_slices(3, 1000, 4, 8)) EXPECT_TRUE(std::is_sorted(slice.begin(), slice.end()));
}

TEST(Slices, OfSingleVariablesDifferByAtMostOne) {
  const auto slices = deal_slices(3, 1001, 4, 1);
  for (const auto& slice : slices) EXPECT_THAT(slice.size(), testing::AnyOf(250, 251));
}

TEST(Slices, OfStripesDifferByAtMostOneStripe) {
  constexpr VarId kStripe = 10;
  const auto slices = deal_slices(3, 5000, 4, kStripe);
  const auto [smallest, largest] = std::minmax_element(
      slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  EXPECT_LE(largest->size() - smallest->size(), kStripe);
}

TEST(Slices, StripesStayTogether) {
  constexpr VarId kStripe = 10;
  std::map<VarId, std::size_t> owner;
  const auto slices = deal_slices(11, 4005, 3, kStripe);
  for (std::size_t s = 0; s < slices.size(); ++s) {
    for (const VarId j : slices[s]) {
      const auto [found, added] = owner.emplace(j / kStripe, s);
      ASSERT_TRUE(added || found->second == s) << "variable " << j;
    }
  }
}

TEST(Slices, FewStripesAreBrokenIntoSingleVariables) {
  // 100 variables in stripes of 10 would be 10 stripes for 2 slices: below 64 a slice, so they are dealt one by one.
  const auto slices = deal_slices(1, 100, 2, 10);
  EXPECT_THAT(slices, ElementsAre(SizeIs(50), SizeIs(50)));
  EXPECT_NE(slices[0][9], slices[0][0] + 9) << "a whole stripe stayed together";
}

TEST(Slices, AreAFunctionOfTheSeed) {
  EXPECT_EQ(deal_slices(1, 500, 4, 1), deal_slices(1, 500, 4, 1));
  EXPECT_NE(deal_slices(1, 500, 4, 1), deal_slices(2, 500, 4, 1));
}

TEST(Slices, MixFarApartVariables) {
  const auto slices = deal_slices(1, 1000, 2, 1);
  const auto low = std::count_if(slices[0].begin(), slices[0].end(), [](VarId j) { return j < 500; });
  EXPECT_GT(low, 150);
  EXPECT_LT(low, 350);
}

TEST(Slices, SomeAreEmptyWhenThereAreFewerVariablesThanSlices) {
  const auto slices = deal_slices(1, 3, 5, 1);
  EXPECT_THAT(slices, SizeIs(5));
  EXPECT_EQ(all_of(slices), up_to(3));
}

}  // namespace
}  // namespace strads::engine
