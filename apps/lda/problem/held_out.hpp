// Documents that are not learned from, and their halves: what perplexity by completion is measured with. Pure.
#pragma once

#include <cstdint>

#include "strads/data/documents.hpp"

namespace strads::lda {

/// Some documents, and the others, in their order.
struct DocumentParts {
  Documents kept, held_out;
};
/// Documents are held out by a hash of (seed, number of the document). Words have the same numbers in both;
/// documents without a name are called by their number.
[[nodiscard]] DocumentParts hold_out(const Documents& documents, double share, std::uint64_t seed);

/// Two halves of the tokens of each document, by a hash of (seed, document, token).
struct DocumentHalves {
  Documents seen, asked;
};
[[nodiscard]] DocumentHalves halves_of(const Documents& documents, std::uint64_t seed);

}  // namespace strads::lda
