#include "svm/solver/dual_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strads::svm {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kAhead = 4;               ///< rows that are fetched before they are asked for
constexpr std::uint64_t kPlainSweeps = 8;       ///< before the first step on a face
constexpr std::uint64_t kSweepsBetween = 5;     ///< steps on faces
constexpr std::uint32_t kFirstIterations = 6;   ///< of conjugate gradients
constexpr std::uint32_t kIterationsMax = 1000;  ///< of one step
constexpr double kResidual = 0.1;               ///< of conjugate gradients
constexpr double kLookAgain = 0.8;              ///< the gap that is met falls to this share before all are looked at
}  // namespace

DualSolver::DualSolver(const Samples& samples, const DualBox& box, std::span<const std::uint32_t> members,
                       std::span<double> values, std::span<double> w)
    : samples_(samples), box_(box), members_(members), values_(values), w_(w), facts_(members.size()) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::uint32_t i = members[k];
    facts_[k] = {box.sign(i), box.upper(i), box.diagonal(i), samples.norm(i) + box.diagonal(i), box.cost(i)};
  }
}

/// The exact step along variable k. Returns what f loses.
double DualSolver::step(std::uint32_t k, double gradient) {
  const Member& fact = facts_[k];
  const CoordinateMove move = move_in_box(values_[k], gradient, fact.curvature, fact.upper);
  if (move.delta == 0) return 0;
  const double before = values_[k];
  values_[k] = moved_in_box(before, move.delta, fact.upper);
  samples_.add(members_[k], fact.sign * (values_[k] - before), w_.data());
  return move.decrease;
}

Solved DualSolver::sweep(std::uint32_t sweeps_max, double tolerance) {
  done_ = {};
  for (std::uint32_t sweep = 0; sweep < sweeps_max; ++sweep) {
    double decrease = 0;
    for (std::uint32_t k = 0; k < members_.size(); ++k) {
      const Member& fact = facts_[k];
      const double margin = fact.sign * samples_.dot(members_[k], w_.data());
      decrease += step(k, margin - 1 + fact.diagonal * values_[k]);
      done_.flops += 4 * samples_.entries(members_[k]) + 10;
    }
    ++done_.sweeps;
    done_.updates += members_.size();
    done_.decrease += decrease;
    if (decrease <= tolerance) break;
  }
  return done_;
}

/// One pass over the active variables in random order. Those that their gradient presses against a bound harder than
/// any free one was pressed in the pass before are left out [Hsieh et al. 2008, section 3.2].
void DualSolver::pass(CounterRng& random) {
  double highest = -kInfinity, lowest = kInfinity;
  gap_met_ = 0;
  double decrease = 0;
  std::uint64_t flops = 0;
  for (std::size_t left = active_; left > 1; --left) {
    std::swap(order_[left - 1], order_[random.below(left)]);
  }
  for (std::size_t at = 0; at < active_;) {
    if (at + kAhead < active_) samples_.fetch(members_[order_[at + kAhead]]);
    const std::uint32_t k = order_[at];
    const Member& fact = facts_[k];
    const double value = values_[k];
    const double margin = fact.sign * samples_.dot(members_[k], w_.data());
    const double gradient = margin - 1 + fact.diagonal * value;
    gap_met_ += gap_of_sample(value, margin, fact.cost, box_.hinge());
    flops += 2 * samples_.entries(members_[k]) + 10;
    const bool left_out = (value <= 0 && gradient > highest_) || (value >= fact.upper && gradient < lowest_);
    if (left_out) {
      std::swap(order_[at], order_[--active_]);
      continue;
    }
    const double projected = projected_gradient(value, gradient, fact.upper);
    highest = std::max(highest, projected);
    lowest = std::min(lowest, projected);
    if (projected != 0) {
      decrease += step(k, gradient);
      flops += 2 * samples_.entries(members_[k]);
      ++done_.updates;
    }
    ++at;
  }
  highest_ = highest > 0 ? highest : kInfinity;
  lowest_ = lowest < 0 ? lowest : -kInfinity;
  done_.decrease += decrease;
  done_.flops += flops;
  ++done_.sweeps;
}

