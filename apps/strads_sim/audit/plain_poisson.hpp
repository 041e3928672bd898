// Poisson regression of plain columns: half of the deviance, sum w_i (mu_i - y_i - y_i (eta_i - log y_i)) with mu_i =
// exp(eta_i) and eta_i = x_i'beta + b, with b its best where there is an intercept, and its dual.
#pragma once

#include <utility>
#include <vector>

#include "strads_sim/audit/plain_problem.hpp"

namespace strads::simulator {

class PlainPoisson final : public PlainProblem {
 public:
  /// The curvature has no bound: steps of one are those by which `auto` ranks variables. REQUIRES: columns.y holds
  /// counts, some of them above 0.
  PlainPoisson(PlainColumns columns, bool intercept) : PlainProblem(std::move(columns), 1), has_intercept_(intercept) {}

  /// The best b where x_i'beta is scores[i]; 0 without an intercept.
  [[nodiscard]] double intercept(const std::vector<double>& scores) const;

 private:
  [[nodiscard]] Fit fit(const std::vector<double>& b) const override;
  [[nodiscard]] double dual(const Fit& fit, const Limits& limits) const override;
  /// Of the step by the curvature at b, on the loss itself, with b's intercept.
  [[nodiscard]] double sure_decrease(VarId j, double value, double gradient, const PlainPenalty& penalty,
                                     const Fit& fit) const override;
  [[nodiscard]] double weight(std::size_t i) const { return columns().roots[i] * columns().roots[i]; }
  /// mu_i.
  [[nodiscard]] double mean(const Fit& fit, std::size_t i) const {
    return columns().y[i] - fit.residual[i] / columns().roots[i];
  }

  bool has_intercept_;
};

}  // namespace strads::simulator
