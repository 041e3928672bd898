// How a text of ratings is laid out: separator, Matrix Market's first lines; fields of a line, and lines of plain ones.
#include <algorithm>
#include <iterator>

#include "data/formats/matrix_market.hpp"
#include "data/ratings/ratings_columns.hpp"
#include "data/ratings/ratings_ids.hpp"
#include "data/ratings/ratings_records.hpp"
#include "data/ratings/ratings_text.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kIdsMax = 0xfffffffe;

std::string_view separator_text(Separator separator) {
  switch (separator) {
    case Separator::tab:
      return "\t";
    case Separator::colons:
      return "::";
    case Separator::comma:
      return ",";
    case Separator::semicolon:
      return ";";
    case Separator::blanks:
      break;
  }
  return " ";
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

/// Writes the wanted fields of every record.
class Rewriter {
 public:
  Rewriter(const InputFile& source, const TextReading& reading, std::size_t wanted)
      : path_(source.path()),
        first_line_(static_cast<std::uint64_t>(
                        std::count(source.bytes().begin(),
                                   source.bytes().begin() + static_cast<std::ptrdiff_t>(reading.layout.begin), '\n')) +
                    1),
        records_(source.bytes().substr(reading.layout.begin), reading.layout.separator, reading.quotes, first_line_),
        separator_(reading.layout.separator),
        columns_(reading.columns),
        wanted_(wanted) {}

  Result<std::string> run() {
    out_.append(first_line_ - 1, '\n');
    while (records_.next()) {
      if (!records_.fields().empty()) {
        if (Status status = write(records_.fields()); !status.ok()) return status;
      }
      out_.append(records_.lines(), '\n');
    }
    if (!records_.error().empty()) return wrong_at(records_.error_place(), records_.error());
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kRating = 2;
  static constexpr const char* kSides[] = {"user", "item"};

  [[nodiscard]] Status wrong_at(const TextPlace& place, const std::string& what) const {
    return Status::input(at(path_, place.line, place.column) + what);
  }

  Status write(const RecordFields& fields) {
    const std::size_t least =
        *std::max_element(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(wanted_)) + 1;
    if (fields.size() < least) {
      return wrong_at(records_.end(), "the line ends after " + std::to_string(fields.size()) +
                                          (fields.size() == 1 ? " field" : " fields") + ", expected " +
                                          (least > wanted_ ? std::to_string(least) + ", among them " : "") +
                                          wanted_text(wanted_) + " separated by " + name_of(separator_));
    }
    for (std::size_t role = 0; role < wanted_; ++role) {
      const std::string_view field = trimmed(fields[columns_[role]]);
      float value = 0;
      std::string wrong = role == kRating ? read_rating(field, value) : wrong_id(field, kSides[role], 0);
      if (role != kRating && wrong.empty() && field.find('\t') != std::string_view::npos) {
        wrong = std::string(kSides[role]) + ' ' + in_quotes(field) + " has a tab, expected an id without";
      }
      if (!wrong.empty()) return wrong_at(records_.place_of(fields[columns_[role]]), wrong);
      if (role > 0) out_ += '\t';
      out_ += field;
    }
    return {};
  }

  const std::string& path_;
  std::uint64_t first_line_;
  RecordReader records_;
  Separator separator_;
  RatingsColumns columns_;
  std::size_t wanted_;
  std::string out_;
};

}  // namespace

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

Separator find_separator(std::string_view line, int fields) {
  for (const Separator separator : {Separator::tab, Separator::colons}) {
    if (split_line(line, separator).count >= fields) return separator;
  }
  const LineFields commas = split_line(line, Separator::comma), semicolons = split_line(line, Separator::semicolon);
  if (commas.count >= fields && semicolons.count >= fields) {
    const auto fits = [](const LineFields& of, char other) {
      float value = 0;
      return of.count < 3 || read_rating(of.field[2], value).empty() ||
             (!is_number(of.field[2]) && of.field[2].find(other) == std::string_view::npos);
    };
    const auto ids_have = [](const LineFields& of, char mark) {
      return of.field[0].find(mark) != std::string_view::npos || of.field[1].find(mark) != std::string_view::npos;
    };
    const bool by_ids = ids_have(commas, ';') && !ids_have(semicolons, ',');  // 1;11;4,0;5,5
    return fits(semicolons, ',') && (by_ids || !fits(commas, ';')) ? Separator::semicolon : Separator::comma;
  }
  if (commas.count >= fields) return Separator::comma;
  return semicolons.count >= fields ? Separator::semicolon : Separator::blanks;
}

std::string other_separator(std::string_view line, std::size_t fields) {
  struct Mark {
    char byte;
    const char* shown;
    const char* command;  ///< its argument of tr
  };
  constexpr Mark kMarks[] = {{'|', "'|'", "'|'"}, {'^', "'^'", "'^'"},           {'~', "'~'", "'~'"},
                             {':', "':'", ":"},   {'\x01', "byte 1", "'\\001'"}, {'\x1f', "byte 31", "'\\037'"}};
  const auto parts_line = [&](const Mark& mark) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), mark.byte)) + 1 >= fields;
  };
  const auto* const found = std::find_if(std::begin(kMarks), std::end(kMarks), parts_line);
  if (found == std::end(kMarks)) return {};
  const bool is_double = line.find(std::string(2, found->byte)) != std::string_view::npos;
  return std::string("the fields seem to be separated by ") + found->shown +
         ", which is not read; make tabs of it: tr " + (is_double ? "-s " : "") + found->command +
         " '\\t' < FILE > NEW";
}

