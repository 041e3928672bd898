// How a text of ratings or pairs is read: its separator, header, comments, quotes, and which columns are wanted.
// Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/ratings/ratings_text.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// What is wanted of a text.
struct WantedFields {
  std::size_t fields = 3;  ///< 3: user, item and rating; 2: user and item
  std::string columns{};   ///< --columns: names or numbers from 1, separated by commas; "": the header says
  /// Pairs: --columns of the fit whose model is asked, for want of one's own.
  std::string columns_of_fit{};
};

/// How that is done.
struct TextReading {
  TextLayout layout;  ///< `begin`: of the first line behind the header
  std::array<std::size_t, 3> columns{0, 1, 2};
  bool as_it_is = true;     ///< the first fields of each line are what is wanted, as they stand there
  bool has_header = false;  ///< something names the columns
  bool quotes = false;      ///< fields in double quotes are those of RFC 4180
  std::string note{};       ///< which columns they are, where that is not plain; else ""
};

/// Looks at the start of a text. A header names the columns in any place and case, by the names that the field uses
/// (ratings_names.hpp); it may stand behind the mark of a comment, and lack the name of R's row names. RatingsColumns
/// of times and of row numbers are never taken for what no name is known of.
///   has_quotes: fields are known to be quoted; else only a text with more columns than wanted is searched for quotes
/// Errors: StatusCode::input with path:line:column: nothing there, too few fields, columns that could be several things
/// (which --columns decides), no text of triplets (JSON, UTF-16, Parquet and others). Cost: of 100 lines, or a search
/// for a byte.
Result<TextReading> find_reading(const InputFile& source, const WantedFields& wanted, bool has_quotes);

/// 3: lines have ratings; 2: they have none, or nobody reads them, so that each counts 1. Where the third column is
/// optional, two --columns say that there is none; without --columns it is 2 where only so the start can be read.
/// Matrices: 3. Cost: as find_reading().
std::size_t fields_wanted(const InputFile& source, const std::string& columns, ThirdColumn third);

/// The wanted fields as the readers of lines want them: user, tab, item, tab, rating; each on the line that it had,
/// other lines empty. REQUIRES: !reading.as_it_is.
/// Errors: StatusCode::input with path:line:column: a quote that does not end, text behind it, an id with a line end or
/// a tab, and all that is wrong with a rating. Cost: about 100 ns a line and the text once more in memory.
Result<std::string> plain_lines(const InputFile& source, const TextReading& reading, std::size_t fields);

/// The layout of that text.
[[nodiscard]] inline TextLayout plain_layout() {
  TextLayout layout;
  layout.separator = Separator::tab;
  layout.comments = false;
  return layout;
}

/// Whether it has a double quote where quotes mean something: an error of the lines may come from that.
bool may_be_quoted(const InputFile& source, const TextLayout& layout);

/// Reads the lines as they stand there or, where that cannot be, as plain_lines() has them.
///   read:  of a file and its layout: what is read, a Result
///   noted: of that and of how it was read: the same with what is to be said of it
template <class Read, class Noted>
auto read_lines(const InputFile& source, const WantedFields& wanted, const Read& read, const Noted& noted)
    -> decltype(read(source, TextLayout())) {
  auto reading = find_reading(source, wanted, false);
  if (!reading.ok()) return reading.status();
  if (reading.value().as_it_is) {
    auto found = read(source, reading.value().layout);
    if (found.ok() || !may_be_quoted(source, reading.value().layout)) return noted(std::move(found), reading.value());
    reading = find_reading(source, wanted, true);
    if (!reading.ok()) return reading.status();
    if (reading.value().as_it_is) return found;  // its quotes enclose so much that no line has all fields
  }
  STRADS_ASSIGN_OR_RETURN(auto plain, plain_lines(source, reading.value(), wanted.fields));
  return noted(read(source.with_text(std::move(plain)), plain_layout()), reading.value());
}

}  // namespace strads::data
