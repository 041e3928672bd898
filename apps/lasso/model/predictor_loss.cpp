#include "lasso/model/predictor_loss.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lasso/solver/block_tally.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "lasso/solver/loss_line.hpp"
#include "lasso/solver/newton_block.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint32_t kStepsOrdinary = 3;  ///< of Newton's, on a block that is not a joint one
}  // namespace

/// Takes over what the predictor came to.
void PredictorLoss::show(LassoState& state, double loss) const {
  const auto roots = data_.columns->roots();
  state.loss = loss;
  state.residual = state.linear.slope;
  for (std::size_t i = 0; i < roots.size(); ++i) state.residual[i] = roots[i] > 0 ? state.residual[i] / roots[i] : 0.0;
}

std::vector<double> PredictorLoss::unweighted(std::span<const double> v) const {
  std::vector<double> plain(v.begin(), v.end());
  const auto roots = data_.columns->roots();
  for (std::size_t i = 0; i < roots.size(); ++i) plain[i] = roots[i] > 0 ? plain[i] / roots[i] : 0.0;
  return plain;
}

std::unique_ptr<LassoState> PredictorLoss::null_state() const {
  auto state = std::make_unique<LassoState>(data_.response.standardized, data_.columns->roots());
  state->linear = own_.null;
  state->loss = own_.null_loss;
  return state;
}

std::unique_ptr<LassoState> PredictorLoss::restored(std::span<const double> values) const {
  const std::size_t rows = own_.response.size();
  if (values.size() != rows + own_.space.size()) return nullptr;
  auto state = std::make_unique<LassoState>(std::vector<double>(rows, 0.0));
  state->linear.predictor.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows));
  state->linear.unpenalised.assign(values.begin() + static_cast<std::ptrdiff_t>(rows), values.end());
  SerialChunks chunks;
  show(*state, refresh(own_, state->linear, chunks));
  return state;
}

void PredictorLoss::recompute(LassoState& state, std::span<const double> fitted, Chunks& chunks) const {
  std::vector<double> predictor = unweighted(fitted);
  if (!own_.offset.empty()) axpy(1.0, own_.offset, predictor);
  own_.space.add(state.linear.unpenalised, predictor);
  state.linear.predictor = std::move(predictor);
  const double loss = refresh(own_, state.linear, chunks);
  show(state, settle(own_, state.linear, loss, chunks).loss);
}

/// `step` times the way `v`, with `way` of it what has no penalty; then that is fitted. `before`: the loss there.
Settled PredictorLoss::advance(LassoState::Linear& linear, std::span<const double> v, std::span<const double> way,
                               double step, double& before, Chunks& chunks) const {
  axpy(step, v, linear.predictor);
  if (!way.empty()) axpy(step, way, linear.unpenalised);
  before = refresh(own_, linear, chunks);
  return settle(own_, linear, before, chunks);
}

/// A round's line is that of the quadratic's answer: what has no penalty moves along with it, and is fitted to the end
/// where the line ends.
LossStep PredictorLoss::search(const LassoState& now, const LassoDirection& direction, const Moves& moves,
                               const Penalty& penalty, bool guard) const {
  LossStep found{.objective = now.objective(penalty)};
  if (moves.terms.empty()) return found;
  std::vector<double> v = unweighted(direction.v);
  const std::vector<double> way = respond(own_, now.linear, v);
  SerialChunks chunks;
  if (guard) {
    const LossStep line = search_line(own_.samples(), now.linear.predictor, now.linear.slope, v, moves.terms, chunks);
    if (line.step == 0) return found;
    found = {.step = line.step, .zeroed = line.zeroed, .objective = found.objective, .realised = line.realised};
  } else {
    found.step = 1;
    found.realised =
        -(loss_change(own_.samples(), now.linear.predictor, v, 1, chunks).change + penalty_change(moves.terms, 1));
  }
  LassoState::Linear there = now.linear;
  double before = 0;
  const Settled settled = advance(there, v, way, found.step, before, chunks);
  if (!settled.there) return {.objective = now.objective(penalty)};
  found.objective += settled.loss - now.loss + penalty_change(moves.terms, found.step, found.zeroed);
  found.realised += before - settled.loss;
  return found;
}

std::uint64_t PredictorLoss::move(LassoState& state, const LassoDirection& direction, double step,
                                  Chunks& chunks) const {
  std::vector<double> v = unweighted(direction.v);
  const std::vector<double> way = respond(own_, state.linear, v);
  double before = 0;
  const Settled settled = advance(state.linear, v, way, step, before, chunks);
  show(state, settled.loss);
  const std::uint64_t dimensions = own_.space.size();
  return v.size() * (40 + settled.steps * (dimensions * (dimensions + 2) + 40));
}

double PredictorLoss::divergence(const LassoState& state, double s, Chunks& chunks) const {
  return loss_divergence(own_.samples(), state.linear.predictor, s, chunks);
}

/// One update of the best variable by the quadratic bound, or Newton steps on the block.
Push PredictorLoss::push(const Penalty& penalty, const LassoState& base, const Block& block, BlockCaches&,
                         Chunks& chunks) const {
  if (block.kind == kUpdateBest) {
    return update_single(*data_.columns, penalty, base, block, own_.family->curvature_bound.value_or(1), chunks);
  }
  Push push;
  NewtonBlock solver(*data_.columns, own_, raised(penalty, block), base, local_of(block), chunks, push.cost);
  push.predicted = block.kind == kSolveJoint ? solver.solve(block.tolerance, block.sweeps)
                                             : solver.descend(block.tolerance, kStepsOrdinary, block.sweeps);
  const NewtonBlock::Counts& counts = solver.counts();
  const std::size_t own = place_of(*own_.family->loss);
  push.tally.assign(own + kPredictorCounts, 0);
  push.tally[own + kPredictorBlocks] = 1;
  push.tally[own + kPredictorSteps] = counts.steps;
  push.tally[counts.grams > 0 ? kGramSweeps : kResidualSweeps] = counts.sweeps;
  push.tally[kGramProductFlops] = counts.gram_flops;
  push.tally[kGramSolveFlops] = counts.solve_flops;
  push.tally[kNewtonSteps] = counts.inner_steps;
  push.tally[kSupportProducts] = counts.products;
  put_deltas(solver.local(), block, push);
  return push;
}

}  // namespace strads::lasso
