#include "numerics/quadratic/l1_quadratic_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strads::l1 {

namespace {

// Measured on genotype and expression data (463 to 5,143 samples, lambda_max/10 and /100): a first sigma from 1 to
// 1,000 and a growth of 2 to 5 change the number of Newton steps by about a tenth; growth 10 needs two fifths more.
constexpr double kSigmaFirst = 100;  // in units of 1 / G_jj
constexpr double kSigmaGrowth = 3;
constexpr double kSigmaMax = 1e9;  // above, the rounding of h times sigma is all that is left
constexpr int kProximalStepsMax = 100;
constexpr int kIdleMax = 3;
constexpr int kInnerStepsMax = 40;  // 3 to 10 are usual
constexpr int kHalvingsMax = 40;
constexpr int kPolishStepsMax = 4;
constexpr double kPolishRidge = 1e-11;  // in units of G_jj; each step shrinks the error by ridge / eigenvalue
constexpr double kSufficientDecrease = 1e-4;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double mean_diagonal(const Problem& problem) {
  double sum = 0;
  for (std::size_t j = 0; j < problem.size(); ++j) sum += std::max(problem.diagonal(j), 0.0);
  return sum > 0 ? sum / static_cast<double>(problem.size()) : 1;
}

}  // namespace

ProximalNewton::ProximalNewton(Problem& problem, Point& best, double gap_max)
    : problem_(problem),
      best_(best),
      gap_max_(gap_max),
      best_value_(problem.value(best)),
      best_distance_(problem.distance_to_fixed_point(best)),
      sigma_(kSigmaFirst / mean_diagonal(problem)),
      sigma_max_(sigma_ / kSigmaFirst * kSigmaMax),
      centre_(best.x),
      dual_(best),
      prox_(best),
      newton_(best),
      trial_(best) {}

bool ProximalNewton::run(std::uint32_t steps_max, std::uint32_t pause_after) {
  steps_left_ = steps_max;
  const std::uint32_t pause = steps_ + pause_after;
  best_value_ = problem_.value(best_);
  best_distance_ = problem_.distance_to_fixed_point(best_);
  centre_ = best_.x;
  dual_ = best_;
  for (int i = 0; i < kProximalStepsMax && idle_ < kIdleMax; ++i) {
    const Value value = best_value_;
    const double distance = best_distance_;
    const Outcome outcome = solve_subproblem();
    if (outcome == Outcome::exhausted) return false;
    if (outcome == Outcome::finished) break;
    const double decrease = value.q - best_value_.q;
    const bool improved = decrease > value.rounding || best_distance_ < distance / 2;
    idle_ = improved ? 0 : idle_ + 1;
    if (outcome == Outcome::failed) {
      sigma_max_ = sigma_ / (kSigmaGrowth * kSigmaGrowth);
      sigma_ = sigma_max_;
      centre_ = best_.x;
      dual_ = best_;
      continue;
    }
    if (!problem_.has_gap() && improved && gap_max_ > 0 && decrease < gap_max_) return true;
    centre_ = prox_.x;
    sigma_ = std::min(sigma_ * kSigmaGrowth, sigma_max_);
    if (steps_ >= pause && idle_ < kIdleMax) return false;
  }
  if (!has_gap_asked_for_) polish();
  return true;
}

ProximalNewton::Outcome ProximalNewton::solve_subproblem() {
  for (int i = 0; i < kInnerStepsMax; ++i) {
    apply_prox();
    if (offer(prox_)) return Outcome::finished;
    if (subproblem_is_solved()) return Outcome::solved;
    if (steps_left_ == 0) return Outcome::exhausted;
    if (!find_newton_point()) return Outcome::failed;
    // Near the end better than the prox, whose rounding error is sigma times that of h.
    if (offer(newton_)) return Outcome::finished;
    search_line();
  }
  return Outcome::failed;
}

void ProximalNewton::apply_prox() {
  support_.clear();
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    if (problem_.diagonal(j) <= 0) {
      prox_.x[j] = centre_[j];
      continue;
    }
    prox_.x[j] = problem_.threshold(centre_[j] + sigma_ * dual_.h[j], sigma_ * problem_.penalty(j));
    if (prox_.x[j] != 0) support_.push_back(static_cast<std::uint32_t>(j));
  }
  problem_.gradient(prox_.x, prox_.h);
}

bool ProximalNewton::subproblem_is_solved() const {
  // ||X (p - w)||^2, the dual's gradient, against the length of the proximal step: the accuracy that keeps the
  // proximal-point method converging [LiSunToh18, criterion B].
  double gradient_squared = 0;
  double step_squared = 0;
  double norm = 0;
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    gradient_squared += (prox_.x[j] - dual_.x[j]) * (dual_.h[j] - prox_.h[j]);
    step_squared += (prox_.x[j] - centre_[j]) * (prox_.x[j] - centre_[j]);
    norm += problem_.diagonal(j) * std::abs(dual_.x[j]);
  }
  const double rounding = 4 * kEpsilon * sigma_ * (problem_.linear_max() + norm);  // of p, through h(w)
  return sigma_ * gradient_squared <= step_squared || gradient_squared <= rounding * rounding;
}

