#include "strads_sim/audit/plain_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strads::simulator {

std::vector<double> PlainLasso::residual(const std::vector<double>& b) const {
  std::vector<double> r = columns_.y;
  for (VarId j = 0; j < columns_.size(); ++j) {
    if (b[j] == 0) continue;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[j] * columns_.x[j][i];
  }
  return r;
}

double PlainLasso::penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const {
  double sum = 0;
  for (VarId j = 0; j < columns_.size(); ++j) {
    sum += columns_.factors[j] * (penalty.l1 * std::abs(b[j]) + 0.5 * penalty.l2 * b[j] * b[j]);
  }
  return sum;
}

double PlainLasso::objective(const std::vector<double>& b, const PlainPenalty& penalty) const {
  const auto r = residual(b);
  return 0.5 * plain_dot(r, r) + penalty_of(b, penalty);
}

/// Of the columns (x_j, sqrt(E_j) e_j), whose Lasso the elastic net is, at s times its residual: 1/2 ||y||^2 - 1/2 ||y
/// - s r||^2. Feasible: |s h_j| <= A_j, with b >= 0 s h_j <= A_j.
double PlainLasso::dual(const std::vector<double>& b, const std::vector<double>& r,
                        const std::vector<double>& gradients, const PlainPenalty& penalty) const {
  const auto& y = columns_.y;
  double squares = 0;  // of the part of the residual that the ridge adds
  double steepest = 0;
  for (VarId j = 0; j < columns_.size(); ++j) {
    const double ridge = penalty.l2 * columns_.factors[j];
    squares += ridge * b[j] * b[j];
    if (columns_.kept[j] == 0) continue;
    const double h = gradients[j] - ridge * b[j];
    steepest = std::max(steepest, (penalty.nonnegative ? h : std::abs(h)) / columns_.factors[j]);
  }
  const double length = plain_dot(r, r) + squares;
  if (!(length > 0)) return 0;
  double s = plain_dot(r, y) / length;
  if (steepest > 0) s = std::min(std::max(s, -penalty.l1 / steepest), penalty.l1 / steepest);
  if (penalty.nonnegative) s = std::max(s, 0.0);
  double distance = s * s * squares;
  for (std::size_t i = 0; i < y.size(); ++i) distance += (y[i] - s * r[i]) * (y[i] - s * r[i]);
  return 0.5 * plain_dot(y, y) - 0.5 * distance;
}

PlainCertificate PlainLasso::certificate(const std::vector<double>& b, const PlainPenalty& penalty) const {
  const auto r = residual(b);
  PlainCertificate found;
  found.objective = 0.5 * plain_dot(r, r) + penalty_of(b, penalty);
  found.explained = 1 - plain_dot(r, r) / plain_dot(columns_.y, columns_.y);
  for (VarId j = 0; j < columns_.size(); ++j) {
    found.gradients.push_back(plain_dot(columns_.x[j], r));
    found.nonzeros += b[j] != 0 ? 1 : 0;
    if (columns_.kept[j] == 0) continue;
    found.largest_decrease = std::max(found.largest_decrease, step(j, b[j], found.gradients[j], penalty).decrease);
  }
  found.gap = found.objective - dual(b, r, found.gradients, penalty);
  return found;
}

PlainStep PlainLasso::step(VarId j, double value, double gradient, const PlainPenalty& penalty) const {
  const double curvature = columns_.product(j, j);
  const double l1 = penalty.l1 * columns_.factors[j];
  const double l2 = penalty.l2 * columns_.factors[j];
  const double pull = gradient + curvature * value;
  double best = 0;
  if (pull > l1) best = (pull - l1) / (curvature + l2);
  if (pull < -l1 && !penalty.nonnegative) best = (pull + l1) / (curvature + l2);
  const double delta = best - value;
  const double decrease = gradient * delta - 0.5 * curvature * delta * delta - l1 * (std::abs(best) - std::abs(value)) -
                          0.5 * l2 * (best * best - value * value);
  return {delta, decrease};
}

double PlainLasso::l1_max(bool nonnegative) const {
  double largest = 0;
  for (VarId j = 0; j < columns_.size(); ++j) {
    const double product = plain_dot(columns_.x[j], columns_.y);
    largest = std::max(largest, (nonnegative ? product : std::abs(product)) / columns_.factors[j]);
  }
  return largest;
}

}  // namespace strads::simulator
