// Columns under weights that change from one Newton step to the next. docs/DESIGN.md, "Logistic regression".
#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/columns/columns_sparse.hpp"
#include "numerics/columns/columns_state.hpp"
#include "numerics/kernels/gram.hpp"

namespace strads {

namespace {

/// sum_e x_e q of the entries' rows, four sums in a fixed order.
template <class T, class Row>
double sparse_dot_rows(const SparseColumn<T>& x, const Row* rows) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t e = 0;
  for (; e + 4 <= x.size; e += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(x.values[e + k]) * rows[x.rows[e + k]].q;
  }
  for (std::size_t k = 0; e < x.size; ++e, ++k) sums[k] += static_cast<double>(x.values[e]) * rows[x.rows[e]].q;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T, class Row>
void sparse_move(const SparseColumn<T>& x, double scale, Row* rows) {
  for (std::size_t e = 0; e < x.size; ++e) {
    Row& row = rows[x.rows[e]];
    row.q -= scale * static_cast<double>(x.values[e]) * row.omega;
  }
}

}  // namespace

void StandardizedColumns::weighted_gram(std::span<const VarId> columns, std::span<const double> omega,
                                        std::span<double> out, Chunks& chunks) const {
  STRADS_CHECK(out.size() == columns.size() * columns.size(), "one entry per pair of columns");
  STRADS_CHECK(omega.size() == state_->rows(), "vectors have one entry per row");
  const State& state = *state_;
  state.expect(columns);
  prepare(columns, chunks);
  std::vector<double> roots_of_omega(omega.size());
  std::transform(omega.begin(), omega.end(), roots_of_omega.begin(), [](double one) { return std::sqrt(one); });
  const auto tiles = gram_tiles(columns.size(), columns.size(), true);
  const Kernels& kernel = kernels();
  const auto decode = [&](std::span<const VarId> list, std::size_t begin, std::size_t end, double* block) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      double* const column = block + k * kGramRows;
      std::fill(column, column + kGramRows, 0.0);
      state.add_rows(list[k], 1.0, begin, end, column);
      // Dropped rows of a mapped file may hold anything, and their weight is 0.
      state.clear_dropped(begin, end, column);
      for (std::size_t i = begin; i < end; ++i) column[i - begin] *= roots_of_omega[i];
    }
  };
  chunks.for_each(tiles.size(), [&](std::size_t piece) {
    const GramTile& tile = tiles[piece];
    std::vector<double> partials(kGramPartials, 0.0), left(kGramColumns * kGramRows), right(left.size());
    const bool diagonal = tile.left == tile.right;
    for (std::size_t row = 0; row < state.rows(); row += kGramRows) {
      const std::size_t end = std::min(state.rows(), row + kGramRows);
      decode(columns.subspan(tile.left, tile.left_count), row, end, left.data());
      if (!diagonal) decode(columns.subspan(tile.right, tile.right_count), row, end, right.data());
      kernel.gram_add(left.data(), kGramRows, tile.left_count, diagonal ? left.data() : right.data(), kGramRows,
                      tile.right_count, end - row, partials.data());
    }
    store_tile(tile, true, columns.size(), out.data(),
               [&](std::size_t a, std::size_t b) { return kernel.gram_entry(partials.data(), a, b); });
  });
}

StandardizedColumns::Reweighted::Reweighted(const StandardizedColumns& columns, std::span<const VarId> list)
    : columns_(columns),
      list_(list),
      rows_(columns.rows()),
      sums_(list.size(), 0.0),
      squared_norms_(list.size(), 0.0) {}

StandardizedColumns::Reweighted::~Reweighted() = default;

void StandardizedColumns::Reweighted::finish(std::size_t k, double sum, double squares) {
  sums_[k] = sum;
  squared_norms_[k] = std::max(0.0, intercept_ ? squares - sum * (sum / weight_) : squares);
}

/// With an intercept the centring of the columns does not matter, and without one they are not centred.
template <class T>
void StandardizedColumns::Reweighted::start_sparse(std::size_t k) {
  const SparseColumn<T> x = columns_.state_->sparse<T>(list_[k]);
  const double norm = columns_.norm(list_[k]);
  double sum = 0, squares = 0;
  for (std::size_t e = 0; e < x.size; ++e) {
    const double value = static_cast<double>(x.values[e]) / norm, weighted = rows_[x.rows[e]].omega * value;
    sum += weighted;
    squares += weighted * value;
  }
  finish(k, sum, squares);
}

