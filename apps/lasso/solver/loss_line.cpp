#include "lasso/solver/loss_line.hpp"

#include <algorithm>
#include <cmath>

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {

constexpr int kTrials = 30;
constexpr double kFlat = 0.1;    ///< of the derivative at the start: what is less ends the search
constexpr double kClose = 0.01;  ///< two trials that differ by less, relatively

/// Of the penalty by the step, from the left.
double penalty_slope(std::span<const LineTerm> terms, double step) {
  double slope = 0;
  for (const LineTerm& term : terms) {
    const double at = term.value + step * term.delta;
    const double sign = at != 0 ? std::copysign(1.0, at) : -std::copysign(1.0, term.delta);
    slope += term.l1 * term.delta * sign + term.l2 * term.delta * at;
  }
  return slope;
}

/// At the start, to the right.
double start_slope(std::span<const LineTerm> terms) {
  double slope = 0;
  for (const LineTerm& term : terms) {
    const double sign = std::copysign(1.0, term.value != 0 ? term.value : term.delta);
    slope += term.l1 * term.delta * sign + term.l2 * term.delta * term.value;
  }
  return slope;
}

}  // namespace

double penalty_change(std::span<const LineTerm> terms, double step, std::ptrdiff_t zeroed) {
  double change = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const LineTerm& term = terms[k];
    const bool ends = static_cast<std::ptrdiff_t>(k) == zeroed;
    const double moved = ends ? -term.value : step * term.delta, updated = ends ? 0.0 : term.value + moved;
    change += term.l1 * (std::abs(updated) - std::abs(term.value)) + 0.5 * term.l2 * moved * (updated + term.value);
  }
  return change;
}

LossStep search_line(const LossSamples& samples, std::span<const double> predictor, std::span<const double> slope,
                     std::span<const double> v, std::span<const LineTerm> terms, Chunks& chunks) {
  LossStep best;
  const double down = -dot(slope, v) + start_slope(terms);
  if (!(down < 0)) return best;
  LineStep trial{.step = 1};
  for (int count = 0; count < kTrials; ++count) {
    const LossChange at = loss_change(samples, predictor, v, trial.step, chunks);
    const double decrease = -(at.change + penalty_change(terms, trial.step, trial.zeroed));
    const bool lower = decrease > best.realised;
    if (lower) best = {.step = trial.step, .zeroed = trial.zeroed, .realised = decrease};
    const double rest = at.slope + penalty_slope(terms, trial.step);
    if (lower && (trial.zeroed >= 0 || std::abs(rest) <= kFlat * -down || (trial.step == 1 && rest < 0))) break;
    // The quadratic that fits the loss at the trial, with the exact penalty: its minimum is the next one.
    LineStep next = line_search(at.curvature * trial.step - at.slope, at.curvature, terms);
    if (!(next.step > 0) || !std::isfinite(at.curvature) || (!(decrease > 0) && next.step > trial.step / 2)) {
      next = {.step = trial.step / 2};
    }
    if (best.step > 0 && std::abs(next.step - trial.step) <= kClose * trial.step) break;
    trial = next;
  }
  return best;
}

}  // namespace strads::lasso
