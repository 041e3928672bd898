// What happens to ratings between the file and the factorization: duplicates, hold-out, Triplets. Layer: data.
#pragma once

#include <cstdint>
#include <vector>

#include "data/ratings/ratings_pieces.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// Leaves one rating of each (user, item): the first place, with the value that `rule` says; the others become
/// Part::dropped. Returns how many those are.
/// Errors: input, when the rule is `refuse` and there is a pair with two ratings.
/// Cost: linear, about 20 ns a rating and thread; four bytes a rating on the way.
Result<std::uint64_t> resolve_duplicates(RatingsFile& file, Duplicates rule, Chunks& chunks);

/// Sets the parts of all ratings that are not dropped, by hash: docs/FORMATS.md, "Ratings". Cost: 10 ns a rating.
void hold_out(RatingsFile& file, const RatingsInput& input, Chunks& chunks);

/// All different values that are left, ascending; empty when there are more than 256.
std::vector<float> levels_of(const std::vector<const RatingsFile*>& files, Chunks& chunks);

/// Moves the ratings of each part behind one another, in the order of the file, and empties the pieces on the way.
///   levels: as levels_of says, or empty for values as floats
void collect(RatingsFile& file, const std::vector<float>& levels, Triplets (&parts)[kKeptParts], Chunks& chunks);

}  // namespace strads::data