const char* name_of(Separator separator) {
  switch (separator) {
    case Separator::tab:
      return "tabs";
    case Separator::colons:
      return "::";
    case Separator::comma:
      return "commas";
    case Separator::semicolon:
      return "semicolons";
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

Status refuse_others(std::string_view text, const std::string& path) {
  struct Magic {
    std::string_view bytes, is, advice;
  };
  constexpr std::string_view kCsv = "write it as CSV";
  constexpr Magic kMagics[] = {
      {"\xff\xfe", "UTF-16 (Excel's \"Unicode text\")", "save it as \"CSV UTF-8\""},
      {"\xfe\xff", "UTF-16", "save it as UTF-8"},
      {"PAR1", "a Parquet file", kCsv},
      {"ARROW1", "a Feather file", kCsv},
      {"\x89HDF", "an HDF5 file", kCsv},
      {"SQLite format 3", "an SQLite database", kCsv},
      {"\xd0\xcf\x11\xe0", "an Excel file (.xls)", "save it as \"CSV UTF-8\""},
      {"RDX3\n", "an .RData", "write.csv(ratings, FILE, row.names = FALSE)"},
      {"X\n", "an .rds", "write.csv(ratings, FILE, row.names = FALSE)"},
      {"\x93NUMPY", "a .npy", "numpy.savetxt, or scipy.sparse.save_npz of a sparse matrix"},
  };
  for (const Magic& magic : kMagics) {
    if (!text.starts_with(magic.bytes)) continue;
    return Status::input(path + ": is " + std::string(magic.is) + ", expected lines of user, item and rating; " +
                         std::string(magic.advice));
  }
  const std::string_view start = text.substr(byte_order_mark(text), 4096);
  if (text.starts_with("PK\x03\x04") && start.find("[Content_Types].xml") != std::string_view::npos) {
    return Status::input(path + ": is an Excel file (.xlsx), expected lines of user, item and rating; save it as " +
                         "\"CSV UTF-8\"");
  }
  const auto first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::string_view line = start.substr(first, start.find('\n', first) - first);
  const bool object = line.front() == '{' && line.find(':') != std::string_view::npos;
  const bool list = line.front() == '[' && (line.size() < 3 || line.find_first_of("{\"[", 1) != std::string_view::npos);
  if (object || list) {
    return Status::input(path + ": is JSON, expected lines of user, item and rating: write these as CSV (jq -r " +
                         "'[.user_id, .item_id, .rating] | @csv', with the names that it has)");
  }
  std::uint64_t number = 0;
  const std::string_view word = trimmed(line.substr(0, line.find('\r')));
  if (word.ends_with(':') && parse_count(word.substr(0, word.size() - 1), number)) {
    return Status::input(
        path + ": has its items on lines of their own, as the Netflix Prize has; expected user, item " +
        "and rating on each line: awk -F, '/:\\r?$/ {item = $0 + 0; next} {print $1 \",\" item \",\" $2}'");
  }
  return {};
}

Result<std::string> plain_lines(const InputFile& source, const TextReading& reading, std::size_t fields) {
  return Rewriter(source, reading, fields).run();
}

}  // namespace strads::data
