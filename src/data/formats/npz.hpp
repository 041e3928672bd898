// Sparse matrices written by scipy.sparse.save_npz: CSR and CSC. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// True iff the bytes start like a zip archive.
bool is_zip(std::string_view bytes);

/// Reads the arrays format, shape, data, indices and indptr of a .npz. Offsets and indices are checked before they are
/// used; sizes in the archive are not believed beyond what deflate can reach.
/// `memory`: bytes that may be used; 0: what the system says.
/// Errors: StatusCode::input when damaged, cut off, too large for memory, or not a CSR or CSC matrix. Cost: unzips into
/// memory, one pass.
Result<SparseEntries> parse_npz(std::string_view bytes, const std::string& path, std::uint64_t memory = 0);

}  // namespace strads::data
