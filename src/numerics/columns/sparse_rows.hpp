// Some sparse columns, packed row by row. Layer: numerics. Pure, private.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "numerics/columns/columns_sparse.hpp"
#include "numerics/columns/columns_state.hpp"
#include "strads/base/chunks.hpp"

namespace strads {

/// Rows of the data are taken in blocks of so many consecutive ones.
[[nodiscard]] inline std::size_t rows_of_block(std::size_t rows) {
  return std::clamp<std::size_t>(rows / 32, 64, 2048);
}

/// A copy of the entries of a list of sparse columns, row by row; in each row in order of the list. In each block rows
/// go from the shortest to the longest, those of one length in their own order: a loop over a row then ends where the
/// last one did, which the processor foresees (rows of 31 entries on average, measured with all of them in one block:
/// 1.0 ns an entry of a product, in their own order 1.25). Blocks stay in their order, so that the part of a vector
/// that belongs to one is near, and no other thread's. Rows that are no samples are empty. `Place`: fits the number of
/// columns; ten bytes an entry at most where it has two.
template <class T, class Place>
class SparseRows {
 public:
  struct Row {
    std::size_t id;       ///< of the row in the data
    const Place* places;  ///< in the list
    const T* values;
    std::size_t size;
  };

  /// `column(k)`: the entries of the k-th column; one that takes no part has none. `kept` as in State.
  /// Cost: two passes over the entries, all threads.
  template <class Column>
  SparseRows(std::size_t rows, std::size_t columns, const Column& column, std::span<const std::uint8_t> kept,
             Chunks& chunks)
      : starts_(rows + 1, 0), ids_(rows) {
    const std::size_t pieces = (rows + kRowsPerPiece - 1) / kRowsPerPiece;
    const auto for_entries = [&](std::size_t piece, const auto& visit) {
      const std::size_t begin = piece * kRowsPerPiece, end = std::min(rows, begin + kRowsPerPiece);
      for (std::size_t k = 0; k < columns; ++k) {
        const SparseColumn<T> x = entries_in(column(k), begin, end);
        for (std::size_t e = 0; e < x.size; ++e) {
          if (kept.empty() || kept[x.rows[e]] != 0) visit(k, x.rows[e], x.values[e]);
        }
      }
    };
    std::vector<std::uint64_t> next(rows, 0);  // by row of the data: first its length, then where it goes on
    chunks.for_each(pieces, [&](std::size_t piece) {
      for_entries(piece, [&](std::size_t, std::uint32_t row, T) { ++next[row]; });
    });
    sort_by_length(next);
    for (std::size_t r = 0; r < rows; ++r) starts_[r + 1] = starts_[r] + next[ids_[r]];
    for (std::size_t r = 0; r < rows; ++r) next[ids_[r]] = starts_[r];
    places_ = std::make_unique_for_overwrite<Place[]>(starts_[rows]);
    values_ = std::make_unique_for_overwrite<T[]>(starts_[rows]);
    chunks.for_each(pieces, [&](std::size_t piece) {
      for_entries(piece, [&](std::size_t k, std::uint32_t row, T value) {
        const std::uint64_t at = next[row]++;
        places_[at] = static_cast<Place>(k);
        values_[at] = value;
      });
    });
  }

  /// The r-th row in this order: of the same block as the r-th row of the data.
  [[nodiscard]] Row row(std::size_t r) const {
    return {ids_[r], places_.get() + starts_[r], values_.get() + starts_[r],
            static_cast<std::size_t>(starts_[r + 1] - starts_[r])};
  }
  [[nodiscard]] std::uint64_t entries() const { return starts_.back(); }
  [[nodiscard]] std::size_t rows() const { return ids_.size(); }
  /// Where the first block begins before which there are at least so many entries.
  [[nodiscard]] std::size_t block_after(std::uint64_t entries) const {
    const std::size_t size = rows_of_block(rows());
    const auto at = std::lower_bound(starts_.begin(), starts_.end(), entries);
    return std::min(rows(), (static_cast<std::size_t>(at - starts_.begin()) + size - 1) / size * size);
  }

 private:
  static constexpr std::size_t kRowsPerPiece = 32768;  ///< their places to write fit into a cache

  /// Fills ids_. Cost: rows and the longest row.
  void sort_by_length(const std::vector<std::uint64_t>& lengths) {
    if (lengths.empty()) return;
    std::vector<std::uint64_t> begins(*std::max_element(lengths.begin(), lengths.end()) + 2, 0);
    for (const std::uint64_t length : lengths) ++begins[length + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::uint32_t> sorted(lengths.size());
    for (std::uint32_t i = 0; i < lengths.size(); ++i) sorted[begins[lengths[i]]++] = i;
    const std::size_t size = rows_of_block(lengths.size());
    std::vector<std::size_t> next;
    for (std::size_t begin = 0; begin < lengths.size(); begin += size) next.push_back(begin);
    for (const std::uint32_t i : sorted) ids_[next[i / size]++] = i;
  }

  std::vector<std::uint64_t> starts_;  ///< in that order
  std::vector<std::uint32_t> ids_;
  std::unique_ptr<Place[]> places_;
  std::unique_ptr<T[]> values_;
};

/// sum_e scales[place_e] value_e of a row of SparseRows. Four at a time: converting and multiplying is done for all of
/// them at once, only the look-ups are not.
template <class Row>
[[nodiscard, gnu::always_inline]] inline double row_dot(const Row& row, const double* scales) {
  double parts[4] = {0, 0, 0, 0};
  std::size_t e = 0;
  for (; e + 4 <= row.size; e += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      parts[k] += scales[row.places[e + k]] * static_cast<double>(row.values[e + k]);
    }
  }
  for (; e < row.size; ++e) parts[0] += scales[row.places[e]] * static_cast<double>(row.values[e]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/// sums[place_e] += factor value_e.
template <class Row>
[[gnu::always_inline]] inline void row_add(const Row& row, double factor, double* sums) {
  double products[4];
  std::size_t e = 0;
  for (; e + 4 <= row.size; e += 4) {
    for (std::size_t k = 0; k < 4; ++k) products[k] = factor * static_cast<double>(row.values[e + k]);
    for (std::size_t k = 0; k < 4; ++k) sums[row.places[e + k]] += products[k];
  }
  for (; e < row.size; ++e) sums[row.places[e]] += factor * static_cast<double>(row.values[e]);
}

}  // namespace strads
