#include "strads/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace strads {
namespace {

std::vector<std::uint64_t> draws(CounterRng random, std::size_t count) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random.next());
  return values;
}

// Computed by an independent implementation (Python's integers and libxxhash); never to be changed.
TEST(CounterRng, GivesItsGoldenStream) {
  EXPECT_EQ(draws(CounterRng(0, Purpose::slices), 3),
            (std::vector<std::uint64_t>{0x69613442a31a72f2, 0x41fa47e4c649d896, 0x3fad06822a57e363}));
  EXPECT_EQ(draws(CounterRng(42, Purpose::sampling, 3, 17, 5), 3),
            (std::vector<std::uint64_t>{0x78985321e8619496, 0x670a0fef8142cee3, 0x40836fc2c3e04331}));
}

TEST(CounterRng, GivesItsGoldenBoundedNumbersUnitsAndShuffle) {
  CounterRng random(7, Purpose::tests, 1, 2, 3);
  std::vector<std::uint64_t> below;
  for (int i = 0; i < 8; ++i) below.push_back(random.below(1000));
  EXPECT_EQ(below, (std::vector<std::uint64_t>{824, 472, 592, 73, 761, 580, 197, 199}));
  EXPECT_EQ(CounterRng(7, Purpose::tests).unit(), 0x1.3af267b3133cdp-1);
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CounterRng order(7, Purpose::tests);
  shuffle(items, order);
  EXPECT_EQ(items, (std::vector<int>{3, 8, 9, 0, 7, 4, 5, 1, 2, 6}));
}

TEST(CounterRng, StreamsDifferInEveryPartOfTheirName) {
  std::set<std::uint64_t> firsts;
  firsts.insert(CounterRng(1, Purpose::tests, 2, 3, 4).next());
  firsts.insert(CounterRng(9, Purpose::tests, 2, 3, 4).next());
  firsts.insert(CounterRng(1, Purpose::sampling, 2, 3, 4).next());
  firsts.insert(CounterRng(1, Purpose::tests, 9, 3, 4).next());
  firsts.insert(CounterRng(1, Purpose::tests, 2, 9, 4).next());
  firsts.insert(CounterRng(1, Purpose::tests, 2, 3, 9).next());
  firsts.insert(CounterRng(1, Purpose::tests, 3, 2, 4).next());  // and in the order of the parts
  EXPECT_EQ(firsts.size(), 7U);
}

TEST(CounterRng, StreamsDoNotDependOnWhoDrawsFirst) {
  CounterRng a(5, Purpose::tests, 0);
  CounterRng b(5, Purpose::tests, 1);
  std::vector<std::uint64_t> from_a;
  std::vector<std::uint64_t> from_b;
  for (int i = 0; i < 10; ++i) {
    from_b.push_back(b.next());
    if (i % 3 == 0) from_a.push_back(a.next());
  }
  EXPECT_EQ(from_a, draws(CounterRng(5, Purpose::tests, 0), 4));
  EXPECT_EQ(from_b, draws(CounterRng(5, Purpose::tests, 1), 10));
}

TEST(CounterRng, CopiesGoOnFromTheSamePlace) {
  CounterRng original(5, Purpose::tests);
  original.next();
  CounterRng copy = original;
  const std::uint64_t expected = original.next();
  original.next();
  EXPECT_EQ(copy.next(), expected);
}

TEST(CounterRng, BelowOneIsAlwaysZero) {
  CounterRng random(1, Purpose::tests);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(CounterRng, BelowStaysBelowForExtremeBounds) {
  CounterRng random(1, Purpose::tests);
  for (const std::uint64_t bound : {2ULL, 3ULL, (1ULL << 63), (1ULL << 63) + 1, ~0ULL}) {
    for (int i = 0; i < 200; ++i) EXPECT_LT(random.below(bound), bound);
  }
}

// With bound = 3 * 2^62 plain multiply-shift would give the residues 0 mod 3 half of the time: the rejection is needed.
TEST(CounterRng, BelowIsUnbiasedWhereRejectionMatters) {
  constexpr std::uint64_t kBound = 3ULL << 62;
  CounterRng random(11, Purpose::tests);
  std::array<int, 3> residues{};
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) ++residues[random.below(kBound) % 3];
  for (const int count : residues) EXPECT_NEAR(count, kDraws / 3, 450);  // 5.5 standard deviations of about 82
}

TEST(CounterRng, SmallBoundsAreUniformByChiSquare) {
  constexpr std::size_t kBound = 10;
  constexpr int kDraws = 100000;
  CounterRng random(3, Purpose::tests);
  std::array<int, kBound> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(kBound)];
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi_square, 33.7);  // 9 degrees of freedom: exceeded once in 10,000 seeds
  EXPECT_GT(chi_square, 0.5);   // too even is as suspicious
}

TEST(CounterRng, UnitsLieInTheHalfOpenIntervalWithTheRightMoments) {
  CounterRng random(4, Purpose::tests);
  constexpr int kDraws = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.unit();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kDraws, 1.0 / 2, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.005);
}

TEST(CounterRng, EveryBitIsSetHalfOfTheTime) {
  CounterRng random(6, Purpose::tests);
  std::array<int, 64> ones{};
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.next();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>((value >> bit) & 1U);
  }
  for (const int count : ones) EXPECT_NEAR(count, kDraws / 2, 250);  // 5 standard deviations of 50
}

TEST(Shuffle, KeepsTheItems) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  CounterRng random(8, Purpose::tests);
  shuffle(items, random);
  EXPECT_FALSE(std::is_sorted(items.begin(), items.end()));
  std::sort(items.begin(), items.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
}

TEST(Shuffle, LeavesNothingAndOneItemAloneAndDrawsNothing) {
  CounterRng random(8, Purpose::tests);
  std::vector<int> none;
  std::vector<int> one{5};
  shuffle(none, random);
  shuffle(one, random);
  EXPECT_EQ(one, std::vector<int>{5});
  EXPECT_EQ(random.next(), CounterRng(8, Purpose::tests).next());
}

TEST(Shuffle, GivesEveryOrderOfThreeEquallyOften) {
  std::map<std::vector<int>, int> counts;
  CounterRng random(9, Purpose::tests);
  constexpr int kDraws = 12000;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<int> items{1, 2, 3};
    shuffle(items, random);
    ++counts[items];
  }
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kDraws / 6, 210);  // 5 standard deviations of 41
}

}  // namespace
}  // namespace strads
