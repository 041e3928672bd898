#include "lasso/model/lasso_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/model/lasso_judge.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/policies/sampled_products.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "lasso/solver/pair_products.hpp"
#include "strads/base/all_finite.hpp"
#include "strads/base/hash.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/line_search.hpp"
#include "strads/policies/policies.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint64_t kStripeBytes = 65536;  ///< adjacent columns that stay together: about 64 KiB of the file
}  // namespace

LassoModel::LassoModel(std::shared_ptr<LassoData> data, const LassoOptions& options, PathRecorded recorded)
    : data_(std::move(data)), options_(options), loss_(make_loss(*data_, options_)), recorded_(std::move(recorded)) {
  double& flop = options_.cost.flop_seconds;
  if (flop == 0) flop = streaming_seconds(data_->columns->view().storage);
}

ModelShape LassoModel::shape() const {
  const VarId count = data_->columns->size();
  if (entry_of(options_.policy).single_variables) return {.variables = count};
  const std::uint64_t column = std::max<std::uint64_t>(1, data_->columns->view().column_stride);
  return {.variables = count, .stripe = static_cast<VarId>(std::max<std::uint64_t>(1, kStripeBytes / column))};
}

std::uint64_t LassoModel::fingerprint() const {
  const std::uint64_t data = data_->dataset == nullptr ? 0 : data_->dataset->fingerprint();
  const WarmStart& start = data_->start;
  if (start.variables.empty()) return data;
  Hash64 hash;
  hash.update_u64(data);
  for (const VarId j : start.variables) hash.update_u64(j);
  for (const double value : start.standardized) hash.update_f64(value);
  return hash.digest();
}

bool LassoModel::acceptable(PayloadKind kind, const Payload& payload) const {
  return well_formed(kind, payload, variables());
}

std::unique_ptr<Slice> LassoModel::make_slice(std::vector<VarId> slice) {
  owned_count_ += slice.size();
  if (owned_count_ < variables()) {
    owned_.resize(variables(), false);
    for (const VarId j : slice) owned_[j] = true;
  }
  return std::make_unique<LassoSlice>(data_, caches_, options_, std::move(slice));
}

std::unique_ptr<Judge> LassoModel::make_judge() const {
  const bool sampled = options_.center && options_.scale && sampling_pays(*data_->columns);
  const std::uint64_t rows = data_->columns->rows();
  PairProducts products = pair_products(*data_->columns);
  if (sampled) products.sampled = static_cast<double>(kSampledRows) / static_cast<double>(rows);
  auto judge = std::make_unique<LassoJudge>(options_, data_->columns->samples(), variables(), products);
  judge->tell(recorded_);
  judge->note_unpenalised(data_->unpenalised.variables.size());
  return judge;
}

Penalty LassoModel::penalty_at(double lambda) const {
  return {lambda, options_.l1_ratio, data_->units.squares, data_->factors, options_.nonnegative};
}

void LassoModel::begin(const Payload& problem) {
  penalty_ = penalty_at(read_fields<Start>(problem.values).lambda);
  on_path_ = !lambdas_of(problem).empty();
  // lambda_max = 0: zeros are the solution, and nothing that rounding finds better.
  const bool zeros = read_fields<Start>(problem.values).lambda_max == 0;
  if (!data_->start.variables.empty() && !zeros) begin_with(data_->start);
  release_other_slices();
}

void LassoModel::enter_phase(const PhasePlan& plan) {
  if (on_path_) penalty_ = penalty_at(path_phase_of(plan.content).lambda);
}

/// A start that is worse than zero is none: the run of another response, or of a lambda far away.
void LassoModel::begin_with(const WarmStart& start) {
  auto state = loss_->null_state();
  const double zero = state->objective(penalty_);
  state->set_values(start.variables, start.standardized);
  SerialChunks chunks;
  Cost cost;
  recompute(*state, chunks, cost);
  if (state->objective(penalty_) < zero) start_ = std::move(state);
}

/// Reading a page of a mapped file maps its neighbours as well (16 pages, or 512 where the page cache holds it in large
/// pieces), so that after the scan of every other stripe nearly all pages are here. Those of other nodes' slices go,
/// and so do those that blocks brought: at the start and where a replica is recomputed, since each call costs the
/// faults of the next block (about 2 us a column).
void LassoModel::release_other_slices() const {
  const VarId count = variables();
  if (data_->dataset == nullptr || owned_count_ == count) return;
  const auto owned = [this](VarId j) { return j < owned_.size() && owned_[j]; };
  for (VarId begin = 0; begin < count;) {
    VarId end = begin;
    while (end < count && owned(end) == owned(begin)) ++end;
    if (!owned(begin)) data_->dataset->release_columns(begin, end);
    begin = end;
  }
}

std::unique_ptr<State> LassoModel::make_state() const {
  return start_ != nullptr ? start_->clone() : loss_->null_state();
}

