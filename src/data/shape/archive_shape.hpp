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

/// What of a matrix of ratings only its entries say.
struct RatingEntries {
  std::uint64_t rows = 0, columns = 0;  ///< that have entries
  bool has_levels = false;              ///< few different values, as far as the first of them tell
};
/// Unpacks up to `bytes_max` of each of the two arrays of indices: of longer ones at least so many lines. Where they
/// are damaged or in another order of bytes, at the most so many. Cost: some 4 ns a byte that is unpacked.
[[nodiscard]] RatingEntries look_at_ratings(std::string_view bytes, const ArchiveShape& shape, std::uint64_t bytes_max);

}  // namespace strads::data
