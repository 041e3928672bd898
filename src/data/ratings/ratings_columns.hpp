// Lines of ratings whose fields are quoted, or that have user, item and rating elsewhere than first. Layer: data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/files/mapped_file.hpp"
#include "data/ratings/ratings_text.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// A text that was written anew, as the readers of lines want it.
struct PlainLines {
  std::string text;  ///< user, tab, item, tab, rating; each on the line that it had, lines without a rating empty
  std::string note;  ///< which columns they are, when a header said so; else ""
};

/// Looks at the start of a text; nullopt: its first fields are what is wanted, as they stand there.
/// A header (the first line) that names columns is followed: user, item, rating and the like, in any place. Commas and
/// tabs: fields in double quotes are those of RFC 4180: they may hold separators, line ends and, doubled, quotes.
///   fields:    3 for ratings, 2 for pairs
///   has_quotes: fields are known to be quoted; else only a text with more columns than `fields` is searched for quotes
/// Errors: StatusCode::input with path:line:column: a header with a time where the rating should be, a quote that does
/// not end, text behind it, an id with a line end or a tab, and all that is wrong with a rating. Cost: where lines are
/// written anew, about 100 ns each and their text once more in memory; else nothing, or a search for a byte.
Result<std::optional<PlainLines>> plain_lines(const Source& source, int fields, bool has_quotes);

/// Whether it has a double quote where quotes mean something: an error of the lines may come from that.
bool may_be_quoted(const Source& source, const TextLayout& layout);

}  // namespace strads::data
