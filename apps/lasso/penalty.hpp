// The penalty of every variable, A_j |b_j| + E_j b_j^2 / 2 (docs/MODELS.md, "Lasso").
#pragma once

#include <cmath>
#include <span>

#include "strads/types.hpp"

namespace strads::lasso {

/// Of one variable. A number stands for that of the Lasso.
struct VariablePenalty {
  double l1 = 0;  ///< A_j
  double l2 = 0;  ///< E_j: the elastic net's
  double factor = 1;

  VariablePenalty(double a) : l1(a) {}  // NOLINT(google-explicit-constructor): lambda is a penalty
  VariablePenalty(double a, double e, double f = 1) : l1(a), l2(e), factor(f) {}
  /// What the certificate takes the maximum of: |h_j| / f_j. Asked for every variable of a pass: no division by 1.
  [[nodiscard]] double steepness(double h) const { return factor == 1 ? std::abs(h) : std::abs(h) / factor; }
};

/// Of all variables, at one lambda. A number stands for that of the Lasso.
struct Penalty {
  double l1 = 0;                      ///< lambda x l1 ratio
  double l2 = 0;                      ///< lambda x (1 - l1 ratio)
  std::span<const double> factors{};  ///< f_j > 0, J of them; empty: all 1. A_j = l1 f_j, E_j = l2 f_j

  Penalty() = default;
  Penalty(double lambda) : l1(lambda) {}  // NOLINT(google-explicit-constructor): as above
  /// Times 1 and times 0 are exact: with l1_ratio = 1 every result is that of the Lasso to the last bit.
  Penalty(double lambda, double l1_ratio, std::span<const double> f)
      : l1(lambda * l1_ratio), l2(lambda * (1 - l1_ratio)), factors(f) {}

  [[nodiscard]] VariablePenalty of(VarId j) const {
    return factors.empty() ? VariablePenalty{l1, l2} : VariablePenalty{l1 * factors[j], l2 * factors[j], factors[j]};
  }
};

}  // namespace strads::lasso
