#include "mf/ranking/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mf/ranking/factor_ranker.hpp"

namespace strads::mf {
namespace {

/// Items' factors of length 1 in place of both sides', no biases: scores are cosines. Factors that are 0 stay 0.
void to_unit_length(FactorModel& model) {
  for (std::uint32_t item = 0; item < model.size(Side::items); ++item) {
    float* const row = model.factors[1].data() + std::size_t{item} * model.rank;
    double squared = 0;
    for (std::uint32_t k = 0; k < model.rank; ++k) squared += double{row[k]} * double{row[k]};
    if (squared == 0) continue;
    const double length = std::sqrt(squared);
    for (std::uint32_t k = 0; k < model.rank; ++k) row[k] = static_cast<float>(double{row[k]} / length);
  }
  std::fill(model.biases[1].begin(), model.biases[1].end(), 0.0F);
  model.mean = 0;
  model.factors[0] = model.factors[1];
  model.biases[0] = model.biases[1];
}

}  // namespace

void Scorer::take_users(const Ratings& ratings, std::span<const Triplets* const> parts) {
  if (weights == nullptr) return;
  ids.ids[0] = ratings.users;
  positives = std::make_shared<const RatedItems>(rated_by_user(ratings, parts, ids, weights->lowest_positive));
  ids.counts[0].clear();
  for (std::uint32_t user = 0; user < ratings.users->size(); ++user) {
    ids.counts[0].push_back(static_cast<std::uint32_t>(positives->of(user).size()));
  }
}

std::unique_ptr<const ItemRanker> Scorer::ranker(AllowedItems allowed) const {
  if (factors != nullptr) return rank_by_factors(*factors, allowed);
  return rank_by_scores(scores_of_weights(weights, positives), ids.known(Side::items), std::move(allowed));
}

Result<Scorer> read_scorer(const std::string& directory) {
  Scorer scorer;
  if (is_slim_model(directory)) {
    STRADS_ASSIGN_OR_RETURN(auto read, read_slim_model(directory));
    scorer.weights = std::make_shared<const SlimWeights>(std::move(read));
    scorer.ids = scorer.weights->ids;
    return scorer;
  }
  STRADS_ASSIGN_OR_RETURN(auto read, read_factor_model(directory));
  scorer.factors = std::make_shared<const FactorModel>(std::move(read));
  scorer.ids = static_cast<const ModelIds&>(*scorer.factors);
  scorer.lowest = scorer.factors->lowest;
  scorer.highest = scorer.factors->highest;
  return scorer;
}

Result<SimilarItems> read_similar_items(const std::string& directory) {
  SimilarItems out;
  Scorer& scorer = out.scorer;
  std::shared_ptr<FactorModel> factors;
  if (is_slim_model(directory)) {
    STRADS_ASSIGN_OR_RETURN(auto read, read_slim_model(directory));
    scorer.weights = std::make_shared<const SlimWeights>(std::move(read));
    scorer.ids = scorer.weights->ids;
  } else {
    STRADS_ASSIGN_OR_RETURN(auto read, read_factor_model(directory));
    factors = std::make_shared<FactorModel>(std::move(read));
    scorer.ids = static_cast<const ModelIds&>(*factors);
  }
  scorer.ids.ids[0] = scorer.ids.ids[1];
  scorer.ids.counts[0] = scorer.ids.counts[1];
  const std::uint32_t items = scorer.ids.known(Side::items);
  for (std::uint32_t item = 0; item < items; ++item) {
    out.itself.begins.push_back(item);
    out.itself.items.push_back(item);
  }
  out.itself.begins.push_back(items);
  if (scorer.weights != nullptr) {
    scorer.positives = std::make_shared<const RatedItems>(out.itself);
    return out;
  }
  to_unit_length(*factors);
  scorer.lowest = -1;
  scorer.highest = 1;
  scorer.factors = std::move(factors);
  return out;
}

ScoreItems scores_of_weights(std::shared_ptr<const SlimWeights> weights, std::shared_ptr<const RatedItems> positives) {
  return [weights = std::move(weights), positives = std::move(positives)](std::span<const std::uint32_t> users,
                                                                          std::uint32_t begin, std::uint32_t count,
                                                                          float* out, std::size_t stride) {
    const SparseRows& matrix = weights->weights;
    const std::uint32_t end = begin + count;
    for (std::size_t u = 0; u < users.size(); ++u) {
      float* const of_user = out + u * stride;
      std::fill_n(of_user, count, 0.0F);
      for (const std::uint32_t item : positives->of(users[u])) {
        const auto row =
            std::span(matrix.columns).subspan(matrix.begins[item], matrix.begins[item + 1] - matrix.begins[item]);
        auto at = static_cast<std::size_t>(std::lower_bound(row.begin(), row.end(), begin) - row.begin());
        for (; at < row.size() && row[at] < end; ++at)
          of_user[row[at] - begin] += matrix.values[matrix.begins[item] + at];
      }
    }
  };
}

}  // namespace strads::mf
