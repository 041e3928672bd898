// Logistic regression of plain columns: sum w_i log(1 + exp(-y_i (x_i'beta + b))), y_i = -1 or 1, with b its best where
// there is an intercept, and its dual.
#pragma once

#include <utility>
#include <vector>

#include "strads_sim/audit/plain_problem.hpp"

namespace strads::simulator {

class PlainLogistic final : public PlainProblem {
 public:
  /// REQUIRES: columns.y holds 0 and 1, both with weight.
  PlainLogistic(PlainColumns columns, bool intercept)
      : PlainProblem(std::move(columns), 0.25), has_intercept_(intercept) {}

  /// The best b where x_i'beta is scores[i]; 0 without an intercept.
  [[nodiscard]] double intercept(const std::vector<double>& scores) const;

 private:
  [[nodiscard]] Fit fit(const std::vector<double>& b) const override;
  [[nodiscard]] double dual(const Fit& fit, const Limits& limits) const override;
  [[nodiscard]] double sign(std::size_t i) const { return columns().y[i] == 0 ? -1.0 : 1.0; }
  [[nodiscard]] double weight(std::size_t i) const { return columns().roots[i] * columns().roots[i]; }

  bool has_intercept_;
};

}  // namespace strads::simulator
