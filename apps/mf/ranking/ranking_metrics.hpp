// How good lists of items are that are ranked for users: recall, NDCG and others. Definitions: docs/MODELS.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mf/problem/ranked_by.hpp"
#include "mf/ranking/best_items.hpp"

namespace strads::mf {

/// Of one user, or means over users: by kRankingMetrics.
using UserMetrics = std::array<double, kRankingMetrics.size()>;
/// Of lists that nobody has looked at: NaN.
[[nodiscard]] constexpr UserMetrics no_metrics() {
  UserMetrics none{};
  for (double& metric : none) metric = std::numeric_limits<double>::quiet_NaN();
  return none;
}

/// The metrics of one user at each of `ks` (ascending, at least 1).
///   list: item numbers, best first; shorter than k where fewer are left
///   relevant: ascending item numbers; `missed`: how many more are relevant that no list can have (items that a model
///   does not know). REQUIRES: at least one of both.
/// Source: [Järvelin02] for NDCG, gains of 0 and 1. Cost: O(max k log relevant).
[[nodiscard]] std::vector<UserMetrics> metrics_of_user(std::span<const Candidate> list,
                                                       std::span<const std::uint32_t> relevant, std::uint64_t missed,
                                                       std::span<const std::uint32_t> ks);

/// Sums over users, in the order in which they are added: the same bits whoever made the lists.
class RankingSums {
 public:
  /// `popularity`: how many users have rated each item; `users`: how many users there are.
  RankingSums(std::vector<std::uint32_t> ks, const std::vector<std::uint32_t>& popularity, std::uint32_t users);

  void add(std::span<const Candidate> list, std::span<const UserMetrics> metrics);

  struct Mean {
    double mean = 0;
    double standard_error = 0;  ///< of the mean over users; NaN of fewer than two
  };
  [[nodiscard]] Mean mean(std::size_t k, std::size_t metric) const;
  /// The share of all items that stand in some user's first k places.
  [[nodiscard]] double coverage(std::size_t k) const;
  /// The mean of -log2(share of the users who have rated an item) over all places of all lists, in bits. An item that
  /// nobody has rated counts as rated by one. [Vargas11]
  [[nodiscard]] double novelty(std::size_t k) const;
  [[nodiscard]] std::uint64_t users() const { return added_; }

 private:
  struct AtK {
    UserMetrics sums{}, squares{};
    std::vector<bool> shown;
    double surprise = 0;
    std::uint64_t places = 0;
  };

  std::vector<std::uint32_t> ks_;
  std::vector<double> surprise_;  ///< of each item
  std::vector<AtK> at_;
  std::uint64_t added_ = 0;
};

}  // namespace strads::mf
