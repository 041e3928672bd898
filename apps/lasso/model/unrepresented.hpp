// Coefficients that leave double precision on their way from the solver's scale to units of the data.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "lasso/model/lasso.hpp"

namespace strads::lasso {

/// How many of a solution's nonzeros are 0 or not finite in units of the data. Those between 4.9e-324 and 2.2e-308 keep
/// fewer digits, and are not counted. REQUIRES: both of the same variables, before or after add_unpenalised().
[[nodiscard]] inline std::uint64_t unrepresented(const LassoSolution& solution, const OriginalScale& original) {
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < original.coefficients.size(); ++k) {
    const double there = original.coefficients[k];
    if (solution.standardized[k] != 0 && (there == 0 || !std::isfinite(there))) ++count;
  }
  return count;
}

}  // namespace strads::lasso
