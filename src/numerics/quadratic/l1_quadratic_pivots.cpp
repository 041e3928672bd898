#include "numerics/quadratic/l1_quadratic_pivots.hpp"

#include <algorithm>
#include <cmath>

namespace strads::l1 {

namespace {

constexpr int kRoundsMax = 30;             // 3 to 6 are usual
constexpr double kShareMax = 0.9;          // see let_violators_in()
constexpr std::uint64_t kFactorsMax = 6;   // work, in factorisations; 2 to 3 are usual
constexpr std::size_t kCrossedShare = 20;  // of the start's support: if more change their sign at once, it is none

}  // namespace

BlockPivots::BlockPivots(Problem& problem, Point& at, double gap_max)
    : problem_(problem),
      at_(at),
      gap_max_(gap_max),
      factor_(problem, usual_ridge(problem)),
      next_(at),
      signs_(problem.size()),
      pull_(problem.size()) {}

bool BlockPivots::run(std::uint32_t steps_max) {
  const std::uint64_t begin = problem_.flops();
  find_support();
  const std::uint64_t size = support_.size();
  const std::uint64_t limit = kFactorsMax * (size * size * size / 3 + 8 * size * problem_.size());
  double share = 0;
  Value value = problem_.value(at_);
  for (int round = 0; round < kRoundsMax && problem_.flops() - begin <= limit; ++round) {
    if (!settle(steps_max)) return false;
    problem_.gradient(next_.x, next_.h);
    const Value now = problem_.value(next_);
    problem_.count_flops(4 * problem_.size());
    if (now.q <= value.q + now.rounding) {
      const bool idle = round > 0 && value.q - now.q <= now.rounding;
      at_ = next_;
      value = now;
      problem_.count_flops(6 * problem_.size());
      if (problem_.gap(at_) <= std::max(gap_max_, now.rounding)) return true;
      if (idle) return false;
      share = 0;
    } else {
      // Too many at once: from the last good point again, with the worst violators alone.
      if (share >= kShareMax) return false;
      share = (1 + share) / 2;
      next_ = at_;
    }
    let_violators_in(share);
    find_support();
  }
  return false;
}

/// Every nonzero, with its sign, and what its condition of optimality lacks.
void BlockPivots::find_support() {
  support_.clear();
  std::fill(signs_.begin(), signs_.end(), 0.0);
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    if (next_.x[j] == 0 || problem_.diagonal(j) <= 0) continue;
    support_.push_back(static_cast<std::uint32_t>(j));
    signs_[j] = std::copysign(1.0, next_.x[j]);
    pull_[j] = next_.h[j] - problem_.penalty(j) * signs_[j];
  }
}

/// Minimises q over the support with its signs; what crosses zero leaves it. False: without steps, no factor, or a
/// start from too far. next_.h is not kept up to date.
bool BlockPivots::settle(std::uint32_t steps_max) {
  do {
    if (far_ || support_.empty() || steps_ >= steps_max || !factor_.follow(support_)) return false;
    ++steps_;
    direction_.resize(support_.size());
    for (std::size_t a = 0; a < support_.size(); ++a) direction_[a] = pull_[support_[a]];
    factor_.solve(direction_);
    for (std::size_t a = 0; a < support_.size(); ++a) next_.x[support_[a]] += direction_[a];
  } while (drop_crossed());
  return true;
}

/// True iff some have crossed zero. After a solve nothing pulls at the others, until these are set back to zero.
bool BlockPivots::drop_crossed() {
  const auto crossed = [this](std::uint32_t j) { return !(next_.x[j] * signs_[j] > 0); };
  const auto count = static_cast<std::size_t>(std::count_if(support_.begin(), support_.end(), crossed));
  if (count == 0) return false;
  far_ = far_ || (steps_ == 1 && count > 2 + support_.size() / kCrossedShare);
  std::fill(pull_.begin(), pull_.end(), 0.0);
  for (const std::uint32_t j : support_) {
    if (!crossed(j)) continue;
    problem_.move(j, -next_.x[j], pull_);
    next_.x[j] = 0;
    signs_[j] = 0;
  }
  std::erase_if(support_, [this](std::uint32_t j) { return signs_[j] == 0; });
  return true;
}

/// Each zero that violates its condition at at_, by `share` of the worst at least, takes the step that coordinate
/// descent would, unless those before have taken its violation away or turned it round: of columns that are nearly
/// equal one enters, with the sign that it has at the solution.
void BlockPivots::let_violators_in(double share) {
  const auto excess = [this](std::size_t j) {
    return next_.x[j] != 0 || problem_.diagonal(j) <= 0 ? 0.0 : problem_.threshold(at_.h[j], problem_.penalty(j));
  };
  double least = 0;
  for (std::size_t j = 0; share > 0 && j < problem_.size(); ++j) least = std::max(least, share * std::abs(excess(j)));
  for (std::size_t j = 0; j < problem_.size(); ++j) {
    const double first = excess(j);
    if (first == 0 || std::abs(first) < least) continue;
    const double value = problem_.threshold(next_.h[j], problem_.penalty(j)) / problem_.diagonal(j);
    if (!(first * value > 0)) continue;
    next_.x[j] = value;
    problem_.move(j, value, next_.h);
  }
}

}  // namespace strads::l1