/// All margins at the same w: the gap, and which variables are free or pushed away from their bounds. From now on these
/// are the active ones.
DualSolver::Found DualSolver::look_at_all(Chunks& chunks) {
  margins_.resize(members_.size());
  samples_.dots(members_, w_, margins_, chunks);
  Found found;
  active_ = 0;
  std::size_t passive = members_.size();
  double quadratic = 0;
  for (std::uint32_t k = 0; k < members_.size(); ++k) {
    const Member& fact = facts_[k];
    const double margin = fact.sign * margins_[k];
    margins_[k] = margin - 1 + fact.diagonal * values_[k];
    found.gap += gap_of_sample(values_[k], margin, fact.cost, box_.hinge());
    found.objective += box_.loss(members_[k], margin);
    if (projected_gradient(values_[k], margins_[k], fact.upper) != 0) {
      order_[active_++] = k;
    } else {
      order_[--passive] = k;
    }
  }
  for (const double own : w_) quadratic += own * own;
  found.objective += 0.5 * quadratic;
  highest_ = kInfinity;
  lowest_ = -kInfinity;
  done_.flops += 2 * samples_.entries() + 20 * members_.size();
  return found;
}

/// The minimum over the free variables, as far as it lies within the box. REQUIRES: margins_ has the gradients at w.
void DualSolver::accelerate(Chunks& chunks) {
  face_.clear();
  face_places_.clear();
  for (std::size_t at = 0; at < active_; ++at) {
    const std::uint32_t k = order_[at];
    const Member& fact = facts_[k];
    if (values_[k] <= 0 || values_[k] >= fact.upper) continue;
    face_places_.push_back(k);
  }
  std::ranges::sort(face_places_);
  for (const std::uint32_t k : face_places_) {
    const Member& fact = facts_[k];
    face_.samples.push_back(members_[k]);
    face_.sign.push_back(fact.sign);
    face_.value.push_back(values_[k]);
    face_.upper.push_back(fact.upper);
    face_.diagonal.push_back(fact.diagonal);
  }
  face_.gradient.resize(face_.size());
  samples_.dots(face_.samples, w_, face_.gradient, chunks);
  for (std::size_t k = 0; k < face_.size(); ++k) {
    face_.gradient[k] = face_.sign[k] * face_.gradient[k] - 1 + face_.diagonal[k] * face_.value[k];
  }
  const FaceStep stepped = step_on_face(samples_, face_, w_, kResidual, iterations_max_, chunks);
  for (std::size_t k = 0; k < face_.size(); ++k) values_[face_places_[k]] = face_.value[k];
  done_.decrease += stepped.decrease;
  done_.flops += stepped.flops;
  done_.updates += face_.size();
  done_.conjugate_iterations += stepped.iterations;
  ++done_.face_steps;
  if (!stepped.solved) iterations_max_ = std::min(kIterationsMax, iterations_max_ + iterations_max_ / 2);
}

Solved DualSolver::solve(const SolveEnd& end, CounterRng random, Chunks& chunks) {
  done_ = {};
  order_.resize(members_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  active_ = order_.size();
  highest_ = kInfinity;
  lowest_ = -kInfinity;
  iterations_max_ = kFirstIterations;
  const double start = dual_objective();
  double gap_before = kInfinity;  // that was met when all were looked at
  std::uint64_t next_face = end.goes_on ? 1 : kPlainSweeps;
  if (end.goes_on) {
    const Found found = look_at_all(chunks);
    done_.reached = found.gap <= end.relative_gap * found.objective;
  }
  while (!done_.reached && done_.flops < end.flops_max) {
    pass(random);
    const double bound = done_.decrease - start;  // -f
    const bool enough = gap_met_ <= end.relative_gap * (gap_met_ + bound) && gap_met_ <= kLookAgain * gap_before;
    const bool is_face = done_.sweeps >= next_face;
    if (!enough && !is_face && active_ > 0) continue;
    if (is_face) {
      accelerate(chunks);
      next_face = done_.sweeps + kSweepsBetween;
    }
    if (enough) gap_before = gap_met_;
    const Found found = look_at_all(chunks);
    if (found.gap <= end.relative_gap * found.objective) {
      done_.reached = true;
      break;
    }
  }
  return done_;
}

double DualSolver::dual_objective() const {
  double quadratic = 0, linear = 0;
  for (const double own : w_) quadratic += own * own;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    quadratic += facts_[k].diagonal * values_[k] * values_[k];
    linear += values_[k];
  }
  return 0.5 * quadratic - linear;
}

}  // namespace strads::svm
