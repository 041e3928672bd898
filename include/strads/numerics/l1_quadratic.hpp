// Minimises a quadratic with an l1 penalty, given its Gram matrix: the block solver of the Lasso. Layer: numerics.
// Pure. No clock and no randomness: the same arguments give the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "strads/base/chunks.hpp"

namespace strads {

/// min over x in R^k of q(x) = 1/2 x'Gx - c'x + A sum f_j |x_j|, given at a start x0 as the Lasso sees it: columns X_W
/// of the variables in the block, their residual r = y - X beta at the start, and c = X_W'r + G x0.
struct L1Quadratic {
  std::span<const double> gram;      ///< G = X_W'X_W: k x k, symmetric, positive semidefinite up to rounding
  std::span<const double> gradient;  ///< h0 = X_W'r at the start (minus the gradient of the smooth part): k entries
  double penalty = 0;                ///< A = lambda >= 0
  /// r'r at the start; negative: unknown. Give it only if every variable outside the block is zero: only then is the
  /// duality gap of the block that of the problem restricted to it.
  double residual_squared = -1;
  std::span<const double> factors{};  ///< f: k numbers > 0; empty: all 1
  bool nonnegative = false;           ///< min over x >= 0; then the start is >= 0 as well
};

/// When solve_l1_quadratic stops, and what it may use.
struct L1QuadraticOptions {
  /// Passes over the variables at most; a Newton step counts as one. 0: x stays as it is.
  std::uint32_t sweeps_max = 10000;
  /// Absolute. With residual_squared known: stop at a duality gap (non-negative form) <= gap_max; where that is below
  /// what rounding allows, at the rounding floor. Unknown: stop when a full sweep decreased q by less than gap_max.
  double gap_max = 0;
  /// False: coordinate descent only; with sweeps_max = 1 exactly one plain cyclic sweep over 0 .. k-1.
  bool newton = true;
};

/// What was done. Counts are exact and the same on every machine.
struct L1QuadraticResult {
  std::uint32_t sweeps = 0;        ///< coordinate-descent passes, over all variables or over the support
  std::uint32_t newton_steps = 0;  ///< linear systems on a support
  std::uint64_t updates = 0;       ///< variables visited by sweeps
  std::uint64_t flops = 0;         ///< floating-point additions and multiplications, about
  double decrease = 0;             ///< q(x0) - q(x) >= 0
  double gap = -1;                 ///< duality gap at x from a freshly computed gradient; -1 if residual_squared < 0
};

/// Lowers q from the start values in `x`, in place. q never rises by more than the rounding error of q itself: else x
/// is left as it was. Variables that are zero are exactly 0; a variable with G_jj <= 0 keeps its start value.
///
/// Coordinate descent in gradient form (a step d in variable j: h -= d G_j), mostly on the support; where its own
/// progress predicts that it would cost more, semismooth Newton steps on proximal-point subproblems, which need no
/// full rank: the support may exceed the number of samples, and columns may be equal [LiSunToh18]. From a start with
/// 500 nonzeros or more, with residual_squared known, block pivots are tried first: one factorisation of its support,
/// then updates, s^2 for each variable that comes or goes.
/// Cost: 2k flops for each changed variable of a full sweep, s^3/3 + 4ks for a Newton step with s nonzeros.
/// Memory: s^2 + O(k) doubles. REQUIRES: gram.size() = k^2, gradient.size() = x.size() = k, all finite.
///
/// [LiSunToh18] Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso
/// problems, SIAM J. Optim. 28(1), 2018.
/// Threads share the products with G and the factorisations; they never change a bit.
L1QuadraticResult solve_l1_quadratic(const L1Quadratic& problem, std::span<double> x, const L1QuadraticOptions& options,
                                     Chunks& chunks);
/// The same by the caller's thread alone.
L1QuadraticResult solve_l1_quadratic(const L1Quadratic& problem, std::span<double> x,
                                     const L1QuadraticOptions& options);

}  // namespace strads
