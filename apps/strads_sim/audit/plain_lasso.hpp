// The elastic net of plain columns: 1/2 ||y - X b||^2 and its dual.
#pragma once

#include <utility>
#include <vector>

#include "strads_sim/audit/plain_problem.hpp"

namespace strads::simulator {

class PlainLasso final : public PlainProblem {
 public:
  explicit PlainLasso(PlainColumns columns) : PlainProblem(std::move(columns), 1) {}

 private:
  [[nodiscard]] Fit fit(const std::vector<double>& b) const override;
  [[nodiscard]] double dual(const Fit& fit, const Limits& limits) const override;
};

}  // namespace strads::simulator
