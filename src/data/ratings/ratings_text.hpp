// Ratings as text: triplets on lines, and the coordinate form of Matrix Market. Layer: data.
//
// Why they are not read by Table (formats/table.hpp), as all other tables are. Table keeps where each row begins, 8
// bytes a row, as much as a rating takes in memory in all. It wants a header, and in every row as many fields as that
// has; one row is one line. One thread reads it, a column a pass, at 40 ns a number. A file of ratings has up to 1e9
// lines, seldom a header, :: between fields, comments, further fields on some lines, line ends and escapes in quotes.
// All threads read its pieces in one pass, at 25 ns a line. One class for both would hold two readers. What they share
// is in text/text.hpp: what a line, a word, a number, a missing value and a byte order mark are, and how messages say
// where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/files/mapped_file.hpp"
#include "data/ratings/ratings_pieces.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// What stands between the fields of a line. Blanks: any run of blanks and tabs.
enum class Separator : std::uint8_t { tab, colons, comma, semicolon, blanks };

/// What the start of a file says about the lines that follow.
struct TextLayout {
  Separator separator = Separator::blanks;
  std::uint64_t begin = 0;  ///< of the first line with data, bytes
  bool comments = true;     ///< lines may be comments: is_comment()
  bool market = false;      ///< Matrix Market: ids are numbers from 1, all lines with % are comments
  bool pairs = false;       ///< user and item alone, which count 1
  std::uint64_t users = 0, items = 0, entries = 0;  ///< market: what the line of sizes says
};

/// A line that begins with `#` or `%` and then has a blank, the same mark, or nothing: `#metoo` may be an id.
[[nodiscard]] inline bool is_comment(std::string_view line) {
  if (line.empty() || (line[0] != '#' && line[0] != '%')) return false;
  return line.size() == 1 || line[1] == ' ' || line[1] == '\t' || line[1] == '\r' || line[1] == line[0];
}

/// Whether the line holds no data.
[[nodiscard]] inline bool is_passed_over(const TextLayout& layout, std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || (layout.market && line.front() == '%') ||
         (layout.comments && is_comment(line));
}

/// The first fields of a line, without blanks around them.
struct LineFields {
  std::string_view field[3];
  int count = 0;  ///< at most 3; an empty field at the end of the line counts
};
LineFields split_line(std::string_view line, Separator separator);

/// The first of tab, ::, comma, semicolon and blanks that makes so many fields of a line; blanks when none does.
/// Between comma and semicolon the one that makes a number of the third field (of a header: a third field without the
/// other).
Separator find_separator(std::string_view line, int fields);

/// Where a mark that nobody reads as a separator parts a line into so many fields or more ('|' of u1|i1|3 and of tables
/// in Markdown, '^', '~', a single ':', Hive's byte 1): which one, and the command that makes tabs of it; else "".
std::string other_separator(std::string_view line, std::size_t fields);

/// Whether double quotes around fields of such lines mean something.
[[nodiscard]] constexpr bool is_quotable(Separator separator) {
  return separator != Separator::colons;
}

/// Error for what is known to be no text of triplets: UTF-16, Parquet, Excel, JSON, the files of the Netflix Prize, ...
Status refuse_others(std::string_view text, const std::string& path);

/// Of a Matrix Market file. Errors: StatusCode::input: a banner of another kind, no sizes.
Result<TextLayout> market_layout(std::string_view text, const std::string& path);

/// The message for an id that cannot be one, or empty. `side`: "user" or "item"; limit: largest number in a Matrix
/// Market file, 0 elsewhere.
std::string wrong_id(std::string_view id, const char* side, std::uint64_t limit);

/// Reads a rating. The message for one that is no finite float, or empty. A decimal comma is one where the separator is
/// none (read_rating() is asked about single fields): 3,5, but not 1,000, which may be a thousand.
std::string read_rating(std::string_view field, float& value);

/// "commas", "tabs", ... for messages.
const char* name_of(Separator separator);

struct WantedFields;

/// Reads triplets. Pieces are cut at the line ends that follow multiples of piece_bytes.
/// Errors: StatusCode::input with path:line:column of the first line that is wrong.
/// Cost: one pass, about 25 ns a line and thread; 9 bytes a rating and 12 an id of each piece.
Result<RatingsFile> read_text_ratings(const InputFile& source, const WantedFields& wanted, std::uint64_t piece_bytes,
                                      Chunks& chunks, SharedProgress& progress);

/// Size of a piece for a file of `size` bytes: at least 16 MiB, since every piece lists its ids, at most 64 pieces.
std::uint64_t ratings_piece_bytes(std::uint64_t size);

}  // namespace strads::data
