// replica(v) of the Lasso: the nonzero coefficients and the residual, r = y - X beta or what takes its place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lasso/problem/penalty.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

class LassoState final : public State {
 public:
  /// `roots`: StandardizedColumns::roots().
  explicit LassoState(std::vector<double> start, std::span<const double> roots = {});
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<LassoState>(*this); }

  /// ids: the nonzero variables; values: their coefficients, then the residual or, where there is one, the linear
  /// predictor and the unpenalised coordinates.
  [[nodiscard]] Payload content() const override;

  [[nodiscard]] double value(VarId j) const;
  /// Values of the variables `wanted`; cost O(k log nonzeros).
  [[nodiscard]] std::vector<double> values(std::span<const VarId> wanted) const;
  /// F(beta) = loss + sum (A_j |b_j| + E_j b_j^2 / 2).
  [[nodiscard]] double objective(const Penalty& penalty) const {
    return loss + penalty.l1 * l1 + 0.5 * penalty.l2 * squares;
  }
  /// Sets the coefficients of `changed` (any order, no repeats) and drops zeros. Cost: nonzeros + k log k.
  void set_values(std::span<const VarId> changed, std::span<const double> new_values);
  /// Recomputes what is derived from the residual and the coefficients. `factors`: of the penalty, J; empty: all 1.
  void refresh_sums(std::span<const double> factors = {}, std::span<const double> roots = {});

  std::vector<VarId> variables;  ///< nonzeros, ascending
  std::vector<double> beta;      ///< their values, none of them 0
  /// Length rows; 0 at dropped rows. Minus the gradient of the loss is x_j'residual, of every loss.
  std::vector<double> residual;
  double total = 0;             ///< 1'r; with weights sqrt(w)'r
  double residual_squared = 0;  ///< r'r
  double l1 = 0;                ///< sum f_j |b_j|
  double squares = 0;           ///< sum f_j b_j^2
  double loss = 0;              ///< 1/2 r'r, or that of the predictor

  /// Of losses that are no squares; else empty (model/predictor_loss.hpp).
  struct Linear {
    std::vector<double> predictor;    ///< eta, length rows; 0 at dropped rows
    std::vector<double> unpenalised;  ///< coordinates of what has no penalty
    std::vector<double> slope;        ///< minus the derivative of the loss by eta
    std::vector<double> curvature;    ///< the second one
  } linear;
};

}  // namespace strads::lasso
