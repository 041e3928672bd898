// Ratings as a sparse matrix written by scipy.sparse.save_npz. Layer: data.
#pragma once

#include <cstdint>

#include "data/files/mapped_file.hpp"
#include "data/ratings/ratings_pieces.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// Reads a CSR, CSC or COO matrix: users are rows, items columns, ids their numbers from 0, in decimal. Entries that
/// are stored are ratings, also zeros. The arrays are unpacked in a stream, up to three at the same time.
///   piece_ratings: ratings of a piece
/// Errors: StatusCode::input when damaged, cut off, of another format, or a value is not finite.
/// Cost: unpacking; 9 bytes a rating and 8 bytes a row or column.
Result<RatingsFile> read_npz_ratings(const InputFile& source, std::uint64_t piece_ratings, Chunks& chunks,
                                     SharedProgress& progress);

}  // namespace strads::data
