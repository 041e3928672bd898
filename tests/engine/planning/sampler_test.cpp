#include "engine/planning/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "strads/engine/model.hpp"

namespace strads::engine {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr double kScale = 1099511627776.0;  // 2^40, the default of ScheduleRules

CounterRng stream(std::uint64_t round = 0) {
  return CounterRng(1, Purpose::tests, 0, round);
}

WeightTree tree_of(std::vector<std::uint64_t> weights) {
  WeightTree tree;
  tree.assign(std::move(weights));
  return tree;
}

TEST(WeightTree, TotalIsTheExactSum) {
  EXPECT_EQ(tree_of({3, 0, 5, std::uint64_t{1} << 61, 1}).total(), (std::uint64_t{1} << 61) + 9);
  EXPECT_EQ(WeightTree(7).total(), 0u);
}

TEST(WeightTree, EveryPositionHasTheOwnerOfItsInterval) {
  // weights 3 0 5 1: positions 0 1 2 | - | 3 4 5 6 7 | 8
  const WeightTree tree = tree_of({3, 0, 5, 1});
  std::vector<std::size_t> owners;
  for (std::uint64_t x = 0; x < tree.total(); ++x) owners.push_back(tree.find(x));
  EXPECT_THAT(owners, ElementsAre(0, 0, 0, 2, 2, 2, 2, 2, 3));
}

TEST(WeightTree, FindsOwnersAtAnySizeOfTheTree) {
  for (std::size_t n = 1; n <= 70; ++n) {
    std::vector<std::uint64_t> weights(n);
    for (std::size_t i = 0; i < n; ++i) weights[i] = (i * 7 + n) % 4;
    weights[n - 1] = 2;
    const WeightTree tree = tree_of(weights);
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::uint64_t k = 0; k < weights[i]; ++k) ASSERT_EQ(tree.find(x++), i) << n;
    }
    ASSERT_EQ(tree.total(), x);
  }
}

TEST(WeightTree, SetRaisesAndLowers) {
  WeightTree tree = tree_of({4, 4, 4});
  tree.set(1, 0);
  EXPECT_EQ(tree.total(), 8u);
  EXPECT_EQ(tree.find(4), 2u);
  tree.set(0, 9);
  EXPECT_EQ(tree.total(), 13u);
  EXPECT_EQ(tree.find(8), 0u);
  EXPECT_EQ(tree.weight(1), 0u);
}

TEST(WeightTree, UpdatedTenThousandTimesAnswersLikeAFreshOne) {
  constexpr std::size_t kSize = 37;
  CounterRng random = stream();
  std::vector<std::uint64_t> weights(kSize, 0);
  WeightTree updated(kSize);
  for (int k = 0; k < 10'000; ++k) {
    const auto i = static_cast<std::size_t>(random.below(kSize));
    weights[i] = random.below(1000) << random.below(40);
    updated.set(i, weights[i]);
  }
  const WeightTree fresh = tree_of(weights);
  ASSERT_EQ(updated.total(), fresh.total());
  for (int k = 0; k < 1000; ++k) {
    const std::uint64_t x = random.below(fresh.total());
    ASSERT_EQ(updated.find(x), fresh.find(x));
  }
}

TEST(Sampler, NeverDrawsZeroNegativeOrNaN) {
  Sampler sampler(5, kScale);
  sampler.assign({0.0, 1.0, -3.0, std::numeric_limits<double>::quiet_NaN(), 2.0});
  CounterRng random = stream();
  for (int k = 0; k < 50; ++k) EXPECT_THAT(sampler.draw(5, random), UnorderedElementsAre(1, 4));
}

TEST(Sampler, DrawsWithoutReplacement) {
  Sampler sampler(20, kScale);
  sampler.assign(std::vector<double>(20, 1.0));
  CounterRng random = stream();
  const auto drawn = sampler.draw(20, random);
  EXPECT_EQ(std::set<std::size_t>(drawn.begin(), drawn.end()).size(), 20u);
}

TEST(Sampler, DrawsNoMoreThanThereAre) {
  Sampler sampler(3, kScale);
  sampler.assign({1.0, 0.0, 1.0});
  CounterRng random = stream();
  EXPECT_EQ(sampler.draw(100, random).size(), 2u);
}

TEST(Sampler, DrawsNothingFromNothing) {
  CounterRng random = stream();
  Sampler empty(0, kScale);
  empty.assign({});
  EXPECT_THAT(empty.draw(4, random), IsEmpty());
  Sampler zero(4, kScale);
  EXPECT_THAT(zero.draw(4, random), IsEmpty());
}

TEST(Sampler, PutsTheWeightsBackAfterADraw) {
  Sampler sampler(6, kScale);
  sampler.assign({1, 2, 3, kSampleFirst, 5, 6});
  CounterRng first = stream();
  CounterRng second = stream();
  const auto drawn = sampler.draw(6, first);
  EXPECT_EQ(sampler.draw(6, second), drawn);
  EXPECT_EQ(sampler.unvisited(), 1u);
}

