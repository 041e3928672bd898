#include "lasso/model/lasso_slice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/problem/certificate.hpp"
#include "strads/policies/phases.hpp"

namespace strads::lasso {

namespace {
constexpr double kSolved = 1.02;  ///< max |g_j| / lambda at most: a certificate at this lambda is likely
/// x ||x_j|| ||y||: what rounding leaves of x_j'y = 0; losses of the predictor: of the fit without variables.
constexpr double kOrthogonal = 1e-14, kOrthogonalFit = 1e-13;
constexpr double kOfMean = 1e-15;  ///< x ||mu_j 1|| ||y||: what rounding of the mean leaves
constexpr double kClearly = 1e-3;  ///< x ||y||: more than any of these, of columns of norm 1

static_assert(kUpdateBest == kUpdateBestOfBlock && kSolveBlock == kSweepBlock, "blocks of policies are the Lasso's");

/// Where a summary counts the columns of a state.
std::uint64_t& count_of(Ready& ready, ColumnState state) {
  switch (state) {
    case ColumnState::kept:
      return ready.kept;
    case ColumnState::constant:
      return ready.constant;
    case ColumnState::excluded:
      return ready.excluded;
    case ColumnState::collinear:
      return ready.collinear;
  }
  return ready.kept;
}
}  // namespace

LassoSlice::LassoSlice(std::shared_ptr<LassoData> data, std::shared_ptr<BlockCaches> caches,
                       const LassoOptions& options, std::vector<VarId> variables)
    : data_(std::move(data)),
      loss_(make_loss(*data_, options)),
      options_(options),
      variables_(std::move(variables)),
      view_(*data_, options_, variables_),
      coordinates_(view_, options_, std::move(caches)) {
  choose_policy(coordinates_, options_);
}

Payload LassoSlice::scan(Chunks& chunks, Cost& cost) {
  const StandardizedColumns& columns = *data_->columns;
  Ready ready;
  const double steepest = view_.gradient.scan(data_->response.standardized, view_.beta, view_.penalty, chunks, cost);
  ready.lambda_max = steepest / data_->units.max_ratio;
  look_for_pull(steepest, ready, chunks);
  cost.flops += 2 * view_.gradient.work_of_all();  // statistics, and products with y
  count_states(ready, chunks);
  ready.response_squared = 2 * data_->null_loss;
  const bool by_sample = options_.lambda_scale == LambdaScale::sample;
  ready.lambda_per_y = (by_sample ? columns.weight() : data_->units.per_glmnet) / data_->response.norm;
  return payload_of(ready);
}

/// Whether the solution is not 0 at every lambda, whatever the sizes of columns and response. Asked column by column
/// only where the steepest product leaves it open.
void LassoSlice::look_for_pull(double steepest, Ready& ready, Chunks& chunks) const {
  const StandardizedColumns& columns = *data_->columns;
  const std::vector<double>& y = data_->response.standardized;
  const double length = std::sqrt(dot(y, y));
  if (options_.scale && data_->factors.empty() && steepest > kClearly * length) return;
  std::vector<double> products(variables_.size());
  columns.dots(variables_, y, products, chunks);
  const double root = std::sqrt(columns.weight());
  const double share = data_->predictor == nullptr ? kOrthogonal : kOrthogonalFit;
  double longest = 0;  // ||x_j|| / f_j
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (!view_.kept(i)) continue;
    const VarId j = variables_[i];
    const double own = std::sqrt(columns.squared_norm(j)), mean = root * std::abs(columns.mean(j)) / columns.norm(j);
    const VariablePenalty penalty = view_.penalty_of(i);
    // "Not at most": what is no number pulls, and is refused where lambda_max is looked at.
    if (!(penalty.pull(products[i]) <= (share * own + kOfMean * mean) * length)) return;
    longest = std::max(longest, own / penalty.factor);
  }
  ready.pulling = 0;
  ready.lambda_max_bound = longest * length / data_->units.max_ratio;
}

