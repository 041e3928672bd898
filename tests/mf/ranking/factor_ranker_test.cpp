// Lists by factors are those of a full sort of score(), bit by bit, whatever the SIMD target, the shape and the ties.
#include "mf/ranking/factor_ranker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "mf/ranking/scorer.hpp"
#include "mf/reversed_chunks.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/random.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::mf {
namespace {

struct RankedShape {
  std::uint32_t users, items, rank;
  std::size_t top;
};

/// What a case makes of a number that is uniform between -1 and 1.
using FactorEntry = float (*)(double);

FactorModel made_up_factors(const RankedShape& shape, FactorEntry entry, bool biases, std::uint64_t seed) {
  CounterRng random(seed, Purpose::tests);
  const auto next = [&] { return entry(2 * random.unit() - 1); };
  FactorModel model;
  model.rank = shape.rank;
  model.mean = biases ? 3.5F : 0;
  const std::uint32_t sizes[] = {shape.users, shape.items};
  for (std::size_t side = 0; side < kSides; ++side) {
    for (std::size_t k = 0; k < std::size_t{sizes[side]} * shape.rank; ++k) model.factors[side].push_back(next());
    for (std::uint32_t k = 0; k < sizes[side]; ++k) model.biases[side].push_back(biases ? next() : 0);
  }
  return model;
}

/// Each user has rated every seventh item, another seventh for each.
RatedItems sevenths(const RankedShape& shape) {
  RatedItems rated;
  rated.begins.push_back(0);
  for (std::uint32_t user = 0; user < shape.users; ++user) {
    for (std::uint32_t item = user % 7; item < shape.items; item += 7) rated.items.push_back(item);
    rated.begins.push_back(rated.items.size());
  }
  return rated;
}

/// The scores of all items one by one, sorted whole; of equal ones those come first that best_items() has first, which
/// the tests of best_items() look at.
CandidateLists sorted_whole(const FactorModel& model, const RankedShape& shape, const RatedItems& rated, TieOrder ties,
                            const AllowedItems& allowed) {
  const ScoreItems scores = [&](std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count,
                                float* out, std::size_t stride) {
    for (std::size_t u = 0; u < users.size(); ++u) {
      for (std::uint32_t j = 0; j < count; ++j) out[u * stride + j] = score(model, users[u], begin + j);
    }
  };
  std::vector<std::uint32_t> users(shape.users);
  std::iota(users.begin(), users.end(), 0U);
  return best_items(users, shape.items, shape.top, rated, ties, scores, allowed);
}

void expect_same_lists(const CandidateLists& found, const CandidateLists& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t u = 0; u < found.size(); ++u) {
    ASSERT_EQ(found[u].size(), expected[u].size()) << "user " << u;
    for (std::size_t place = 0; place < found[u].size(); ++place) {
      ASSERT_EQ(found[u][place].item, expected[u][place].item) << "user " << u << ", place " << place;
      ASSERT_EQ(found[u][place].score, expected[u][place].score) << "user " << u << ", place " << place;
    }
  }
}

void expect_lists_of_a_full_sort(const RankedShape& shape, FactorEntry entry, bool biases,
                                 const AllowedItems& allowed = {}) {
  const FactorModel model = made_up_factors(shape, entry, biases, shape.items);
  const RatedItems rated = sevenths(shape);
  std::vector<std::uint32_t> users(shape.users);
  std::iota(users.begin(), users.end(), 0U);
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512, Simd::automatic}) {
    if (!choose_simd(simd).ok()) continue;  // this CPU has none
    SCOPED_TRACE(std::string(simd_name()));
    const auto ranker = rank_by_factors(model, allowed);
    for (const TieOrder ties : {TieOrder::item, TieOrder::hash}) {
      test::ReversedChunks chunks;
      expect_same_lists(lists_of_all(*ranker, users, shape.top, rated, ties, chunks),
                        sorted_whole(model, shape, rated, ties, allowed));
    }
  }
}