TEST(Sampler, VariablesToBeSampledFirstComeBeforeAllOthers) {
  Sampler sampler(6, kScale);
  sampler.assign({1e9, kSampleFirst, 1e9, 1e9, kSampleFirst, 1e9});
  for (std::uint64_t round = 0; round < 50; ++round) {
    CounterRng random = stream(round);
    auto drawn = sampler.draw(3, random);
    drawn.resize(2);
    EXPECT_THAT(drawn, UnorderedElementsAre(1, 4));
  }
}

TEST(Sampler, AVisitedVariableIsNoLongerFirst) {
  Sampler sampler(2, kScale);
  sampler.assign({kSampleFirst, kSampleFirst});
  sampler.set(0, 0.0);
  CounterRng random = stream();
  EXPECT_EQ(sampler.unvisited(), 1u);
  EXPECT_THAT(sampler.draw(2, random), ElementsAre(1));
}

TEST(Sampler, SetManyTimesDrawsTheSameAsAssignedOnce) {
  CounterRng random = stream();
  std::vector<double> p(31, 0.0);
  Sampler updated(p.size(), kScale);
  for (int k = 0; k < 5000; ++k) {
    const auto i = static_cast<std::size_t>(random.below(p.size()));
    p[i] = random.below(10) == 0 ? kSampleFirst : random.unit();
    updated.set(i, p[i]);
  }
  Sampler fresh(p.size(), kScale);
  fresh.assign(p);
  for (std::uint64_t round = 0; round < 20; ++round) {
    CounterRng a = stream(round);
    CounterRng b = stream(round);
    ASSERT_EQ(updated.draw(31, a), fresh.draw(31, b));
  }
}

TEST(Sampler, TheFirstDrawFollowsP) {
  // Chi-square with 4 degrees of freedom: above 18.5 with probability 1e-3; the seed is fixed.
  const std::vector<double> p = {1, 2, 3, 4, 0.5};
  constexpr int kDraws = 20'000;
  constexpr double kChiSquareMax = 18.5;
  Sampler sampler(p.size(), kScale);
  sampler.assign(p);
  std::vector<int> count(p.size(), 0);
  CounterRng random = stream();
  for (int k = 0; k < kDraws; ++k) ++count[sampler.draw(1, random).front()];
  double chi_square = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double expected = kDraws * p[i] / 10.5;
    chi_square += (count[i] - expected) * (count[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, kChiSquareMax);
}

TEST(Sampler, TheSecondDrawFollowsPOfWhatIsLeft) {
  // p = 1 1 2: P(second = 2) = P(first is 0 or 1) x 2/3 = 1/2 x 2/3 = 1/3.
  constexpr int kDraws = 20'000;
  Sampler sampler(3, kScale);
  sampler.assign({1, 1, 2});
  CounterRng random = stream();
  int seconds = 0;
  for (int k = 0; k < kDraws; ++k) seconds += sampler.draw(2, random)[1] == 2 ? 1 : 0;
  EXPECT_NEAR(seconds, kDraws / 3.0, 4 * std::sqrt(kDraws * 2.0 / 9.0));  // four standard deviations
}

TEST(Sampler, UnvisitedVariablesAreDrawnUniformly) {
  constexpr int kDraws = 8000;
  Sampler sampler(4, kScale);
  sampler.assign(std::vector<double>(4, kSampleFirst));
  std::vector<int> count(4, 0);
  CounterRng random = stream();
  for (int k = 0; k < kDraws; ++k) ++count[sampler.draw(1, random).front()];
  for (const int seen : count) EXPECT_NEAR(seen, kDraws / 4.0, 4 * std::sqrt(kDraws * 3.0 / 16.0));
}

TEST(Sampler, AnyImportanceAboveZeroStaysReachable) {
  const Sampler sampler(4, kScale);
  EXPECT_EQ(sampler.weight_of(1e-300), 1u);
  EXPECT_EQ(sampler.weight_of(1.0), std::uint64_t{1} << 40);
  EXPECT_EQ(sampler.weight_of(0.0), 0u);
}

TEST(Sampler, HugeImportancesAreCappedSoThatTheirSumFits) {
  constexpr std::size_t kSize = 1000;
  Sampler sampler(kSize, kScale);
  sampler.assign(std::vector<double>(kSize, 1e300));
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    ASSERT_LE(total, (std::uint64_t{1} << 62) - sampler.weight_of(1e300));
    total += sampler.weight_of(1e300);
  }
  EXPECT_GE(total, std::uint64_t{1} << 61) << "and no smaller than they must be";
  CounterRng random = stream();
  EXPECT_EQ(sampler.draw(10, random).size(), 10u);
}

TEST(Sampler, TheSameStreamDrawsTheSame) {
  Sampler sampler(50, kScale);
  sampler.assign(std::vector<double>(50, 0.25));
  CounterRng a = stream(3);
  CounterRng b = stream(3);
  CounterRng other = stream(4);
  const auto drawn = sampler.draw(25, a);
  EXPECT_EQ(sampler.draw(25, b), drawn);
  EXPECT_NE(sampler.draw(25, other), drawn);
}

}  // namespace
}  // namespace strads::engine
