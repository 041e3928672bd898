#include "data/formats/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "strads/base/nearest_name.hpp"

namespace strads::data {

namespace {

constexpr int kRowsLookedAt = 8;  // for the delimiter

std::size_t count_fields(std::string_view line, char delimiter) {
  FieldReader reader(line, delimiter);
  std::size_t fields = 0;
  for (std::string_view field; reader.next(field);) ++fields;
  return fields;
}

// What may separate fields, outside of quotes.
struct Separators {
  std::size_t tabs = 0, semicolons = 0, commas = 0, blanks = 0;
};

Separators separators_in(std::string_view line) {
  bool inside = false;
  Separators out;
  for (const char c : line) {
    if (c > ';') continue;  // most letters
    if (c == '"') inside = !inside;
    if (inside) continue;
    out.tabs += c == '\t' ? 1 : 0;
    out.semicolons += c == ';' ? 1 : 0;
    out.commas += c == ',' ? 1 : 0;
    out.blanks += c == ' ' ? 1 : 0;
  }
  return out;
}

bool is_iid(std::string_view name) {
  return name == "IID" || name == "#IID";
}

bool has_iid(std::string_view line, char delimiter) {
  FieldReader reader(line, delimiter);
  for (std::string_view field; reader.next(field);) {
    if (is_iid(field)) return true;
  }
  return false;
}

// A field of tabs that holds several numbers with blanks between them.
bool has_numbers_in_one_field(std::string_view line) {
  FieldReader fields(line, '\t');
  for (std::string_view field; fields.next(field);) {
    WordReader words(field);
    std::size_t count = 0, numbers = 0;
    for (std::string_view word; words.next(word); ++count) numbers += is_number(word) ? 1 : 0;
    if (count > 1 && numbers == count) return true;
  }
  return false;
}

// Rows that were edited by hand mix tabs and blanks: then the numbers of words agree, and those of tabs do not, or
// tabs alone would put IID or two numbers into one field with something else.
bool mixes_tabs_and_blanks(std::string_view header, LineReader rows) {
  std::size_t tabs = 0, words = 0;  // of the header, once a row has both
  const bool header_has_blanks = header.find(' ') != std::string_view::npos;
  bool fits_tabs = true, fits_words = true, has_several = false;
  int looked_at = 0;
  for (std::string_view line; looked_at < kRowsLookedAt && rows.next(line);) {
    if (trimmed(line).empty()) continue;
    ++looked_at;
    if (!header_has_blanks && line.find(' ') == std::string_view::npos) continue;  // tabs alone
    if (words == 0) {
      tabs = count_fields(header, '\t');
      words = count_fields(header, ' ');
    }
    fits_tabs = fits_tabs && count_fields(line, '\t') == tabs;
    fits_words = fits_words && count_fields(line, ' ') == words;
    has_several = has_several || has_numbers_in_one_field(line);
    if (!fits_words) return false;
  }
  const bool hides_iid = header_has_blanks && has_iid(header, ' ') && !has_iid(header, '\t');
  return looked_at > 0 && (!fits_tabs || hides_iid || has_several);
}

char find_delimiter(std::string_view header, LineReader rows) {
  const Separators names = separators_in(header);
  if (names.tabs > 0) return mixes_tabs_and_blanks(header, rows) ? ' ' : '\t';
  if (std::string_view row; names.semicolons > 0 && rows.next(row)) {  // names of variants may hold semicolons
    const Separators values = separators_in(row);
    const bool fits_commas = names.commas > 0 && values.commas == names.commas;
    if (values.semicolons == names.semicolons && !fits_commas) return ';';
  }
  return names.commas > 0 || names.blanks == 0 ? ',' : ' ';
}

const char* name_of_delimiter(char delimiter) {
  return delimiter == ',' ? "commas" : delimiter == '\t' ? "tabs" : delimiter == ';' ? "semicolons" : "blanks";
}

// Texts that are no lines of bytes with '\n' at their ends.
Status check_encoding(std::string_view text, const std::string& path) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Status::input(path + ": is UTF-16 (a spreadsheet's 'Unicode text'), expected UTF-8; save it as 'CSV UTF-8'");
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return Status::input(path + ": byte " + std::to_string(zero) + " is zero, expected text (is it binary?)");
  }
  const std::size_t end = text.find('\n');
  const std::size_t carriage = text.substr(0, end).find('\r');
  if (carriage != std::string_view::npos && carriage + 1 < std::min(end, text.size())) {
    return Status::input(at(path, 1, carriage + 1) +
                         "a carriage return inside the first line, expected lines that end with \\n or \\r\\n; save it "
                         "as CSV UTF-8, or put tr '\\r' '\\n' before it");
  }
  return {};
}

