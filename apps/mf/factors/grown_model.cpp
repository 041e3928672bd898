#include "mf/factors/grown_model.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace strads::mf {
namespace {

/// The old rows where they are known, else zeros; their numbers of training ratings now.
void take_over(const FactorModel& old, const Triplets& train, Side side, FactorModel& model) {
  const std::size_t s = mf::index_of(side);
  const std::uint32_t count = model.known(side);
  model.factors[s].assign(std::size_t{count} * model.rank, 0.0F);
  model.biases[s].assign(count, 0.0F);
  model.counts[s].assign(count, 0);
  for (const std::uint32_t row : side == Side::users ? train.users : train.items) ++model.counts[s][row];
  for (std::uint32_t row = 0; row < count; ++row) {
    const std::uint32_t at = old.ids[s]->find(model.ids[s]->name(row));
    if (at >= old.size(side)) continue;
    std::copy_n(old.row(side, at), model.rank, model.factors[s].data() + std::size_t{row} * model.rank);
    model.biases[s][row] = old.biases[s][at];
  }
}

}  // namespace

FactorModel with_new_users(FactorModel model, FoldedRows rows, const Ratings& ratings, const RowRatings& given) {
  model.ids[0] = ratings.users;
  model.factors[0] = std::move(rows.factors);
  model.biases[0] = std::move(rows.biases);
  model.counts[0].resize(given.rows());
  for (std::size_t k = 0; k < given.rows(); ++k) {
    model.counts[0][k] = static_cast<std::uint32_t>(given.begins[k + 1] - given.begins[k]);
  }
  return model;
}

Result<FactorModel> with_new_items(FactorModel model, const FoldedRows& rows, const Ratings& ratings,
                                   const RowRatings& given) {
  const std::uint32_t known = model.size(Side::items);
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < known; ++k) names.emplace_back(model.ids[1]->name(k));
  for (std::uint32_t row = 0; row < given.rows(); ++row) {
    const std::uint64_t begin = given.begins[row], end = given.begins[row + std::size_t{1}];
    if (begin == end) continue;  // nobody whom the model knows has rated it
    std::uint32_t at = model.ids[1]->find(ratings.items->name(row));
    if (at == known) {
      at = static_cast<std::uint32_t>(names.size());
      names.emplace_back(ratings.items->name(row));
      model.factors[1].resize(names.size() * model.rank);
      model.biases[1].push_back(0);
      model.counts[1].push_back(0);
    }
    std::copy_n(rows.factors.data() + std::size_t{row} * model.rank, model.rank,
                model.factors[1].data() + std::size_t{at} * model.rank);
    model.biases[1][at] = rows.biases[row];
    model.counts[1][at] = static_cast<std::uint32_t>(end - begin);
  }
  STRADS_ASSIGN_OR_RETURN(model.ids[1], make_ids(kIdsFile[1], std::move(names)));
  return model;
}

FactorModel grown_model(const FactorModel& old, const Ratings& ratings) {
  FactorModel model;
  model.rank = old.rank;
  model.mean = old.mean;
  model.unit = old.unit;
  model.lowest = std::min(old.lowest, ratings.lowest);
  model.highest = std::max(old.highest, ratings.highest);
  model.ids[0] = ratings.users;
  model.ids[1] = ratings.items;
  for (const Side side : {Side::users, Side::items}) take_over(old, ratings.train, side, model);
  return model;
}

ChangedRows changed_rows(const FactorModel& old, const FactorModel& model, const Ratings& ratings, Side side) {
  const std::size_t s = mf::index_of(side);
  ChangedRows out;
  out.place.assign(model.known(side), kNoRow);
  std::uint32_t kept = 0;
  for (std::uint32_t row = 0; row < model.known(side); ++row) {
    const std::uint32_t at = old.ids[s]->find(model.ids[s]->name(row));
    const bool known = at < old.size(side);
    kept += known ? 1 : 0;
    if (known && old.counts[s][at] == model.counts[s][row]) continue;
    out.fresh += known ? 0 : 1;
    out.place[row] = static_cast<std::uint32_t>(out.rows.size());
    out.rows.push_back(row);
  }
  out.gone = old.size(side) - kept;
  out.ratings = rows_of(ratings, side, out.place, static_cast<std::uint32_t>(out.rows.size()), model);
  return out;
}

void solve_rows(const MfOptions& options, const ChangedRows& changed, Side side, FactorModel& model, Chunks& chunks) {
  const std::size_t s = mf::index_of(side);
  const FoldedRows rows = folded_rows(options, model, side, changed.ratings, chunks);
  for (std::size_t k = 0; k < changed.rows.size(); ++k) {
    const std::uint32_t row = changed.rows[k];
    std::copy_n(rows.factors.data() + k * model.rank, model.rank,
                model.factors[s].data() + std::size_t{row} * model.rank);
    model.biases[s][row] = rows.biases[k];
  }
}

}  // namespace strads::mf
