#include "lasso/model/squared_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/solver/lasso_push.hpp"

namespace strads::lasso {

namespace {
/// A step below 1 leaves variables that a block set to exactly 0 slightly beside it. Where the whole step is as good
/// as the best one up to rounding, it is taken.
constexpr double kWholeStep = 1e-9;

double half_square_after(double residual_squared, double rv, double vv, double step) {
  return 0.5 * (residual_squared - 2 * step * rv + step * step * vv);
}
}  // namespace

std::unique_ptr<LassoState> SquaredLoss::null_state() const {
  return std::make_unique<LassoState>(data_.response.standardized, data_.columns->roots());
}

std::unique_ptr<LassoState> SquaredLoss::restored(std::span<const double> values) const {
  if (values.size() != data_.columns->rows()) return nullptr;
  return std::make_unique<LassoState>(std::vector<double>(values.begin(), values.end()));
}

void SquaredLoss::recompute(LassoState& state, std::span<const double> fitted, Chunks&) const {
  state.residual = data_.response.standardized;
  axpy(-1.0, fitted, state.residual);
}

LossStep SquaredLoss::search(const LassoState& now, const LassoDirection& direction, const Moves& moves,
                             const Penalty& penalty, bool guard) const {
  const auto& terms = moves.terms;
  const double rv = dot(now.residual, direction.v);
  const double before = now.objective(penalty);
  const auto after = [&](double step, std::ptrdiff_t zeroed) {
    double l1 = now.l1;
    double squares = now.squares;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const double updated = static_cast<std::ptrdiff_t>(k) == zeroed ? 0.0 : terms[k].value + step * terms[k].delta;
      l1 += moves.factors[k] * (std::abs(updated) - std::abs(terms[k].value));
      squares += moves.factors[k] * (updated * updated - terms[k].value * terms[k].value);
    }
    return half_square_after(now.residual_squared, rv, direction.squared, step) + penalty.l1 * l1 +
           0.5 * penalty.l2 * squares;
  };
  LineStep line;
  line.step = 1;
  if (guard) {
    line = line_search(rv, direction.squared, terms);
    if (line.step < 1 && line.step > 0) {
      const double whole = before - after(1, -1);
      if (whole > 0 && whole >= (1 - kWholeStep) * line.decrease) line = {1.0, -1, whole};
    }
    if (!(line.decrease > 0)) line.step = 0;
  }
  LossStep found{.step = terms.empty() ? 0.0 : line.step, .zeroed = line.zeroed, .objective = before};
  if (found.step == 0) return found;
  found.objective = after(line.step, line.zeroed);
  found.realised = before - found.objective;
  return found;
}

std::uint64_t SquaredLoss::move(LassoState& state, const LassoDirection& direction, double step, Chunks&) const {
  axpy(-step, direction.v, state.residual);
  return 5 * direction.v.size();
}

/// With the dual point s r: 1/2 (1 - s)^2 r'r.
double SquaredLoss::divergence(const LassoState& state, double s, Chunks&) const {
  return 0.5 * (1 - s) * (1 - s) * state.residual_squared;
}

Push SquaredLoss::push(const Penalty& penalty, const LassoState& base, const Block& block, BlockCaches& caches,
                       Chunks& chunks) const {
  return push_block(*data_.columns, penalty, base, block, caches, chunks);
}

}  // namespace strads::lasso
