// The penalty of every variable, A_j |b_j| + E_j b_j^2 / 2 (docs/MODELS.md, "Lasso").
#pragma once

#include "strads/types.hpp"

namespace strads::lasso {

/// Of one variable. A number stands for that of the Lasso.
struct VariablePenalty {
  double l1 = 0;  ///< A_j
  double l2 = 0;  ///< E_j: the elastic net's

  VariablePenalty(double a) : l1(a) {}  // NOLINT(google-explicit-constructor): lambda is a penalty
  VariablePenalty(double a, double e) : l1(a), l2(e) {}
};

/// Of all variables, at one lambda. A number stands for that of the Lasso.
struct Penalty {
  double l1 = 0;  ///< lambda x l1 ratio
  double l2 = 0;  ///< lambda x (1 - l1 ratio)

  Penalty() = default;
  Penalty(double lambda) : l1(lambda) {}  // NOLINT(google-explicit-constructor): as above
  /// Times 1 and times 0 are exact: with l1_ratio = 1 every result is that of the Lasso to the last bit.
  Penalty(double lambda, double l1_ratio) : l1(lambda * l1_ratio), l2(lambda * (1 - l1_ratio)) {}

  [[nodiscard]] VariablePenalty of(VarId) const { return {l1, l2}; }
};

}  // namespace strads::lasso
