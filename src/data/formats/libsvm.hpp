// The libsvm format: "label index:value index:value ... # comment", one sample a line. Layer: data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

struct LibsvmData {
  SparseEntries entries;       ///< row by row; column_count is the largest index
  std::vector<double> labels;  ///< one per row; NaN: missing
};

/// Reads libsvm text. Indices count from 1 and increase within a row. Rows without features are samples too; empty
/// lines and lines that hold only a comment are not.
/// Errors: StatusCode::input with path:line:column. Cost: one pass, about 40 ns a feature.
/// `memory`: bytes that may be used; 0: what the system says.
Result<LibsvmData> parse_libsvm(std::string_view text, const std::string& path, std::uint64_t memory = 0);

/// Error iff a libsvm text of this size may not have the index, which stands at this byte of it: its columns would take
/// memory that nobody meant.
Status check_libsvm_index(std::string_view text, const std::string& path, std::uint64_t index, std::size_t place);

/// True iff the text's first rows look like libsvm: a number, then only index:value words. False also when no row has
/// features. A first row that is broken does not hide what the others are, so that it can be named.
bool looks_like_libsvm(std::string_view text);

}  // namespace strads::data
