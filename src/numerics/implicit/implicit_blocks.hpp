// What rows of implicit feedback have in common, and cd's of them. Layer: numerics. Pure, private.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/implicit/implicit_kernels.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads {

[[nodiscard]] constexpr std::size_t padded_lanes(std::size_t count) {
  return (count + kImplicitLanes - 1) / kImplicitLanes * kImplicitLanes;
}

/// A pair with confidence c as an equation: root h'w = aim, with the root of c (never 0). Of Hu's objective
/// alpha0 (s - 1)^2 of an observed pair is alpha0 s^2, which G has, and alpha0 (1 - 2 s): its aim is
/// root + alpha0 / root, so that the right side of the row has c + alpha0.
struct ImplicitTarget {
  float root = 1, aim = 1;
};
[[nodiscard]] ImplicitTarget target_of(const ImplicitProblem& problem, const RatingRows& rows, std::uint64_t pair);

/// update_implicit_rows() of `blocks`.
void update_rows_by_blocks(const RatingRows& rows, const FactorPages& columns, const ImplicitBasis& basis,
                           const ImplicitProblem& problem, const float* before, float* after, RowSums& sums);

}  // namespace strads