/// Sums are computed as apply() and recompute() do; of replica(-1), which has no nonzeros, the factors do not matter.
std::unique_ptr<State> LassoModel::restore_state(const Payload& content) const {
  const std::size_t nonzeros = content.ids.size();
  if (!ascending_below(content.ids, variables()) || !content.bulk.empty() || content.values.size() < nonzeros ||
      !all_finite(content.values)) {
    return nullptr;
  }
  const auto beta = std::span(content.values).first(nonzeros);
  if (std::ranges::find(beta, 0.0) != beta.end()) return nullptr;
  auto state = loss_->restored(std::span(content.values).subspan(nonzeros));
  if (state == nullptr) return nullptr;
  state->variables = content.ids;
  state->beta.assign(beta.begin(), beta.end());
  state->refresh_sums(data_->factors, data_->columns->roots());
  return state;
}

Push LassoModel::push(const State& base, const Block& block, Chunks& chunks) const {
  const auto& state = static_cast<const LassoState&>(base);
  if (!on_path_) return loss_->push(penalty_, state, block, *caches_, chunks);
  const Payload& content = block.content;
  const double lambda = content.values.size() > content.ids.size() ? content.values.back() : 0.0;  // 0: a stranger's
  return loss_->push(penalty_at(lambda), state, block, *caches_, chunks);
}

std::shared_ptr<LassoDirection> LassoModel::direction_of(std::span<const VarId> variables,
                                                         std::span<const double> deltas, Chunks& chunks,
                                                         Cost& cost) const {
  auto direction = std::make_shared<LassoDirection>();
  direction->v.resize(data_->columns->rows());
  data_->columns->combine(variables, deltas, direction->v, chunks);
  direction->squared = dot(direction->v, direction->v);
  std::uint64_t work = 0;
  for (const VarId j : variables) work += data_->columns->work(j);
  cost.flops += work;
  cost.streamed += work;
  cost.scattered += work;
  cost.local += 5 * direction->v.size();  // v'v; what combine() does to all rows
  return direction;
}

std::shared_ptr<const Direction> LassoModel::combine(std::span<const Payload> deltas, Chunks& chunks,
                                                     Cost& cost) const {
  std::vector<VarId> variables;
  std::vector<double> values;
  for (const Payload& block : deltas) {
    variables.insert(variables.end(), block.ids.begin(), block.ids.end());
    values.insert(values.end(), block.values.begin(), block.values.end());
  }
  return direction_of(variables, values, chunks, cost);
}

Pull LassoModel::pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const {
  const auto& state = static_cast<const LassoState&>(now);
  const auto& v = static_cast<const LassoDirection&>(*direction);
  Pull pull;
  for (const Payload& block : deltas) {
    pull.changes.ids.insert(pull.changes.ids.end(), block.ids.begin(), block.ids.end());
    pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
  }
  const std::vector<double> old_values = state.values(pull.changes.ids);
  Moves moves;
  for (std::size_t k = 0; k < old_values.size(); ++k) {
    const VariablePenalty penalty = penalty_.of(pull.changes.ids[k]);
    moves.terms.push_back({old_values[k], pull.changes.values[k], penalty.l1, penalty.l2});
    moves.factors.push_back(penalty.factor);
  }
  const LossStep found = loss_->search(state, v, moves, penalty_, options_.guard);
  pull.step = found.step;
  pull.objective = found.objective;
  if (pull.step == 0) {
    pull.changes = {};
    return pull;
  }
  pull.realised = found.realised;
  if (found.zeroed >= 0) pull.changes.ids.push_back(pull.changes.ids[static_cast<std::size_t>(found.zeroed)]);
  return pull;
}

void LassoModel::apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
                       Cost& cost) const {
  auto& replica = static_cast<LassoState&>(state);
  const CommitView view = view_commit(changes);
  std::shared_ptr<LassoDirection> own;
  if (direction == nullptr) {
    own = direction_of(view.variables, view.deltas, chunks, cost);
    direction = own.get();
  }
  std::vector<double> updated = replica.values(view.variables);
  for (std::size_t k = 0; k < updated.size(); ++k) updated[k] = committed_value(view, k, updated[k], step);
  cost.local += loss_->move(replica, static_cast<const LassoDirection&>(*direction), step, chunks);
  replica.set_values(view.variables, updated);
  replica.refresh_sums(data_->factors, data_->columns->roots());
  cost.local += 2 * replica.variables.size();
}

void LassoModel::recompute(State& state, Chunks& chunks, Cost& cost) const {
  auto& replica = static_cast<LassoState&>(state);
  std::vector<double> fitted(data_->columns->rows());
  data_->columns->combine(replica.variables, replica.beta, fitted, chunks);
  std::uint64_t work = 0;
  for (const VarId j : replica.variables) work += data_->columns->work(j);
  cost.flops += work;
  cost.streamed += work;
  cost.scattered += work;
  loss_->recompute(replica, fitted, chunks);
  replica.refresh_sums(data_->factors, data_->columns->roots());
  cost.local += 8 * fitted.size() + replica.variables.size();
  release_other_slices();
}

double LassoModel::objective(const State& state) const {
  return static_cast<const LassoState&>(state).objective(penalty_);
}

std::shared_ptr<Model> make_lasso_model(std::shared_ptr<LassoData> data, const LassoOptions& options,
                                        PathRecorded recorded) {
  return std::make_shared<LassoModel>(std::move(data), options, std::move(recorded));
}

}  // namespace strads::lasso
