#include "strads_sim/audit/plain_logistic.hpp"

#include <algorithm>
#include <cmath>

namespace strads::simulator {
namespace {

constexpr int kSteps = 200;      ///< halvings alone would get there
constexpr double kBeyond = 100;  ///< where p and 1 - p of all are 0 up to e^-100

/// log(1 + exp(-margin)).
double loss_at(double margin) {
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

double times_log(double value) {
  return value > 0 ? value * std::log(value) : 0.0;
}

}  // namespace

/// The sum of the residuals falls in b: Newton steps between two bounds that come closer, and halvings where one of
/// them would leave these.
double PlainLogistic::intercept(const std::vector<double>& scores) const {
  if (!has_intercept_) return 0;
  const auto [lowest, highest] = std::ranges::minmax(scores);
  double low = -highest - kBeyond, high = -lowest + kBeyond, b = 0.5 * (low + high);
  for (int n = 0; n < kSteps; ++n) {
    double sum = 0, slope = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double d = 1 / (1 + std::exp(sign(i) * (scores[i] + b)));
      sum += weight(i) * sign(i) * d;
      slope += weight(i) * d * (1 - d);
    }
    (sum > 0 ? low : high) = b;
    double next = b + sum / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == b || sum == 0) break;
    b = next;
  }
  return b;
}

PlainProblem::Fit PlainLogistic::fit(const std::vector<double>& b) const {
  std::vector<double> scored = scores(b);  // times sqrt(w), as the columns
  for (std::size_t i = 0; i < scored.size(); ++i) scored[i] /= columns().roots[i];
  const double constant = intercept(scored);
  Fit found;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const double margin = sign(i) * (scored[i] + constant);
    found.loss += weight(i) * loss_at(margin);
    found.residual.push_back(columns().roots[i] * sign(i) / (1 + std::exp(margin)));
  }
  return found;
}

/// sum w_i H(q_i) - s^2 / 2 sum E_j b_j^2 with |q_i - t_i| = s |t_i - p_i|: the most that is feasible, |s h_j| <= A_j
/// or with b >= 0 s h_j <= A_j, and not more than 1.
double PlainLogistic::dual(const Fit& fit, const Limits& limits) const {
  const double s = limits.steepest > limits.l1 && !limits.is_ridge() ? limits.l1 / limits.steepest : 1.0;
  double sum = limits.is_ridge() ? -limits.conjugate : -0.5 * s * s * limits.ridge;
  for (std::size_t i = 0; i < fit.residual.size(); ++i) {
    const double off = std::min(1.0, s * std::abs(fit.residual[i]) / columns().roots[i]);
    sum -= weight(i) * (times_log(off) + times_log(1 - off));
  }
  return sum;
}

}  // namespace strads::simulator
