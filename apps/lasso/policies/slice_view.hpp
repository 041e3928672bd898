// What a scheduler knows about the variables of its slice: LassoSlice keeps it up to date, its policy reads it through
// LassoCoordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lasso/policies/slice_gradients.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "strads/policies/slice_positions.hpp"

namespace strads::lasso {

/// A number i is a position in `variables`.
struct SliceView {
  /// `data` and `slice` outlive the object.
  SliceView(const LassoData& data, const LassoOptions& options, std::span<const VarId> slice);

  [[nodiscard]] bool kept(std::size_t i) const { return columns.state(variables[i]) == ColumnState::kept; }
  [[nodiscard]] VariablePenalty penalty_of(std::size_t i) const { return penalty.of(variables[i]); }
  /// What an update of this variable alone would do. REQUIRES: kept(i).
  [[nodiscard]] Step step(std::size_t i) const;
  /// D_j: the decrease that this step brings; 0 where a column is constant.
  [[nodiscard]] double decrease(std::size_t i) const;
  /// True iff a variable that is zero would not be after an update.
  [[nodiscard]] bool enters(std::size_t i) const;

  const StandardizedColumns& columns;
  std::span<const VarId> variables;       ///< ascending
  SlicePositions positions;               ///< of variables
  Penalty penalty;                        ///< of the phase
  std::vector<double> beta;               ///< by position
  std::vector<std::uint32_t> support;     ///< positions where beta may not be 0
  double curvature;                       ///< of the loss's quadratic bound, in units of ||x_j||^2
  SliceGradients gradient;                ///< at the last refresh
  std::vector<std::uint32_t> candidates;  ///< of the last refresh: positions with exact gradients, ascending
  std::vector<std::uint32_t> strong;      ///< the same for the next lambda of a path
};

}  // namespace strads::lasso
