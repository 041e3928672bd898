#include "lasso/model/lasso_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lasso/model/lasso_judge.hpp"
#include "lasso/model/lasso_push.hpp"
#include "lasso/model/lasso_slice.hpp"
#include "lasso/model/payloads.hpp"
#include "lasso/policies/policies.hpp"
#include "lasso/policies/sampled_products.hpp"
#include "lasso/solver/block_memory.hpp"
#include "strads/base/all_finite.hpp"
#include "strads/base/hash.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/line_search.hpp"

namespace strads::lasso {

namespace {
constexpr std::uint64_t kStripeBytes = 65536;  ///< adjacent columns that stay together: about 64 KiB of the file

/// A step below 1 leaves variables that a block set to exactly 0 slightly beside it. Where the whole step is as good
/// as the best one up to rounding, it is taken.
constexpr double kWholeStep = 1e-9;

double half_square_after(double residual_squared, double rv, double vv, double step) {
  return 0.5 * (residual_squared - 2 * step * rv + step * step * vv);
}
}  // namespace

LassoModel::LassoModel(std::shared_ptr<LassoData> data, const LassoOptions& options, PathRecorded recorded)
    : data_(std::move(data)), options_(options), recorded_(std::move(recorded)) {
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
  return judge;
}

Penalty LassoModel::penalty_at(double lambda) const {
  return {lambda, options_.l1_ratio, data_->factors, options_.nonnegative};
}

void LassoModel::begin(const Payload& problem) {
  penalty_ = penalty_at(read_fields<Start>(problem.values).lambda);
  on_path_ = !lambdas_of(problem).empty();
  if (!data_->start.variables.empty()) begin_with(data_->start);
  release_other_slices();
}

void LassoModel::enter_phase(const PhasePlan& plan) {
  if (on_path_) penalty_ = penalty_at(path_phase_of(plan.content).lambda);
}

/// A start that is worse than zero is none: the run of another response, or of a lambda far away.
void LassoModel::begin_with(const WarmStart& start) {
  const LassoState zero(data_->response.standardized, data_->columns->roots());
  start_.emplace(zero);
  start_->set_values(start.variables, start.standardized);
  SerialChunks chunks;
  Cost cost;
  recompute(*start_, chunks, cost);
  if (!(start_->objective(penalty_) < zero.objective(penalty_))) start_.reset();
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
  if (start_.has_value()) return start_->clone();
  return std::make_unique<LassoState>(data_->response.standardized, data_->columns->roots());
}

/// Sums are computed as apply() and recompute() do; of replica(-1), which has no nonzeros, the factors do not matter.
std::unique_ptr<State> LassoModel::restore_state(const Payload& content) const {
  const std::size_t nonzeros = content.ids.size();
  if (!ascending_below(content.ids, variables()) || !content.bulk.empty() ||
      content.values.size() != nonzeros + data_->columns->rows() || !all_finite(content.values)) {
    return nullptr;
  }
  const auto residual = content.values.begin() + static_cast<std::ptrdiff_t>(nonzeros);
  if (std::find(content.values.begin(), residual, 0.0) != residual) return nullptr;
  auto state = std::make_unique<LassoState>(std::vector<double>(residual, content.values.end()));
  state->variables = content.ids;
  state->beta.assign(content.values.begin(), residual);
  state->refresh_sums(data_->factors, data_->columns->roots());
  return state;
}

Push LassoModel::push(const State& base, const Block& block, Chunks& chunks) const {
  const auto& state = static_cast<const LassoState&>(base);
  if (!on_path_) return push_block(*data_->columns, penalty_, state, block, *caches_, chunks);
  const Payload& content = block.content;
  const double lambda = content.values.size() > content.ids.size() ? content.values.back() : 0.0;  // 0: a stranger's
  return push_block(*data_->columns, penalty_at(lambda), state, block, *caches_, chunks);
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
  std::vector<LineTerm> terms(old_values.size());
  std::vector<double> factors(old_values.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const VariablePenalty penalty = penalty_.of(pull.changes.ids[k]);
    terms[k] = {old_values[k], pull.changes.values[k], penalty.l1, penalty.l2};
    factors[k] = penalty.factor;
  }
  const double rv = dot(state.residual, v.v);
  const double before = state.objective(penalty_);
  const auto after = [&](double step, std::ptrdiff_t zeroed) {
    double l1 = state.l1;
    double squares = state.squares;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const double updated = static_cast<std::ptrdiff_t>(k) == zeroed ? 0.0 : terms[k].value + step * terms[k].delta;
      l1 += factors[k] * (std::abs(updated) - std::abs(terms[k].value));
      squares += factors[k] * (updated * updated - terms[k].value * terms[k].value);
    }
    return half_square_after(state.residual_squared, rv, v.squared, step) + penalty_.l1 * l1 +
           0.5 * penalty_.l2 * squares;
  };
  LineStep line;
  line.step = 1;
  if (options_.guard) {
    line = line_search(rv, v.squared, terms);
    if (line.step < 1 && line.step > 0) {
      const double whole = before - after(1, -1);
      if (whole > 0 && whole >= (1 - kWholeStep) * line.decrease) line = {1.0, -1, whole};
    }
    if (!(line.decrease > 0)) line.step = 0;
  }
  pull.step = pull.changes.ids.empty() ? 0.0 : line.step;
  if (pull.step == 0) {
    pull.changes = {};
    pull.objective = before;
    return pull;
  }
  pull.objective = after(line.step, line.zeroed);
  pull.realised = before - pull.objective;
  if (line.zeroed >= 0) pull.changes.ids.push_back(pull.changes.ids[static_cast<std::size_t>(line.zeroed)]);
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
  const auto& v = static_cast<const LassoDirection&>(*direction).v;
  std::vector<double> updated = replica.values(view.variables);
  for (std::size_t k = 0; k < updated.size(); ++k) updated[k] = committed_value(view, k, updated[k], step);
  axpy(-step, v, replica.residual);
  replica.set_values(view.variables, updated);
  replica.refresh_sums(data_->factors, data_->columns->roots());
  cost.local += 5 * v.size() + 2 * replica.variables.size();
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
  replica.residual = data_->response.standardized;
  axpy(-1.0, fitted, replica.residual);
  replica.refresh_sums(data_->factors, data_->columns->roots());
  cost.local += 8 * fitted.size() + replica.variables.size();
  release_other_slices();
}

double LassoModel::objective(const State& state) const {
  return static_cast<const LassoState&>(state).objective(penalty_);
}

std::shared_ptr<Model> make_lasso_model(std::shared_ptr<LassoData> data, const LassoOptions& options,
                                        PathRecorded recorded) {
  keep_block_memory();
  return std::make_shared<LassoModel>(std::move(data), options, std::move(recorded));
}

}  // namespace strads::lasso
