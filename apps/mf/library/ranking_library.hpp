// Item weights (SLIM), lists and what they are worth inside of another program: see mf_library.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mf/library/mf_library.hpp"
#include "strads/base/status.hpp"
#include "strads/data/arrays.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// `mf fit --solver slim`. Items and users in the order in which the pairs name them.
struct WeightsResult : HostedOutcome {
  bool finished = false;                                ///< every item is certified
  std::vector<std::string> users, items;                ///< ids; of a matrix rows and columns, in decimal
  std::vector<std::uint32_t> user_counts, item_counts;  ///< positive pairs of each
  SparseRows weights;                                   ///< row i: what item i says for others
  std::vector<double> objectives, gaps;                 ///< of each item; NaN of those that were not solved
  double objective = 0, worst_gap = 0;                  ///< summed; the largest gap / objective
  std::string model_hash;
  std::uint64_t features = 0;  ///< columns of a matrix whose numbers the ids are; 0: they are none. For save_weights()
};

/// From options to weights; `--solver slim` is added. Errors: usage, input: as `mf fit`, same text.
[[nodiscard]] Result<WeightsResult> call_weights(const FactorCall& call);
/// A run directory that `mf recommend`, `mf similar` and `mf evaluate` read. Of `result` it takes users, items, counts,
/// weights, figures and config. Errors: usage, input: as `mf fit --out`.
[[nodiscard]] Status save_weights(const WeightsResult& result, const std::string& directory, bool force);
/// The model in a run directory of `mf fit --solver slim`, of `mf refit` or of save_weights(): users, items, counts,
/// weights and config, and the summary's text. Errors: input: as `mf recommend`.
struct SavedWeights {
  WeightsResult result;
  std::string summary;
};
[[nodiscard]] Result<SavedWeights> load_weights(const std::string& directory);

/// What ranks: one of both. They outlive the call.
struct RankingModel {
  const FactorResult* factors = nullptr;
  const WeightsResult* weights = nullptr;  ///< of it ids of items and weights
  double lowest_positive = 0;              ///< of weights: pairs of a user count from this value on
};

/// `mf evaluate --ratings TRAIN --test TEST`.
struct EvaluateCall {
  RankingModel model;
  RatingsInMemory train, test;
  std::optional<double> relevant;  ///< test pairs count from this value on; without it all
  std::vector<std::uint32_t> ks;   ///< ascending, each once, at least 1
  unsigned threads = 0;            ///< 0: all
};
struct EvaluatedFigure {
  std::uint32_t k = 0;
  std::string ranked_by, metric;
  double mean = 0, standard_error = 0;  ///< NaN where there is none
};
struct EvaluateResult {
  std::vector<EvaluatedFigure> figures;  ///< by k, who ranks ("model", "popularity"), and metric
  std::uint64_t users = 0;               ///< with at least one pair to be found
  std::uint64_t pairs = 0;               ///< to be found, of items that the model knows
};
/// The same lists, sums and digits as the command's. Errors: input: no pair is left to be found; as load_ratings().
/// Cost: 2 rank flops a user and item, or the weights that a user's items have.
[[nodiscard]] Result<EvaluateResult> call_evaluate(const EvaluateCall& call);

/// The best items of users who are given by their items. All by number in the model.
struct WeightsLists {
  const SparseRows* weights = nullptr;
  std::vector<std::uint64_t> begins;      ///< of each user, and where the last one's items end
  std::vector<std::uint32_t> items;       ///< of each user, ascending: what speaks for others
  std::vector<std::uint64_t> out_begins;  ///< likewise: what a list leaves out
  std::vector<std::uint32_t> out_items;
  std::vector<std::uint8_t> allowed;  ///< by item; empty: all may stand in a list
  std::uint32_t top = 10;
  unsigned threads = 0;
};
struct RankedItem {
  std::uint32_t item = 0;
  float score = 0;
};
/// By user, best first; of equal scores the smaller number is first, as in `mf recommend`. Errors: input: numbers that
/// are none of an item, or do not ascend.
[[nodiscard]] Result<std::vector<std::vector<RankedItem>>> call_recommend(const WeightsLists& call);

}  // namespace strads::mf
