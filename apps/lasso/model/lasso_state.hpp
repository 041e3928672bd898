// replica(v) of the Lasso: the nonzero coefficients and the residual r = y - X beta.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lasso/model/penalty.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {

class LassoState final : public State {
 public:
  /// `roots`: StandardizedColumns::roots().
  explicit LassoState(std::vector<double> start, std::span<const double> roots = {});
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<LassoState>(*this); }

  /// ids: the nonzero variables; values: their coefficients, then the residual.
  [[nodiscard]] Payload content() const override;

  [[nodiscard]] double value(VarId j) const;
  /// Values of the variables `wanted`; cost O(k log nonzeros).
  [[nodiscard]] std::vector<double> values(std::span<const VarId> wanted) const;
  /// F(beta) = 1/2 r'r + sum (A_j |b_j| + E_j b_j^2 / 2).
  [[nodiscard]] double objective(const Penalty& penalty) const {
    return 0.5 * residual_squared + penalty.l1 * l1 + 0.5 * penalty.l2 * squares;
  }
  /// Sets the coefficients of `changed` (any order, no repeats) and drops zeros. Cost: nonzeros + k log k.
  void set_values(std::span<const VarId> changed, std::span<const double> new_values);
  /// Recomputes what is derived from the residual and the coefficients. `factors`: of the penalty, J; empty: all 1.
  void refresh_sums(std::span<const double> factors = {}, std::span<const double> roots = {});

  std::vector<VarId> variables;  ///< nonzeros, ascending
  std::vector<double> beta;      ///< their values, none of them 0
  std::vector<double> residual;  ///< length rows; 0 at dropped rows
  double total = 0;              ///< 1'r; with weights sqrt(w)'r
  double residual_squared = 0;   ///< r'r
  double l1 = 0;                 ///< sum f_j |b_j|
  double squares = 0;            ///< sum f_j b_j^2
};

}  // namespace strads::lasso
