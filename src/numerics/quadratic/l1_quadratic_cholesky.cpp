#include "numerics/quadratic/l1_quadratic_cholesky.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "numerics/kernels/kernels.hpp"
#include "strads/base/status.hpp"

namespace strads::l1 {

/// Rows [row, row + rows) and columns [column, column + columns), at most kGramColumns of each.
struct Cholesky::Tile {
  std::size_t row;
  std::size_t rows;
  std::size_t column;
  std::size_t columns;
};

std::span<double> Cholesky::reset(std::size_t size, std::size_t stride) {
  size_ = size;
  stride_ = std::max(size, stride);
  if (room_ < stride_ * stride_) {
    matrix_.reset();  // so that both are never there
    room_ = stride_ * stride_;
    matrix_ = std::make_unique_for_overwrite<double[]>(room_);
  }
  return {matrix_.get(), stride_ * stride_};
}

bool Cholesky::factorise(Chunks& chunks) {
  // Left-looking: when a tile is reached, all products with the finished columns are taken from it at once. Rows of
  // the row-major factor are the contiguous "columns" of the Gram kernel. The tiles below a diagonal one are
  // independent of each other.
  for (std::size_t column = 0; column < size_; column += kGramColumns) {
    const std::size_t columns = std::min(kGramColumns, size_ - column);
    const Tile diagonal{column, columns, column, columns};
    subtract_products(diagonal, column);
    if (!factorise_diagonal(diagonal)) return false;
    const std::size_t below = (size_ - column - columns + kGramColumns - 1) / kGramColumns;
    chunks.for_each(below, [&](std::size_t piece) {
      const std::size_t row = column + (piece + 1) * kGramColumns;
      const Tile tile{row, std::min(kGramColumns, size_ - row), column, columns};
      subtract_products(tile, column);
      solve_rows(tile);
    });
  }
  return true;
}

void Cholesky::subtract_products(const Tile& tile, std::size_t inner) {
  if (inner == 0) return;
  const Kernels& kernel = kernels();
  std::vector<double> partials(kGramPartials, 0.0);
  const double* const left = matrix_.get() + tile.row * stride_;
  const double* const right = matrix_.get() + tile.column * stride_;
  for (std::size_t i = 0; i < inner; i += kGramRows) {
    kernel.gram_add(left + i, stride_, tile.rows, right + i, stride_, tile.columns, std::min(kGramRows, inner - i),
                    partials.data());
  }
  for (std::size_t a = 0; a < tile.rows; ++a) {
    double* const row = matrix_.get() + (tile.row + a) * stride_ + tile.column;
    for (std::size_t b = 0; b < tile.columns; ++b) row[b] -= kernel.gram_entry(partials.data(), a, b);
  }
}

bool Cholesky::factorise_diagonal(const Tile& tile) {
  const Kernels& kernel = kernels();
  double* const corner = matrix_.get() + tile.row * stride_ + tile.column;
  for (std::size_t b = 0; b < tile.columns; ++b) {
    double* const row = corner + b * stride_;
    for (std::size_t c = 0; c <= b; ++c) {
      const double* const other = corner + c * stride_;
      const double left = row[c] - kernel.dot(row, other, c);
      if (c < b) {
        row[c] = left / other[c];
      } else if (left > 0) {  // false for NaN too
        row[c] = std::sqrt(left);
      } else {
        return false;
      }
    }
  }
  return true;
}

void Cholesky::solve_rows(const Tile& tile) {
  const Kernels& kernel = kernels();
  // Transposed, so that the inner loop runs over the rows of the tile and vectorises.
  std::array<std::array<double, kGramColumns>, kGramColumns> columns{};
  double* const corner = matrix_.get() + tile.row * stride_ + tile.column;
  for (std::size_t a = 0; a < tile.rows; ++a) {
    for (std::size_t b = 0; b < tile.columns; ++b) columns[b][a] = corner[a * stride_ + b];
  }
  for (std::size_t b = 0; b < tile.columns; ++b) {
    const double* const factor = matrix_.get() + (tile.column + b) * stride_ + tile.column;
    for (std::size_t c = 0; c < b; ++c) {
      kernel.axpy(-factor[c], columns[c].data(), columns[b].data(), kGramColumns);
    }
    for (std::size_t a = 0; a < kGramColumns; ++a) columns[b][a] /= factor[b];
  }
  for (std::size_t a = 0; a < tile.rows; ++a) {
    for (std::size_t b = 0; b < tile.columns; ++b) corner[a * stride_ + b] = columns[b][a];
  }
}

void Cholesky::solve(std::span<double> right) const {
  STRADS_CHECK(right.size() == size_, "one right-hand side of the matrix' size");
  const Kernels& kernel = kernels();
  for (std::size_t i = 0; i < size_; ++i) {
    const double* const row = matrix_.get() + i * stride_;
    right[i] = (right[i] - kernel.dot(row, right.data(), i)) / row[i];
  }
  for (std::size_t i = size_; i-- > 0;) {
    const double* const row = matrix_.get() + i * stride_;
    right[i] /= row[i];
    kernel.axpy(-right[i], row, right.data(), i);
  }
}

}  // namespace strads::l1
