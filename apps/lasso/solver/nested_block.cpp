#include "lasso/solver/nested_block.hpp"

#include <algorithm>
#include <utility>

#include "lasso/problem/certificate.hpp"
#include "lasso/solver/gram_block.hpp"

namespace strads::lasso {

namespace {
constexpr std::size_t kInnerSizeMax = 6000;    ///< of an inner set: 288 MB of Gram matrix
constexpr std::size_t kInnerFreshMin = 64;     ///< variables that join it at a time,
constexpr std::size_t kInnerFreshShare = 8;    ///< or this share of it
constexpr double kInnerForcing = 0.1;          ///< of the block's gap: how far an inner set is solved,
constexpr double kInnerLast = 0.3;             ///< and of the gap wanted: it need not be solved further
constexpr double kInnerProgress = 0.5;         ///< of the gap is left after a step that was worth it
constexpr std::uint32_t kInnerStepsMax = 100;  ///< then comes a barrier, and the rest of it
}  // namespace

bool NestedBlock::can_hold(std::size_t nonzeros) noexcept {
  return nonzeros + kInnerFreshMin <= kInnerSizeMax;
}

NestedBlock::NestedBlock(const StandardizedColumns& columns, const Penalty& penalty, std::vector<double> residual,
                         Local local, GramCache& cache, Chunks& chunks, Cost& cost)
    : columns_(columns),
      penalty_(penalty),
      residual_(std::move(residual)),
      local_(std::move(local)),
      cache_(cache),
      chunks_(chunks),
      cost_(cost),
      is_inside_(local_.variables.size(), 0) {
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    if (local_.value[k] == 0.0) continue;
    is_inside_[k] = 1;
    places_.push_back(k);
  }
}

/// Of the problem of this block, at the residual.
double NestedBlock::gap() const {
  GapParts parts;
  parts.residual_squared = dot(residual_, residual_);
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    parts.add(local_.value[k], local_.gradient[k], penalty_.of(local_.variables[k]));
  }
  cost_.local += 3 * residual_.size();
  return duality_gap(parts, penalty_.l1, penalty_.nonnegative);
}

/// By so much the gradient at this place is larger than the penalty of a zero.
double NestedBlock::excess_of(std::size_t place) const {
  const VariablePenalty penalty = penalty_.of(local_.variables[place]);
  return penalty.excess(local_.gradient[place]);
}

/// Whether grow() would take any in.
bool NestedBlock::can_grow() const {
  if (places_.size() >= kInnerSizeMax) return false;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    if (is_inside_[k] == 0 && excess_of(k) > 0) return true;
  }
  return false;
}

/// Takes in the zeros that violate their conditions most; returns how many. Ties go to the first.
std::size_t NestedBlock::grow() {
  std::vector<std::pair<double, std::size_t>> violators;
  for (std::size_t k = 0; k < local_.variables.size(); ++k) {
    if (is_inside_[k] != 0) continue;
    const double excess = excess_of(k);
    if (excess > 0) violators.emplace_back(-excess, k);
  }
  const std::size_t room =
      std::min(std::max(kInnerFreshMin, places_.size() / kInnerFreshShare), kInnerSizeMax - places_.size());
  const std::size_t fresh = std::min(violators.size(), room);
  std::partial_sort(violators.begin(), violators.begin() + static_cast<std::ptrdiff_t>(fresh), violators.end());
  for (std::size_t v = 0; v < fresh; ++v) {
    is_inside_[violators[v].second] = 1;
    places_.push_back(violators[v].second);
  }
  std::sort(places_.begin(), places_.end());
  return fresh;
}

/// Solves the inner set; returns the decrease.
double NestedBlock::step(std::size_t fresh, double gap_max, std::uint32_t sweeps_max) {
  std::vector<VarId> variables;
  Local inner;
  for (const std::size_t k : places_) {
    variables.push_back(local_.variables[k]);
    inner.value.push_back(local_.value[k]);
    inner.gradient.push_back(local_.gradient[k]);
  }
  inner.variables = variables;
  double squares = 0;
  for (const std::size_t k : places_)
    squares += penalty_.of(local_.variables[k]).l2 * local_.value[k] * local_.value[k];
  std::vector<double> matrix;
  cost_.tiled += cache_.gram(columns_, variables, matrix, chunks_);
  cost_.flops += pair_flops(columns_, variables, fresh);
  cost_.fresh += 2 * variables.size() * variables.size() * sizeof(double);
  const L1QuadraticResult result =
      solve_in_gram({penalty_, dot(residual_, residual_) + squares, gap_max, sweeps_max}, inner, matrix, chunks_);
  cache_.keep(variables, std::move(matrix));
  ++counts_.steps;
  counts_.sweeps += result.sweeps;
  counts_.newton_steps += result.newton_steps;
  counts_.solve_flops += result.flops;
  cost_.flops += result.flops;
  cost_.local += result.flops;
  cost_.updates += result.updates;
  follow(inner);
  return result.decrease;
}

/// The residual and all gradients after the inner set has moved.
void NestedBlock::follow(const Local& inner) {
  std::vector<VarId> moved;
  std::vector<double> deltas;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    double& value = local_.value[places_[i]];
    if (inner.value[i] == value) continue;
    moved.push_back(inner.variables[i]);
    deltas.push_back(inner.value[i] - value);
    value = inner.value[i];
    count_pass(cost_, columns_.work(moved.back()));
  }
  std::vector<double> change(residual_.size());
  columns_.combine(moved, deltas, change, chunks_);
  axpy(-1.0, change, residual_);
  columns_.dots(local_.variables, residual_, local_.gradient, chunks_);
  for (const VarId j : local_.variables) count_pass(cost_, columns_.work(j));
}

double NestedBlock::solve(double gap_max, std::uint32_t sweeps_max) {
  double decrease = 0;
  double left = gap();
  // What is nonzero at the start was in the block before: its pairs are known, as a rule.
  for (std::uint32_t k = 0; k < kInnerStepsMax && left > gap_max && counts_.sweeps < sweeps_max; ++k) {
    const std::size_t fresh = grow();
    const double least = kInnerLast * gap_max, wanted = std::max(least, kInnerForcing * left);
    decrease += step(fresh, wanted, sweeps_max - counts_.sweeps);
    const double before = std::exchange(left, gap());
    // What moved may have made others violate theirs.
    if (fresh == 0 && left > kInnerProgress * before && !can_grow()) break;
  }
  return decrease;
}

}  // namespace strads::lasso
