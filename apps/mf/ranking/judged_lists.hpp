// Lists of items made for users and judged by the pairs that the model has not seen: what `mf evaluate` and `mf cv` do
// alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/problem/ranked_by.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/held_out.hpp"
#include "mf/ranking/ranking_metrics.hpp"
#include "mf/ranking/rated_items.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// Whom lists are made for, what is left out of them and what they should have.
struct ListQuestion {
  const ModelIds& ids;
  const RatedItems& rated;
  const HeldOut& held_out;
  std::span<const std::uint32_t> users;
};

/// Makes and judges the lists of all users, some at a time (`ranker` is asked for parts of ListQuestion::users), and
/// adds them up in their order: the same bits for any number of threads. `go_on`: is told after some users how many are
/// done; false ends it. Returns nothing where it was ended. Cost: that of the lists.
[[nodiscard]] std::optional<RankingSums> judged_lists(const ListQuestion& question,
                                                      const std::vector<std::uint32_t>& ks, const ItemRanker& ranker,
                                                      Chunks& chunks,
                                                      const std::function<bool(std::size_t done)>& go_on = {});

/// A fold as `mf evaluate` sees it: the model was fitted to a file of the others, the fold is the file of --test.
struct RankedFold {
  ModelIds ids;
  RatedItems rated;
  std::shared_ptr<const RatedItems> positives;  ///< what users are to item weights; null for factors
  HeldOut held_out;
  std::vector<std::uint32_t> users;

  [[nodiscard]] ListQuestion question() const { return {ids, rated, held_out, users}; }
};

/// From a fold that was left out (strads::leave_out()), before its values become confidences.
///   from: test pairs count from this rating on, and training pairs of item weights are positives; without it all
///   weights: of --solver slim
[[nodiscard]] RankedFold ranked_fold(const Ratings& fold, std::optional<double> from, bool weights);

/// What the lists are worth at `by.at`; REQUIRES: there are users.
struct RankedQuality {
  UserMetrics means = no_metrics();
  std::uint64_t users = 0;
};
[[nodiscard]] RankedQuality ranked_quality(const RankedFold& fold, const RankedBy& by, const ItemRanker& ranker,
                                           Chunks& chunks);

}  // namespace strads::mf
