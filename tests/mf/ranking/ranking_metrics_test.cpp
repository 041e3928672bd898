// Recall, NDCG and the others of lists of items, by hand; lists by their order.
#include "mf/ranking/ranking_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mf/ranking/held_out.hpp"

namespace strads::mf {
namespace {

using testing::ElementsAre;

std::vector<Candidate> list_of(const std::vector<std::uint32_t>& items) {
  std::vector<Candidate> list;
  for (const std::uint32_t item : items) list.push_back({0, item});
  return list;
}

double value(const UserMetrics& metrics, std::string_view name) {
  const auto* const found = std::find(kRankingMetrics.begin(), kRankingMetrics.end(), name);
  return metrics.at(static_cast<std::size_t>(found - kRankingMetrics.begin()));
}

/// Nothing is rated by anybody.
RatedItems none_rated(std::uint32_t users) {
  RatedItems rated;
  rated.begins.assign(std::size_t{users} + 1, 0);
  return rated;
}

TEST(RankingMetrics, OfAUserByHand) {
  // Relevant are 3, 5, 8 and one that the model does not know; 5 stands first and 3 third.
  const std::vector<std::uint32_t> relevant = {3, 5, 8}, ks = {2, 3, 5};
  const auto metrics = metrics_of_user(list_of({5, 1, 3, 2, 4}), relevant, 1, ks);
  const double at_2 = 1 / std::log2(2.0), at_3 = 1 / std::log2(3.0), at_4 = 1 / std::log2(4.0),
               at_5 = 1 / std::log2(5.0);
  EXPECT_DOUBLE_EQ(value(metrics[0], "recall"), 1.0 / 4);
  EXPECT_DOUBLE_EQ(value(metrics[0], "recall_min"), 1.0 / 2);
  EXPECT_DOUBLE_EQ(value(metrics[1], "precision"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(metrics[1], "map"), (1.0 + 2.0 / 3) / 3);
  EXPECT_DOUBLE_EQ(value(metrics[2], "map"), (1.0 + 2.0 / 3) / 4) << "four are relevant: five places cannot have more";
  EXPECT_DOUBLE_EQ(value(metrics[2], "ndcg"), (at_2 + at_4) / (at_2 + at_3 + at_4 + at_5));
  EXPECT_DOUBLE_EQ(value(metrics[2], "mrr"), 1.0);
  EXPECT_DOUBLE_EQ(value(metrics[0], "hit"), 1.0);
}

TEST(RankingMetrics, OfAListWithoutARelevantItemAreZero) {
  const std::vector<std::uint32_t> relevant = {9}, ks = {1, 3};
  for (const UserMetrics& metrics : metrics_of_user(list_of({1, 2, 3}), relevant, 0, ks)) {
    for (const double one : metrics) EXPECT_EQ(one, 0);
  }
}

TEST(RankingMetrics, OfThePerfectListAreOneButForPrecision) {
  const std::vector<std::uint32_t> relevant = {1, 2}, ks = {4};
  const auto metrics = metrics_of_user(list_of({2, 1, 7, 8}), relevant, 0, ks);
  EXPECT_THAT(metrics[0], ElementsAre(1, 1, 0.5, 1, 1, 1, 1));
}

TEST(RankingMetrics, OfAListThatIsShorterThanItsPlaces) {
  const std::vector<std::uint32_t> relevant = {1}, ks = {10};
  const auto metrics = metrics_of_user(list_of({1}), relevant, 0, ks);
  EXPECT_DOUBLE_EQ(value(metrics[0], "precision"), 0.1) << "empty places count";
  EXPECT_DOUBLE_EQ(value(metrics[0], "recall"), 1);
}

TEST(RankingSums, AreMeansWithTheirStandardErrors) {
  RankingSums sums({1}, {2, 1, 0}, 4);
  const std::vector<std::uint32_t> relevant = {0}, ks = {1};
  for (const std::uint32_t first : {0U, 1U, 0U}) {
    sums.add(list_of({first}), metrics_of_user(list_of({first}), relevant, 0, ks));
  }
  EXPECT_DOUBLE_EQ(sums.mean(0, 0).mean, 2.0 / 3);
  EXPECT_DOUBLE_EQ(sums.mean(0, 0).standard_error, std::sqrt((2.0 / 3) * (1.0 / 3) * 3 / 2 / 3));
  EXPECT_DOUBLE_EQ(sums.coverage(0), 2.0 / 3) << "item 2 is in no list";
  EXPECT_DOUBLE_EQ(sums.novelty(0), (1.0 + 2.0 + 1.0) / 3) << "half of the users, a quarter of them";
}

TEST(BestItems, LeaveOutWhatIsRatedAndBeginWithTheHighestScore) {
  RatedItems rated;
  rated.begins = {0, 2};
  rated.items = {1, 4};
  const ScoreItems scores = [](std::span<const std::uint32_t>, std::uint32_t begin, std::uint32_t count, float* out,
                               std::size_t) {
    for (std::uint32_t j = 0; j < count; ++j) out[j] = static_cast<float>(begin + j);
  };
  const std::uint32_t users[] = {0};
  const auto best = best_items(users, 5, 2, rated, TieOrder::item, scores);
  ASSERT_EQ(best[0].size(), 2U);
  EXPECT_EQ(best[0][0].item, 3U);
  EXPECT_EQ(best[0][1].item, 2U);
}

TEST(BestItems, OfEqualScoresAreNotTheFirstOnesOfTheFile) {
  constexpr std::uint32_t kItems = 3000, kUsers = 4;
  const RatedItems rated = none_rated(kUsers);
  const ScoreItems equal = [](std::span<const std::uint32_t> users, std::uint32_t, std::uint32_t count, float* out,
                              std::size_t stride) {
    for (std::size_t u = 0; u < users.size(); ++u) std::fill_n(out + u * stride, count, 1.0F);
  };
  const std::uint32_t users[] = {0, 1, 2, 3};
  const auto by_hash = best_items(users, kItems, 100, rated, TieOrder::hash, equal);
  const auto by_item = best_items(users, kItems, 100, rated, TieOrder::item, equal);
  double sum = 0;
  std::set<std::uint32_t> firsts;
  for (std::size_t u = 0; u < kUsers; ++u) {
    firsts.insert(by_hash[u][0].item);
    for (const Candidate& one : by_hash[u]) sum += one.item;
    for (std::uint32_t place = 0; place < 100; ++place) EXPECT_EQ(by_item[u][place].item, place);
  }
  EXPECT_NEAR(sum / 400, kItems / 2.0, 150) << "from all of the file: three standard errors are 130";
  EXPECT_EQ(firsts.size(), kUsers) << "each user has an order of his own";
}

}  // namespace
}  // namespace strads::mf
