// The penalty of every variable, A_j |b_j| + E_j b_j^2 / 2 (docs/MODELS.md, "The Lasso").
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "strads/base/types.hpp"

namespace strads::lasso {

/// lambda_max of ridge, whose slopes no lambda holds at 0, is that of this l1 ratio: glmnet's convention for alpha = 0.
inline constexpr double kRidgeMaxRatio = 0.001;

/// Glmnet's lambda, lambda_max and elastic net here. Columns have norm 1 here and sqrt(W) there, W the sum of the
/// weights, so that the weight of the l1 norm is sqrt(W) times glmnet's and that of the squares is glmnet's own. A
/// response of norm 1 here and sqrt(W) there makes both sqrt(W) times glmnet's. Classes are not scaled: there the l1
/// norm's factor is lambda's, and the squares have their share of that, but for ridge, which has squares alone. Columns
/// as they are make both W times glmnet's.
struct LambdaUnits {
  double per_glmnet = 1;  ///< lambda here for glmnet's 1, before the norm of the response
  double max_ratio = 1;   ///< lambda_max is the steepest |x_j'y| / f_j over this
  double squares = 1;     ///< E_j = squares x lambda x (1 - l1 ratio) f_j

  LambdaUnits(double l1_ratio, bool response_is_scaled, bool columns_are_scaled, double root_of_weight)
      : per_glmnet(l1_ratio == 0 && !response_is_scaled ? 1 : root_of_weight),
        max_ratio(l1_ratio > 0 ? l1_ratio : kRidgeMaxRatio * (root_of_weight / per_glmnet)),
        squares(l1_ratio > 0 && !response_is_scaled && columns_are_scaled ? 1 / root_of_weight : 1) {}
};

/// Result of one coordinate update (DESIGN.md, "Update"): delta = new - old and the decrease D_j >= 0 it brings alone.
struct Step {
  double delta = 0;
  double decrease = 0;
};

/// The penalty of one variable. Implicit from double: a plain lambda is a Lasso penalty.
struct VariablePenalty {
  double l1 = 0;  ///< A_j
  double l2 = 0;  ///< E_j: the elastic net's
  double factor = 1;
  bool nonnegative = false;  ///< b_j >= 0

  VariablePenalty(double a) : l1(a) {}  // NOLINT(google-explicit-constructor): lambda is a penalty
  VariablePenalty(double a, double e, double f = 1, bool bounded = false)
      : l1(a), l2(e), factor(f), nonnegative(bounded) {}
  /// No l1 norm: nothing holds the variable at 0.
  [[nodiscard]] bool is_ridge() const { return l1 == 0 && l2 > 0; }
  /// What a penalty must hold against: |h|, or h where b_j cannot become negative.
  [[nodiscard]] double pull(double h) const { return nonnegative ? h : std::abs(h); }
  /// What the certificate takes the maximum of: |h_j| / f_j. Asked for every variable of a pass: no division by 1.
  [[nodiscard]] double steepness(double h) const { return factor == 1 ? pull(h) : pull(h) / factor; }
  /// From the gradient of a variable at 0 to the subgradient of its penalty there; not above 0: it stays at 0.
  [[nodiscard]] double excess(double gradient) const { return pull(gradient) - l1; }
  [[nodiscard]] bool lets_in(double gradient) const { return pull(gradient) > l1; }
  /// What the dual point r leaves of a variable, h = g - E b: A |b| - h b.
  [[nodiscard]] double slack(double value, double h) const { return l1 * std::abs(value) - h * value; }
  /// The same of ridge, E b^2 / 2 - g b + g^2 / (2 E) without the difference: its conjugate is finite everywhere.
  [[nodiscard]] double slack_of_ridge(double h) const { return h * h / (2 * l2); }
  /// Exact minimisation over one coordinate: value b, gradient g = x_j'r, L = ||x_j||^2 > 0. Lands exactly on 0.
  [[nodiscard]] Step step(double value, double gradient, double squared_norm) const;
};

inline Step VariablePenalty::step(double value, double gradient, double squared_norm) const {
  const double target = squared_norm * value + gradient;
  const double curvature = squared_norm + l2;
  const double shrunk = excess(target);
  // -0.0 must not reach a coefficient: the hash would see it.
  const double updated = shrunk > 0 ? std::copysign(shrunk, target) / curvature : 0.0;
  const double delta = updated - value;
  const double slope = gradient - l2 * value;
  const double decrease = slope * delta - 0.5 * curvature * delta * delta - l1 * (std::abs(updated) - std::abs(value));
  return {delta, std::max(decrease, 0.0)};
}

/// The penalty of all variables at one lambda. Implicit from double: a plain lambda is a Lasso penalty.
struct Penalty {
  double l1 = 0;                      ///< lambda x l1 ratio
  double l2 = 0;                      ///< lambda x (1 - l1 ratio), x LambdaUnits::squares
  std::span<const double> factors{};  ///< f_j > 0, J of them; empty: all 1. A_j = l1 f_j, E_j = l2 f_j
  bool nonnegative = false;           ///< all b_j >= 0

  Penalty() = default;
  Penalty(double lambda) : l1(lambda) {}  // NOLINT(google-explicit-constructor): as above
  /// Times 1 and times 0 are exact: with l1_ratio = 1 every result is that of the Lasso to the last bit.
  Penalty(double lambda, double l1_ratio, double squares, std::span<const double> f, bool bounded)
      : l1(lambda * l1_ratio), l2(lambda * (1 - l1_ratio) * squares), factors(f), nonnegative(bounded) {}

  /// Of every variable.
  [[nodiscard]] bool is_ridge() const { return l1 == 0 && l2 > 0; }
  [[nodiscard]] VariablePenalty of(VarId j) const {
    const double f = factors.empty() ? 1.0 : factors[j];
    return {l1 * f, l2 * f, f, nonnegative};
  }
};

}  // namespace strads::lasso
