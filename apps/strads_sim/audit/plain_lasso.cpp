#include "strads_sim/audit/plain_lasso.hpp"

#include <algorithm>

namespace strads::simulator {

PlainProblem::Fit PlainLasso::fit(const std::vector<double>& b) const {
  Fit found{0, columns().y};
  const std::vector<double> fitted = scores(b);
  for (std::size_t i = 0; i < fitted.size(); ++i) found.residual[i] -= fitted[i];
  found.loss = 0.5 * plain_dot(found.residual, found.residual);
  return found;
}

/// Of the columns (x_j, sqrt(E_j) e_j), whose Lasso the elastic net is, at s times its residual: 1/2 ||y||^2 - 1/2 ||y
/// - s r||^2. Feasible: |s h_j| <= A_j, with b >= 0 s h_j <= A_j.
double PlainLasso::dual(const Fit& fit, const Limits& limits) const {
  const auto& y = columns().y;
  const auto& r = fit.residual;
  if (limits.is_ridge()) return plain_dot(r, y) - 0.5 * plain_dot(r, r) - limits.conjugate;
  const double length = plain_dot(r, r) + limits.ridge;
  if (!(length > 0)) return 0;
  double s = plain_dot(r, y) / length;
  if (limits.steepest > 0) s = std::min(std::max(s, -limits.l1 / limits.steepest), limits.l1 / limits.steepest);
  if (limits.nonnegative) s = std::max(s, 0.0);
  double distance = s * s * limits.ridge;
  for (std::size_t i = 0; i < y.size(); ++i) distance += (y[i] - s * r[i]) * (y[i] - s * r[i]);
  return 0.5 * plain_dot(y, y) - 0.5 * distance;
}

}  // namespace strads::simulator
