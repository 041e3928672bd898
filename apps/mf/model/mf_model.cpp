#include "mf/model/mf_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mf/model/mf_judge.hpp"
#include "mf/model/mf_slice.hpp"
#include "strads/base/random.hpp"
#include "strads/base/status.hpp"
#include "strads/program/run.hpp"

namespace strads::mf {

MfModel::MfModel(std::shared_ptr<MfData> data, const MfOptions& options, const EngineOptions& engine, bool keep_ratings)
    : data_(std::move(data)), options_(options), engine_(engine), keep_ratings_(keep_ratings) {}

ModelShape MfModel::shape() const {
  return {.variables = data_->size(Side::users) + data_->size(Side::items)};
}

std::uint64_t MfModel::fingerprint() const {
  return data_->ratings->fingerprint;
}

void MfModel::place(const Placement& placement) {
  if (like_ != nullptr) return share_ratings(*like_);
  const VarId users = data_->size(Side::users);
  std::vector<std::vector<std::uint32_t>> rows[kSides];
  for (const auto& slice : placement.slices) {
    const auto items = std::lower_bound(slice.begin(), slice.end(), users);
    rows[0].emplace_back(slice.begin(), items);
    auto& of_items = rows[1].emplace_back(items, slice.end());
    for (auto& item : of_items) item -= users;
  }
  partition_ = std::make_shared<Partition>();
  for (const Side side : {Side::users, Side::items}) {
    const std::size_t s = mf::index_of(side);
    partition_->sides[s] = cut(data_->counts[s], rows[s], placement.workers, options_.balance,
                               options_.solver == Solver::cd || options_.solver == Solver::als);
    for (const auto& page : partition_->sides[s].pages) {
      full_pages_[s] += page.empty() ? 0 : 1;
      auto& multipliers = multipliers_[s].emplace_back();
      if (options_.solver != Solver::sgd || options_.weighted) continue;
      for (const std::uint32_t row : page) multipliers.push_back(1.0F / static_cast<float>(data_->counts[s][row]));
    }
  }
  deal_strangers();
  is_here_.assign(placement.workers, false);
  for (const std::uint32_t worker : placement.workers_here) is_here_[worker] = true;
  residuals_ = std::make_unique<Residuals>(page_count(Side::users) + page_count(Side::items));
  if (data_->train == nullptr && data_->make_train) data_->train = data_->make_train();
  STRADS_CHECK(data_->train != nullptr, "ratings are there until every node has its part");
  std::shared_ptr<Triplets> train = data_->train;
  if (!keep_ratings_) {
    data_->train.reset();
    data_->make_train = nullptr;
  }
  Triplets* const spent = train.use_count() == 1 ? train.get() : nullptr;
  here_ = std::make_shared<const WorkerRatings>(take(*train, placement.workers_here, *data_->threads, spent));
}

MfModel::WorkerRatings MfModel::take(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                                     Triplets* spent) const {
  const auto& levels = data_->ratings->levels;
  WorkerRatings taken;
  if (options_.solver == Solver::sgd) {
    taken.grid = GridRatings::take(train, levels, *partition_, workers, data_->seed, chunks, spent);
  } else {
    SideRatings::Form training{.split = true, .narrow = options_.solver != Solver::ccd};
    for (const Side side : {Side::users, Side::items}) {
      training.spent = side == Side::items ? spent : nullptr;
      taken.train[mf::index_of(side)] = SideRatings::take(train, levels, side, *partition_, workers, training, chunks);
    }
  }
  const Ratings& ratings = *data_->ratings;
  taken.validation = SideRatings::take(ratings.validation, levels, Side::users, *partition_, workers,
                                       {.split = false, .narrow = true}, chunks);
  taken.test = SideRatings::take(ratings.test, levels, Side::users, *partition_, workers,
                                 {.split = false, .narrow = true}, chunks);
  return taken;
}

const MfModel::WorkerRatings& MfModel::ratings_of(Side side, std::uint32_t page, std::uint32_t part) const {
  const SidePartition& own = partition_->of(side);
  const std::uint32_t worker = own.worker_of(own.slice_of(page), own.is_split(page) ? part : page % own.workers);
  if (is_here_[worker]) return *here_;
  const std::lock_guard lock(rebuilt_->mutex);
  const auto found = rebuilt_->workers.find(worker);
  if (found != rebuilt_->workers.end()) return found->second;
  auto train = data_->reload();
  // A push has no way to fail: without these ratings this process cannot go on, and the driver hears that it ended.
  if (!train.ok()) end_program("mf", train.status());
  SerialChunks serial;
  return rebuilt_->workers.emplace(worker, take(*train.value(), std::span(&worker, 1), serial)).first->second;
}

RatingRows MfModel::train_rows(Side side, std::uint32_t page, std::uint32_t part) const {
  const auto rows = ratings_of(side, page, part).train[mf::index_of(side)].find(page, part, data_->ratings->levels);
  STRADS_CHECK(rows.has_value(), "a worker has the ratings of its blocks");
  return *rows;
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

std::size_t MfModel::stride() const {
  return options_.solver == Solver::sgd ? sgd_stride(options_.rank) : record_stride(options_.rank);
}

// --- replica ---

/// Uniform of width 1 / sqrt(rank), sgd: half of that; above 0 where nothing else says that ratings are.
SharedFloats MfModel::start_page(Side side, std::uint32_t page) const {
  const auto& rows = rows_of(side, page);
  SharedFloats floats(rows.size() * stride());
  const auto out = floats.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  const double shift = options_.mean ? -0.5 : 0.0;
  const double width = (options_.solver == Solver::sgd && options_.mean ? 0.5 : 1.0) / std::sqrt(options_.rank);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CounterRng random(data_->seed, Purpose::start, mf::index_of(side), rows[k]);
    for (std::size_t f = 0; f < options_.rank; ++f) {
      out[k * stride() + f] = static_cast<float>((random.unit() + shift) * width);
    }
    if (options_.solver != Solver::sgd) continue;
    for (std::size_t a = sgd_bias(options_.rank) + 1; a < stride(); ++a) out[k * stride() + a] = 1.0F;
  }
  return floats;
}

std::unique_ptr<State> MfModel::make_state() const {
  auto state = std::make_unique<MfState>();
  state->weights.assign(options_.rank, 1.0);
  // Users are 0: each rating is predicted by the mean alone (sgd: about so).
  const auto ratings = static_cast<double>(data_->train_size);
  state->error = data_->squares - ratings * mean() * (2 * data_->mean - mean());
  const bool by_feature = options_.solver == Solver::ccd;
  const std::size_t features = std::size_t{options_.rank} + 1;
  for (const Side side : {Side::users, Side::items}) {
    Pages& pages = state->of(side);
    const std::size_t count = page_count(side);
    pages.held.resize(by_feature ? count * features : count);
    pages.table.assign(pages.held.size(), nullptr);
    state->penalties[mf::index_of(side)].assign(count * features, 0.0);
    // The first phase computes the users from the items: until then all of them share one page of zeros.
    const bool zero = side == Side::users && options_.solver != Solver::sgd;
    SharedFloats zeros(zero ? (std::size_t{1} << partition_->of(side).shift) * stride() : 0);
    std::fill(zeros.writable().begin(), zeros.writable().end(), 0.0F);
    std::vector<SharedFloats> starts(count, zeros);
    data_->threads->for_each(
        zero ? 0 : count, [&](std::size_t page) { starts[page] = start_page(side, static_cast<std::uint32_t>(page)); });
    for (std::uint32_t page = 0; page < count; ++page) {
      const SharedFloats& records = starts[page];
      if (!by_feature) {
        pages.set(page, records);
        continue;
      }
      const std::size_t rows = rows_of(side, page).size();
      for (std::size_t f = 0; f < features; ++f) {
        SharedFloats feature(zero ? 0 : rows);
        for (std::size_t k = 0; k < feature.size(); ++k) feature.writable()[k] = records.data()[k * stride() + f];
        pages.set(f * count + page, zero ? zeros : std::move(feature));
      }
    }
    data_->threads->for_each(zero ? 0 : count, [&](std::size_t page) {
      fold_penalties(*state, side, page, start_sums(*state, side, static_cast<std::uint32_t>(page)));
    });
    // A sweep begins here, also where a scheduler that lies does not say so.
    if (by_feature) state->start[mf::index_of(side)] = pages;
    if (options_.solver == Solver::sgd) {
      state->so_far.penalties[mf::index_of(side)] = state->penalties[mf::index_of(side)];
    }
  }
  return state;
}

std::vector<double> MfModel::start_sums(const MfState& state, Side side, std::uint32_t page) const {
  if (options_.solver == Solver::sgd) {
    std::vector<double> sums;
    add_sgd_penalties(side, page, records_of(state, side, page).view(), sums);
    return sums;
  }
  std::vector<std::uint64_t> begins{0};
  for (const std::uint32_t row : rows_of(side, page))
    begins.push_back(begins.back() + data_->counts[mf::index_of(side)][row]);
  RatingRows rows;
  rows.begins = begins;
  std::vector<double> sums(options_.rank + 1);
  penalties_of(rows, options_.rank, options_.weighted, row_major(state, side, page).data(), sums);
  return sums;
}

/// A page that is released was replaced by a commit: this block was computed elsewhere as well, and nobody waits for
/// what comes of it, but for its length.
SharedFloats MfModel::records_of(const MfState& state, Side side, std::uint32_t page) const {
  const std::size_t size = rows_of(side, page).size() * stride();
  SharedFloats floats = state.of(side).held[page]->floats();
  if (floats.size() >= size) return floats;
  SharedFloats like(size);
  std::ranges::fill(like.writable(), 1.0F);
  return like;
}

SharedFloats MfModel::row_major(const MfState& state, Side side, std::uint32_t page) const {
  const Pages& pages = state.of(side);
  const std::size_t plain = record_stride(options_.rank);
  const bool by_feature = options_.solver == Solver::ccd;
  const std::size_t rows = rows_of(side, page).size();
  if (rows == 0) return {};  // and no floats to point at
  // The first page of zeros is as long as the longest one.
  const bool as_it_is = options_.solver == Solver::cd || options_.solver == Solver::als || is_plain(state);
  if (as_it_is) {
    if (SharedFloats whole = pages.held[page]->floats(); whole.size() == rows * plain) return whole;
  }
  const SharedFloats held = by_feature ? SharedFloats() : records_of(state, side, page);
  SharedFloats records(rows * plain);
  const auto out = records.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t f = 0; f <= options_.rank; ++f) {
    const std::size_t place = options_.solver == Solver::sgd && f == options_.rank ? sgd_bias(options_.rank) : f;
    const float* from = by_feature ? pages.table[f * page_count(side) + page] : held.data() + place;
    const std::size_t step = by_feature ? 1 : stride();
    for (std::size_t k = 0; k < rows; ++k) out[k * plain + f] = from[k * step];
  }
  return records;
}

