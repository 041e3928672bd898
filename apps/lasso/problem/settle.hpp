// The fit of what has no penalty at fixed X beta: the one way to it, for the null fit, for replicas, for blocks and for
// what is written. Layer: apps/lasso. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "lasso/problem/predictor_data.hpp"

namespace strads::lasso {

/// What settle() came to.
struct Settled {
  double loss = 0;
  std::uint32_t steps = 0;
  bool there = true;    ///< the gradient is that of a minimum, but for rounding
  double residual = 0;  ///< where it ended otherwise: largest |q'u| / sum |q_i u_i| over the directions q
  /// Not empty: a direction, in coordinates, that never raises the loss: there is no minimum.
  std::vector<double> separating{};
};

enum class Minimum : std::uint8_t {
  exists,  ///< the null fit has one, and with it every fit at another X beta
  unknown  ///< the loss may fall for ever: each direction is looked at
};

/// Fits what has no penalty at fixed X beta, to rounding. Newton steps; where these lead far away, or the curvature
/// says nothing since all terms are saturated, a search along the line for the minimum on it. No step raises the loss.
/// Expects slope and curvature of the predictor, and leaves them so. `loss`: there.
/// Cost: rows (k^2 + 10) a step for k dimensions, 60 rows for each look along a line.
Settled settle(const PredictorData& data, LassoState::Linear& linear, double loss, Chunks& chunks,
               Minimum minimum = Minimum::exists);

}  // namespace strads::lasso
