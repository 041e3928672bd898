// What a scheduler knows about the variables of its slice: LassoSlice keeps it up to date, its policy reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lasso/policies/slice_gradients.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

/// Positions of variables in the list of a slice.
class SlicePositions {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// `variables`: of the slice, ascending; they outlive the object. `all`: J.
  SlicePositions(std::span<const VarId> variables, std::size_t all);

  /// kNone: j is in another slice. Asked twice for each pair that may conflict.
  [[nodiscard]] std::size_t of(VarId j) const {
    if (!table_.empty()) return table_[j];
    return variables_.size() == all_ ? j : search(j);
  }

 private:
  [[nodiscard]] std::size_t search(VarId j) const;

  std::span<const VarId> variables_;
  std::size_t all_;
  std::vector<VarId> table_;  ///< by variable; empty: the slice holds all variables, or few
};

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