// Users and items that fill no strip and no panel, one that fills them, ranks that are no multiple of anything.
constexpr RankedShape kRankedShapes[] = {{1, 1, 1, 1},   {5, 33, 3, 4},     {13, 31, 7, 40},
                                         {12, 64, 8, 5}, {25, 500, 17, 20}, {100, 333, 5, 10}};

float entry_plain(double x) {
  return static_cast<float>(x);
}
float entry_of_few(double x) {
  return static_cast<float>(std::round(2 * x));
}
/// All but equal, and with all digits: what two ways of rounding make of a score is more than what items differ by.
float entry_near_one(double x) {
  return 1.2345678F + static_cast<float>(x) * 0x1p-20F;
}
float entry_underflowing(double x) {
  return static_cast<float>(x) * 0x1p-74F;
}
float entry_skewed(double x) {
  return static_cast<float>(std::exp(6 * x) * (x > 0.3 ? -1 : 1));
}
float entry_zero(double /*x*/) {
  return 0;
}

TEST(FactorRanker, MakesTheListsOfAFullSort) {
  for (const RankedShape& shape : kRankedShapes) {
    SCOPED_TRACE(std::to_string(shape.users) + " x " + std::to_string(shape.items) + ", rank " +
                 std::to_string(shape.rank));
    for (const FactorEntry entry :
         {entry_plain, entry_of_few, entry_near_one, entry_underflowing, entry_skewed, entry_zero}) {
      expect_lists_of_a_full_sort(shape, entry, false);
      expect_lists_of_a_full_sort(shape, entry, true);
    }
  }
}

// Scores that are equal at the end of each list, and scores that are all but equal: every rank has its own remainder in
// every kernel.
TEST(FactorRanker, MakesThemAtEveryRank) {
  for (std::uint32_t rank = 1; rank <= 130; rank += rank < 20 || rank > 120 ? 1 : 7) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    expect_lists_of_a_full_sort({13, 70, rank, 9}, entry_of_few, true);
    expect_lists_of_a_full_sort({13, 33, rank, 9}, entry_near_one, false);
  }
}

TEST(FactorRanker, DoesNotMistakeRoundingForOrder) {
  expect_lists_of_a_full_sort({26, 700, 128, 10}, entry_near_one, false);
  expect_lists_of_a_full_sort({26, 700, 128, 10}, entry_near_one, true);
}

TEST(FactorRanker, MakesShortListsWhereFewItemsAreAllowed) {
  AllowedItems allowed(333, 0);
  allowed[0] = allowed[31] = allowed[32] = allowed[332] = 1;
  expect_lists_of_a_full_sort({30, 333, 6, 10}, entry_plain, true, allowed);
  for (std::size_t item = 0; item < 200; ++item) allowed[item] = 1;
  expect_lists_of_a_full_sort({30, 333, 6, 10}, entry_plain, true, allowed);
}

TEST(FactorRanker, OfRowsOfSomeUsersKnowsWhoseTheyAre) {
  const RankedShape shape{40, 90, 6, 8};
  const FactorModel whole = made_up_factors(shape, entry_plain, false, 4);
  const RatedItems rated = sevenths(shape);
  const std::vector<std::uint32_t> owners = {3, 4, 17, 38};
  FactorModel some = whole;
  some.factors[0].clear();
  for (const std::uint32_t user : owners) {
    some.factors[0].insert(some.factors[0].end(), whole.row(Side::users, user), whole.row(Side::users, user) + 6);
  }
  some.biases[0].resize(owners.size());
  SerialChunks chunks;
  const auto all = lists_of_all(*rank_by_factors(whole), owners, shape.top, rated, TieOrder::hash, chunks);
  const auto ranker = rank_by_factors(some, {}, owners);
  expect_same_lists(lists_of_all(*ranker, owners, shape.top, rated, TieOrder::hash, chunks), all);
  expect_same_lists(ranker->best(std::span(owners).subspan(2), shape.top, rated, TieOrder::hash), {all[2], all[3]});
}

}  // namespace
}  // namespace strads::mf
