// Sparse matrices on their way from any order in a file to compressed columns. Layer: data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::data {

/// Most columns that a sparse reader accepts of `bytes` bytes of entries: a column costs some 60 bytes until a fit
/// ends, so one damaged index must not decide how much memory that is. The number of the largest column seldom exceeds
/// the bytes of the file, since most columns have an entry.
inline constexpr std::uint64_t kColumnsMax = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kColumnsOfAnyFile = std::uint64_t{1} << 20;
constexpr std::uint64_t columns_max(std::uint64_t bytes) {
  return std::clamp(bytes, kColumnsOfAnyFile, kColumnsMax);
}
/// What a message says behind the number that was found: the bound, its reason, what to do.
std::string expected_columns(std::uint64_t bytes);
/// Most rows of any format: row numbers are 32 bits.
inline constexpr std::uint64_t kRowsMax = 0xffff'fffe;

/// A missing entry: where it was written, for the message when missing entries are not wanted.
struct MissingPlace {
  std::uint32_t row = 0;     ///< row of X, from 0
  std::uint64_t line = 0;    ///< line of the text; 0: the format has no lines
  std::uint64_t column = 0;  ///< byte of the line, or the column of X from 1
};

/// "path:line:column: missing value ..." or, for binary formats, "path: row i, column j ...".
Status missing_entry(const std::string& path, const MissingPlace& place);

/// The entries of a sparse matrix in file order, zeros allowed. Entry e is (row, columns[e], values[e]).
struct SparseEntries {
  std::uint64_t row_count = 0;
  std::uint64_t column_count = 0;
  std::vector<std::uint64_t> row_starts;  ///< row_count + 1 offsets when entries lie row by row; else empty, and
  std::vector<std::uint32_t> rows;        ///< the row of each entry
  std::vector<std::uint32_t> columns;
  std::vector<double> values;         ///< NaN: missing
  std::vector<MissingPlace> missing;  ///< one for each NaN
  bool single_precision = false;      ///< the file's values are f32
};

/// Compressed columns: what Storage::sparse_f32 and sparse_f64 point to.
struct SparseColumns {
  std::vector<std::uint64_t> starts;  ///< column_count + 1
  std::vector<std::uint32_t> rows;    ///< strictly increasing within a column
  std::vector<float> f32;             ///< the values, when all of them are floats without loss; else
  std::vector<double> f64;            ///< the values
  std::uint64_t missing_imputed = 0;
};

/// Sorts entries into columns of the kept rows, renumbered. Stored zeros are left out.
///   kept: one flag per row
///   missing_mean: a missing entry becomes the mean of the column's other entries over the kept rows, zeros counted;
///                 with `weights`, one per kept row with a sum of their number, the weighted mean
/// Errors: an entry given twice; a missing entry in a kept row without missing_mean.
/// Cost: two passes over the entries, random writes.
Result<SparseColumns> to_columns(const SparseEntries& entries, std::span<const std::uint8_t> kept, bool missing_mean,
                                 const std::string& path, bool missing_stays = false,
                                 std::span<const double> weights = {});

}  // namespace strads::data