/// Whole numbers: the same sums whatever the pieces.
void LassoSlice::count_states(Ready& ready, Chunks& chunks) const {
  constexpr std::size_t kPiece = 8192;
  const StandardizedColumns& columns = *data_->columns;
  std::vector<Ready> counts((variables_.size() + kPiece - 1) / kPiece);
  chunks.for_each(counts.size(), [&](std::size_t piece) {
    Ready here;
    for (const VarId j :
         std::span(variables_).subspan(piece * kPiece).first(std::min(kPiece, variables_.size() - piece * kPiece))) {
      const ColumnState state = columns.state(j);
      ++count_of(here, state);
      if (state != ColumnState::excluded) here.missing += columns.missing(j);
    }
    counts[piece] = here;
  });
  for (const Ready& here : counts) {
    ready.kept += here.kept;
    ready.constant += here.constant;
    ready.excluded += here.excluded;
    ready.collinear += here.collinear;
    ready.missing += here.missing;
  }
}

void LassoSlice::begin(const Payload& problem) {
  const auto lambdas = lambdas_of(problem);
  const double next = lambdas.empty() ? 0.0 : lambdas[std::min<std::size_t>(1, lambdas.size() - 1)];
  set_lambda(read_fields<Start>(problem.values).lambda, next);
}

void LassoSlice::set_lambda(double lambda, double next) {
  lambda_ = lambda;
  next_lambda_ = next;
  view_.penalty = {lambda, options_.l1_ratio, data_->units.squares, data_->factors, options_.nonnegative};
}

Payload LassoSlice::refresh(const State& state, Chunks& chunks, Cost& cost) {
  const auto& replica = static_cast<const LassoState&>(state);
  Payload status;
  status.values.assign(kFields<StatusHead>, 0.0);  // written last
  take_values(replica, status);
  StatusHead head;
  head.nonzeros = status.ids.size();
  const std::size_t wanted = candidates_wanted(replica.variables.size());
  const bool ridge = view_.penalty.is_ridge();
  const SliceGradients::Question question{replica.residual, view_.beta, view_.support, view_.penalty, wanted, ridge};
  SliceGradients::Answer answer = view_.gradient.refresh(question, chunks, cost);
  cost.flops += view_.gradient.work_of_all();
  cost.local += 4 * variables_.size();  // which of them are candidates
  head.loss = replica.loss;
  head.squares = view_.penalty.l2 * replica.squares;
  for (const std::uint32_t i : view_.support) {
    const VariablePenalty penalty = view_.penalty_of(i);
    const double value = view_.beta[i];
    const double h = view_.gradient[i] - penalty.l2 * value;
    head.l1 += penalty.factor * std::abs(value);
    if (ridge) continue;
    head.slack += penalty.slack(value, h);
    head.product += h * value;
  }
  if (ridge) head.slack = ridge_part();
  head.max_gradient = answer.steepest;
  head.divergence = ridge ? 0.0 : dual_part(replica, answer.steepest, chunks);
  head.violators = answer.violators;
  if (wanted > 0) {
    view_.candidates = std::move(answer.candidates);
    head.work = list_candidates(replica.variables.size(), status);
  }
  if (next_lambda_ > 0) {
    const PathStatusTail tail{.candidates = status.ids.size() - head.nonzeros};
    list_strong(question, may_be_solved(replica, head), status, chunks, cost);
    append_fields(tail, status.values);
  }
  write_fields(head, status.values);
  return status;
}

/// How many of the best candidates are looked for. For the mean work of candidates more than the judge takes, where
/// columns differ in it. Of ridge all take part. `nonzeros`: of the replica.
std::size_t LassoSlice::candidates_wanted(std::size_t nonzeros) const {
  if (!policy().wants_candidates()) return 0;
  if (options_.l1_ratio == 0) return std::max<std::size_t>(1, variables_.size());
  const Storage storage = data_->columns->view().storage;
  const bool alike = storage != Storage::sparse_f32 && storage != Storage::sparse_f64;
  return std::max({kNewVariablesMax, nonzeros, alike ? std::size_t{1} : kWorkCandidates});
}

