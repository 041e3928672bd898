// Loops over the entries of sparse columns: plain scalars, four sums in a fixed order. Layer: numerics. Pure, private.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/columns/columns_state.hpp"

namespace strads {

/// Sum over the entries of x_i u_i. Cost: 2 k flops, k random reads.
template <class T>
[[nodiscard, gnu::always_inline]] inline double sparse_dot(const SparseColumn<T>& x, const double* u) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t e = 0;
  for (; e + 4 <= x.size; e += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(x.values[e + k]) * u[x.rows[e + k]];
  }
  for (std::size_t k = 0; e < x.size; ++e, ++k) sums[k] += static_cast<double>(x.values[e]) * u[x.rows[e]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// sparse_dot(), bit for bit, of a column behind which four more entries can be read: those of a last four that are not
/// there count nothing, instead of ending a loop that the processor would have to foresee (a pass over 722,498 columns
/// of 15 entries on average: 31 instead of 40 ms).
template <class T>
[[nodiscard, gnu::always_inline]] inline double sparse_dot_readable(const SparseColumn<T>& x, const double* u) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  static constexpr std::uint64_t kThere[8] = {kAll, kAll, kAll, kAll, 0, 0, 0, 0};
  double sums[4] = {0, 0, 0, 0};
  std::size_t e = 0;
  for (; e + 4 <= x.size; e += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(x.values[e + k]) * u[x.rows[e + k]];
  }
  // Bits, not a factor of 0: what belongs to the next column may be as large as it likes.
  const std::uint64_t* const there = kThere + 4 - (x.size - e);
  for (std::size_t k = 0; k < 4; ++k) {
    const double product = static_cast<double>(x.values[e + k]) * u[x.rows[e + k]];
    sums[k] += std::bit_cast<double>(std::bit_cast<std::uint64_t>(product) & there[k]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Sum over the entries of x_i roots_i u_i. Cost: 3 k flops, 2 k random reads.
template <class T>
[[nodiscard]] double sparse_dot(const SparseColumn<T>& x, const double* u, const double* roots) {
  double total = 0;
  for (std::size_t e = 0; e < x.size; ++e) {
    total += static_cast<double>(x.values[e]) * (roots[x.rows[e]] * u[x.rows[e]]);
  }
  return total;
}

/// The entries in rows [begin, end). Cost: two searches, none for the whole column.
template <class T>
[[nodiscard]] SparseColumn<T> entries_in(const SparseColumn<T>& x, std::size_t begin, std::size_t end) {
  const std::uint32_t* const last = x.rows + x.size;
  const std::uint32_t* const from = begin == 0 ? x.rows : std::lower_bound(x.rows, last, begin);
  const std::uint32_t* const to = x.size == 0 || last[-1] < end ? last : std::lower_bound(from, last, end);
  return {from, x.values + (from - x.rows), static_cast<std::size_t>(to - from)};
}

/// v_{i - begin} += alpha x_i for the entries given.
template <class T>
void sparse_add(const SparseColumn<T>& x, double alpha, std::size_t begin, double* v) {
  for (std::size_t e = 0; e < x.size; ++e) v[x.rows[e] - begin] += alpha * static_cast<double>(x.values[e]);
}

/// The same for the rows that are samples.
template <class T>
void sparse_add_kept(const SparseColumn<T>& x, double alpha, std::span<const std::uint8_t> kept, double* v) {
  for (std::size_t e = 0; e < x.size; ++e) {
    if (kept[x.rows[e]] != 0) v[x.rows[e]] += alpha * static_cast<double>(x.values[e]);
  }
}

/// Sum of products over the rows that both columns hold, in row order; `kept` and `weights` as in State.
/// Cost: k_x + k_y steps, or k_x log k_y when y is much longer.
template <class T>
[[nodiscard]] double sparse_pair(SparseColumn<T> x, SparseColumn<T> y, std::span<const std::uint8_t> kept,
                                 std::span<const double> weights) {
  constexpr std::size_t kMuchLonger = 32;
  if (x.size > y.size) std::swap(x, y);
  const bool search = y.size / kMuchLonger > x.size;
  double total = 0;
  std::size_t f = 0;
  for (std::size_t e = 0; e < x.size; ++e) {
    const std::uint32_t row = x.rows[e];
    if (search) f = static_cast<std::size_t>(std::lower_bound(y.rows + f, y.rows + y.size, row) - y.rows);
    while (f < y.size && y.rows[f] < row) ++f;
    if (f == y.size) break;
    if (y.rows[f] != row || (!kept.empty() && kept[row] == 0)) continue;
    const double product = static_cast<double>(x.values[e]) * static_cast<double>(y.values[f]);
    total += weights.empty() ? product : weights[row] * product;
  }
  return total;
}

}  // namespace strads
