// Positions of variables in the list of a slice. Layer: policies. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "strads/base/types.hpp"

namespace strads {

/// Positions of variables in the list of a slice.
class SlicePositions {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// `variables`: of the slice, ascending; they outlive the object. `all`: J.
  SlicePositions(std::span<const VarId> variables, std::size_t all);

  [[nodiscard]] std::span<const VarId> variables() const { return variables_; }
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

}  // namespace strads
