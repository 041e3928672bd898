#include "mf/factors/factor_quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace strads::mf {
namespace {

/// One piece of the test ratings.
struct ErrorSums {
  double squared = 0, absolute = 0;
};

ErrorSums errors_between(const FactorModel& model, const MfData& data, const Triplets& triplets, std::size_t begin,
                         std::size_t end) {
  ErrorSums sums;
  for (std::size_t t = begin; t < end; ++t) {
    const double error = double{value_of(triplets, data.ratings->levels, t)} * data.unit -
                         double{predict(model, triplets.users[t], triplets.items[t])};
    sums.squared += error * error;
    sums.absolute += std::abs(error);
  }
  return sums;
}

}  // namespace

FactorModel factor_model(const MfData& data, MfSolution& solution, bool clip) {
  FactorModel model;
  model.rank = solution.rank;
  model.mean = static_cast<float>(solution.mean);
  model.unit = data.unit;
  if (clip) {
    model.lowest = data.ratings->lowest;
    model.highest = data.ratings->highest;
  }
  model.ids[0] = data.ratings->users;
  model.ids[1] = data.ratings->items;
  for (std::size_t side = 0; side < kSides; ++side) {
    model.factors[side] = std::move(solution.factors[side]);
    model.biases[side] = std::move(solution.biases[side]);
    model.counts[side] = data.counts[side];
  }
  return model;
}

Quality quality_on(const FactorModel& model, const MfData& data, std::initializer_list<const Triplets*> parts,
                   Chunks& chunks) {
  constexpr std::size_t kPiece = 65536;
  Quality quality;
  double squared = 0, absolute = 0;
  for (const Triplets* triplets : parts) {
    std::vector<ErrorSums> sums((triplets->size() + kPiece - 1) / kPiece);
    chunks.for_each(sums.size(), [&](std::size_t piece) {
      sums[piece] = errors_between(model, data, *triplets, piece * kPiece,
                                   std::min<std::size_t>(triplets->size(), (piece + 1) * kPiece));
    });
    for (const ErrorSums& of_piece : sums) {
      squared += of_piece.squared;
      absolute += of_piece.absolute;
    }
    quality.ratings += triplets->size();
  }
  const double count = static_cast<double>(quality.ratings);
  const double none = std::numeric_limits<double>::quiet_NaN();
  quality.rmse = quality.ratings == 0 ? none : std::sqrt(squared / count);
  quality.mae = quality.ratings == 0 ? none : absolute / count;
  return quality;
}

Quality test_quality(const FactorModel& model, const MfData& data, Chunks& chunks) {
  return quality_on(model, data, {&data.ratings->test, &data.ratings->strangers}, chunks);
}

}  // namespace strads::mf