/// The coefficients of this slice.
void LassoSlice::take_values(const LassoState& replica, Payload& status) {
  for (const std::uint32_t i : view_.support) view_.beta[i] = 0.0;
  view_.support.clear();
  for (std::size_t k = 0; k < replica.variables.size(); ++k) {
    const std::size_t i = view_.positions.of(replica.variables[k]);
    if (i == SlicePositions::kNone) continue;
    view_.beta[i] = replica.beta[k];
    view_.support.push_back(static_cast<std::uint32_t>(i));
    status.ids.push_back(replica.variables[k]);
    status.values.push_back(replica.beta[k]);
  }
}

/// Appends the best candidates; returns their mean work, nonzeros included (StatusHead::work). The judge takes at most
/// max(kNewVariablesMax, nonzeros) from all slices together, so that more from one slice cannot matter; of ridge all of
/// them. `nonzeros`: of the replica.
double LassoSlice::list_candidates(std::size_t nonzeros, Payload& status) const {
  std::vector<std::pair<double, VarId>> candidates;
  for (const std::uint32_t i : view_.candidates) candidates.emplace_back(-view_.decrease(i), variables_[i]);
  const auto keep_best = [&candidates](std::size_t count) {
    if (count >= candidates.size()) return;
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
    candidates.resize(count);
  };
  const bool all = view_.penalty.is_ridge();
  if (!all) keep_best(kWorkCandidates);
  const StandardizedColumns& columns = *data_->columns;
  double work = 0;  // a sum of whole numbers: the same in any order
  for (const VarId j : status.ids) work += static_cast<double>(columns.work(j));
  for (const auto& [negative, j] : candidates) work += static_cast<double>(columns.work(j));
  const std::size_t count = status.ids.size() + candidates.size();
  if (!all) keep_best(std::max(kNewVariablesMax, nonzeros));
  std::sort(candidates.begin(), candidates.end());
  for (const auto& [negative, j] : candidates) {
    status.ids.push_back(j);
    status.values.push_back(-negative);
  }
  return count == 0 ? 0.0 : work / static_cast<double>(count);
}

/// With the longest dual point that this slice allows, s times the residual for s <= lambda / max (|h_j| / f_j), at
/// most 1: what the loss adds to the gap. That of all slices is no longer.
double LassoSlice::dual_part(const LassoState& replica, double steepest, Chunks& chunks) const {
  const double s = steepest > view_.penalty.l1 ? view_.penalty.l1 / steepest : 1.0;
  return loss_->divergence(replica, s, chunks);
}

/// sum h_j^2 / (2 E_j), in order.
double LassoSlice::ridge_part() const {
  double sum = 0;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const VariablePenalty penalty = view_.penalty_of(i);
    sum += penalty.slack_of_ridge(view_.gradient[i] - penalty.l2 * view_.beta[i]);
  }
  return sum;
}

/// False: by what this slice alone knows, the certificate cannot accept lambda, since the gap is at least
/// StatusHead::divergence and the same of the squares. A loose tolerance accepts gradients that are far above lambda.
bool LassoSlice::may_be_solved(const LassoState& replica, const StatusHead& head) const {
  if (head.max_gradient <= kSolved * view_.penalty.l1) return true;
  const double too_long = 1 - view_.penalty.l1 / head.max_gradient;
  constexpr double kRounding = 1e-9;  // the judge adds up F slice by slice
  return head.divergence + 0.5 * too_long * too_long * head.squares <=
         options_.tolerance * (1 + kRounding) * replica.objective(view_.penalty);
}

