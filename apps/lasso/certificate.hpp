// The duality gap of the Lasso from sums over the variables (docs/DESIGN.md, "Certificate").
#pragma once

#include <algorithm>
#include <cmath>

namespace strads::lasso {

/// Sums over a set of variables that holds every nonzero one, at one residual r with gradients g_j = x_j'r.
struct GapParts {
  double residual_squared = 0;  ///< r'r
  double gradient_max = 0;      ///< max |g_j|
  double slack = 0;             ///< sum (lambda |b_j| - g_j b_j)
  double product = 0;           ///< sum g_j b_j

  void add(double value, double gradient, double lambda) {
    gradient_max = std::max(gradient_max, std::abs(gradient));
    if (value == 0.0) return;
    slack += lambda * std::abs(value) - gradient * value;
    product += gradient * value;
  }
};

/// Dual point s r with s = clip(r'y / r'r, -m, m), m = lambda / max|g_j|, and
/// gap = 1/2 (1 - s)^2 r'r + sum (lambda |b_j| - s g_j b_j): a sum of non-negative terms, so that a small gap is not
/// the difference of two large numbers. r'y = r'r + sum g_j b_j.
[[nodiscard]] inline double duality_gap(const GapParts& parts, double lambda) {
  double s = parts.residual_squared > 0 ? (parts.residual_squared + parts.product) / parts.residual_squared : 0.0;
  if (parts.gradient_max > 0) s = std::clamp(s, -lambda / parts.gradient_max, lambda / parts.gradient_max);
  return std::max(0.0, 0.5 * (1 - s) * (1 - s) * parts.residual_squared + parts.slack + (1 - s) * parts.product);
}

}  // namespace strads::lasso