double MfModel::share_held() const {
  if (here_ == nullptr) return 0;  // not placed yet
  const std::uint64_t held =
      options_.solver == Solver::sgd ? 2 * here_->grid.size() : here_->train[0].size() + here_->train[1].size();
  return static_cast<double>(held) / (2.0 * static_cast<double>(data_->train_size));
}

double MfModel::objective(const State& state) const {
  return static_cast<const MfState&>(state).objective(options_.lambda);
}

std::shared_ptr<const Direction> MfModel::combine(std::span<const Payload>, Chunks&, Cost&) const {
  return nullptr;
}

Pull MfModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  const auto& state = static_cast<const MfState&>(now);
  const std::size_t head = plan_size(options_.rank);
  const auto plan = std::span(deltas[0].values).first(head);
  Pull pull;
  if (!of_one_plan(deltas))
    return {.step = 0, .objective = state.objective(options_.lambda), .realised = 0, .changes = {}};
  auto& values = pull.changes.values;
  values.assign(plan.begin(), plan.end());
  if (work_of(plan) == Work::evaluate) {
    values.resize(head + kEvaluateValues);
    for (const Payload& block : deltas) {
      for (std::size_t k = 0; k < kEvaluateValues; ++k) values[head + k] += block.values[head + k];
    }
  } else if (part_of(plan) >= 0) {
    values[kPlanPart] = -1;
    solve_split(state, plan, static_cast<std::uint32_t>(deltas[0].values[head + kEntryPage]), deltas, pull.changes);
  } else {
    for (const Payload& block : deltas) {
      values.insert(values.end(), block.values.begin() + static_cast<std::ptrdiff_t>(head), block.values.end());
      pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
    }
  }
  MfState next = state;
  fold(next, pull.changes, Replaced::kept);
  pull.objective = next.objective(options_.lambda);
  pull.realised = state.objective(options_.lambda) - pull.objective;
  return pull;
}

void MfModel::apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const {
  // ccd: workers make up what they lack of the residuals from the factors as they were.
  fold(static_cast<MfState&>(state), changes, options_.solver == Solver::ccd ? Replaced::kept : Replaced::released);
}

std::shared_ptr<Model> make_mf_model(std::shared_ptr<MfData> data, const MfOptions& options,
                                     const EngineOptions& engine, bool keep_ratings) {
  return std::make_shared<MfModel>(std::move(data), options, engine, keep_ratings);
}

}  // namespace strads::mf
