// How a text of ratings is laid out: separator, header, Matrix Market's first lines; fields of a line.
#include <algorithm>

#include "data/formats/matrix_market.hpp"
#include "data/formats/text.hpp"
#include "data/ratings/ratings_ids.hpp"
#include "data/ratings/ratings_text.hpp"

namespace strads::data {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::uint64_t kIdsMax = 0xfffffffe;

std::string_view separator_text(Separator separator) {
  switch (separator) {
    case Separator::tab:
      return "\t";
    case Separator::colons:
      return "::";
    case Separator::comma:
      return ",";
    case Separator::blanks:
      break;
  }
  return " ";
}

// Known names of the first two columns of a list of pairs.
bool names_sides(const LineFields& line) {
  const auto one_of = [](std::string_view field, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (same_word(field, name)) return true;
    }
    return false;
  };
  return one_of(line.field[0], {"user", "users", "userid", "user_id", "uid"}) &&
         one_of(line.field[1], {"item", "items", "itemid", "item_id", "iid", "movie", "movieid", "movie_id"});
}

bool is_text(std::string_view field) {
  double value = 0;
  return parse_number(field, value) == Number::text;
}

// Whether the first line names columns. Of pairs the third field is not read: it decides only together with the next.
bool is_header(const LineFields& line, LineReader rest, Separator separator, int fields) {
  const bool third_is_text = line.count == 3 && is_text(line.field[2]);
  if (fields == 3) return third_is_text;
  if (names_sides(line)) return true;
  std::string_view next;
  if (!third_is_text || !rest.next(next)) return false;
  const LineFields second = split_line(next, separator);
  return second.count == 3 && !second.field[2].empty() && !is_text(second.field[2]);
}

Status too_few(const std::string& path, std::uint64_t number, int fields) {
  return Status::input(at(path, number, 1) + "too few fields, expected " +
                       (fields == 3 ? "user, item and rating" : "user and item") +
                       " separated by commas, tabs, blanks or ::");
}

// --- Matrix Market ---

Result<TextLayout> market_layout(std::string_view text, const std::string& path) {
  LineReader lines(text);
  std::string_view line;
  lines.next(line);
  WordReader words(line);
  constexpr std::string_view kForm[] = {"%%MatrixMarket", "matrix", "coordinate", "real", "general"};
  for (const std::string_view expected : kForm) {
    std::string_view word;
    words.next(word);
    if (same_word(word, expected) || (expected == "real" && same_word(word, "integer"))) continue;
    return Status::input(at(path, 1, words.column() == 0 ? 1 : words.column()) + "found " + in_quotes(word) +
                         " in the first line, expected " + std::string(expected) +
                         "; ratings are 'matrix coordinate real general' or integer: a line for each rating");
  }
  while (lines.next(line)) {
    if (trimmed(line).empty() || line.front() == '%') continue;
    TextLayout layout;
    layout.market = true;
    layout.begin = lines.position();
    const LineFields sizes = split_line(line, Separator::blanks);
    std::uint64_t* const counts[] = {&layout.users, &layout.items, &layout.entries};
    for (int k = 0; k < 3; ++k) {
      if (parse_count(sizes.field[k], *counts[k]) && (k == 2 || *counts[k] <= kIdsMax)) continue;
      return Status::input(at(path, lines.number(), 1) + "found " + in_quotes(line) +
                           ", expected three counts: users, items, ratings");
    }
    return layout;
  }
  return Status::input(path + ": ends before the line with the sizes: the file is cut off; copy it again");
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

Separator find_separator(std::string_view line, int fields) {
  for (const Separator separator : {Separator::tab, Separator::colons, Separator::comma}) {
    if (split_line(line, separator).count >= fields) return separator;
  }
  return Separator::blanks;
}

std::size_t mark_length(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

const char* name_of(Separator separator) {
  switch (separator) {
    case Separator::tab:
      return "tabs";
    case Separator::colons:
      return "::";
    case Separator::comma:
      return "commas";
    case Separator::blanks:
      break;
  }
  return "blanks";
}

LineFields split_line(std::string_view line, Separator separator) {
  LineFields out;
  if (separator == Separator::blanks) {
    WordReader words(line);
    while (out.count < 3 && words.next(out.field[out.count])) ++out.count;
    return out;
  }
  const std::string_view mark = separator_text(separator);
  for (;;) {
    const std::size_t end = line.find(mark);
    out.field[out.count++] = trimmed(line.substr(0, end));
    if (end == std::string_view::npos || out.count == 3) return out;
    line.remove_prefix(end + mark.size());
  }
}

std::string wrong_id(std::string_view id, const char* side, std::uint64_t limit) {
  if (id.empty()) return std::string("empty ") + side + ", expected an id";
  if (id.front() == '"') {
    return std::string(side) + ' ' + in_quotes(id) + " starts with a quotation mark, expected one that does not";
  }
  if (id.size() > kIdBytesMax) {
    return std::string(side) + " of " + std::to_string(id.size()) + " bytes, expected at most " +
           std::to_string(kIdBytesMax);
  }
  // They would come out again as lines and columns of tables, or as commands to a terminal.
  if (std::any_of(id.begin(), id.end(), is_control)) {
    return std::string(side) + ' ' + in_quotes(id) + " has a control character, expected an id of printable ones";
  }
  std::uint64_t number = 0;
  if (limit == 0 || (parse_count(id, number) && id.front() != '0' && number <= limit)) return {};
  return std::string(side) + " number " + in_quotes(id) + ", expected 1 to " + std::to_string(limit) +
         " (Matrix Market counts from one)";
}

Result<TextLayout> find_layout(std::string_view text, const std::string& path, int fields) {
  if (is_matrix_market(text)) return market_layout(text, path);
  const std::size_t mark = mark_length(text);
  LineReader lines(text.substr(mark));
  TextLayout layout;
  std::string_view line;
  for (std::uint64_t before = 0; lines.next(line); before = lines.position()) {
    if (trimmed(line).empty()) continue;
    layout.separator = find_separator(line, fields);
    const LineFields found = split_line(line, layout.separator);
    if (found.count < fields) return too_few(path, lines.number(), fields);
    layout.begin = mark + (is_header(found, lines, layout.separator, fields) ? lines.position() : before);
    return layout;
  }
  return Status::input(path + ": is empty, expected a line with user, item" + (fields == 3 ? " and rating" : "") +
                       " for each " + (fields == 3 ? "rating" : "pair"));
}

}  // namespace strads::data
