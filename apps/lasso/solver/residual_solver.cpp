#include "lasso/solver/residual_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lasso/problem/certificate.hpp"
#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint32_t kSweepsFirst = 3;    ///< before the first step of all nonzeros together,
constexpr std::uint32_t kSweepsBetween = 2;  ///< after one that came to its end,
constexpr std::uint32_t kSweepsMore = 3;     ///< and after one that did not: signs are still changing
constexpr double kShareOfGap = 0.5;          ///< of the gap wanted: what the derivatives of nonzeros may leave of it
constexpr std::uint32_t kHeavyPasses = 20;   ///< of a sweep, over heavy columns
constexpr double kHeavyShare = 1e-3;         ///< of the first of them: a pass that brings less is the last
constexpr double kCyclesMax = 1000;          ///< more of them are not worth predicting

/// Cycles that would bring the gap from `left` to `wanted`, each as far as the last one did. Loops instead of a
/// logarithm, whose last bit may differ from machine to machine.
double cycles_to_go(double left, double before, double wanted) {
  const double ratio = before > 0 ? left / before : 1;
  double cycles = 0;
  for (double gap = left; gap > wanted && cycles < kCyclesMax; gap *= ratio) ++cycles;
  return cycles;
}
}  // namespace

ResidualSolver::ResidualSolver(const StandardizedColumns& columns, const Penalty& penalty, const LassoState& base,
                               Local local, const StandardizedColumns::Heavy* heavy, Cost& cost)
    : columns_(columns),
      penalty_(penalty),
      local_(std::move(local)),
      residual_(base.residual),
      total_(base.total),
      heavy_(heavy),
      cost_(cost) {
  for (const VarId j : local_.variables) squared_norm_.push_back(columns_.squared_norm(j));
  if (heavy_ == nullptr) return;
  for (const VarId j : local_.variables) heavy_places_.push_back(heavy_->place(j));
}

std::vector<std::size_t> ResidualSolver::all() const {
  std::vector<std::size_t> places(local_.variables.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

/// One pass over the listed places, in order; returns the decrease.
double ResidualSolver::sweep(std::span<const std::size_t> places) {
  swept_.resize(places.size());
  std::transform(places.begin(), places.end(), swept_.begin(), [&](std::size_t k) { return local_.variables[k]; });
  // Where centring would change every row, it is kept as one number: r = residual_ - level, and x~_j'r is what dot()
  // makes of residual_ and of the sum that its entries would have for that.
  const bool entries_alone = columns_.can_add_entries();
  const auto samples = static_cast<double>(columns_.samples());
  // What covariates have of the residual is not taken from it at every update, but from the products: with x~ = x - Q s
  // and r = u - Q Q'u, x~'r = x'u - s'Q'u.
  std::vector<double> carried(columns_.covariates(), 0.0);  // Q'u
  double decrease = 0, level = 0;
  for (std::size_t at = 0; at < places.size(); ++at) {
    columns_.fetch_ahead(swept_, at, swept_.size());
    const std::size_t k = places[at];
    const VarId j = swept_[at];
    const double squared_norm = squared_norm_[k];
    if (squared_norm == 0.0) continue;
    double gradient = columns_.dot(j, residual_, total_ + samples * level);
    for (std::size_t c = 0; c < carried.size(); ++c) gradient -= columns_.share(j, c) * carried[c];
    const Step step = penalty_.of(j).step(local_.value[k], gradient, squared_norm);
    count_sweep(cost_, columns_.work(j));
    ++cost_.updates;
    if (step.delta == 0.0) continue;
    if (entries_alone) {
      level += columns_.add_entries(j, -step.delta, residual_);
    } else {
      columns_.add(j, -step.delta, residual_);
      for (std::size_t c = 0; c < carried.size(); ++c) carried[c] -= step.delta * columns_.share(j, c);
    }
    count_sweep(cost_, columns_.work(j));
    local_.value[k] += step.delta;
    decrease += step.decrease;
  }
  columns_.lower(level, residual_);
  if (!carried.empty()) columns_.project(residual_);
  ++counts_.sweeps;
  return decrease;
}

/// `count` passes over the listed places. With heavy columns: that many over the light ones, then those over the heavy
/// ones, whose entries are most of the block's.
double ResidualSolver::sweeps(std::span<const std::size_t> places, std::uint32_t count, Chunks& chunks) {
  double decrease = 0;
  heavy_gradient_.clear();
  if (heavy_ == nullptr) {
    for (std::uint32_t k = 0; k < count; ++k) decrease += sweep(places);
    return decrease;
  }
  std::vector<std::size_t> light, heavy;
  for (const std::size_t k : places) (is_heavy(k) ? heavy : light).push_back(k);
  for (std::uint32_t k = 0; k < count; ++k) decrease += sweep(light);
  return decrease + sweep_heavy(heavy, chunks);
}

bool ResidualSolver::is_heavy(std::size_t place) const {
  return heavy_ != nullptr && heavy_places_[place] != StandardizedColumns::Heavy::kNone;
}

/// Passes over the listed places, all of them heavy, with their products at hand, until one brings next to nothing.
/// Returns the decrease; heavy_gradient_ is that of the residual afterwards.
double ResidualSolver::sweep_heavy(std::span<const std::size_t> places, Chunks& chunks) {
  heavy_gradient_.resize(heavy_->size());
  std::vector<double> moved(heavy_->size(), 0.0);
  heavy_->dots(residual_, total_, heavy_gradient_, chunks);
  double decrease = 0, least = 0;
  for (std::uint32_t pass = 0; pass < kHeavyPasses; ++pass) {
    double found = 0;
    for (const std::size_t k : places) {
      const std::size_t h = heavy_places_[k];
      if (squared_norm_[k] == 0.0) continue;
      const VariablePenalty penalty = penalty_.of(local_.variables[k]);
      const Step step = penalty.step(local_.value[k], heavy_gradient_[h], squared_norm_[k]);
      ++cost_.updates;
      if (step.delta == 0.0) continue;
      axpy(-step.delta, heavy_->products(h), heavy_gradient_);
      local_.value[k] += step.delta;
      moved[h] -= step.delta;
      found += step.decrease;
    }
    cost_.local += 2 * places.size() * heavy_->size();
    decrease += found;
    if (pass == 0) least = kHeavyShare * found;
    if (found <= least) break;
  }
  columns_.lower(heavy_->add_entries(moved, residual_, chunks), residual_);
  for (const std::size_t k : places) count_pass(cost_, 2 * columns_.work(local_.variables[k]));
  return decrease;
}

/// Of all variables, at the residual. Cost: one pass over their columns, all threads.
void ResidualSolver::take_gradient(Chunks& chunks) {
  std::vector<VarId> light;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    if (!is_heavy(k)) light.push_back(local_.variables[k]);
  }
  std::vector<double> of_light(light.size());
  columns_.dots(light, residual_, of_light, chunks);
  std::size_t next = 0;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    local_.gradient[k] = is_heavy(k) ? heavy_gradient_[heavy_places_[k]] : of_light[next++];
  }
}

