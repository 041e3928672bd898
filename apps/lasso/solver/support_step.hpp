// A step of all nonzeros together: conjugate gradients where the signs have settled. Layer: apps/lasso. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lasso/problem/penalty.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// What a step came to.
struct SupportStep {
  double decrease = 0;         ///< of the objective, >= 0; 0: no step was taken
  std::uint32_t products = 0;  ///< with X'X on the support: conjugate gradient steps
  bool settled = true;         ///< false: too many signs would have changed, so that it ended early
};

/// With the signs of the nonzeros fixed the objective is a quadratic. Minimises it by conjugate gradients
/// (StandardizedColumns::Preconditioner) until no derivative is larger than `share` of its penalty, goes that way as
/// far as the objective falls, and stops at zero what would change its sign.
///   by_rows: of `variables`; gradient: x_j'r of each; value: one for each; residual: y - X b of all, both changed
/// Never raises the objective. Coordinate descent must follow: zeros stay zeros here. Its convergence depends on the
/// square root of the condition number on which sweeps depend; its passes are shared by threads, which sweeps are not.
/// Cost: two passes over the support's columns a product.
[[nodiscard]] SupportStep step_on_support(const StandardizedColumns& columns, StandardizedColumns::ByRows& by_rows,
                                          const Penalty& penalty, std::span<const VarId> variables,
                                          std::span<const double> gradient, double share, std::vector<double>& value,
                                          std::vector<double>& residual, Chunks& chunks, Cost& cost);

}  // namespace strads::lasso
