// ccd: one feature of one side, with the residuals that its worker keeps.
#include <algorithm>

#include "mf/model/mf_model.hpp"
#include "strads/base/status.hpp"

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
  Features(const MfModel& model, const Pages* sides, Side side, std::uint32_t page, const Ones& ones)
      : model_(model),
        rows_(sides[mf::index_of(side)]),
        columns_(sides[mf::index_of(other(side))]),
        side_(side),
        page_(page),
        ones_(ones) {}

  [[nodiscard]] const float* row(const FeaturePlace& feature) const {
    if (feature.is_bias && feature.bias_of != side_) return ones_.row.data();
    return rows_.table[feature.page_row * model_.page_count(side_) + page_];
  }
  [[nodiscard]] FeaturePages column(const FeaturePlace& feature) const {
    const std::uint32_t shift = model_.partition().of(other(side_)).shift;
    if (feature.is_bias && feature.bias_of == side_) return {ones_.table.data(), shift, 1};
    return {columns_.table.data() + feature.page_row * model_.page_count(other(side_)), shift, 1};
  }

 private:
  const MfModel& model_;
  const Pages& rows_;
  const Pages& columns_;
  Side side_;
  std::uint32_t page_;
  const Ones& ones_;
};

}  // namespace

Push MfModel::feature(const MfState& base, std::span<const double> plan, std::uint32_t page) const {
  const Side side = side_of(plan);
  const SidePartition& others = partition_->of(other(side));
  const RatingRows rows = train_rows(side, page, 0);
  const Ones ones(rows.rows(), others.pages.size(), std::size_t{1} << others.shift);
  const auto place = static_cast<std::uint32_t>(plan[kPlanIndex]);
  // At the first feature of a sweep the replica may not have noted its beginning yet: nothing has changed since.
  const bool fresh = plan[kPlanSweep] == plan[kPlanFirst];
  const Features start(*this, fresh ? base.pages : base.start, side, page, ones);
  const Features now(*this, base.pages, side, page, ones);
  const auto at = [&](std::uint32_t p) { return feature_at(p, options_.rank, options_.bias); };

  Residual& kept = residuals_->of_block[(side == Side::users ? 0 : page_count(Side::users)) + page];
  std::unique_lock lock(kept.mutex, std::try_to_lock);
  Residual own;
  Residual& residual = lock.owns_lock() ? kept : own;
  std::uint64_t moves = 0;
  if (residual.sweep != plan[kPlanSweep] || residual.moved > place) {
    std::vector<const float*> row_features;
    std::vector<FeaturePages> column_features;
    for (std::uint32_t p = 0; p < options_.rank + (options_.bias ? kSides : 0); ++p) {
      row_features.push_back(start.row(at(p)));
      column_features.push_back(start.column(at(p)));
    }
    residual.values.resize(rows.ratings());
    start_residual(rows, row_features, column_features, static_cast<float>(mean()), residual.values);
    residual.sweep = plan[kPlanSweep];
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
                 {.lambda = options_.lambda, .weighted = options_.weighted}, residual.values, after.writable().data(),
                 sums);
  const auto before = base.penalties_of_page(side, page);
  std::vector<double> penalties(before.begin(), before.end());
  double& penalty = penalties[f.page_row];
  penalty = 0;
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    const double count = options_.weighted ? static_cast<double>(rows.begins[k + 1] - rows.begins[k]) : 1.0;
    penalty += count * static_cast<double>(after.data()[k]) * static_cast<double>(after.data()[k]);
  }

  Push push;
  push.deltas.values.assign(plan.begin(), plan.end());
  push.deltas.values.insert(push.deltas.values.end(),
                            {static_cast<double>(page), 0.0, sums.error_before, sums.error_after});
  push.deltas.values.insert(push.deltas.values.end(), penalties.begin(), penalties.end());
  push.deltas.bulk.push_back(std::move(after));
  push.predicted = sums.error_before - sums.error_after + options_.lambda * (before[f.page_row] - penalty);
  push.cost.flops = sums.flops + 4 * moves * rows.ratings();
  push.cost.streamed = push.cost.flops;
  push.cost.bytes = rows.ratings() * (2 + moves) * 2 * sizeof(float);
  // An update reads a column's feature as it was and as it is, and so does each move.
  push.cost.gathered = rows.ratings() * (1 + moves) * 2 * kReadBytes;
  push.cost.updates = rows.rows();
  return push;
}

}  // namespace strads::mf
