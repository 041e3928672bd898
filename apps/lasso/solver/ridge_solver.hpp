// A block without an l1 norm: its quadratic by conjugate gradients on the columns. No product of a pair is needed, and
// memory is that of a few vectors. Layer: apps/lasso. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/penalty.hpp"
#include "lasso/solver/local_block.hpp"
#include "strads/engine/model.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// min over d of 1/2 d'(X'W X + E) d - h'd over some variables. Nothing of it may go while it is solved.
struct RidgeQuadratic {
  const StandardizedColumns& columns;
  std::span<const VarId> variables;
  const Penalty& penalty;  ///< E_j > 0
  double curvature = 1;    ///< about w where W = w I, of the preconditioner w L_j + E_j
  /// v <- W v, length rows; empty: W = I.
  std::function<void(std::span<double>)> weigh = {};
};

/// What conjugate gradients came to.
struct RidgeWay {
  std::vector<double> way;  ///< d
  double decrease = 0;
  std::uint32_t products = 0;  ///< with X'W X + E
};

/// Until sum h_j^2 / (2 E_j), the duality gap, is no larger than gap_max, or `products_max`. `h`: at d = 0.
/// Source: [HestenesStiefel52] (docs/BIBLIOGRAPHY.md), with the diagonal as preconditioner. Cost: two passes over the
/// columns a product.
[[nodiscard]] RidgeWay minimise_ridge(const RidgeQuadratic& quadratic, std::vector<double> h, double gap_max,
                                      std::uint32_t products_max, Chunks& chunks, Cost& cost);

/// Solves a block of least squares that holds every nonzero, to a duality gap of block.tolerance; `local` has its
/// gradient. The sums are those of one thread whatever the threads.
[[nodiscard]] Push solve_ridge(const StandardizedColumns& columns, const Penalty& penalty, const Block& block,
                               Local local, Push push, Chunks& chunks);

/// Products of a block at most: then comes a barrier, where a request to stop is heard.
inline constexpr std::uint32_t kRidgeProductsMax = 500;

}  // namespace strads::lasso
