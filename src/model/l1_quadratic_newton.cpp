#include "model/l1_quadratic_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strads::l1 {

namespace {

// Measured on genotype and expression data (463 to 5,143 samples, lambda_max/10 and /100): a first sigma from 1 to
// 1,000 and a growth of 2 to 5 change the number of Newton steps by less than a tenth; 10 needs a third more.
constexpr double kSigmaFirst = 100;  // in units of 1 / G_jj
constexpr double kSigmaGrowth = 3;
constexpr double kSigmaMax = 1e9;    // above, the rounding of h times sigma is all that is left
constexpr int kProximalStepsMax = 100;
constexpr int kInnerStepsMax = 40;   // 3 to 10 are usual
constexpr int kHalvingsMax = 40;
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
      centre_(best.x),
      dual_(best),
      prox_(best),
      newton_(best),
      trial_(best) {}

std::uint32_t ProximalNewton::run(std::uint32_t steps_max) {
  steps_left_ = steps_max;
  double sigma_max = sigma_ / kSigmaFirst * kSigmaMax;
  int idle = 0;
  for (int i = 0; i < kProximalStepsMax && idle < 3; ++i) {
    const Value value = best_value_;
    const double distance = best_distance_;
    const Outcome outcome = solve_subproblem();
    if (outcome == Outcome::finished || outcome == Outcome::exhausted) break;
    const double decrease = value.q - best_value_.q;
    const bool improved = decrease > value.rounding || best_distance_ < distance / 2;
    idle = improved ? 0 : idle + 1;
    if (outcome == Outcome::failed) {
      sigma_max = sigma_ / (kSigmaGrowth * kSigmaGrowth);
      sigma_ = sigma_max;
      centre_ = best_.x;
      dual_ = best_;
      continue;
    }
    if (!problem_.has_gap() && improved && decrease < gap_max_) break;
    centre_ = prox_.x;
    sigma_ = std::min(sigma_ * kSigmaGrowth, sigma_max);
  }
  return steps_;
}

ProximalNewton::Outcome ProximalNewton::solve_subproblem() {
  for (int i = 0; i < kInnerStepsMax; ++i) {
    apply_prox();
    if (offer(prox_)) return Outcome::finished;
    if (subproblem_is_solved()) return Outcome::solved;
    if (steps_left_ == 0) return Outcome::exhausted;
    --steps_left_;
    ++steps_;
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
    prox_.x[j] = soft_threshold(centre_[j] + sigma_ * dual_.h[j], sigma_ * problem_.penalty());
    if (prox_.x[j] != 0) support_.push_back(static_cast<std::uint32_t>(j));
  }
  problem_.gradient(prox_.x, prox_.h);
}

bool ProximalNewton::subproblem_is_solved() const {
  // ||X (p - w)||^2, the dual's gradient, against the length of the proximal step: the accuracy that keeps the
  // proximal-point method converging [LiSunToh18, criterion B].
  double gradient_squared = 0;
  double step_squared = 0;
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    gradient_squared += (prox_.x[j] - dual_.x[j]) * (dual_.h[j] - prox_.h[j]);
    step_squared += (prox_.x[j] - centre_[j]) * (prox_.x[j] - centre_[j]);
  }
  const double rounding = 4 * kEpsilon * sigma_ * problem_.linear_max();
  return sigma_ * gradient_squared <= step_squared || gradient_squared <= rounding * rounding;
}

bool ProximalNewton::find_newton_point() {
  const std::size_t size = support_.size();
  const auto matrix = cholesky_.reset(size);
  direction_.resize(size);
  for (std::size_t a = 0; a < size; ++a) {
    const auto row = problem_.row(support_[a]);
    for (std::size_t b = 0; b <= a; ++b) matrix[a * size + b] = row[support_[b]];
    matrix[a * size + a] += 1 / sigma_;
    direction_[a] = dual_.h[support_[a]] - prox_.h[support_[a]];
  }
  problem_.count_flops(static_cast<std::uint64_t>(size) * size * size / 3 + 2 * size * size);
  if (!cholesky_.factorise()) return false;
  cholesky_.solve(direction_);
  newton_ = prox_;
  for (std::size_t a = 0; a < size; ++a) {
    newton_.x[support_[a]] -= direction_[a];
    problem_.move(support_[a], -direction_[a], newton_.h);
  }
  return true;
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
    const double p = soft_threshold(centre_[j] + sigma_ * at.h[j], sigma_ * problem_.penalty());
    prox_squared += p * p;
  }
  return fitted_squared / 2 + prox_squared / (2 * sigma_);
}

bool ProximalNewton::offer(const Point& at) {
  problem_.count_flops(13 * problem_.size());
  const Value value = problem_.value(at);
  if (value.q > best_value_.q + best_value_.rounding) return false;
  const bool finished = problem_.has_gap() && problem_.gap(at) <= gap_max_;
  // Where q cannot tell two points apart any more, the conditions of optimality still can.
  const double distance = problem_.distance_to_fixed_point(at);
  if (finished || value.q < best_value_.q - best_value_.rounding || distance < best_distance_) {
    best_ = at;
    best_value_ = value;
    best_distance_ = distance;
  }
  return finished;
}

}  // namespace strads::l1