// Lines with which some programs begin or interrupt a table.
bool begins_like_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%');
}

std::string unescaped(std::string_view field) {
  std::string out(field);
  for (std::size_t i = out.find("\"\""); i != std::string::npos; i = out.find("\"\"", i + 1)) out.erase(i, 1);
  return out;
}

// Names 0, 1, 2, ... or 1, 2, 3, ... are what pandas and R write for columns without names.
bool counts_up(const std::vector<std::string>& header) {
  std::uint64_t first = 0;
  if (header.size() < 3 || !parse_count(header[0], first) || first > 1) return false;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] != std::to_string(first + i)) return false;
  }
  return true;
}

bool all_numbers(const std::vector<std::string>& header) {
  double value = 0;
  return std::all_of(header.begin(), header.end(),
                     [&](const std::string& name) { return parse_number(name, value) == Number::value; });
}

}  // namespace

bool FieldReader::next(std::string_view& field) {
  if (ended_) return false;
  if (delimiter_ == ' ') {
    while (position_ < line_.size() && (line_[position_] == ' ' || line_[position_] == '\t')) ++position_;
    if (position_ == line_.size()) return false;
  }
  const bool quotes = position_ < line_.size() && line_[position_] == '"';
  column_ = position_ + 1;
  if (quotes) return next_quoted(field);
  const char* begin = line_.data() + position_;
  const char* last = line_.data() + line_.size();
  const char* end = begin;
  if (delimiter_ == ' ') {
    while (end != last && *end != ' ' && *end != '\t') ++end;
  } else {
    while (end != last && *end != delimiter_) ++end;
  }
  field = std::string_view(begin, static_cast<std::size_t>(end - begin));
  if (delimiter_ != ' ') field = trimmed(field);
  ended_ = end == last;
  position_ = static_cast<std::size_t>(end - line_.data()) + 1;
  return true;
}

bool FieldReader::next_quoted(std::string_view& field) {
  std::size_t end = position_ + 1;
  for (;; ++end) {
    if (end >= line_.size()) {
      broken_quotes_ = ended_ = true;
      return false;
    }
    if (line_[end] != '"') continue;
    if (end + 1 >= line_.size() || line_[end + 1] != '"') break;
    ++end;  // a doubled quote
  }
  field = line_.substr(position_ + 1, end - position_ - 1);
  position_ = end + 1;
  ended_ = position_ == line_.size();
  if (!ended_ && line_[position_] != delimiter_) {
    broken_quotes_ = ended_ = true;
    return false;
  }
  ++position_;
  return true;
}

Result<Table> Table::parse(std::string_view text, std::string path) {
  Table table;
  table.path_ = std::move(path);
  table.text_ = text;
  if (text.empty()) return Status::input(table.path_ + ": is empty, expected a table with a header line");
  if (Status encoding = check_encoding(text, table.path_); !encoding.ok()) return encoding;
  LineReader lines = LineReader::of_file(text);
  std::string_view first;
  lines.next(first);
  table.delimiter_ = find_delimiter(first, lines);
  if (Status status = table.read_header(first); !status.ok()) return status;
  if (Status status = table.index_rows(lines); !status.ok()) return status;
  if (Status status = table.check_first_row(first); !status.ok()) return status;
  return table;
}

