// sgd: one cell of the grid, the users of one page with the items of another.
#include <algorithm>

#include "mf/model/mf_model.hpp"

namespace strads::mf {
namespace {

SharedFloats copy_of(const SharedFloats& page) {
  SharedFloats copy(page.size());
  std::copy(page.data(), page.data() + page.size(), copy.writable().begin());
  return copy;
}

}  // namespace

void MfModel::add_sgd_penalties(Side side, std::uint32_t page, std::span<const float> records,
                                std::vector<double>& values) const {
  const auto& rows = rows_of(side, page);
  const auto& counts = data_->counts[mf::index_of(side)];
  const std::size_t first = values.size(), bias = sgd_bias(options_.rank);
  values.resize(first + options_.rank + 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double weight = options_.weighted ? counts[rows[k]] : 1.0;
    const float* const record = records.data() + k * stride();
    for (std::size_t f = 0; f <= options_.rank; ++f) {
      const double value = static_cast<double>(record[f < options_.rank ? f : bias]);
      values[first + f] += weight * value * value;
    }
  }
}

SgdProblem MfModel::sgd_problem(std::uint32_t users_page, std::uint32_t items_page, bool first_sweep) const {
  SgdProblem problem{.rank = options_.rank,
                     .bias = options_.bias,
                     .mean = static_cast<float>(mean()),
                     .rate = static_cast<float>(options_.rate),
                     .slow_only = first_sweep};
  problem.lambda_row = problem.lambda_column = static_cast<float>(options_.lambda);
  if (!options_.weighted) {
    problem.row_multipliers = multipliers_[0][users_page];
    problem.column_multipliers = multipliers_[1][items_page];
  }
  return problem;
}

/// Whether no later stratum of the sweep has a cell of these items: pages without users have none.
bool MfModel::is_last_visit(std::uint32_t items_page, std::uint32_t stratum) const {
  const SidePartition& items = partition_->of(Side::items);
  const std::uint32_t strata = items.schedulers * items.workers;
  for (std::uint32_t later = stratum + 1; later < strata; ++later) {
    if (!rows_of(Side::users, (items_page + strata - later) % strata).empty()) return false;
  }
  return true;
}

Push MfModel::cell(const MfState& base, std::span<const double> plan, std::uint32_t page) const {
  const SidePartition& items = partition_->of(Side::items);
  const std::uint32_t strata = items.schedulers * items.workers;
  const auto stratum = static_cast<std::uint32_t>(plan[kPlanIndex]);
  const std::uint32_t items_page = (page + stratum) % strata;
  SharedFloats users_records = copy_of(records_of(base, Side::users, page));
  SharedFloats items_records = copy_of(records_of(base, Side::items, items_page));
  const CellRatings ratings =
      ratings_of(Side::users, page, 0).grid.find(page)->cell(items_page, data_->ratings->levels);
  const double errors = sgd_cell(ratings, sgd_problem(page, items_page, plan[kPlanSweep] == 0),
                                 users_records.writable().data(), items_records.writable().data());
  Push push;
  auto& values = push.deltas.values;
  values.assign(plan.begin(), plan.end());
  values.insert(values.end(), {static_cast<double>(page), static_cast<double>(items_page), errors, errors});
  // The objective is looked at between sweeps: on the way penalties stay those of the sweep before.
  const auto penalties = [&](Side side, std::uint32_t of_page, const SharedFloats& records, bool is_last) {
    if (is_last) {
      add_sgd_penalties(side, of_page, records.view(), values);
    } else {
      const auto before = base.penalties_of_page(side, of_page);
      values.insert(values.end(), before.begin(), before.end());
    }
  };
  penalties(Side::users, page, users_records, stratum + 1 == strata);
  penalties(Side::items, items_page, items_records, is_last_visit(items_page, stratum));
  push.deltas.bulk.push_back(std::move(users_records));
  push.deltas.bulk.push_back(std::move(items_records));
  push.cost.flops = push.cost.tiled = ratings.rows.size() * 8 * options_.rank;
  push.cost.bytes = push.cost.gathered = ratings.rows.size() * 2 * stride() * sizeof(float);
  push.cost.updates = ratings.rows.size();
  return push;
}

}  // namespace strads::mf
