// Predictions of a solution for people whom it has not seen, and how good they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lasso/problem/lasso.hpp"
#include "lasso/study/cv_measure.hpp"

namespace strads::lasso {

/// Responses, weights and predictions (intercept + X beta + C gamma + offset) of some rows.
///   data: whose rows they are
///   rows: ascending, none of them dropped
///   solution: in units of the data, original_scale()
/// Cost: one look at each of the variables at each of the rows.
[[nodiscard]] HeldOut held_out_of(const Dataset& data, std::span<const std::uint32_t> rows, const Solution& solution);

/// How well some people are predicted. What a family or the people do not have is NaN.
struct HeldOutScore {
  std::uint64_t samples = 0;
  double mse = 0;  ///< as cv_measure.hpp defines them: weighted means over the people
  double mae = 0;
  double r2 = 0;        ///< of numbers: 1 - sum w (y - prediction)^2 / sum w (y - ybar)^2, ybar of these people
  double deviance = 0;  ///< of two classes, as the next two
  double misclassification = 0;
  double area = 0;

  /// NaN where there is nobody.
  [[nodiscard]] double of(Measure measure) const;
};
[[nodiscard]] HeldOutScore score_held_out(const HeldOut& samples, Family family);

}  // namespace strads::lasso
