#include "strads/numerics/l1_quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/quadratic/l1_quadratic_active.hpp"
#include "numerics/quadratic/l1_quadratic_newton.hpp"
#include "numerics/quadratic/l1_quadratic_pivots.hpp"
#include "numerics/quadratic/l1_quadratic_problem.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {

namespace {

using l1::Point;
using l1::Problem;

constexpr int kSupportSweepsMax = 10;        // then a full sweep, so that zeros can enter
constexpr double kSupportProgressMin = 0.1;  // of the first support sweep's decrease
constexpr std::uint64_t kNewtonStepsGuess = 15;
constexpr std::size_t kWarmSupport = 200;    // nonzeros of a start from which block pivots come before sweeps
constexpr std::uint32_t kProximalSteps = 8;  // between two attempts to end on the support
constexpr std::uint64_t kCyclesMax = 10000;  // more cycles than this are not worth predicting
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Minimises q over one variable. Returns the step; adds what it lowered q by to `decrease`.
double update(const Problem& problem, double diagonal, double penalty, double h, double& x, double& decrease) {
  const double value = problem.threshold(diagonal * x + h, penalty) / diagonal;
  const double step = value - x;
  if (step == 0) return 0;
  decrease += h * step - diagonal * step * step / 2 - penalty * (std::abs(value) - std::abs(x));
  x = value;
  return step;
}

class BlockSolver {
 public:
  BlockSolver(const L1Quadratic& given, std::span<double> x, const L1QuadraticOptions& options, Chunks& chunks)
      : options_(options), start_x_(x), start_h_(given.gradient), problem_(given, x, chunks) {
    at_.x.assign(x.begin(), x.end());
    at_.h.assign(given.gradient.begin(), given.gradient.end());
  }

  L1QuadraticResult run() {
    if (is_warm() && pivot()) return finish();
    while (steps_left() > 0) {
      const double decrease = full_sweep();
      if (is_finished(decrease)) break;
      find_support();
      if (options_.newton && newton_is_cheaper()) {
        newton();
        break;
      }
      sweep_support();
    }
    return finish();
  }

 private:
  [[nodiscard]] std::uint32_t steps_left() const { return options_.sweeps_max - result_.sweeps - result_.newton_steps; }

  /// A start with many nonzeros, which belongs to a larger penalty of the same problem as a rule: a path's last
  /// solution.
  [[nodiscard]] bool is_warm() {
    find_support();
    return options_.newton && problem_.has_gap() && support_.size() >= kWarmSupport && steps_left() > 0;
  }

  /// Block pivots, without a sweep before them. False: they did not end it, and sweeps go on from here.
  bool pivot() {
    l1::BlockPivots pivots(problem_, at_, options_.gap_max);
    const bool done = pivots.run(steps_left());
    result_.newton_steps = pivots.steps();
    return done;
  }

  /// One cyclic sweep over all variables in order. Returns the decrease of q.
  double full_sweep() {
    double decrease = 0;
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      const double diagonal = problem_.diagonal(j);
      if (diagonal <= 0) continue;
      const double step = update(problem_, diagonal, problem_.penalty(j), at_.h[j], at_.x[j], decrease);
      if (step != 0) problem_.move(j, step, at_.h);
    }
    ++result_.sweeps;
    result_.updates += problem_.size();
    return decrease;
  }

  /// `decrease`: of the last full sweep. Before a verdict h is computed afresh: the steps' rounding errors add up.
  bool is_finished(double decrease) {
    measure_ = problem_.has_gap() ? problem_.gap(at_) : decrease;
    const double rounding = kEpsilon * problem_.linear_max();
    if (decrease <= rounding * rounding) return true;  // no variable moves: optimal, whatever the gap says
    if (measure_ > options_.gap_max) return false;
    if (!problem_.has_gap()) return true;
    problem_.gradient(at_.x, at_.h);
    measure_ = problem_.gap(at_);
    return measure_ <= options_.gap_max;
  }

