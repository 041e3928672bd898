#include "lasso/check/dense_problem.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace strads::lasso {
namespace {

constexpr int kHalvings = 12;  ///< of a step that may be too long

double dot_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

DenseProblem::DenseProblem(std::shared_ptr<const Dataset> dataset, const LassoOptions& options)
    : problem_(std::make_unique<CheckedProblem>(std::move(dataset), options)),
      is_bounded_(std::isfinite(problem_->family().curvature_max())) {
  const ColumnsView& view = problem_->dataset().columns();
  problem_->learn(0, static_cast<VarId>(view.columns));
  for (VarId j = 0; j < view.columns; ++j) {
    x_.push_back(takes_part(j) ? problem_->column(j, problem_->facts()[j]) : std::vector<double>(view.rows, 0.0));
    entries_.push_back(static_cast<double>(
        problem_->columns().is_sparse() ? view.starts[std::size_t{j} + 1] - view.starts[j] : view.rows));
  }
}

double DenseProblem::product(VarId j, VarId k) const {
  return dot_of(x_[j], x_[k]);
}

FamilyCheck::Fit DenseProblem::fit(const std::vector<double>& b) const {
  if (std::ranges::all_of(b, [](double value) { return value == 0; })) return problem_->family().null_fit();
  std::vector<double> sum(problem_->columns().rows(), 0.0);
  for (VarId j = 0; j < size(); ++j) {
    if (b[j] == 0) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[j] * x_[j][i];
  }
  return problem_->family().fit(std::move(sum));
}

double DenseProblem::penalty_of(const std::vector<double>& b, const PlainPenalty& penalty) const {
  PlainSums sums;
  for (VarId j = 0; j < size(); ++j) sums.add(b[j], factor(j));
  return penalty.l1 * sums.norm + 0.5 * penalty.l2 * sums.squares;
}

double DenseProblem::objective(const std::vector<double>& b, const PlainPenalty& penalty) const {
  return fit(b).point.loss + penalty_of(b, penalty);
}

PlainCertificate DenseProblem::certificate(const std::vector<double>& b, const PlainPenalty& penalty) const {
  const FamilyCheck::Fit at = fit(b);
  std::vector<double> u = at.residual;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] *= problem_->columns().roots()[i];
  PlainCertificate found;
  PlainSums sums;
  for (VarId j = 0; j < size(); ++j) {
    const double gradient = dot_of(x_[j], at.residual), f = factor(j);
    found.gradients.push_back(gradient);
    found.nonzeros += b[j] != 0 ? 1 : 0;
    sums.add(b[j], f);
    if (!takes_part(j)) continue;
    sums.steepest = std::max(sums.steepest, penalty.pull(gradient - penalty.l2 * f * b[j]) / f);
    sums.products += gradient * gradient / f;
  }
  const FamilyCheck::Figures figures = problem_->family().certificate(at.point, u, penalty, sums);
  found.objective = figures.objective;
  found.gap = figures.gap;
  found.explained = 1 - at.point.loss / null_objective();
  return found;
}

double DenseProblem::largest_decrease(const std::vector<double>& b, const PlainPenalty& penalty,
                                      const PlainCertificate& at) const {
  double largest = 0;
  for (VarId j = 0; j < size(); ++j) {
    if (takes_part(j)) largest = std::max(largest, sure_decrease(j, b, penalty, at));
  }
  return largest;
}

PlainStep DenseProblem::step(VarId j, double value, double gradient, const PlainPenalty& penalty) const {
  const double curvature = (is_bounded_ ? problem_->family().curvature_max() : 1.0) * product(j, j);
  const double l1 = penalty.l1 * factor(j), l2 = penalty.l2 * factor(j);
  const double pull = gradient + curvature * value;
  double best = 0;
  if (pull > l1) best = (pull - l1) / (curvature + l2);
  if (pull < -l1 && !penalty.nonnegative) best = (pull + l1) / (curvature + l2);
  const double delta = best - value;
  const double decrease = gradient * delta - 0.5 * curvature * delta * delta - l1 * (std::abs(best) - std::abs(value)) -
                          0.5 * l2 * (best * best - value * value);
  return {delta, decrease};
}

/// What the update of variable j lowers F by at least. Where no curvature bounds the loss the step is shortened until F
/// falls.
double DenseProblem::sure_decrease(VarId j, const std::vector<double>& b, const PlainPenalty& penalty,
                                   const PlainCertificate& at) const {
  const PlainStep whole = step(j, b[j], at.gradients[j], penalty);
  if (is_bounded_) return whole.decrease;
  std::vector<double> moved = b;
  double part = 1;
  for (int n = 0; n < kHalvings && whole.delta != 0; ++n, part *= 0.5) {
    moved[j] = b[j] + part * whole.delta;
    const double decrease = at.objective - objective(moved, penalty);
    if (decrease > 0) return decrease;
  }
  return 0;
}

double DenseProblem::lambda_max() const {
  const std::vector<double>& r = problem_->family().null_fit().residual;
  double steepest = 0;
  for (VarId j = 0; j < size(); ++j) {
    steepest = std::max(steepest, penalty(0).pull(dot_of(x_[j], r)) / factor(j));
  }
  return problem_->lambda_max(steepest);
}

}  // namespace strads::lasso
