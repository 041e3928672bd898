// Ratings that another program has in its memory. Layer: data.
#pragma once

#include <cstdint>

#include "data/ratings/ratings_pieces.hpp"

namespace strads::data {

/// As read_npz_ratings() of a COO matrix with these rows, columns and values: ids are their numbers from 0, in decimal,
/// or those that are given. Errors: input: lists of different lengths, none, a value that is not finite, an id that is
/// none. Cost: a copy, 9 bytes a rating.
Result<RatingsFile> take_ratings(const RatingsInMemory& ratings, std::uint64_t piece_ratings);

}  // namespace strads::data
