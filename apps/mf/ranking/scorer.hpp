// A fitted model, of factors or of item weights, as something that ranks items for users.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/rated_items.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

struct Scorer {
  ModelIds ids;
  /// Scores that are shown stay between.
  float lowest = -std::numeric_limits<float>::infinity(), highest = std::numeric_limits<float>::infinity();
  std::shared_ptr<const FactorModel> factors;
  std::shared_ptr<const SlimWeights> weights;   ///< of --solver slim; null: factors
  std::shared_ptr<const RatedItems> positives;  ///< what users are to item weights

  /// Of item weights, where a user is the items of their pairs: the users of `ratings` are those that are ranked for,
  /// whether the fit knew them or not. Of factors nothing: users are those of the fit.
  void take_users(const Ratings& ratings, std::span<const Triplets* const> parts);
  /// Makes lists of all items or of those that are allowed. The scorer outlives it. REQUIRES: of item weights, users.
  /// Cost: of factors a copy of the items'.
  [[nodiscard]] std::unique_ptr<const ItemRanker> ranker(AllowedItems allowed = {}) const;
};

/// Errors: as read_factor_model(), read_slim_model().
[[nodiscard]] Result<Scorer> read_scorer(const std::string& directory);

/// What ranks items for an item: the users of this scorer are the items, and each has itself. By factors a score is the
/// cosine of two items' factors, by item weights the weight with which the first speaks for the second, as in the list
/// of a user who has that item alone. Errors: as read_scorer(). Cost: a copy of the items' factors.
struct SimilarItems {
  Scorer scorer;
  RatedItems itself;
};
[[nodiscard]] Result<SimilarItems> read_similar_items(const std::string& directory);

/// The sum of the weights of a user's items, in their order. Cost: for each item of a user log2(weights of its row)
/// for every call, and its weights in the stretch.
[[nodiscard]] ScoreItems scores_of_weights(std::shared_ptr<const SlimWeights> weights,
                                           std::shared_ptr<const RatedItems> positives);

}  // namespace strads::mf
