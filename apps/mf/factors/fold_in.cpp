#include "mf/factors/fold_in.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mf/solvers/implicit_fold_in.hpp"

namespace strads::mf {
namespace {

/// Rows of one piece of work: cut by number, so that threads change nothing.
constexpr std::size_t kFoldedAtOnce = 256;

Side other_side_of(Side side) {
  return side == Side::users ? Side::items : Side::users;
}

/// The side that stays as the kernels want it: one page of records, in the unit of the fit.
class FixedRecords {
 public:
  FixedRecords(const FactorModel& model, Side side) : stride_(record_stride(model.rank)) {
    const std::size_t count = model.size(side);
    records_ = SharedFloats(count * stride_);
    std::fill(records_.writable().begin(), records_.writable().end(), 0.0F);
    for (std::uint32_t j = 0; j < count; ++j) {
      float* record = records_.writable().data() + j * stride_;
      const float* const row = model.row(side, j);
      for (std::uint32_t k = 0; k < model.rank; ++k) record[k] = divided(row[k], std::sqrt(model.unit));
      record[model.rank] = divided(model.biases[mf::index_of(side)][j], model.unit);
    }
    page_ = records_.data();
  }
  [[nodiscard]] FactorPages pages() const {
    constexpr std::uint32_t kOnePage = 31;  // a slot is the column itself
    return {&page_, kOnePage, stride_};
  }

 private:
  std::size_t stride_;
  SharedFloats records_;
  const float* page_ = nullptr;
};

/// One exact ridge solve for each row.
void fold_ratings(const MfOptions& options, const FactorModel& model, Side side, const RowRatings& ratings,
                  FoldedRows& out, Chunks& chunks) {
  const FixedRecords columns(model, other_side_of(side));
  const RowProblem problem{.rank = model.rank,
                           .bias = options.bias,
                           .mean = divided(model.mean, model.unit),
                           .lambda = options.lambda,
                           .weighted = options.weighted,
                           .weights = {},
                           .width = model.rank + 1};
  const std::size_t stride = record_stride(model.rank);
  const double root = std::sqrt(model.unit);
  std::vector<float> values(ratings.values.size());
  std::ranges::transform(ratings.values, values.begin(), [&](float value) { return divided(value, model.unit); });
  chunks.for_each((ratings.rows() + kFoldedAtOnce - 1) / kFoldedAtOnce, [&](std::size_t piece) {
    const std::size_t begin = piece * kFoldedAtOnce, end = std::min(ratings.rows(), begin + kFoldedAtOnce);
    SharedFloats before((end - begin) * stride), after((end - begin) * stride);
    std::fill(before.writable().begin(), before.writable().end(), 0.0F);
    RowSums sums;
    update_rows(ratings.view(begin, end, values), columns.pages(), problem, before.data(), after.writable().data(),
                sums);
    for (std::size_t row = begin; row < end; ++row) {
      const float* record = after.data() + (row - begin) * stride;
      float* const factors = out.factors.data() + row * model.rank;
      for (std::uint32_t k = 0; k < model.rank; ++k) factors[k] = static_cast<float>(double{record[k]} * root);
      out.biases[row] = static_cast<float>(double{record[model.rank]} * model.unit);
    }
  });
}

}  // namespace

RowRatings rows_of(const Ratings& ratings, Side side, std::span<const std::uint32_t> rows, std::uint32_t count,
                   const ModelIds& model) {
  const Triplets& given = ratings.train;
  const bool of_users = side == Side::users;
  const IdTable& ids = of_users ? *ratings.items : *ratings.users;
  const Side other = other_side_of(side);
  std::vector<std::uint32_t> columns(ids.size());
  for (std::uint32_t k = 0; k < columns.size(); ++k) columns[k] = model.ids[mf::index_of(other)]->find(ids.name(k));
  const auto row_at = [&](std::size_t t) { return rows[of_users ? given.users[t] : given.items[t]]; };
  const auto column_at = [&](std::size_t t) { return columns[of_users ? given.items[t] : given.users[t]]; };
  RowRatings out;
  out.begins.assign(std::size_t{count} + 1, 0);
  for (std::size_t t = 0; t < given.size(); ++t) {
    if (row_at(t) == kNoRow) continue;
    column_at(t) < model.known(other) ? ++out.begins[row_at(t) + std::size_t{1}] : ++out.unknown;
  }
  for (std::size_t k = 1; k < out.begins.size(); ++k) out.begins[k] += out.begins[k - 1];
  out.columns.resize(out.begins.back());
  out.values.resize(out.begins.back());
  auto next = out.begins;
  for (std::size_t t = 0; t < given.size(); ++t) {
    if (row_at(t) == kNoRow || column_at(t) >= model.known(other)) continue;
    const std::uint64_t at = next[row_at(t)]++;
    out.columns[at] = column_at(t);
    out.values[at] = value_of(given, ratings.levels, t);
  }
  return out;
}

FoldedRows folded_rows(const MfOptions& options, const FactorModel& model, Side side, const RowRatings& ratings,
                       Chunks& chunks) {
  FoldedRows out;
  out.factors.assign(ratings.rows() * model.rank, 0.0F);
  out.biases.assign(ratings.rows(), 0.0F);
  if (options.implicit) {
    const auto& fixed = model.factors[mf::index_of(other_side_of(side))];
    fold_in_implicit(options, ratings.begins, ratings.columns, ratings.values, fixed, out.factors, chunks);
  } else {
    fold_ratings(options, model, side, ratings, out, chunks);
  }
  return out;
}

}  // namespace strads::mf
