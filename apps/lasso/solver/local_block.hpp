// A block as its worker sees it, and how the work on it is counted. Layer: apps/lasso. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/types.hpp"

namespace strads::lasso {

/// The variables of a block with their values at base, and the gradient there.
struct Local {
  std::span<const VarId> variables;
  std::vector<double> value;     ///< current values, changed by the solver
  std::vector<double> gradient;  ///< x_j'r at base
};

/// Counts a pass over a column.
inline void count_pass(Cost& cost, std::uint64_t flops) {
  cost.flops += flops;
  cost.streamed += flops;
}

/// The same by one thread: the next column needs what this one changed.
inline void count_sweep(Cost& cost, std::uint64_t flops) {
  count_pass(cost, flops);
  cost.swept += flops;
}

}  // namespace strads::lasso
