// The Matrix Market exchange format (NIST): coordinate and array, real, integer and pattern, general. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// A parsed file: entries when it is `coordinate`, a full matrix when it is `array`.
struct MatrixMarket {
  bool coordinate = true;
  SparseEntries entries;      ///< coordinate; the counts are set for both
  std::vector<double> dense;  ///< array: row_count x column_count, column after column; NaN: missing
};

/// True iff the bytes start with %%MatrixMarket.
bool is_matrix_market(std::string_view bytes);

/// Reads the whole file. Counts in the size line are checked against the bytes that follow before anything is
/// allocated for them. Errors: StatusCode::input with path:line:column. Cost: one pass, about 60 ns an entry.
/// `memory`: bytes that may be used; 0: what the system says.
Result<MatrixMarket> parse_matrix_market(std::string_view text, const std::string& path, std::uint64_t memory = 0);

}  // namespace strads::data