/// Recomputes the gradient; returns the duality gap of the block. Cost: one pass over its columns, all threads.
double ResidualSolver::gap(Chunks& chunks) {
  take_gradient(chunks);
  GapParts parts;
  parts.residual_squared = dot(residual_, residual_);
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    parts.add(local_.value[k], local_.gradient[k], penalty_.of(local_.variables[k]));
    count_pass(cost_, columns_.work(local_.variables[k]));
  }
  cost_.local += 3 * residual_.size();
  return duality_gap(parts, penalty_.l1, penalty_.nonnegative);
}

/// Places that can change now: nonzero, or with a gradient above the penalty.
std::vector<std::size_t> ResidualSolver::active() const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    const VariablePenalty penalty = penalty_.of(local_.variables[k]);
    if (local_.value[k] != 0.0 || penalty.lets_in(local_.gradient[k])) places.push_back(k);
  }
  return places;
}

/// About what a step of all nonzeros together costs.
double ResidualSolver::flops_of_step() const {
  constexpr double kProducts = 30;
  double work = 0;
  for (const VarId j : local_.variables) work += static_cast<double>(columns_.work(j));
  return 2 * kProducts * work;
}

/// A step of all nonzeros from where gap() was asked for, as exact as a gap of `gap_max` needs it. Cost: two passes a
/// product, all threads; the first time two more.
SupportStep ResidualSolver::step_together(double gap_max, Chunks& chunks) {
  if (by_rows_ == nullptr) {
    by_rows_ = std::make_unique<StandardizedColumns::ByRows>(columns_, local_.variables, chunks, heavy_);
    for (const VarId j : local_.variables) count_pass(cost_, 2 * columns_.work(j));
  }
  double weighted = 0;
  for (std::size_t k = 0; k < local_.value.size(); ++k) {
    weighted += penalty_.of(local_.variables[k]).l1 * std::abs(local_.value[k]);
  }
  // A derivative of `share` of its penalty makes the dual point shrink by as much, and the gap is that times the sum.
  const double share = weighted > 0 ? kShareOfGap * gap_max / weighted : 0.0;
  return step_on_support(columns_, *by_rows_, penalty_, local_.variables, local_.gradient, share, local_.value,
                         residual_, chunks, cost_);
}

double ResidualSolver::descend(double least, std::uint32_t sweeps_max) {
  const std::vector<std::size_t> places = all();
  double decrease = 0;
  while (counts_.sweeps < sweeps_max) {
    const double last = sweep(places);
    decrease += last;
    if (last <= least) break;
  }
  return decrease;
}

double ResidualSolver::solve(double gap_max, std::uint32_t sweeps_max, Chunks& chunks, double flops_max) {
  is_done_ = true;
  if (sweeps_max == 0) return 0;
  const bool is_trial = std::isfinite(flops_max);
  const std::uint64_t begin = cost_.flops;
  double decrease = sweeps(all(), 1, chunks), before = 0;
  std::uint64_t cycle_begin = begin;
  for (std::uint32_t next = kSweepsFirst; counts_.sweeps < sweeps_max;
       next = is_trial && counts_.support_products == 0 ? kSweepsFirst : kSweepsBetween) {
    const double left = gap(chunks);
    if (left <= gap_max) break;
    const auto cycle = static_cast<double>(cost_.flops - std::exchange(cycle_begin, cost_.flops));
    const double budget = flops_max - static_cast<double>(cost_.flops - begin);
    const bool is_slow = before > 0 && cycles_to_go(left, before, gap_max) * cycle > budget;
    if (budget < 0 || (is_slow && (counts_.support_products > 0 || budget < flops_of_step()))) {
      is_done_ = false;
      break;
    }
    before = left;
    const std::vector<std::size_t> places = active();
    if (counts_.sweeps > kSweepsFirst && (!is_trial || is_slow || counts_.support_products > 0)) {
      const SupportStep step = step_together(gap_max, chunks);
      counts_.support_products += step.products;
      counts_.support_steps += step.decrease > 0 ? 1 : 0;
      decrease += step.decrease;
      if (!step.settled) next = kSweepsMore;
    }
    decrease += sweeps(places, std::min(next, sweeps_max - counts_.sweeps), chunks);
  }
  return decrease;
}

}  // namespace strads::lasso