  void find_support() {
    support_.clear();
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      if (at_.x[j] != 0 && problem_.diagonal(j) > 0) support_.push_back(j);
    }
  }

  /// Extrapolates what coordinate descent gained in the last cycle (a full sweep and those on the support), in flops.
  /// Loops instead of a logarithm: its last bit may differ from machine to machine, and with it the decision.
  bool newton_is_cheaper() {
    const std::uint64_t cycle = problem_.flops() - cycle_begin_flops_;
    const double ratio = measure_before_ > 0 ? measure_ / measure_before_ : 0;
    const bool first = measure_before_ < 0;
    cycle_begin_flops_ = problem_.flops();
    measure_before_ = measure_;
    if (first) return false;
    const double target = std::max(options_.gap_max, problem_.value(at_).rounding);
    const std::uint64_t size = support_.size();
    const std::uint64_t newton = size * size * size / 3 + kNewtonStepsGuess * 8 * size * problem_.size();
    if (problem_.flops() > newton) return true;  // predictions from one cycle may be too hopeful for ever
    std::uint64_t cycles = 0;
    for (double measure = measure_; measure > target && cycles < kCyclesMax; measure *= ratio) ++cycles;
    return cycles * cycle > newton;
  }

  /// Where the signs have settled a few steps on the support end it; where not, proximal steps change many at once.
  void newton() {
    support_gram_ = std::vector<double>();  // no more sweeps: its memory goes to the factors
    problem_.gradient(at_.x, at_.h);
    l1::ActiveSet active(problem_, at_, options_.gap_max);
    l1::ProximalNewton proximal(problem_, at_, options_.gap_max);
    const std::uint32_t before = result_.newton_steps;
    for (bool done = false; !done && steps_left() > 0;) {
      done = active.run(steps_left()) == l1::ActiveSet::Outcome::finished;
      result_.newton_steps = before + active.steps() + proximal.steps();
      if (done || steps_left() == 0) break;
      problem_.gradient(at_.x, at_.h);
      done = proximal.run(steps_left(), kProximalSteps);
      result_.newton_steps = before + active.steps() + proximal.steps();
    }
  }

  /// Sweeps over the support in its own, compact Gram matrix; the other gradients are brought up to date at the end.
  void sweep_support() {
    const std::size_t size = support_.size();
    gather_support();
    double first = 0;
    for (int i = 0; i < kSupportSweepsMax && steps_left() > 0; ++i) {
      double decrease = 0;
      for (std::size_t a = 0; a < size; ++a) {
        const std::span<const double> row(support_gram_.data() + a * size, size);
        const double penalty = problem_.penalty(support_[a]);
        const double step = update(problem_, row[a], penalty, support_h_[a], support_x_[a], decrease);
        if (step != 0) axpy(-step, row, support_h_);
      }
      ++result_.sweeps;
      result_.updates += size;
      problem_.count_flops(2 * size * size);
      if (i == 0) first = decrease;
      if (decrease <= kSupportProgressMin * first) break;
    }
    for (std::size_t a = 0; a < size; ++a) {
      const std::size_t j = support_[a];
      const double step = support_x_[a] - at_.x[j];
      if (step == 0) continue;
      at_.x[j] = support_x_[a];
      problem_.move(j, step, at_.h);
    }
  }

  void gather_support() {
    const std::size_t size = support_.size();
    support_gram_.resize(size * size);
    support_x_.resize(size);
    support_h_.resize(size);
    for (std::size_t a = 0; a < size; ++a) {
      const auto row = problem_.row(support_[a]);
      for (std::size_t b = 0; b < size; ++b) support_gram_[a * size + b] = row[support_[b]];
      support_x_[a] = at_.x[support_[a]];
      support_h_[a] = at_.h[support_[a]];
    }
  }

  /// Judges the answer from a gradient computed afresh and hands it out, or keeps the start.
  L1QuadraticResult finish() {
    problem_.gradient(at_.x, at_.h);
    // q(x0) - q(x), through the steps: exact to the rounding of the steps, not to that of q.
    double decrease = 0;
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      const double step = at_.x[j] - start_x_[j];
      decrease +=
          step * (start_h_[j] + at_.h[j]) / 2 - problem_.penalty(j) * (std::abs(at_.x[j]) - std::abs(start_x_[j]));
    }
    if (decrease < -problem_.value(at_).rounding) {
      at_.x.assign(start_x_.begin(), start_x_.end());
      at_.h.assign(start_h_.begin(), start_h_.end());
    }
    std::copy(at_.x.begin(), at_.x.end(), start_x_.begin());
    result_.decrease = std::max(decrease, 0.0);
    if (problem_.has_gap()) result_.gap = problem_.gap(at_);
    result_.flops = problem_.flops();
    return result_;
  }

  const L1QuadraticOptions options_;
  const std::span<double> start_x_;  // overwritten at the end only
  const std::span<const double> start_h_;
  Problem problem_;
  Point at_;
  L1QuadraticResult result_;

  double measure_ = 0;          // gap, or the last full sweep's decrease where the gap is unknown
  double measure_before_ = -1;  // one cycle ago; -1: no cycle yet
  std::uint64_t cycle_begin_flops_ = 0;

  std::vector<std::size_t> support_;  // nonzeros, ascending
  std::vector<double> support_gram_;
  std::vector<double> support_x_;
  std::vector<double> support_h_;
};

}  // namespace

L1QuadraticResult solve_l1_quadratic(const L1Quadratic& problem, std::span<double> x, const L1QuadraticOptions& options,
                                     Chunks& chunks) {
  return BlockSolver(problem, x, options, chunks).run();
}

L1QuadraticResult solve_l1_quadratic(const L1Quadratic& problem, std::span<double> x,
                                     const L1QuadraticOptions& options) {
  SerialChunks serial;
  return solve_l1_quadratic(problem, x, options, serial);
}

}  // namespace strads