Result<Table> Table::parse_for_plink(std::string_view text, std::string path, std::string_view prefix) {
  LineReader lines = LineReader::of_file(text);
  std::string_view first;
  std::vector<std::string_view> fields;
  LineReader rest = lines;
  char delimiter = ' ';
  if (lines.next(first)) {
    rest = lines;
    delimiter = find_delimiter(first, lines);
    FieldReader reader(first, delimiter);
    for (std::string_view field; reader.next(field);) fields.push_back(field);
  }
  const auto is_no_name = [](std::string_view field) { return is_number(field) && !field.empty(); };
  const bool has_ids = has_iid(first, delimiter) || std::find(fields.begin(), fields.end(), "FID") != fields.end() ||
                       (!fields.empty() && (fields[0] == "#FID" || begins_like_comment(fields[0])));
  if (has_ids || fields.size() < 3 || !std::all_of(fields.begin() + 2, fields.end(), is_no_name)) {
    return parse(text, std::move(path));
  }
  Table table;
  table.path_ = std::move(path);
  table.text_ = text;
  table.delimiter_ = delimiter;
  table.has_header_ = false;
  if (Status encoding = check_encoding(text, table.path_); !encoding.ok()) return encoding;
  table.header_ = {"FID", "IID"};
  for (std::size_t k = 2; k < fields.size(); ++k) table.header_.push_back(std::string(prefix) + std::to_string(k - 1));
  LineReader all = LineReader::of_file(text);
  if (Status status = table.index_rows(all); !status.ok()) return status;
  return table;
}

Status Table::read_header(std::string_view first_line) {
  FieldReader reader(first_line, delimiter_);
  for (std::string_view field; reader.next(field);) {
    if (field.empty()) {
      return Status::input(at(path_, 1, reader.column()) + "column " + std::to_string(header_.size() + 1) +
                           " has no name in the header; name it, or write the table without row names "
                           "(R: row.names=FALSE, pandas: index=False)");
    }
    header_.push_back(unescaped(field));
  }
  if (reader.broken_quotes()) return Status::input(at(path_, 1, reader.column()) + "quotes that do not end the field");
  if (header_.empty()) return Status::input(at(path_, 1, 1) + "empty line, expected a header with column names");
  if (all_numbers(header_) && !counts_up(header_)) {
    return Status::input(at(path_, 1, 1) + "the first line holds numbers only (" + in_quotes(header_[0]) +
                         " first), expected a header with column names; add one");
  }
  return {};
}

Status Table::index_rows(LineReader& lines) {
  starts_.push_back(lines.position());
  std::size_t rows = 0;  // up to the last line that is not empty
  Status odd;            // of a line that may be one of the empty ones at the end
  for (std::string_view line; lines.next(line);) {
    starts_.push_back(lines.position());
    const char first = line.empty() ? ' ' : line.front();
    if (first == ' ' && (line.empty() || (header_.size() > 1 && trimmed(line).empty()))) {
      if (odd.ok()) odd = check_odd_line(line, lines.number());
      continue;
    }
    if (!odd.ok()) return odd;
    if (first == '#' || first == '%') {
      if (Status status = check_odd_line(line, lines.number()); !status.ok()) return status;
    }
    rows = starts_.size() - 1;
  }
  if (rows == 0) return Status::input(path_ + ": has a header and no rows, expected at least one row");
  starts_.resize(rows + 1);
  return {};
}

// A line that is empty or begins like a comment; of one column an empty line is a missing value.
Status Table::check_odd_line(std::string_view line, std::uint64_t number) const {
  if (header_.size() == 1 || count_fields(line, delimiter_) == header_.size()) return {};
  const std::string expected =
      ", expected " + std::to_string(header_.size()) + " fields" + (has_header_ ? " as in the header" : "");
  if (begins_like_comment(line)) {
    return Status::input(at(path_, number, 1) + "a line that begins with " + in_quotes(line.substr(0, 1)) + expected +
                         "; comments are not read: remove it");
  }
  if (!trimmed(line).empty()) return {};  // a row
  return Status::input(at(path_, number, 1) + "an empty line between rows" + expected +
                       "; remove it (a missing value is written NA)");
}