/// Appends, on a path, the zero variables that the sequential strong rule keeps for the next
/// lambda, |h_j| / f_j >= 2 lambda' - lambda (Tibshirani et al. 2012), steepest first and no more than the judge takes.
/// The rule may be wrong: the pass after the phase finds what it has missed. Where this slice alone shows that the
/// phase's lambda is not solved (`solved` is false), nobody will ask.
void LassoSlice::list_strong(const SliceGradients::Question& question, bool solved, Payload& status, Chunks& chunks,
                             Cost& cost) {
  std::vector<std::pair<double, VarId>> strong;
  view_.strong.clear();
  const double least = (2 * next_lambda_ - lambda_) * options_.l1_ratio;
  // Ridge has all variables in every phase.
  if (question.best > 0 && solved && !view_.penalty.is_ridge()) {
    const std::size_t count = std::max(kNewVariablesMax, question.best);
    view_.strong = view_.gradient.steepest_zeros(question, least, count, chunks, cost);
    for (const std::uint32_t i : view_.strong) {
      const double steepness = view_.penalty_of(i).steepness(view_.gradient[i]);
      if (steepness > 0 && steepness >= least) strong.emplace_back(-steepness, variables_[i]);
    }
    const std::size_t taken = std::min(strong.size(), count);
    std::partial_sort(strong.begin(), strong.begin() + static_cast<std::ptrdiff_t>(taken), strong.end());
    strong.resize(taken);
  }
  for (const auto& [negative, j] : strong) {
    status.ids.push_back(j);
    status.values.push_back(-negative);
  }
}

void LassoSlice::enter_phase(const PhasePlan& plan) {
  if (next_lambda_ > 0) {
    const PathPhase path = path_phase_of(plan.content);
    set_lambda(path.lambda, path.next_lambda);
  }
  const Phase phase = phase_of(plan.content);
  const double strong = path_phase_of(plan.content).strong;
  coordinates_.enter_phase(strong > 0);
  policy().enter_phase({.joint = plan.joint(),
                        .blocks_max = plan.blocks_max,
                        .threshold = strong > 0 ? strong : phase.threshold,
                        .inner_gap = phase.inner_gap});
}

Block LassoSlice::make_block(std::vector<VarId> variables) const {
  Block block = PolicySlice::make_block(std::move(variables));
  std::vector<double>& values = block.content.values;
  values.reserve(block.content.ids.size());
  for (const VarId j : block.content.ids) values.push_back(view_.beta[position(j)]);
  add_lambda(block);
  return block;
}

/// The lambda of a path: the last value of each of its blocks.
void LassoSlice::add_lambda(Block& block) const {
  if (next_lambda_ > 0) block.content.values.push_back(lambda_);
}

Block LassoSlice::joint_block(const State& state, const PhasePlan& plan) const {
  Block block;
  block.content.ids = plan.content.ids;
  block.content.values = static_cast<const LassoState&>(state).values(plan.content.ids);
  const Phase phase = phase_of(plan.content);
  append_fields(JointBlock{.fresh = phase.fresh, .raise = phase.raise}, block.content.values);
  block.kind = kSolveJoint;
  block.sweeps = kJointSweepsMax;
  block.tolerance = phase.inner_gap;
  add_lambda(block);
  return block;
}

void LassoSlice::take_commit(const RoundOutcome& outcome, SliceChanges& changes) {
  const CommitView view = view_commit(*outcome.changes);
  changes.changed.reserve(view.variables.size());
  changes.deltas.reserve(view.variables.size());
  for (std::size_t k = 0; k < view.variables.size(); ++k) {
    const std::size_t i = view_.positions.of(view.variables[k]);
    if (i == SlicePositions::kNone) continue;
    const double updated = committed_value(view, k, view_.beta[i], outcome.step);
    changes.changed.push_back(static_cast<std::uint32_t>(i));
    changes.deltas.push_back(updated - view_.beta[i]);
    view_.beta[i] = updated;
    view_.support.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace strads::lasso
