// The best items of users: by the factors of a model, or by how many have rated them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/ranking/rated_items.hpp"

namespace strads::mf {

struct Candidate {
  float score = 0;
  std::uint32_t item = 0;
};

/// What comes first of two items that a user likes equally.
enum class TieOrder : std::uint8_t {
  item,  ///< the one that comes first in items.tsv
  hash   ///< that of the smaller hash of user and item: files often name popular items first, which would look like
         ///< skill
};

/// Users whose scores are computed together: their scores of one stretch of items stay in a cache while factors are
/// added.
inline constexpr std::size_t kUsersAtOnce = 4;

/// Scores of `count` items from `begin` on: user u's stand at `out + u * stride`.
using ScoreItems = std::function<void(std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count,
                                      float* out, std::size_t stride)>;

/// mean + biases + factors, each score summed in the order of the features. The model outlives it. Cost: 2 rank flops
/// an item and user; memory: a copy of the items' factors.
[[nodiscard]] ScoreItems scores_of_factors(const FactorModel& model);
/// How many users have rated an item.
[[nodiscard]] ScoreItems scores_of_popularity(const RatedItems& rated, std::uint32_t items);

/// Of each item whether it may stand in a list, 0 or 1; empty: all may.
using AllowedItems = std::vector<std::uint8_t>;

/// The `top` best items of each of these users (at most kUsersAtOnce), best first, without those that they have rated.
[[nodiscard]] std::vector<std::vector<Candidate>> best_items(std::span<const std::uint32_t> users, std::uint32_t items,
                                                             std::size_t top, const RatedItems& rated, TieOrder ties,
                                                             const ScoreItems& scores,
                                                             const AllowedItems& allowed = {});

}  // namespace strads::mf
