#include "sumstats/solver/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "strads/numerics/l1_quadratic.hpp"

namespace strads::sumstats {

namespace {

using Stage = BlockProgress::Stage;

/// Of what a block is certified to: solutions are a little better than asked for, since the driver recomputes the gap.
constexpr double kShareOfTolerance = 0.5;
/// Full sweeps after which Newton steps are tried.
constexpr int kFullSweepsMax = 60;
constexpr int kSupportSweepsMax = 10;
constexpr double kSupportProgressMin = 0.05;  // of the first support sweep's decrease
constexpr int kFallbacksMax = 12;
constexpr double kTighter = 1e-3;
constexpr int kJoinsMax = 1000;
/// Flops of products in a piece of those that join, and how many join at least.
constexpr std::uint64_t kProductsOfPiece = 4'000'000'000;
constexpr std::size_t kPieceLeast = 16;
// Of work that is counted: a coordinate that is looked at, and a variant of a bound.
constexpr std::uint64_t kFlopsOfLook = 10, kFlopsOfBound = 12, kFlopsOfScreen = 4;
/// A Gram matrix that is too small gets so many times the room.
constexpr double kRoom = 1.5;
/// Of lambda: where the grid is so coarse that the strong rule keeps everything, who is below it does not join before.
constexpr double kLikelyMin = 0.5;

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

void SolverCounts::add(const SolverCounts& more) {
  sweeps += more.sweeps;
  updates += more.updates;
  checks += more.checks;
  fallbacks += more.fallbacks;
  flops += more.flops;
  products += more.products;
  passes += more.passes;
  local += more.local;
  fresh += more.fresh;
}

SolverCounts SolverCounts::since(const SolverCounts& before) const {
  return {.sweeps = sweeps - before.sweeps,
          .updates = updates - before.updates,
          .checks = checks - before.checks,
          .fallbacks = fallbacks - before.fallbacks,
          .flops = flops - before.flops,
          .products = products - before.products,
          .passes = passes - before.passes,
          .local = local - before.local,
          .fresh = fresh - before.fresh};
}

void BlockSolver::clear(std::uint32_t block) {
  block_ = block;
  first_ = problem_.begins[block];
  size_ = problem_.size_of(block);
  is_joined_.assign(size_, false);
  for (auto* list : {&r_, &weights_, &b_, &h_, &gram_, &rows_, &all_h_}) list->clear();
  joined_.clear();
  waiting_.clear();
  columns_.clear();
  stride_ = 0;
  point_ = 0;
  joins_ = full_ = fallbacks_ = 0;
  gap_max_ = 0;
  stage_ = Stage::point;
  if (has_rows()) pairs_.prepare(std::span(problem_.variants).subspan(first_, size_), *chunks_);
}

void BlockSolver::begin(std::uint32_t block) {
  clear(block);
}

void BlockSolver::go_on(std::uint32_t block, const BlockProgress& progress) {
  clear(block);
  point_ = progress.point;
  joins_ = static_cast<int>(progress.joins);
  full_ = static_cast<int>(progress.sweeps);
  fallbacks_ = static_cast<int>(progress.fallbacks);
  gap_max_ = progress.gap_max;
  stage_ = progress.stage;
  s_ = grid_.shrink(point_);
  lambda_ = grid_.lambda(point_);
  // Whether its products were made here or elsewhere must not show.
  const SolverCounts before = counts_;
  if (!progress.joined.empty()) join(progress.joined, progress.joined.size() + progress.waiting.size());
  waiting_ = progress.waiting;
  b_ = progress.b;
  h_ = progress.h;
  // In between h of all variants is not asked for.
  if (has_rows() && stage_ == Stage::point && point_ % grid_.lambdas.size() != 0) refresh_all();
  counts_ = before;
  made_most_ = made();
  bounds_ = bounds_inside();
}

BlockProgress BlockSolver::progress() const {
  return {.stage = stage_,
          .point = point_,
          .joins = static_cast<std::uint64_t>(joins_),
          .sweeps = static_cast<std::uint64_t>(full_),
          .fallbacks = static_cast<std::uint64_t>(fallbacks_),
          .gap_max = gap_max_,
          .joined = joined_,
          .waiting = waiting_,
          .b = b_,
          .h = h_};
}

void BlockSolver::join_some() {
  const std::size_t in_all = joined_.size() + waiting_.size();
  const std::uint64_t of_one = problem_.columns->rows() * in_all;
  const auto piece = static_cast<std::size_t>(std::max<std::uint64_t>(kPieceLeast, kProductsOfPiece / of_one));
  const std::size_t count = std::min(piece, waiting_.size());
  join(std::span(waiting_).first(count), in_all);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  if (!waiting_.empty()) return;
  refresh_h();
  full_ = 0;
  bounds_ = bounds_inside();
  stage_ = Stage::sweep;
}

void BlockSolver::make_room(std::size_t in_all) {
  if (stride_ >= in_all) return;
  const std::size_t before = joined_.size();
  const std::size_t room =
      std::clamp(static_cast<std::size_t>(kRoom * static_cast<double>(in_all)), in_all, std::max(in_all, size_));
  // In place, the last row first: in the memory of the block before.
  gram_.resize(room * room);
  for (std::size_t a = before; a-- > 1;) std::copy_backward(row(a), row(a) + before, gram_.data() + a * room + before);
  stride_ = room;
}

/// `in_all`: those that have joined when nobody waits any more.
void BlockSolver::join(std::span<const std::uint32_t> fresh, std::size_t in_all) {
  make_room(in_all);
  const std::size_t before = joined_.size();
  for (const std::uint32_t place : fresh) {
    joined_.push_back(place);
    is_joined_[place] = true;
    columns_.push_back(problem_.variants[first_ + place]);
    r_.push_back(problem_.r[first_ + place]);
    weights_.push_back(problem_.weights[first_ + place]);
    b_.push_back(0.0);
    h_.push_back(0.0);
  }
  if (has_rows()) {
    multiply_rows(before);
  } else {
    multiply_columns(before);
  }
  counts_.fresh += sizeof(double) * (made() - std::min(made(), made_most_));
  made_most_ = std::max(made_most_, made());
}

void BlockSolver::multiply_rows(std::size_t before) {
  const std::size_t size = joined_.size();
  rows_.resize(size * size_);
  const auto fresh = std::span<const std::uint32_t>(joined_).subspan(before);
  pairs_.products(fresh, std::span(rows_).subspan(before * size_), *chunks_);
  for (std::size_t f = before; f < size; ++f) {
    const double* const own = rows_.data() + f * size_;
    for (std::size_t a = 0; a < size; ++a) gram_[a * stride_ + f] = gram_[f * stride_ + a] = own[joined_[a]];
  }
  counts_.products += 2 * problem_.columns->rows() * fresh.size() * size_;
  counts_.flops += fresh.size() * size_ * problem_.columns->rows();
}

void BlockSolver::multiply_columns(std::size_t before) {
  const std::size_t size = joined_.size(), fresh = size - before;
  const std::span<const VarId> columns(columns_);
  std::vector<double> own(fresh * size);
  problem_.columns->gram(columns.subspan(before), columns, own, *chunks_);
  for (std::size_t f = 0; f < fresh; ++f) {
    for (std::size_t a = 0; a < before; ++a) gram_[a * stride_ + before + f] = own[f * size + a];
    std::copy_n(own.data() + f * size, size, gram_.data() + (before + f) * stride_);
  }
  counts_.products += 2 * problem_.columns->rows() * fresh * size;
  counts_.flops += fresh * size * problem_.columns->rows();
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
  if (has_rows()) refresh_all();
}

void BlockSolver::refresh_all() {
  const auto r = std::span(problem_.r).subspan(first_, size_);
  all_h_.assign(r.begin(), r.end());
  for (std::size_t a = 0; a < joined_.size(); ++a) {
    if (b_[a] == 0) continue;
    axpy(-(1 - s_) * b_[a], std::span(rows_).subspan(a * size_, size_), all_h_);
    counts_.local += 2 * size_;
  }
}

/// With a slope of h by lambda of at most w_j, as h mostly has, no other variant leaves 0.
void BlockSolver::find_likely(double lambda_before) {
  const double bound = std::max(2 * lambda_ - lambda_before, kLikelyMin * lambda_);
  for (std::size_t place = 0; place < size_; ++place) {
    if (is_joined_[place] || std::abs(all_h_[place]) <= bound * problem_.weights[first_ + place]) continue;
    waiting_.push_back(static_cast<std::uint32_t>(place));
  }
  counts_.local += kFlopsOfScreen * size_;
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

void BlockSolver::begin_point() {
  if (point_ % grid_.lambdas.size() == 0) {
    std::ranges::fill(b_, 0.0);
    set_shrink(grid_.shrink(point_));
  }
  lambda_ = grid_.lambda(point_);
  joins_ = full_ = 0;
  bounds_ = bounds_inside();
  if (has_rows()) find_likely(point_ % grid_.lambdas.size() == 0 ? lambda_ : grid_.lambda(point_ - 1));
  stage_ = waiting_.empty() ? Stage::sweep : Stage::join;
}

void BlockSolver::descend() {
  if (full_ < kFullSweepsMax && !is_done(bounds_)) {
    sweep(false);
    bounds_ = bounds_inside();
    ++counts_.checks;
    counts_.local += kFlopsOfBound * joined_.size();
    if (!is_done(bounds_)) {
      double first = 0;
      for (int k = 0; k < kSupportSweepsMax; ++k) {
        const double decrease = sweep(true);
        if (k == 0) first = decrease;
        if (decrease <= kSupportProgressMin * first) break;
      }
      bounds_ = bounds_inside();
      ++full_;
      return;
    }
  }
  // h has followed every step; what is told is from h computed afresh.
  refresh_h();
  bounds_ = bounds_inside();
  fallbacks_ = 0;
  gap_max_ = std::max(grid_.tolerance * std::abs(bounds_.objective), bounds_.gap * kTighter);
  stage_ = Stage::newton;
}

void BlockSolver::fall_back() {
  const std::size_t size = joined_.size();
  std::vector<double> matrix(size * size), gradient(size);
  for (std::size_t a = 0; a < size; ++a) {
    std::transform(row(a), row(a) + size, matrix.data() + a * size, [this](double entry) { return entry * (1 - s_); });
    matrix[a * size + a] += s_;
    gradient[a] = h_[a] - s_ * b_[a];
  }
  L1QuadraticOptions options;
  options.gap_max = gap_max_;
  const auto result = solve_l1_quadratic(
      {.gram = matrix, .gradient = gradient, .penalty = lambda_, .factors = weights_}, b_, options, *chunks_);
  counts_.flops += result.flops;
  counts_.local += result.flops;
  ++counts_.fallbacks;
  ++fallbacks_;
  refresh_h();
  bounds_ = bounds_inside();
  gap_max_ *= kTighter;
}

std::vector<double> BlockSolver::products_outside() const {
  const StandardizedColumns& columns = *problem_.columns;
  std::vector<double> image(columns.rows(), 0.0), products(size_);
  for (std::size_t a = 0; a < joined_.size(); ++a) {
    if (b_[a] != 0) columns.add(columns_[a], b_[a], image);
  }
  columns.dots(std::span(problem_.variants).subspan(first_, size_), image, products, *chunks_);
  return products;
}

BlockSolver::Bounds BlockSolver::bounds_outside(const Bounds& inside, std::vector<std::uint32_t>& fresh) {
  fresh.clear();
  if (joined_.size() == size_) return inside;
  std::vector<double> products;
  if (has_rows()) {
    refresh_all();
  } else {
    products = products_outside();
    counts_.flops += 2 * size_ * problem_.columns->rows();
    counts_.passes += 2 * size_ * problem_.columns->rows();
  }
  Bounds all = inside;
  for (std::size_t place = 0; place < size_; ++place) {
    const double h = has_rows() ? all_h_[place] : problem_.r[first_ + place] - (1 - s_) * products[place];
    const double over = std::abs(h) - lambda_ * problem_.weights[first_ + place];
    if (over <= 0 || is_joined_[place]) continue;
    all.gap += over * over / (2 * s_);
    fresh.push_back(static_cast<std::uint32_t>(place));
  }
  counts_.local += kFlopsOfScreen * size_;
  return all;
}

void BlockSolver::look_outside(std::span<BlockSolution> solutions) {
  std::vector<std::uint32_t> fresh;
  const Bounds all = bounds_outside(bounds_, fresh);
  if (!fresh.empty() && !is_done(all) && joins_ < kJoinsMax) {
    ++joins_;
    waiting_ = std::move(fresh);
    stage_ = Stage::join;
    return;
  }
  hand_over(all, solutions[point_]);
  ++point_;
  stage_ = point_ < grid_.size() ? Stage::point : Stage::done;
}

void BlockSolver::hand_over(const Bounds& bounds, BlockSolution& own) const {
  own.objective = bounds.objective;
  own.gap = bounds.gap;
  std::vector<std::uint32_t> order;
  for (std::uint32_t a = 0; a < joined_.size(); ++a) {
    if (b_[a] != 0) order.push_back(a);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t a) { return joined_[a]; });
  own.places.reserve(order.size());
  own.values.reserve(order.size());
  for (const std::uint32_t a : order) {
    own.places.push_back(joined_[a]);
    own.values.push_back(b_[a]);
  }
}

bool BlockSolver::advance(std::uint64_t most, std::span<BlockSolution> solutions) {
  const std::uint64_t before = counts_.work();
  for (bool is_first = true; stage_ != Stage::done; is_first = false) {
    if (!is_first && counts_.work() - before >= most) {
      made_most_ = made();  // as of a solver that goes on in another process
      return false;
    }
    switch (stage_) {
      case Stage::join:
        join_some();
        break;
      case Stage::point:
        begin_point();
        break;
      case Stage::sweep:
        descend();
        break;
      case Stage::newton:
        if (fallbacks_ < kFallbacksMax && !is_done(bounds_)) {
          fall_back();
        } else {
          look_outside(solutions);
        }
        break;
      case Stage::done:
        break;
    }
  }
  return true;
}

std::vector<BlockSolution> BlockSolver::solve(std::uint32_t block) {
  std::vector<BlockSolution> solutions(grid_.size());
  begin(block);
  static_cast<void>(advance(std::numeric_limits<std::uint64_t>::max(), solutions));
  return solutions;
}

}  // namespace strads::sumstats
