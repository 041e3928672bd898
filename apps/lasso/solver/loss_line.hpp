// How far a round or a Newton step goes where the loss is no square. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "strads/base/chunks.hpp"
#include "strads/numerics/line_search.hpp"
#include "strads/numerics/losses.hpp"

namespace strads::lasso {

/// How far a round goes.
struct LossStep {
  double step = 0;             ///< in [0, 1]; 0: not at all
  std::ptrdiff_t zeroed = -1;  ///< of the terms, the one that becomes exactly 0
  double objective = 0;        ///< after it
  double realised = 0;         ///< decrease of the objective
};

/// F along predictor + step v with the terms of `moves`, from step 0 on. Each trial costs rows x three transcendental
/// functions; the whole step is tried first, which nearly always is as good as any. Never returns a step that raises F.
///   slope: minus the derivative of the loss by the predictor
/// LossStep::objective is not set.
[[nodiscard]] LossStep search_line(const LossSamples& samples, std::span<const double> predictor,
                                   std::span<const double> slope, std::span<const double> v,
                                   std::span<const LineTerm> terms, Chunks& chunks);

/// What the penalty of the terms changes by.
[[nodiscard]] double penalty_change(std::span<const LineTerm> terms, double step, std::ptrdiff_t zeroed = -1);

}  // namespace strads::lasso
