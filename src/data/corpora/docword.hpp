// UCI's bag of words: the numbers of documents, words and entries, a line each, then lines of document, word and count,
// numbered from 1. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// True iff the first three lines hold one whole number each.
bool looks_like_docword(std::string_view text);

struct DocwordSizes {
  std::uint64_t documents = 0, words = 0, entries = 0;
};
/// The three lines. Errors: input.
Result<DocwordSizes> docword_sizes(std::string_view text, const std::string& path);

/// Reads the whole file. Counts are checked by documents_of(). `memory`: bytes that may be used; 0: what the system
/// says. Errors: input with path:line:column. Cost: one pass, about 60 ns an entry.
Result<SparseEntries> parse_docword(std::string_view text, const std::string& path, std::uint64_t memory = 0);

}  // namespace strads::data