void StandardizedColumns::Reweighted::start_dense(std::size_t k, std::vector<double>& column) {
  std::fill(column.begin(), column.end(), 0.0);
  const State& state = *columns_.state_;
  state.add_rows(list_[k], 1.0, 0, column.size(), column.data());
  state.clear_dropped(0, column.size(), column.data());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    sum += rows_[i].omega * column[i];
    squares += rows_[i].omega * column[i] * column[i];
  }
  finish(k, sum, squares);
}

void StandardizedColumns::Reweighted::start(std::span<const double> omega, std::span<const double> u, bool intercept,
                                            std::span<const std::size_t> places, Chunks& chunks) {
  STRADS_CHECK(omega.size() == rows_.size() && u.size() == rows_.size(), "vectors have one entry per row");
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = {u[i], omega[i]};
  intercept_ = intercept;
  weight_ = std::accumulate(omega.begin(), omega.end(), 0.0);
  level_ = 0;
  decoded_ = ~std::size_t{0};
  const Storage storage = columns_.view().storage;
  constexpr std::size_t kPieceColumns = 64;
  chunks.for_each((places.size() + kPieceColumns - 1) / kPieceColumns, [&](std::size_t piece) {
    const bool sparse = columns_.state_->is_sparse();
    std::vector<double> column(sparse ? 0 : rows_.size());
    const std::size_t end = std::min(places.size(), (piece + 1) * kPieceColumns);
    for (std::size_t at = piece * kPieceColumns; at < end; ++at) {
      const std::size_t k = places[at];
      if (columns_.state(list_[k]) != ColumnState::kept) {
        finish(k, 0, 0);
      } else if (storage == Storage::sparse_f32) {
        start_sparse<float>(k);
      } else if (storage == Storage::sparse_f64) {
        start_sparse<double>(k);
      } else {
        start_dense(k, column);
      }
    }
  });
}

void StandardizedColumns::Reweighted::decode(std::size_t k) {
  if (decoded_ == k) return;
  column_.assign(rows_.size(), 0.0);
  columns_.state_->add_rows(list_[k], 1.0, 0, column_.size(), column_.data());
  columns_.state_->clear_dropped(0, column_.size(), column_.data());
  decoded_ = k;
}

double StandardizedColumns::Reweighted::gradient(std::size_t k) {
  const State& state = *columns_.state_;
  double product = 0;
  if (state.view.storage == Storage::sparse_f32) {
    product = sparse_dot_rows(state.sparse<float>(list_[k]), rows_.data()) / state.columns[list_[k]].norm();
  } else if (state.view.storage == Storage::sparse_f64) {
    product = sparse_dot_rows(state.sparse<double>(list_[k]), rows_.data()) / state.columns[list_[k]].norm();
  } else {
    decode(k);
    for (std::size_t i = 0; i < column_.size(); ++i) product += column_[i] * rows_[i].q;
  }
  return product - level_ * sums_[k];
}

void StandardizedColumns::Reweighted::move(std::size_t k, double delta) {
  const State& state = *columns_.state_;
  if (state.view.storage == Storage::sparse_f32) {
    sparse_move(state.sparse<float>(list_[k]), delta / state.columns[list_[k]].norm(), rows_.data());
  } else if (state.view.storage == Storage::sparse_f64) {
    sparse_move(state.sparse<double>(list_[k]), delta / state.columns[list_[k]].norm(), rows_.data());
  } else {
    decode(k);
    for (std::size_t i = 0; i < column_.size(); ++i) rows_[i].q -= delta * column_[i] * rows_[i].omega;
  }
  if (intercept_) level_ -= delta * (sums_[k] / weight_);
}

void StandardizedColumns::Reweighted::move_all(std::span<const double> v) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].q -= v[i] * rows_[i].omega;
}

void StandardizedColumns::Reweighted::residual(std::span<double> out) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = rows_[i].q - level_ * rows_[i].omega;
}

}  // namespace strads
