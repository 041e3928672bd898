#include "mf/check/all_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strads::mf {
namespace {

/// Columns of a Gram matrix that are looked at side by side.
constexpr std::size_t kWide = 8;

/// Rows first ... last of a side, transposed into doubles: factor after factor.
std::vector<double> columns_of(const FactorModel& factors, Side side, std::size_t first, std::size_t last) {
  const std::size_t rows = last - first;
  std::vector<double> columns(factors.rank * rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const record = factors.row(side, static_cast<std::uint32_t>(first + row));
    for (std::size_t k = 0; k < factors.rank; ++k) columns[k * rows + row] = double{record[k]};
  }
  return columns;
}

double product_of(const double* a, const double* b, std::size_t count) {
  double sums[kWide] = {};
  std::size_t r = 0;
  for (; r + kWide <= count; r += kWide) {
    for (std::size_t lane = 0; lane < kWide; ++lane) sums[lane] += a[r + lane] * b[r + lane];
  }
  for (std::size_t lane = 0; r < count; ++r, ++lane) sums[lane] += a[r] * b[r];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// The lower triangle of the Gram matrix of a side, row after row.
std::vector<double> gram_of(const FactorModel& factors, Side side, Chunks& chunks) {
  constexpr std::size_t kPieces = 16, kRowsAtOnce = 256;
  const std::size_t rows = factors.size(side), rank = factors.rank;
  std::vector<std::vector<double>> of_piece(kPieces, std::vector<double>(rank * rank));
  chunks.for_each(kPieces, [&](std::size_t piece) {
    const std::size_t end = rows * (piece + 1) / kPieces;
    for (std::size_t first = rows * piece / kPieces; first < end; first += kRowsAtOnce) {
      const std::size_t count = std::min(kRowsAtOnce, end - first);
      const auto columns = columns_of(factors, side, first, first + count);
      for (std::size_t k = 0; k < rank; ++k) {
        for (std::size_t l = 0; l <= k; ++l) {
          of_piece[piece][k * rank + l] += product_of(columns.data() + k * count, columns.data() + l * count, count);
        }
      }
    }
  });
  std::vector<double> sum(rank * rank);
  for (const auto& more : of_piece) {
    for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += more[at];
  }
  return sum;
}

}  // namespace

void add_all_pairs(const FactorModel& factors, double alpha0, Chunks& chunks, Recounted& found) {
  const auto of_users = gram_of(factors, Side::users, chunks), of_items = gram_of(factors, Side::items, chunks);
  double sum = 0, reach = 0;
  for (std::size_t k = 0; k < factors.rank; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      const double product = of_users[k * factors.rank + l] * of_items[k * factors.rank + l] * (k == l ? 1 : 2);
      sum += product;
      reach += std::abs(product);
    }
  }
  found.squared += alpha0 * sum;
  found.reach += alpha0 * reach;
}

}  // namespace strads::mf