bool ProximalNewton::factorise_support(double ridge) {
  const std::size_t size = support_.size();
  const auto matrix = problem_.cholesky().reset(size);
  gather(problem_, support_, ridge, size, matrix);
  problem_.count_flops(static_cast<std::uint64_t>(size) * size * size / 3 + 2 * size * size);
  --steps_left_;
  ++steps_;
  return problem_.cholesky().factorise(problem_.chunks());
}

bool ProximalNewton::find_newton_point() {
  if (!factorise_support(1 / sigma_)) return false;
  direction_.resize(support_.size());
  for (std::size_t a = 0; a < support_.size(); ++a) direction_[a] = dual_.h[support_[a]] - prox_.h[support_[a]];
  problem_.cholesky().solve(direction_);
  newton_.x = prox_.x;
  for (std::size_t a = 0; a < support_.size(); ++a) newton_.x[support_[a]] -= direction_[a];
  problem_.gradient(newton_.x,
                    newton_.h);  // as cheap as moving h(p), which may be far away and drag its rounding along
  return true;
}

void ProximalNewton::polish() {
  for (int i = 0; i < kPolishStepsMax && steps_left_ > 0; ++i) {
    support_.clear();
    direction_.clear();
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      if (best_.x[j] == 0 || problem_.diagonal(j) <= 0) continue;
      support_.push_back(static_cast<std::uint32_t>(j));
      direction_.push_back(best_.h[j] - std::copysign(problem_.penalty(j), best_.x[j]));
    }
    if (support_.empty() || !factorise_support(kPolishRidge * mean_diagonal(problem_))) return;
    problem_.cholesky().solve(direction_);
    trial_ = best_;
    for (std::size_t a = 0; a < support_.size(); ++a) {
      double& x = trial_.x[support_[a]];
      const double sign = std::copysign(1.0, x);
      x += direction_[a];
      if (x * sign < 0) x = 0;
    }
    problem_.gradient(trial_.x, trial_.h);
    const double distance = best_distance_;
    if (offer(trial_) || best_distance_ >= distance) return;
  }
}

void ProximalNewton::search_line() {
  double slope = 0;  // of psi at w along the step: the gradient X (p - w) times the step
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    slope += (prox_.x[j] - dual_.x[j]) * (newton_.h[j] - dual_.h[j]);
  }
  const double start = dual_value(dual_);
  const double rounding = 4 * kEpsilon * std::abs(start);
  double length = 1;
  trial_ = newton_;
  for (int i = 0; i < kHalvingsMax; ++i) {
    problem_.count_flops(8 * problem_.size());
    if (dual_value(trial_) <= start + kSufficientDecrease * length * slope + rounding) break;
    length /= 2;
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      trial_.x[j] = dual_.x[j] + length * (newton_.x[j] - dual_.x[j]);
      trial_.h[j] = dual_.h[j] + length * (newton_.h[j] - dual_.h[j]);
    }
  }
  std::swap(dual_, trial_);
}

double ProximalNewton::dual_value(const Point& at) const {
  double fitted_squared = 0;
  double prox_squared = 0;
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    fitted_squared += at.x[j] * (problem_.linear()[j] - at.h[j]);  // ||X w||^2 = w'G w = w'(c - h)
    const double p = problem_.threshold(centre_[j] + sigma_ * at.h[j], sigma_ * problem_.penalty(j));
    prox_squared += p * p;
  }
  return fitted_squared / 2 + prox_squared / (2 * sigma_);
}

bool ProximalNewton::offer(const Point& at) {
  if (!problem_.feasible(at.x)) return false;
  problem_.count_flops(13 * problem_.size());
  const Value value = problem_.value(at);
  if (value.q > best_value_.q + best_value_.rounding) return false;
  const double gap = problem_.has_gap() ? problem_.gap(at) : std::numeric_limits<double>::infinity();
  const bool finished = gap <= std::max(gap_max_, value.rounding);
  // Where q cannot tell two points apart any more, the conditions of optimality still can.
  const double distance = problem_.distance_to_fixed_point(at);
  if (finished || value.q < best_value_.q - best_value_.rounding || distance < best_distance_) {
    best_ = at;
    best_value_ = value;
    best_distance_ = distance;
  }
  has_gap_asked_for_ = has_gap_asked_for_ || gap <= gap_max_;
  return finished;
}

}  // namespace strads::l1
