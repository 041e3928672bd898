// What lists of items are judged by, and who judges those that early stopping looks at. docs/MODELS.md has the metrics.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strads::mf {

/// What the first k places of a user's list are worth: means over users.
inline constexpr std::array<std::string_view, 7> kRankingMetrics = {"recall", "recall_min", "precision", "ndcg",
                                                                    "map",    "mrr",        "hit"};

/// A metric by its number in kRankingMetrics, and how many places count.
struct RankedBy {
  std::uint32_t metric = 0;
  std::uint32_t at = 0;  ///< 0: not at all

  [[nodiscard]] bool wanted() const { return at > 0; }
};

/// "ndcg@20".
[[nodiscard]] inline std::string name_of(const RankedBy& by) {
  return std::string(kRankingMetrics[by.metric]) + "@" + std::to_string(by.at);
}
/// The number of a metric. REQUIRES: it is one.
[[nodiscard]] inline std::uint32_t ranking_metric(std::string_view name) {
  return static_cast<std::uint32_t>(std::find(kRankingMetrics.begin(), kRankingMetrics.end(), name) -
                                    kRankingMetrics.begin());
}

/// What lists are made from, as a model that is written has it: rows of some users and of all items.
struct ListedFactors {
  std::uint32_t rank = 0;
  float mean = 0;
  std::vector<float> users, items;              ///< rows of `rank`
  std::vector<float> user_biases, item_biases;  ///< one a row
};

/// Validation pairs that lists of items should have. Implemented where lists are made (ranking/stop_lists.hpp).
class StopLists {
 public:
  virtual ~StopLists() = default;
  /// Those with at least one pair to be found, ascending; at least one.
  [[nodiscard]] virtual const std::vector<std::uint32_t>& users() const = 0;
  /// The metric of some of them, summed in their order.
  ///   rows: of these users, in their order
  /// Cost: 2 rank flops a user and item.
  [[nodiscard]] virtual double summed(const RankedBy& by, std::span<const std::uint32_t> users,
                                      ListedFactors rows) const = 0;

 protected:
  StopLists() = default;
  StopLists(const StopLists&) = default;
  StopLists& operator=(const StopLists&) = default;
};

}  // namespace strads::mf
