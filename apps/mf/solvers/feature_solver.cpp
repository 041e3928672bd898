#include "mf/solvers/feature_solver.hpp"

#include <algorithm>
#include <utility>

namespace strads::mf {
namespace {

/// What reading one float here and there costs, as bytes of a record: a line of a cache has 64, and more than half of
/// them are in a near cache, since a feature of a side is short. Chosen with measured sweeps in view.
constexpr std::uint64_t kReadBytes = 24;

/// Ones where a bias has no factor on the other side.
struct Ones {
  explicit Ones(std::size_t rows, std::size_t pages, std::size_t page_rows)
      : row(rows, 1.0F), page(page_rows, 1.0F), table(pages, page.data()) {}
  std::vector<float> row, page;
  std::vector<const float*> table;
};

/// The features of a block's rows and of all columns, as one version has them.
class Features {
 public:
  Features(const Partition& partition, const Pages* sides, Side side, std::uint32_t page, const Ones& ones)
      : partition_(partition),
        rows_(sides[mf::index_of(side)]),
        columns_(sides[mf::index_of(other(side))]),
        side_(side),
        page_(page),
        ones_(ones) {}

  [[nodiscard]] const float* row(const FeaturePlace& feature) const {
    if (feature.is_bias && feature.bias_of != side_) return ones_.row.data();
    return rows_.table[feature.page_row * pages(side_) + page_];
  }
  [[nodiscard]] FeaturePages column(const FeaturePlace& feature) const {
    const std::uint32_t shift = partition_.of(other(side_)).shift;
    if (feature.is_bias && feature.bias_of == side_) return {ones_.table.data(), shift, 1};
    return {columns_.table.data() + feature.page_row * pages(other(side_)), shift, 1};
  }

 private:
  [[nodiscard]] std::size_t pages(Side side) const { return partition_.of(side).pages.size(); }

  const Partition& partition_;
  const Pages& rows_;
  const Pages& columns_;
  Side side_;
  std::uint32_t page_;
  const Ones& ones_;
};

}  // namespace

FeatureSolver::FeatureSolver(const MfOptions& options)
    : MfSolver(options, {.form = {.work = Work::feature,
                                  .indices = std::uint64_t{options.rank} + (options.bias ? kSides : 0),
                                  .entry = entry_size(Work::feature, options.rank),
                                  .arrays = 1,
                                  .both_sides = true},
                         .stride = record_stride(options.rank),
                         .bias = options.rank,
                         // Workers make up what they lack of the residuals from the factors as they were.
                         .reads_replaced = true}) {}

std::vector<Step> FeatureSolver::steps(std::uint32_t, std::uint32_t) const {
  std::vector<Step> steps;
  for (std::uint32_t place = 0; place < facts().form.indices; ++place) {
    const FeaturePlace feature = at(place);
    for (const Side side : {Side::users, Side::items}) {
      if (!feature.is_bias || feature.bias_of == side) steps.push_back({Work::feature, side, place});
    }
  }
  return steps;
}

void FeatureSolver::placed() {
  // Models may share ratings: residuals are those of this one's factors.
  residuals_ = std::make_unique<Residuals>(page_count(Side::users) + page_count(Side::items));
}

void FeatureSolver::sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                                 Triplets* spent, WorkerRatings& to) const {
  sort_by_side(train, workers, chunks, spent, {.split = true, .narrow = false}, to);
}

void FeatureSolver::start(MfState& state, Side side, Chunks& chunks) const {
  Pages& pages = state.of(side);
  const std::size_t count = page_count(side), features = std::size_t{options().rank} + 1;
  pages.resize(count * features);
  if (side == Side::users) {
    const SharedFloats zeros = zero_page(side);
    for (std::size_t page = 0; page < count * features; ++page) pages.set_blank(page, zeros);
  } else {
    chunks.for_each(count, [&](std::size_t page) {
      const SharedFloats records = drawn_page(side, page, 1.0);
      state.set_penalties(side, page, penalties_of_records(side, page, records.data()));
      const std::size_t rows = rows_of(side, page).size();
      for (std::size_t f = 0; f < features; ++f) {
        SharedFloats feature(rows);
        for (std::size_t k = 0; k < rows; ++k) feature.writable()[k] = records.data()[k * stride() + f];
        pages.set(f * count + page, std::move(feature));
      }
    });
  }
  // A sweep begins here, also where a scheduler that lies does not say so.
  state.start[mf::index_of(side)] = pages;
}

