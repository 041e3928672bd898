#include "strads_sim/audit/plain_problem.hpp"

#include <algorithm>
#include <cmath>

namespace strads::simulator {

std::vector<double> PlainProblem::scores(const std::vector<double>& b) const {
  std::vector<double> sum(columns_.y.size(), 0.0);
  for (VarId j = 0; j < columns_.size(); ++j) {
    if (b[j] == 0) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[j] * columns_.x[j][i];
  }
  return sum;
}

double PlainProblem::penalty_at(VarId j, double value, const PlainPenalty& penalty) const {
  return columns_.factors[j] * (penalty.l1 * std::abs(value) + 0.5 * penalty.l2 * value * value);
}

double PlainProblem::penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const {
  double sum = 0;
  for (VarId j = 0; j < columns_.size(); ++j) sum += penalty_at(j, b[j], penalty);
  return sum;
}

double PlainProblem::objective(const std::vector<double>& b, const PlainPenalty& penalty) const {
  return fit(b).loss + penalty_of(b, penalty);
}

PlainProblem::Limits PlainProblem::limits(const std::vector<double>& b, const std::vector<double>& gradients,
                                          const PlainPenalty& penalty) const {
  Limits found{.l1 = penalty.l1, .nonnegative = penalty.nonnegative};
  for (VarId j = 0; j < columns_.size(); ++j) {
    const double ridge = penalty.l2 * columns_.factors[j];
    found.ridge += ridge * b[j] * b[j];
    if (columns_.kept[j] == 0) continue;
    if (found.is_ridge()) found.conjugate += gradients[j] * gradients[j] / (2 * ridge);
    const double h = gradients[j] - ridge * b[j];
    found.steepest = std::max(found.steepest, (penalty.nonnegative ? h : std::abs(h)) / columns_.factors[j]);
  }
  return found;
}

PlainCertificate PlainProblem::certificate(const std::vector<double>& b, const PlainPenalty& penalty) const {
  const Fit found_fit = fit(b);
  PlainCertificate found;
  found.objective = found_fit.loss + penalty_of(b, penalty);
  found.explained = 1 - found_fit.loss / null_objective();
  for (VarId j = 0; j < columns_.size(); ++j) {
    found.gradients.push_back(plain_dot(columns_.x[j], found_fit.residual));
    found.nonzeros += b[j] != 0 ? 1 : 0;
    if (columns_.kept[j] == 0) continue;
    const double sure = sure_decrease(j, b[j], found.gradients[j], penalty, found_fit);
    found.largest_decrease = std::max(found.largest_decrease, sure);
  }
  found.gap = found.objective - dual(found_fit, limits(b, found.gradients, penalty));
  return found;
}

PlainStep PlainProblem::step(VarId j, double value, double gradient, const PlainPenalty& penalty) const {
  return step_by(curvature_ * columns_.product(j, j), j, value, gradient, penalty);
}

PlainStep PlainProblem::step_by(double curvature, VarId j, double value, double gradient,
                                const PlainPenalty& penalty) const {
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

double PlainProblem::l1_max(bool nonnegative) const {
  const std::vector<double> r = fit(std::vector<double>(columns_.size(), 0.0)).residual;
  double largest = 0;
  for (VarId j = 0; j < columns_.size(); ++j) {
    const double product = plain_dot(columns_.x[j], r);
    largest = std::max(largest, (nonnegative ? product : std::abs(product)) / columns_.factors[j]);
  }
  return largest;
}

}  // namespace strads::simulator
