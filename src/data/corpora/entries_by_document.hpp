// Entries of a sparse matrix as documents. Layer: data.
#pragma once

#include <string>

#include "data/formats/sparse_columns.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"

namespace strads::data {

/// Zeros are left out, words sorted. `columns`: the documents are columns. Errors: input: a count that is missing,
/// negative, no whole number or above 2^32 - 1, a word twice in a document. Cost: two passes over the entries.
Result<Documents> documents_of(SparseEntries entries, bool columns, const std::string& path);

/// Counts tokens and empty documents. Errors: input: there is no document, or no token.
Status count_tokens(Documents& documents, const std::string& path);

}  // namespace strads::data
