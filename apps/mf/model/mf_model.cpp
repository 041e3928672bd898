#include "mf/model/mf_model.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mf/model/mf_judge.hpp"
#include "mf/model/mf_slice.hpp"
#include "mf/solvers/solvers.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {

MfModel::MfModel(std::shared_ptr<MfData> data, const MfOptions& options, const EngineOptions& engine, bool keep_ratings)
    : data_(std::move(data)),
      options_(options),
      engine_(engine),
      keep_ratings_(keep_ratings),
      solver_(make_solver(options)) {}

ModelShape MfModel::shape() const {
  return {.variables = data_->size(Side::users) + data_->size(Side::items)};
}

std::uint64_t MfModel::fingerprint() const {
  return data_->ratings->fingerprint;
}

void MfModel::place(const Placement& placement) {
  if (like_ != nullptr) return share_ratings(*like_, placement.workers_here.size());
  const VarId users = data_->size(Side::users);
  std::vector<std::vector<std::uint32_t>> rows[kSides];
  for (const auto& slice : placement.slices) {
    const auto items = std::lower_bound(slice.begin(), slice.end(), users);
    rows[0].emplace_back(slice.begin(), items);
    auto& of_items = rows[1].emplace_back(items, slice.end());
    for (auto& item : of_items) item -= users;
  }
  const auto partition = std::make_shared<Partition>();
  for (const Side side : {Side::users, Side::items}) {
    const std::size_t s = mf::index_of(side);
    partition->sides[s] =
        cut(data_->counts[s], rows[s], placement.workers, options_.balance, solver_->facts().splits_rows);
  }
  partition_ = partition;
  solver_->place(data_, partition_, placement.workers_here.size());
  deal_strangers();
  std::vector<bool> is_here(placement.workers, false);
  for (const std::uint32_t worker : placement.workers_here) is_here[worker] = true;
  if (data_->train == nullptr && data_->make_train) data_->train = data_->make_train();
  STRADS_CHECK(data_->train != nullptr, "ratings are there until every node has its part");
  std::shared_ptr<Triplets> train = data_->train;
  if (!keep_ratings_) {
    data_->train.reset();
    data_->make_train = nullptr;
  }
  Triplets* const spent = train.use_count() == 1 ? train.get() : nullptr;
  store_ = std::make_shared<RatingStore>(std::move(is_here),
                                         sorted_ratings(*train, placement.workers_here, *data_->threads, spent));
}

WorkerRatings MfModel::sorted_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                                      Triplets* spent) const {
  WorkerRatings taken;
  solver_->sort_ratings(train, workers, chunks, spent, taken);
  const Ratings& ratings = *data_->ratings;
  taken.validation = SideRatings::sorted(ratings.validation, ratings.levels, Side::users, *partition_, workers,
                                         {.split = false, .narrow = true}, chunks);
  taken.test = SideRatings::sorted(ratings.test, ratings.levels, Side::users, *partition_, workers,
                                   {.split = false, .narrow = true}, chunks);
  return taken;
}

const WorkerRatings* MfModel::ratings_of(Side side, std::uint32_t page, std::uint32_t part) const {
  const SidePartition& own = partition_->of(side);
  const std::uint32_t worker = own.worker_of(own.slice_of(page), own.is_split(page) ? part : page % own.workers);
  return store_->of(worker, [&]() -> std::optional<WorkerRatings> {
    const auto train = data_->reload();
    if (!train.ok()) return std::nullopt;
    SerialChunks serial;
    return sorted_ratings(*train.value(), std::span(&worker, 1), serial);
  });
}

std::unique_ptr<Slice> MfModel::make_slice(std::vector<VarId> variables) {
  return std::make_unique<MfSlice>(*this, std::move(variables));
}

std::unique_ptr<Judge> MfModel::make_judge() const {
  return std::make_unique<MfJudge>(*data_, options_, engine_.schedulers, engine_.workers);
}

void MfModel::begin(const Payload&) {}

std::uint32_t MfModel::page_of(VarId variable) const {
  const std::uint32_t users = data_->size(Side::users);
  return variable < users ? partition_->of(Side::users).page_of_row(variable)
                          : partition_->of(Side::items).page_of_row(variable - users);
}

std::unique_ptr<State> MfModel::make_state() const {
  auto state = std::make_unique<MfState>();
  state->weights.assign(options_.rank, 1.0);
  // Users are 0: each rating is predicted by the mean alone (sgd: about so).
  const auto ratings = static_cast<double>(data_->train_size);
  state->error = squares_of(*data_, options_) - ratings * mean() * (2 * data_->mean - mean());
  for (const Side side : {Side::users, Side::items}) {
    state->penalties[mf::index_of(side)].assign(page_count(side) * state->sums(), 0.0);
    solver_->start(*state, side, *data_->threads);
  }
  return state;
}

double MfModel::share_held() const {
  if (store_ == nullptr) return 0;  // not placed yet
  return static_cast<double>(store_->here().training()) / (2.0 * static_cast<double>(data_->train_size));
}

double MfModel::user_objective(const MfState& state) const {
  return state.objective(options_.lambda) * data_->unit * data_->unit;
}

double MfModel::objective(const State& state) const {
  return user_objective(static_cast<const MfState&>(state));
}

std::shared_ptr<const Direction> MfModel::combine(std::span<const Payload>, Chunks&, Cost&) const {
  return nullptr;
}

Pull MfModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  const auto& state = static_cast<const MfState&>(now);
  const std::size_t head = plan_size(options_.rank);
  const auto plan = std::span(deltas[0].values).first(head);
  Pull pull;
  if (!of_one_plan(deltas)) return {.step = 0, .objective = user_objective(state), .realised = 0, .changes = {}};
  auto& values = pull.changes.values;
  values.assign(plan.begin(), plan.end());
  if (work_of(plan) == Work::evaluate) {
    Evaluation sum;
    for (const Payload& block : deltas) sum.add(read_fields<Evaluation>(std::span(block.values).subspan(head)));
    append_fields(sum, values);
  } else if (part_of(plan) >= 0) {
    Plan whole = plan_of(plan);
    whole.part = -1;
    write_fields(whole, values);
    const PageEntry entry = entry_of(std::span(deltas[0].values).subspan(head));
    solver_->add_parts(state, plan, static_cast<std::uint32_t>(entry.page), deltas, pull.changes);
  } else {
    for (const Payload& block : deltas) {
      values.insert(values.end(), block.values.begin() + static_cast<std::ptrdiff_t>(head), block.values.end());
      pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
    }
  }
  MfState next = state;
  fold(next, pull.changes, Replaced::kept);
  pull.objective = user_objective(next);
  pull.realised = user_objective(state) - pull.objective;
  return pull;
}

void MfModel::apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const {
  fold(static_cast<MfState&>(state), changes, solver_->facts().reads_replaced ? Replaced::kept : Replaced::released);
}

std::shared_ptr<Model> make_mf_model(std::shared_ptr<MfData> data, const MfOptions& options,
                                     const EngineOptions& engine, bool keep_ratings) {
  return std::make_shared<MfModel>(std::move(data), options, engine, keep_ratings);
}

}  // namespace strads::mf
