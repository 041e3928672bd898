// The duality gap of the Lasso and the elastic net from sums over the variables (docs/DESIGN.md, "Certificate").
#pragma once

#include <algorithm>
#include <cmath>

#include "lasso/problem/penalty.hpp"

namespace strads::lasso {

/// Sums over a set of variables that holds every nonzero one, at one residual r with gradients g_j = x_j'r. The elastic
/// net is the Lasso of the columns (x_j, sqrt(E_j) e_j): its residual holds sqrt(E_j) b_j as well, its gradients are
/// h_j = g_j - E_j b_j.
struct GapParts {
  double residual_squared = 0;  ///< r'r, to which add() adds E_j b_j^2
  double gradient_max = 0;      ///< max |h_j| / f_j; with b >= 0 max h_j / f_j, or 0
  /// What the dual point r leaves of each variable: sum (A_j |b_j| - h_j b_j). Of ridge, whose conjugate is finite
  /// everywhere, sum h_j^2 / (2 E_j) over all variables, and nothing else enters the gap.
  double slack = 0;
  double product = 0;  ///< sum h_j b_j; 0 of ridge
  // Of losses that are no squares; residual_squared is 0 there.
  double divergence = 0;  ///< Loss::divergence() with the dual point of the gap
  double squares = 0;     ///< sum E_j b_j^2

  void add(double value, double gradient, const VariablePenalty& penalty) {
    const double h = gradient - penalty.l2 * value;
    gradient_max = std::max(gradient_max, penalty.steepness(h));
    if (penalty.is_ridge()) slack += penalty.slack_of_ridge(h);
    if (value == 0.0 || penalty.is_ridge()) return;
    residual_squared += penalty.l2 * value * value;
    slack += penalty.slack(value, h);
    product += h * value;
  }
};

/// Dual point s r with s = clip(r'y / R, -m, m), R = r'r + sum E_j b_j^2, m = lambda / max(|h_j| / f_j), and
/// gap = 1/2 (1 - s)^2 R + sum (A_j |b_j| - s h_j b_j): a sum of non-negative terms, so that a small gap is not the
/// difference of two large numbers. r'y = R + sum h_j b_j. `lambda`: the weight of the l1 norm. With b >= 0 the dual
/// asks for s h_j <= A_j only, so that h_j stands for |h_j| and s is not negative. Without an l1 norm (`lambda` = 0,
/// ridge) every r is a dual point, and the gap at s = 1 is the slack.
[[nodiscard]] inline double duality_gap(const GapParts& parts, double lambda, bool nonnegative = false) {
  if (lambda == 0) return parts.slack;
  double s = parts.residual_squared > 0 ? (parts.residual_squared + parts.product) / parts.residual_squared : 0.0;
  if (parts.gradient_max > 0) s = std::clamp(s, -lambda / parts.gradient_max, lambda / parts.gradient_max);
  if (nonnegative) s = std::max(s, 0.0);
  return std::max(0.0, 0.5 * (1 - s) * (1 - s) * parts.residual_squared + parts.slack + (1 - s) * parts.product);
}

/// The dual point of a loss that is no square: s times the residual with s = min(1, lambda / max(|h_j| / f_j)). Longer
/// ones may leave the domain of its conjugate.
[[nodiscard]] inline double dual_scale(const GapParts& parts, double lambda) {
  return parts.gradient_max > lambda ? lambda / parts.gradient_max : 1.0;
}

/// The gap with that dual point, which parts.divergence belongs to: divergence + sum (A_j |b_j| - s h_j b_j) +
/// 1/2 (1 - s)^2 sum E_j b_j^2, every term of which is at least 0 where what has no penalty was fitted. Of ridge the
/// slack: at s = 1 the divergence is 0.
[[nodiscard]] inline double predictor_gap(const GapParts& parts, double lambda) {
  if (lambda == 0) return parts.slack;
  const double rest = 1 - dual_scale(parts, lambda);
  return std::max(0.0, parts.divergence + 0.5 * rest * rest * parts.squares + parts.slack + rest * parts.product);
}

/// About the gap at another lambda, for plans: near s = 1 the divergence is quadratic in 1 - s.
[[nodiscard]] inline double predictor_gap_about(GapParts parts, double lambda_there, double lambda) {
  const double there = 1 - dual_scale(parts, lambda_there), here = 1 - dual_scale(parts, lambda);
  parts.divergence = there > 0 ? parts.divergence * (here / there) * (here / there) : 0.0;
  return predictor_gap(parts, lambda);
}

}  // namespace strads::lasso
