#include "mf/slim/slim_model.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "mf/slim/slim_judge.hpp"
#include "mf/slim/slim_payloads.hpp"
#include "mf/slim/slim_slice.hpp"
#include "strads/base/ascending.hpp"

namespace strads::mf {

namespace {
constexpr std::uint64_t kTurnsMax = 10'000;
constexpr std::uint64_t kFlopsOfWork = 10;
/// What the simulator takes a solver's counts for. Measured on all items of Gowalla: 0.53 to 0.73 ns a flop of rows of
/// G, which are long and each added once; 1.6 to 2.7 ns an addition to a user or an item here and there.
constexpr std::uint64_t kSweepSlower = 5, kBytesOfStep = 24;
}  // namespace

Payload SlimState::content() const {
  Payload content{{}, {verified ? 1.0 : 0.0, objective}};
  ColumnWriter writer;
  for (std::uint32_t item = 0; item < columns.size(); ++item) {
    if (columns[item] != nullptr) writer.add(item, *columns[item]);
  }
  writer.append_to(content);
  return content;
}

std::vector<std::vector<VarId>> deal_items(std::span<const VarId> items, std::span<const std::uint64_t> work,
                                           std::uint64_t turns, std::uint32_t workers) {
  std::vector<std::vector<VarId>> blocks(turns * workers);
  std::vector<VarId> order(items.begin(), items.end());
  std::stable_sort(order.begin(), order.end(), [&](VarId a, VarId b) { return work[a] > work[b]; });
  using Entry = std::tuple<std::uint64_t, std::size_t>;  // work, block
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::size_t block = 0; block < blocks.size(); ++block) lightest.emplace(0, block);
  for (const VarId item : order) {
    const auto [load, block] = lightest.top();
    lightest.pop();
    blocks[block].push_back(item);
    lightest.emplace(load + work[item] + 1, block);
  }
  for (auto& block : blocks) std::sort(block.begin(), block.end());
  return blocks;
}

SlimModel::SlimModel(std::shared_ptr<const SlimData> data, const SlimOptions& options, const EngineOptions& engine)
    : data_(std::move(data)),
      options_(options),
      scales_(*data_, options),
      schedulers_(engine.schedulers),
      workers_(engine.workers),
      work_(data_->items(), 0),
      half_norms_(data_->items(), 0.0) {
  std::uint64_t all = 0;
  for (std::uint32_t item = 0; item < data_->items(); ++item) {
    double squares = 0;
    for (const std::uint32_t user : data_->users_of(item)) {
      work_[item] += data_->items_of(user).size();
      squares += scales_.user_squares[user];
    }
    all += work_[item];
    half_norms_[item] = 0.5 * squares * scales_.items[item] * scales_.items[item];
  }
  const std::uint64_t of_turn = options_.block_work * schedulers_ * workers_;
  turns_ = std::clamp<std::uint64_t>((all + of_turn - 1) / of_turn, 1, kTurnsMax);
}

bool SlimModel::acceptable(PayloadKind kind, const Payload& payload) const {
  return well_formed_slim(kind, payload, data_->items());
}

std::unique_ptr<Slice> SlimModel::make_slice(std::vector<VarId> variables) {
  return std::make_unique<SlimSlice>(*this, std::move(variables));
}

std::unique_ptr<Judge> SlimModel::make_judge() const {
  return std::make_unique<SlimJudge>(data_->items(), turns_, schedulers_, workers_);
}

std::unique_ptr<State> SlimModel::make_state() const {
  auto state = std::make_unique<SlimState>();
  state->columns.resize(data_->items());
  for (const double half_norm : half_norms_) state->objective += half_norm;
  return state;
}

std::unique_ptr<State> SlimModel::restore_state(const Payload& content) const {
  if (!well_formed_slim_content(content, data_->items())) return nullptr;
  auto state = std::make_unique<SlimState>();
  state->columns.resize(data_->items());
  each_column(content, kContentHead, [&](std::uint32_t item, ItemWeights column) {
    state->columns[item] = std::make_shared<const ItemWeights>(std::move(column));
  });
  state->verified = content.values[0] == 1;
  state->objective = content.values[1];
  return state;
}

std::uint64_t SlimModel::push_flops(const Block& block) const {
  std::uint64_t all = 0;
  for (const VarId item : block.content.ids) all += kFlopsOfWork * work_[item];
  return all;
}

Push SlimModel::push(const State&, const Block& block, Chunks&) const {
  ItemSolver solver(*data_, scales_, options_);
  ColumnWriter writer;
  Push push;
  for (const VarId item : block.content.ids) {
    const ItemWeights column = solver.solve(item);
    writer.add(item, column);
    push.predicted += half_norms_[item] - column.figures.objective;
  }
  writer.append_to(push.deltas);
  const SolverCounts& counts = solver.counts();
  push.cost = {.flops = counts.flops + counts.scattered, .bytes = 0, .updates = block.content.ids.size()};
  push.cost.local = kSweepSlower * counts.flops;
  push.cost.gathered = kBytesOfStep * counts.scattered;
  push.tally = {counts.candidates, counts.active, counts.passes, counts.checks};
  return push;
}

double SlimModel::fold(SlimState& state, const Payload& changes) const {
  double lost = 0;
  each_column(changes, 0, [&](std::uint32_t item, ItemWeights column) {
    const double before = state.columns[item] ? state.columns[item]->figures.objective : half_norms_[item];
    lost += before - column.figures.objective;
    state.columns[item] = std::make_shared<const ItemWeights>(std::move(column));
  });
  state.objective -= lost;
  return lost;
}

Pull SlimModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  Pull pull;
  for (const Payload& block : deltas) {
    pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
    pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
  }
  SlimState next = static_cast<const SlimState&>(now);
  pull.realised = fold(next, pull.changes);
  pull.objective = next.objective;
  return pull;
}

void SlimModel::apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const {
  static_cast<void>(fold(static_cast<SlimState&>(state), changes));
}

void SlimModel::recompute(State& state, Chunks&, Cost&) const {
  static_cast<SlimState&>(state).verified = true;
}

std::shared_ptr<Model> make_slim_model(std::shared_ptr<const SlimData> data, const SlimOptions& options,
                                       const EngineOptions& engine) {
  return std::make_shared<SlimModel>(std::move(data), options, engine);
}

}  // namespace strads::mf
