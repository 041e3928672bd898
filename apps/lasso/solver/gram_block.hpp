// Variables of a block as a quadratic in their Gram matrix. Layer: apps/lasso. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lasso/problem/penalty.hpp"
#include "lasso/solver/local_block.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads::lasso {

/// How far a quadratic is solved.
struct GramTask {
  const Penalty& penalty;
  double residual_squared = -1;  ///< r'r + sum E_j b_j^2 where the variables hold every nonzero; negative: unknown
  double gap_max = 0;            ///< as L1QuadraticOptions::gap_max
  std::uint32_t sweeps_max = 0;
};

/// Solves for `local`, whose gradients are those of its values. `gram` (k x k) has the elastic net's E_j on its
/// diagonal meanwhile, and is the same bit for bit afterwards. The gradients are undefined afterwards.
L1QuadraticResult solve_in_gram(const GramTask& task, Local& local, std::vector<double>& gram, Chunks& chunks);

/// Flops of the products of all pairs that hold one of `fresh` variables. Counted from the block alone: what this node
/// remembers depends on what it met before, and messages must not.
[[nodiscard]] std::uint64_t pair_flops(const StandardizedColumns& columns, std::span<const VarId> variables,
                                       std::uint64_t fresh);

}  // namespace strads::lasso