SharedFloats FeatureSolver::row_major(const MfState& state, Side side, std::uint32_t page) const {
  const std::size_t rows = rows_of(side, page).size();
  if (rows == 0) return {};  // and no floats to point at
  SharedFloats records(rows * stride());
  const auto out = records.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t f = 0; f <= options().rank; ++f) {
    const float* const from = state.of(side).table[f * page_count(side) + page];
    for (std::size_t k = 0; k < rows; ++k) out[k * stride() + f] = from[k];
  }
  return records;
}

std::vector<std::size_t> FeatureSolver::arrays(std::span<const double> plan, std::uint32_t page, std::uint32_t) const {
  return {rows_of(side_of(plan), page).size()};
}

Push FeatureSolver::push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                         const WorkerRatings& ratings) const {
  const Side side = side_of(plan);
  const SidePartition& others = partition().of(other(side));
  const RatingRows rows = train_rows(ratings, side, page, 0);
  const Ones ones(rows.rows(), others.pages.size(), std::size_t{1} << others.shift);
  const Plan asked = plan_of(plan);
  const auto place = static_cast<std::uint32_t>(asked.index);
  // At the first feature of a sweep the replica may not have noted its beginning yet: nothing has changed since.
  const bool fresh = asked.sweep == asked.first;
  const Features start(partition(), fresh ? base.pages : base.start, side, page, ones);
  const Features now(partition(), base.pages, side, page, ones);

  Residual& kept = residuals_->of_block[(side == Side::users ? 0 : page_count(Side::users)) + page];
  std::unique_lock lock(kept.mutex, std::try_to_lock);
  Residual own;
  Residual& residual = lock.owns_lock() ? kept : own;
  std::uint64_t moves = 0;
  if (residual.sweep != asked.sweep || residual.moved > place) {
    std::vector<const float*> row_features;
    std::vector<FeaturePages> column_features;
    for (std::uint32_t p = 0; p < facts().form.indices; ++p) {
      row_features.push_back(start.row(at(p)));
      column_features.push_back(start.column(at(p)));
    }
    residual.values.resize(rows.ratings());
    start_residual(rows, row_features, column_features, static_cast<float>(mean()), residual.values);
    residual.sweep = asked.sweep;
    residual.moved = 0;
    moves += row_features.size() / 2;
  }
  for (; residual.moved < place; ++residual.moved, ++moves) {
    const FeaturePlace f = at(residual.moved);
    move_residual(rows, start.row(f), now.row(f), start.column(f), now.column(f), residual.values);
  }

  const FeaturePlace f = at(place);
  SharedFloats after(rows.rows());
  RowSums sums;
  update_feature(rows, start.row(f), start.column(f), now.column(f), f.is_bias,
                 {.lambda = options().lambda, .weighted = options().weighted}, residual.values, after.writable().data(),
                 sums);
  const auto before = base.penalties_of_page(side, page);
  std::vector<double> penalties(before.begin(), before.end());
  double& penalty = penalties[f.page_row];
  penalty = 0;
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    const double count = options().weighted ? static_cast<double>(rows.begins[k + 1] - rows.begins[k]) : 1.0;
    penalty += count * static_cast<double>(after.data()[k]) * static_cast<double>(after.data()[k]);
  }

  Push push;
  push.deltas.values = values_of_entry(plan, page, 0, sums);
  push.deltas.values.insert(push.deltas.values.end(), penalties.begin(), penalties.end());
  push.deltas.bulk.push_back(std::move(after));
  push.predicted = sums.error_before - sums.error_after + options().lambda * (before[f.page_row] - penalty);
  push.cost.flops = sums.flops + 4 * moves * rows.ratings();
  push.cost.streamed = push.cost.flops;
  push.cost.bytes = rows.ratings() * (2 + moves) * 2 * sizeof(float);
  // An update reads a column's feature as it was and as it is, and so does each move.
  push.cost.gathered = rows.ratings() * (1 + moves) * 2 * kReadBytes;
  push.cost.updates = rows.rows();
  return push;
}

void FeatureSolver::begin_sweep(MfState& state) const {
  for (const Side side : {Side::users, Side::items}) state.start[mf::index_of(side)] = state.of(side);
}

void FeatureSolver::fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
                         std::span<const SharedFloats> arrays, Replaced replaced) const {
  const Side side = side_of(plan);
  const std::size_t first = at(static_cast<std::uint32_t>(plan_of(plan).index)).page_row * page_count(side);
  fold_page(state, side, first + entry_of(entry).page, entry, arrays[0], replaced);
}

}  // namespace strads::mf
