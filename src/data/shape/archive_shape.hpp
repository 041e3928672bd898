// Which arrays a .npz holds, without unpacking them. Layer: data. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// A sparse matrix as scipy.sparse.save_npz writes it.
struct ArchiveShape {
  std::string format;  ///< "csr", "csc", "coo"
  std::uint64_t rows = 0, columns = 0, entries = 0;
  std::uint64_t value_bytes = 0;  ///< of an entry in data.npy
  std::uint64_t index_bytes = 0;  ///< of an entry in indices.npy, row.npy and col.npy
  char value_kind = 'f';          ///< as NpyArray::kind
};
/// Errors: input: no such archive.
[[nodiscard]] Result<ArchiveShape> look_at_archive(std::string_view bytes, const std::string& path);

}  // namespace strads::data
