#include "strads_sim/audit/plain_poisson.hpp"

#include <algorithm>
#include <cmath>

namespace strads::simulator {
namespace {

/// t log t - t, whose difference is the conjugate of the loss.
double entropy_of(double mean) {
  return mean > 0 ? mean * std::log(mean) - mean : 0.0;
}

double half_deviance(double y, double eta) {
  return std::exp(eta) - y - (y > 0 ? y * (eta - std::log(y)) : 0.0);
}

}  // namespace

/// The means add up to the counts.
double PlainPoisson::intercept(const std::vector<double>& scores) const {
  if (!has_intercept_) return 0;
  const double highest = *std::ranges::max_element(scores);
  double counts = 0, means = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    counts += weight(i) * columns().y[i];
    means += weight(i) * std::exp(scores[i] - highest);
  }
  return std::log(counts / means) - highest;
}

PlainProblem::Fit PlainPoisson::fit(const std::vector<double>& b) const {
  std::vector<double> scored = scores(b);  // times sqrt(w), as the columns
  for (std::size_t i = 0; i < scored.size(); ++i) scored[i] /= columns().roots[i];
  const double constant = intercept(scored);
  Fit found;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const double y = columns().y[i], eta = scored[i] + constant;
    found.loss += weight(i) * half_deviance(y, eta);
    found.residual.push_back(columns().roots[i] * (y - std::exp(eta)));
  }
  return found;
}

/// sum w_i (y_i log y_i - y_i - m_i log m_i + m_i) - s^2 / 2 sum E_j b_j^2 with m_i = y_i - s (y_i - mu_i): the most
/// that is feasible, |s h_j| <= A_j or with b >= 0 s h_j <= A_j, and not more than 1.
double PlainPoisson::dual(const Fit& fit, const Limits& limits) const {
  const double s = limits.steepest > limits.l1 && !limits.is_ridge() ? limits.l1 / limits.steepest : 1.0;
  double sum = limits.is_ridge() ? -limits.conjugate : -0.5 * s * s * limits.ridge;
  for (std::size_t i = 0; i < fit.residual.size(); ++i) {
    const double y = columns().y[i];
    const double m = std::max(0.0, y - s * fit.residual[i] / columns().roots[i]);
    sum += weight(i) * (entropy_of(y) - entropy_of(m));
  }
  return sum;
}

double PlainPoisson::sure_decrease(VarId j, double value, double gradient, const PlainPenalty& penalty,
                                   const Fit& fit) const {
  const std::vector<double>& x = columns().x[j];
  double curvature = 0;
  for (std::size_t i = 0; i < x.size(); ++i) curvature += mean(fit, i) * x[i] * x[i];
  if (!(curvature > 0)) return 0;
  const double delta = step_by(curvature, j, value, gradient, penalty).delta;
  double rise = penalty_at(j, value + delta, penalty) - penalty_at(j, value, penalty);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double way = delta * x[i] / columns().roots[i];
    rise += weight(i) * (mean(fit, i) * std::expm1(way) - columns().y[i] * way);
  }
  return -rise;
}

}  // namespace strads::simulator