// Where header and first row differ the header is mostly none, or lacks the name of the row names.
Status Table::check_first_row(std::string_view first_line) const {
  const std::size_t fields = count_fields(line(0), delimiter_);
  if (first_line.starts_with("# ")) {
    return Status::input(at(path_, 1, 1) +
                         "the first line begins with '# ', as comments do, expected the names of the columns alone; "
                         "remove the line, or these two characters (numpy.savetxt: comments='')");
  }
  if (fields == header_.size()) return {};
  if (begins_like_comment(first_line)) {
    return Status::input(at(path_, 1, 1) + "the first line begins with " + in_quotes(first_line.substr(0, 1)) +
                         " and has " + std::to_string(header_.size()) + " fields, the second " +
                         std::to_string(fields) + ": a comment is no header; remove it");
  }
  FieldReader reader = row(0);
  for (std::string_view field; reader.next(field);) {
  }
  Status wrong = ragged(0, fields, reader);
  if (reader.broken_quotes()) return wrong;
  if (fields == header_.size() + 1) {
    return Status::input(wrong.message() +
                         "; if the first are row names, write the table without them (R: row.names = FALSE)");
  }
  if (header_.size() == 1) {
    return Status::input(wrong.message() + "; the first line is " + in_quotes(first_line) +
                         ", expected the names of the columns in it");
  }
  return wrong;
}

std::string_view Table::line(std::uint64_t row) const {
  std::string_view line = text_.substr(starts_[row], starts_[row + 1] - starts_[row]);
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Result<std::size_t> Table::find(std::string_view name, std::string_view option) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) {
    std::string known;
    for (std::size_t i = 0; i < header_.size() && i < 10; ++i) known += (i == 0 ? "" : ", ") + header_[i];
    constexpr std::size_t kLettersMin = 3;  // every name of fewer is near to every other
    const bool is_list = name.find(',') != std::string_view::npos;
    const std::string near = is_list || name.size() < kLettersMin ? "" : nearest_name(name, header_);
    const std::string hint = is_list ? "; only lasso path and lasso cv take several names, the others want one at a "
                                       "time. The "
                             : near.empty() ? "; the "
                                            : ", did you mean " + in_quotes(near) + "? The ";
    return Status::input(at(path_, 1, 1) + "no column " + in_quotes(name) + " (" + std::string(option) + ")" + hint +
                         std::to_string(header_.size()) + " columns are " + known +
                         (header_.size() > 10 ? ", ..." : ""));
  }
  if (std::find(found + 1, header_.end(), name) != header_.end()) {
    return Status::input(at(path_, 1, 1) + "two columns are called " + in_quotes(name) + " (" + std::string(option) +
                         "); rename one");
  }
  return static_cast<std::size_t>(found - header_.begin());
}

Status Table::ragged(std::uint64_t row, std::uint64_t fields, const FieldReader& reader) const {
  if (reader.broken_quotes()) {
    return Status::input(at(path_, line_number(row), reader.column()) + "quotes that do not end the field");
  }
  return Status::input(at(path_, line_number(row), 1) + std::to_string(fields) + " fields, expected " +
                       std::to_string(header_.size()) + (has_header_ ? " as in the header" : " as in the first line") +
                       " (fields are separated by " + name_of_delimiter(delimiter_) + ")");
}

Status Table::check_width(std::uint64_t row_number) const {
  FieldReader reader = row(row_number);
  std::uint64_t fields = 0;
  for (std::string_view field; reader.next(field);) ++fields;
  return fields == header_.size() && !reader.broken_quotes() ? Status{} : ragged(row_number, fields, reader);
}

template <class Visit>
Status Table::each_field(std::size_t column, Visit&& visit) const {
  for (std::uint64_t i = 0; i < rows(); ++i) {
    FieldReader reader = row(i);
    std::size_t fields = 0;
    for (std::string_view field; reader.next(field); ++fields) {
      if (fields != column) continue;
      if (Status status = visit(i, field, reader); !status.ok()) return status;
    }
    if (fields != header_.size() || reader.broken_quotes()) return ragged(i, fields, reader);
  }
  return {};
}

