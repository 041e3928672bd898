// The best items of users: by whatever gives scores, or by how many have rated them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mf/ranking/rated_items.hpp"
#include "strads/base/chunks.hpp"

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

/// Scores of `count` items from `begin` on: user u's stand at `out + u * stride`.
using ScoreItems = std::function<void(std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count,
                                      float* out, std::size_t stride)>;

/// How many users have rated an item.
[[nodiscard]] ScoreItems scores_of_popularity(const RatedItems& rated, std::uint32_t items);

/// Of each item whether it may stand in a list, 0 or 1; empty: all may.
using AllowedItems = std::vector<std::uint8_t>;

/// Of each user the best items, best first.
using CandidateLists = std::vector<std::vector<Candidate>>;

/// The `top` best items of each of these users, without those that they have rated: every score is looked at.
[[nodiscard]] CandidateLists best_items(std::span<const std::uint32_t> users, std::uint32_t items, std::size_t top,
                                        const RatedItems& rated, TieOrder ties, const ScoreItems& scores,
                                        const AllowedItems& allowed = {});

/// What makes lists, from whatever it takes scores: of factors ranking/factor_ranker.hpp.
class ItemRanker {
 public:
  virtual ~ItemRanker() = default;
  /// As many as are done together best.
  [[nodiscard]] virtual std::size_t users_at_once() const = 0;
  /// The `top` best items of each of these users, at most users_at_once(), without those that they have rated. May be
  /// called by several threads at the same time.
  [[nodiscard]] virtual CandidateLists best(std::span<const std::uint32_t> users, std::size_t top,
                                            const RatedItems& rated, TieOrder ties) const = 0;

 protected:
  ItemRanker() = default;
  ItemRanker(const ItemRanker&) = default;
  ItemRanker& operator=(const ItemRanker&) = default;
};

/// best_items() of these.
[[nodiscard]] std::unique_ptr<const ItemRanker> rank_by_scores(ScoreItems scores, std::uint32_t items,
                                                               AllowedItems allowed = {});

/// Lists of any number of users: parts of `users`, several at the same time, the same for any number of threads.
[[nodiscard]] CandidateLists lists_of_all(const ItemRanker& ranker, std::span<const std::uint32_t> users,
                                          std::size_t top, const RatedItems& rated, TieOrder ties, Chunks& chunks);

}  // namespace strads::mf
