#include "sumstats/solver/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strads/numerics/l1_quadratic.hpp"

namespace strads::sumstats {

namespace {

/// Of what a block is certified to: solutions are a little better than asked for, since the driver recomputes the gap.
constexpr double kShareOfTolerance = 0.5;
/// Full sweeps after which Newton steps are tried.
constexpr int kFullSweepsMax = 60;
constexpr int kSupportSweepsMax = 10;
constexpr double kSupportProgressMin = 0.05;  // of the first support sweep's decrease
constexpr int kFallbacksMax = 12;
constexpr double kTighter = 1e-3;
constexpr int kJoinsMax = 1000;
// Of work that is counted: a coordinate that is looked at, and a variant of a bound.
constexpr std::uint64_t kFlopsOfLook = 10, kFlopsOfBound = 12;

double soft(double z, double penalty) {
  if (z > penalty) return z - penalty;
  return z < -penalty ? z + penalty : 0.0;
}

}  // namespace

double gap_term(double b, double h, double s, double penalty) {
  const double side = b < 0 ? -h : h, size = std::abs(b);
  if (size > 0 && side > penalty) {
    const double rest = side - penalty - s * size;
    return rest * rest / (2 * s);
  }
  const double over = std::max(std::abs(h) - penalty, 0.0);
  return size * (penalty - side) + s / 2 * size * size + over * over / (2 * s);
}

void BlockSolver::start(std::uint32_t block) {
  first_ = problem_.begins[block];
  size_ = problem_.size_of(block);
  is_joined_.assign(size_, false);
  for (auto* list : {&r_, &weights_, &b_, &h_, &gram_}) list->clear();
  joined_.clear();
  columns_.clear();
  if (size_ > whole_block_) return;
  std::vector<std::uint32_t> all(size_);
  std::iota(all.begin(), all.end(), 0U);
  join(all);
}

void BlockSolver::join(std::span<const std::uint32_t> fresh) {
  const std::size_t before = joined_.size(), size = before + fresh.size();
  for (const std::uint32_t place : fresh) {
    joined_.push_back(place);
    is_joined_[place] = true;
    columns_.push_back(problem_.variants[first_ + place]);
    r_.push_back(problem_.r[first_ + place]);
    weights_.push_back(problem_.weights[first_ + place]);
    b_.push_back(0.0);
  }
  const std::span<const VarId> columns(columns_);
  if (before == 0) {
    // In place: the memory of the block before.
    gram_.resize(size * size);
    problem_.columns->gram(columns, gram_, chunks_);
    counts_.products += problem_.columns->rows() * size * (size + 1);
  } else {
    std::vector<double> grown(size * size);
    std::vector<double> own(fresh.size() * size);
    problem_.columns->gram(columns.subspan(before), columns, own, chunks_);
    for (std::size_t a = 0; a < before; ++a) {
      std::copy_n(gram_.data() + a * before, before, grown.data() + a * size);
      for (std::size_t f = 0; f < fresh.size(); ++f) grown[a * size + before + f] = own[f * size + a];
    }
    std::ranges::copy(own, grown.begin() + static_cast<std::ptrdiff_t>(before * size));
    gram_ = std::move(grown);
    gram_most_ = 0;  // all of it is new memory
    counts_.products += 2 * problem_.columns->rows() * fresh.size() * size;
  }
  counts_.fresh += sizeof(double) * (gram_.size() - std::min(gram_.size(), gram_most_));
  gram_most_ = std::max(gram_most_, gram_.size());
  counts_.flops += fresh.size() * size * problem_.columns->rows();
  refresh_h();
}

void BlockSolver::refresh_h() {
  const std::size_t size = joined_.size();
  h_ = r_;
  for (std::size_t a = 0; a < size; ++a) {
    if (b_[a] == 0) continue;
    axpy(-(1 - s_) * b_[a], std::span(row(a), size), h_);
    counts_.local += 2 * size;
  }
}

void BlockSolver::set_shrink(double s) {
  s_ = s;
  refresh_h();
}

double BlockSolver::sweep(bool support_alone) {
  const std::size_t size = joined_.size();
  const double share = 1 - s_;
  double decrease = 0;
  std::uint64_t changed = 0;
  for (std::size_t a = 0; a < size; ++a) {
    const double b = b_[a];
    if (support_alone && b == 0) continue;
    const double* const own = row(a);
    const double penalty = lambda_ * weights_[a];
    const double z = h_[a] + share * own[a] * b;
    const double curvature = share * own[a] + s_;
    const double value = soft(z, penalty) / curvature;
    ++counts_.updates;
    if (value == b) continue;
    const double step = value - b;
    decrease += (h_[a] - s_ * b) * step - curvature * step * step / 2 - penalty * (std::abs(value) - std::abs(b));
    b_[a] = value;
    axpy(-share * step, std::span(own, size), h_);
    changed += 1;
  }
  ++counts_.sweeps;
  counts_.flops += 2 * size * changed;
  counts_.local += 2 * size * changed + (support_alone ? size : kFlopsOfLook * size);
  return decrease;
}

BlockSolver::Bounds BlockSolver::bounds_inside() const {
  Bounds bounds;
  for (std::size_t a = 0; a < joined_.size(); ++a) {
    const double b = b_[a], h = h_[a], penalty = lambda_ * weights_[a];
    bounds.gap += gap_term(b, h, s_, penalty);
    if (b != 0) bounds.objective += b * (s_ * b - r_[a] - h) / 2 + penalty * std::abs(b);
  }
  return bounds;
}

bool BlockSolver::is_done(const Bounds& bounds) const {
  return is_certified(bounds.objective, bounds.gap, kShareOfTolerance * grid_.tolerance,
                      kShareOfTolerance * Grid::rounding(s_, lambda_));
}

BlockSolver::Bounds BlockSolver::descend() {
  Bounds bounds = bounds_inside();
  for (int full = 0; full < kFullSweepsMax && !is_done(bounds); ++full) {
    sweep(false);
    bounds = bounds_inside();
    ++counts_.checks;
    counts_.local += kFlopsOfBound * joined_.size();
    if (is_done(bounds)) break;
    double first = 0;
    for (int k = 0; k < kSupportSweepsMax; ++k) {
      const double decrease = sweep(true);
      if (k == 0) first = decrease;
      if (decrease <= kSupportProgressMin * first) break;
    }
    bounds = bounds_inside();
  }
  // h has followed every step; what is told is from h computed afresh.
  refresh_h();
  bounds = bounds_inside();
  if (!is_done(bounds)) fall_back(bounds);
  return bounds;
}

void BlockSolver::fall_back(Bounds& bounds) {
  const std::size_t size = joined_.size();
  std::vector<double> matrix(gram_), gradient(size);
  for (double& entry : matrix) entry *= 1 - s_;
  for (std::size_t a = 0; a < size; ++a) matrix[a * size + a] += s_;
  L1QuadraticOptions options;
  options.gap_max = std::max(grid_.tolerance * std::abs(bounds.objective), bounds.gap * kTighter);
  for (int k = 0; k < kFallbacksMax && !is_done(bounds); ++k) {
    for (std::size_t a = 0; a < size; ++a) gradient[a] = h_[a] - s_ * b_[a];
    const auto result = solve_l1_quadratic(
        {.gram = matrix, .gradient = gradient, .penalty = lambda_, .factors = weights_}, b_, options, chunks_);
    counts_.flops += result.flops;
    counts_.local += result.flops;
    ++counts_.fallbacks;
    refresh_h();
    bounds = bounds_inside();
    options.gap_max *= kTighter;
  }
}

BlockSolver::Bounds BlockSolver::bounds_outside(const Bounds& inside, std::vector<std::uint32_t>& fresh) {
  fresh.clear();
  if (joined_.size() == size_) return inside;
  const StandardizedColumns& columns = *problem_.columns;
  std::vector<double> image(columns.rows(), 0.0), products(size_);
  for (std::size_t a = 0; a < joined_.size(); ++a) {
    if (b_[a] != 0) columns.add(columns_[a], b_[a], image);
  }
  columns.dots(std::span(problem_.variants).subspan(first_, size_), image, products, chunks_);
  Bounds all = inside;
  for (std::size_t place = 0; place < size_; ++place) {
    if (is_joined_[place]) continue;
    const double penalty = lambda_ * problem_.weights[first_ + place];
    const double term = gap_term(0, problem_.r[first_ + place] - (1 - s_) * products[place], s_, penalty);
    all.gap += term;
    if (term > 0) fresh.push_back(static_cast<std::uint32_t>(place));
  }
  counts_.flops += 2 * size_ * columns.rows();
  counts_.passes += 2 * size_ * columns.rows();
  return all;
}

void BlockSolver::solve_point(double s, double lambda) {
  lambda_ = lambda;
  if (s != s_) set_shrink(s);
  std::vector<std::uint32_t> fresh;
  for (int k = 0; k < kJoinsMax; ++k) {
    const Bounds inside = descend();
    const Bounds all = bounds_outside(inside, fresh);
    if (fresh.empty() || is_done(all)) return;
    join(fresh);
  }
}

std::vector<BlockSolution> BlockSolver::solve(std::uint32_t block) {
  std::vector<BlockSolution> solutions(grid_.size());
  start(block);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> fresh;
  for (std::size_t k = 0; k < grid_.size(); ++k) {
    if (k % grid_.lambdas.size() == 0) {
      std::ranges::fill(b_, 0.0);
      set_shrink(grid_.shrink(k));
    }
    solve_point(grid_.shrink(k), grid_.lambda(k));
    const Bounds all = bounds_outside(bounds_inside(), fresh);
    BlockSolution& own = solutions[k];
    own.objective = all.objective;
    own.gap = all.gap;
    order.clear();
    for (std::uint32_t a = 0; a < joined_.size(); ++a) {
      if (b_[a] != 0) order.push_back(a);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t a) { return joined_[a]; });
    for (const std::uint32_t a : order) {
      own.places.push_back(joined_[a]);
      own.values.push_back(b_[a]);
    }
  }
  return solutions;
}

}  // namespace strads::sumstats
