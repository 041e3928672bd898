// Some sparse columns, packed row by row. Layer: model. Pure, private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/columns_sparse.hpp"
#include "model/columns_state.hpp"
#include "strads/chunks.hpp"

namespace strads {

/// A copy of the entries of a list of sparse columns, in order of rows; in each row in order of the list. Rows that are
/// no samples are empty. Twelve bytes an entry at most.
template <class T>
class SparseRows {
 public:
  struct Row {
    const std::uint32_t* places;  ///< in the list
    const T* values;
    std::size_t size;
  };

  /// `column(k)`: the entries of the k-th column; one that takes no part has none. `kept` as in State.
  /// Cost: two passes over the entries, all threads.
  template <class Column>
  SparseRows(std::size_t rows, std::size_t columns, const Column& column, std::span<const std::uint8_t> kept,
             Chunks& chunks)
      : starts_(rows + 1, 0) {
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
    chunks.for_each(pieces, [&](std::size_t piece) {
      for_entries(piece, [&](std::size_t, std::uint32_t row, T) { ++starts_[std::size_t{row} + 1]; });
    });
    for (std::size_t i = 0; i < rows; ++i) starts_[i + 1] += starts_[i];
    places_ = std::make_unique_for_overwrite<std::uint32_t[]>(starts_[rows]);
    values_ = std::make_unique_for_overwrite<T[]>(starts_[rows]);
    chunks.for_each(pieces, [&](std::size_t piece) {
      const std::size_t begin = piece * kRowsPerPiece, end = std::min(rows, begin + kRowsPerPiece);
      std::vector<std::uint64_t> next(starts_.data() + begin, starts_.data() + end);
      for_entries(piece, [&](std::size_t k, std::uint32_t row, T value) {
        const std::uint64_t at = next[row - begin]++;
        places_[at] = static_cast<std::uint32_t>(k);
        values_[at] = value;
      });
    });
  }

  [[nodiscard]] Row row(std::size_t i) const {
    return {places_.get() + starts_[i], values_.get() + starts_[i],
            static_cast<std::size_t>(starts_[i + 1] - starts_[i])};
  }
  [[nodiscard]] std::uint64_t entries() const { return starts_.back(); }

 private:
  static constexpr std::size_t kRowsPerPiece = 32768;  ///< their places to write fit into a cache

  std::vector<std::uint64_t> starts_;
  std::unique_ptr<std::uint32_t[]> places_;
  std::unique_ptr<T[]> values_;
};

}  // namespace strads
