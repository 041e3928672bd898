#include "numerics/quadratic/l1_quadratic_active.hpp"

#include <algorithm>
#include <cmath>

#include "strads/numerics/columns.hpp"
#include "strads/numerics/line_search.hpp"

namespace strads::l1 {

namespace {

constexpr std::size_t kClippedShare = 10;  // of the support: more changes of sign at once are a guess
constexpr std::uint64_t kFactorsMax = 12;  // work, in factorisations, after which the proximal steps take over
constexpr int kIdleMax = 3;
constexpr int kUnsettledMax = 1;  ///< steps on the line in a row

}  // namespace

ActiveSet::ActiveSet(Problem& problem, Point& at, double gap_max)
    : problem_(problem),
      at_(at),
      gap_max_(gap_max),
      factor_(problem, usual_ridge(problem)),
      moved_(problem.size()),
      trial_(at) {}

ActiveSet::Outcome ActiveSet::run(std::uint32_t steps_max) {
  const std::uint64_t begin = problem_.flops();
  const std::uint32_t last = steps_ + steps_max;
  int unsettled = 0;
  Value value = problem_.value(at_);
  double distance = problem_.distance_to_fixed_point(at_);
  int idle = 0;
  while (steps_ < last) {
    let_violators_in();
    find_support();
    if (support_.empty() || !find_direction()) return Outcome::stuck;
    ++steps_;
    unsettled = step() ? 0 : unsettled + 1;
    if (is_finished()) return Outcome::finished;
    const Value now = problem_.value(at_);
    const double distance_now = problem_.distance_to_fixed_point(at_);
    problem_.count_flops(8 * problem_.size());
    const double decrease = value.q - now.q;
    if (!problem_.has_gap() && gap_max_ > 0 && decrease < gap_max_) return Outcome::finished;
    // At the rounding floor of q the conditions of optimality may still improve.
    if (problem_.has_gap() && problem_.gap(at_) <= now.rounding && distance_now >= distance / 2) {
      problem_.gradient(at_.x, at_.h);
      return Outcome::finished;
    }
    idle = decrease > now.rounding || distance_now < distance / 2 ? 0 : idle + 1;
    if (idle == kIdleMax || unsettled == kUnsettledMax) return Outcome::stuck;
    value = now;
    distance = distance_now;
    const std::uint64_t size = support_.size();
    const std::uint64_t limit = kFactorsMax * (size * size * size / 3 + 8 * size * problem_.size());
    if (problem_.flops() - begin > limit) return Outcome::stuck;
  }
  return Outcome::exhausted;
}

void ActiveSet::let_violators_in() {
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    const double diagonal = problem_.diagonal(j);
    if (at_.x[j] != 0 || diagonal <= 0) continue;
    const double value = problem_.threshold(at_.h[j], problem_.penalty(j)) / diagonal;
    if (value == 0) continue;
    at_.x[j] = value;
    problem_.move(j, value, at_.h);
  }
}

void ActiveSet::find_support() {
  support_.clear();
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    if (at_.x[j] != 0 && problem_.diagonal(j) > 0) support_.push_back(static_cast<std::uint32_t>(j));
  }
}

bool ActiveSet::find_direction() {
  if (!factor_.follow(support_)) return false;
  direction_.resize(support_.size());
  for (std::size_t a = 0; a < support_.size(); ++a) {
    const std::size_t j = support_[a];
    direction_[a] = at_.h[j] - std::copysign(problem_.penalty(j), at_.x[j]);
  }
  factor_.solve(direction_);
  std::fill(moved_.begin(), moved_.end(), 0.0);
  problem_.move_all(support_, direction_, moved_);
  return true;
}

bool ActiveSet::step() {
  if (try_clipped()) return true;
  step_on_line();
  return false;
}

/// The whole step, with zero for what would change its sign; taken where it is better than the best step on the line
/// could be hoped to be: it lowers q.
bool ActiveSet::try_clipped() {
  std::size_t crossing = 0;
  for (std::size_t a = 0; a < support_.size(); ++a) {
    const double x = at_.x[support_[a]];
    crossing += (x > 0) != (x + direction_[a] > 0) ? 1 : 0;
  }
  if (crossing > 2 + support_.size() / kClippedShare) return false;
  trial_.x = at_.x;
  trial_.h = at_.h;
  axpy(1.0, moved_, trial_.h);
  for (std::size_t a = 0; a < support_.size(); ++a) {
    const std::size_t j = support_[a];
    const double value = at_.x[j] + direction_[a];
    const bool crosses = (at_.x[j] > 0) != (value > 0);
    trial_.x[j] = crosses ? 0.0 : value;
    if (crosses) problem_.move(j, -value, trial_.h);
  }
  problem_.count_flops(8 * problem_.size());
  if (crossing > 0 && !(problem_.value(trial_).q < problem_.value(at_).q)) return false;
  std::swap(at_, trial_);
  return true;
}

void ActiveSet::step_on_line() {
  // With x >= 0 the line ends where the first variable reaches 0.
  double length = 1;
  std::size_t first = support_.size();
  for (std::size_t a = 0; problem_.nonnegative() && a < support_.size(); ++a) {
    if (at_.x[support_[a]] + length * direction_[a] >= 0) continue;
    length = -at_.x[support_[a]] / direction_[a];
    first = a;
  }
  double falls = 0;
  double curvature = 0;
  std::vector<LineTerm> terms;
  terms.reserve(support_.size());
  for (std::size_t a = 0; a < support_.size(); ++a) {
    const std::size_t j = support_[a];
    const double delta = length * direction_[a];
    terms.push_back({at_.x[j], delta, problem_.penalty(j), 0});
    falls += delta * at_.h[j];
    curvature -= delta * length * moved_[j];
  }
  const LineStep line = line_search(falls, curvature, terms);
  for (std::size_t a = 0; a < support_.size(); ++a) {
    const std::size_t j = support_[a];
    at_.x[j] += line.step * terms[a].delta;
    const bool reached = a == first && line.step == 1;
    if (reached || static_cast<std::ptrdiff_t>(a) == line.zeroed || (problem_.nonnegative() && at_.x[j] < 0)) {
      at_.x[j] = 0;
    }
  }
  axpy(line.step * length, moved_, at_.h);
  // What was set to zero may have been beside it by rounding: h is made to fit at the next verdict.
}

bool ActiveSet::is_finished() {
  if (!problem_.has_gap()) return false;
  problem_.count_flops(6 * problem_.size());
  if (problem_.gap(at_) > gap_max_) return false;
  problem_.gradient(at_.x, at_.h);  // the steps' rounding errors add up
  return problem_.gap(at_) <= gap_max_;
}

}  // namespace strads::l1
