// Ratings as text: triplets on lines, and the coordinate form of Matrix Market. Layer: data.
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
enum class Separator : std::uint8_t { tab, colons, comma, blanks };

/// What the start of a file says about the lines that follow.
struct TextLayout {
  Separator separator = Separator::blanks;
  std::uint64_t begin = 0;  ///< of the first line with data, bytes
  bool market = false;      ///< Matrix Market: ids are numbers from 1, lines with % are comments
  std::uint64_t users = 0, items = 0, entries = 0;  ///< market: what the line of sizes says
};

/// The first fields of a line, without blanks around them.
struct LineFields {
  std::string_view field[3];
  int count = 0;  ///< at most 3; an empty field at the end of the line counts
};
LineFields split_line(std::string_view line, Separator separator);

/// The first of tab, ::, comma and blanks that makes so many fields of a line; blanks when none does.
Separator find_separator(std::string_view line, int fields);

/// Bytes of the mark that some programs write before UTF-8.
std::size_t mark_length(std::string_view text);

/// Looks at the first lines. The separator is the first of tab, ::, comma and blanks that makes `fields` fields of the
/// first line that is not empty.
///   fields: 3 for ratings, 2 for pairs
/// Errors: StatusCode::input: nothing there, too few fields, a Matrix Market banner of another kind.
Result<TextLayout> find_layout(std::string_view text, const std::string& path, int fields);

/// The message for an id that cannot be one, or empty. `side`: "user" or "item"; limit: largest number in a Matrix
/// Market file, 0 elsewhere.
std::string wrong_id(std::string_view id, const char* side, std::uint64_t limit);

/// Reads a rating. The message for one that is no finite float, or empty.
std::string read_rating(std::string_view field, float& value);

/// "commas", "tabs", ... for messages.
const char* name_of(Separator separator);

/// Reads triplets. Pieces are cut at the line ends that follow multiples of piece_bytes.
/// Errors: StatusCode::input with path:line:column of the first line that is wrong.
/// Cost: one pass, about 25 ns a line and thread; 9 bytes a rating and 12 an id of each piece.
Result<RatingsFile> read_text_ratings(const Source& source, std::uint64_t piece_bytes, Chunks& chunks,
                                      SharedProgress& progress);

/// Size of a piece for a file of `size` bytes: at least 16 MiB, since every piece lists its ids, at most 64 pieces.
std::uint64_t ratings_piece_bytes(std::uint64_t size);

}  // namespace strads::data