Result<std::vector<std::string_view>> Table::texts(std::size_t column) const {
  std::vector<std::string_view> out(rows());
  Status read = each_field(column, [&](std::uint64_t i, std::string_view field, const FieldReader&) {
    out[i] = field;
    return Status();
  });
  return read.ok() ? Result<std::vector<std::string_view>>(std::move(out)) : read;
}

Result<std::vector<double>> Table::numbers(std::size_t column, MinusNine minus_nine) const {
  std::vector<double> out(rows());
  Status read = each_field(column, [&](std::uint64_t i, std::string_view field, const FieldReader& reader) {
    const Number kind = parse_number(field, out[i]);
    if (kind == Number::text || kind == Number::not_finite) {
      return Status::input(at(path_, line_number(i), reader.column()) + not_a_number(kind, field) + " in column " +
                           in_quotes(header_[column]));
    }
    if (minus_nine == MinusNine::missing && out[i] == -9) out[i] = std::nan("");
    return Status();
  });
  return read.ok() ? Result<std::vector<double>>(std::move(out)) : read;
}

Result<DenseColumns> read_columns(const Table& table, std::span<const std::size_t> columns,
                                  std::span<const std::uint8_t> kept, bool missing_mean, bool missing_stays,
                                  std::span<const double> weights) {
  constexpr std::size_t kNotAsked = ~std::size_t{0};
  std::vector<std::size_t> place(table.header().size(), kNotAsked);  // where a field goes
  for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = j;
  DenseColumns out;
  out.rows = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), std::uint8_t{1}));
  out.columns = columns.size();
  out.values.resize(out.rows * out.columns);
  bool missing = false;
  for (std::uint64_t i = 0, row = 0; i < table.rows(); ++i) {
    if (kept[i] == 0) {
      if (Status status = table.check_width(i); !status.ok()) return status;
      continue;
    }
    FieldReader reader = table.row(i);
    std::size_t fields = 0;
    for (std::string_view field; reader.next(field); ++fields) {
      if (fields >= place.size() || place[fields] == kNotAsked) continue;
      const Number kind = parse_number(field, out.values[place[fields] * out.rows + row]);
      if (kind == Number::value) continue;
      missing = true;
      if (kind == Number::missing && missing_mean) continue;
      const std::string& name = table.header()[fields];
      return Status::input(at(table.path(), table.line_number(i), reader.column()) + not_a_number(kind, field) +
                           " in column " + in_quotes(name) +
                           (kind == Number::missing               ? "; --missing mean puts the column's mean there"
                            : kind == Number::text && fields == 0 ? "; if these are sample ids: --id-column " + name
                                                                  : ""));
    }
    if (fields != place.size() || reader.broken_quotes()) return table.ragged(i, fields, reader);
    ++row;
  }
  if (missing && !missing_stays) {
    out.missing_imputed = impute_column_means(std::span<double>(out.values), out.rows, weights);
  }
  return out;
}

template <class T>
std::uint64_t impute_column_means(std::span<T> values, std::uint64_t rows, std::span<const double> weights) {
  std::uint64_t imputed = 0;
  for (std::uint64_t first = 0; first < values.size(); first += rows) {
    const auto column = values.subspan(first, rows);
    double sum = 0, weight = 0;
    std::uint64_t observed = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (std::isnan(column[i])) continue;
      const double w = weights.empty() ? 1.0 : weights[i];
      sum += w * static_cast<double>(column[i]);
      weight += w;
      ++observed;
    }
    if (observed == rows) continue;
    const T mean = weight > 0 ? static_cast<T>(sum / weight) : T{0};
    for (T& value : column) {
      if (std::isnan(value)) value = mean;
    }
    imputed += rows - observed;
  }
  return imputed;
}

template std::uint64_t impute_column_means<double>(std::span<double>, std::uint64_t, std::span<const double>);
template std::uint64_t impute_column_means<float>(std::span<float>, std::uint64_t, std::span<const double>);

}  // namespace strads::data
