#include "data/formats/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "strads/base/nearest_name.hpp"

namespace strads::data {

namespace {

char find_delimiter(std::string_view header) {
  bool inside = false;
  bool comma = false;
  bool blank = false;
  for (const char c : header) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '\t') return '\t';
    comma = comma || c == ',';
    blank = blank || c == ' ';
  }
  return comma || !blank ? ',' : ' ';
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
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return Status::input(table.path_ + ": byte " + std::to_string(zero) + " is zero, expected text (is it binary?)");
  }
  LineReader lines = LineReader::of_file(text);
  std::string_view first;
  lines.next(first);
  if (Status status = table.read_header(first); !status.ok()) return status;
  if (Status status = table.index_rows(lines); !status.ok()) return status;
  return table;
}

Status Table::read_header(std::string_view first_line) {
  delimiter_ = find_delimiter(first_line);
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
  for (std::string_view line; lines.next(line);) {
    starts_.push_back(lines.position());
    if (!line.empty()) rows = starts_.size() - 1;
  }
  if (rows == 0) return Status::input(path_ + ": has a header and no rows, expected at least one row");
  starts_.resize(rows + 1);
  return {};
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
    const std::string hint = is_list        ? "; only lasso cv takes several names, the others want one at a time. The "
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
  const char* name = delimiter_ == ',' ? "commas" : delimiter_ == '\t' ? "tabs" : "blanks";
  return Status::input(at(path_, line_number(row), 1) + std::to_string(fields) + " fields, expected " +
                       std::to_string(header_.size()) + " as in the header (fields are separated by " + name + ")");
}

Status Table::check_width(std::uint64_t row_number) const {
  FieldReader reader = row(row_number);
  std::uint64_t fields = 0;
  for (std::string_view field; reader.next(field);) ++fields;
  return fields == header_.size() && !reader.broken_quotes() ? Status{} : ragged(row_number, fields, reader);
}

Result<std::vector<std::string_view>> Table::texts(std::size_t column) const {
  std::vector<std::string_view> out(rows());
  for (std::uint64_t i = 0; i < rows(); ++i) {
    FieldReader reader = row(i);
    std::size_t fields = 0;
    for (std::string_view field; reader.next(field); ++fields) {
      if (fields == column) out[i] = field;
    }
    if (fields != header_.size() || reader.broken_quotes()) return ragged(i, fields, reader);
  }
  return out;
}

Result<std::vector<double>> Table::numbers(std::size_t column, MinusNine minus_nine) const {
  std::vector<double> out(rows());
  for (std::uint64_t i = 0; i < rows(); ++i) {
    FieldReader reader = row(i);
    std::size_t fields = 0;
    for (std::string_view field; reader.next(field); ++fields) {
      if (fields != column) continue;
      const Number kind = parse_number(field, out[i]);
      if (kind == Number::text || kind == Number::not_finite) {
        return Status::input(at(path_, line_number(i), reader.column()) + not_a_number(kind, field) + " in column " +
                             in_quotes(header_[column]));
      }
      if (minus_nine == MinusNine::missing && out[i] == -9) out[i] = std::nan("");
    }
    if (fields != header_.size() || reader.broken_quotes()) return ragged(i, fields, reader);
  }
  return out;
}

Result<IdColumns> find_id_columns(const Table& table, const std::string& id_column, bool required) {
  const auto& header = table.header();
  IdColumns ids;
  if (header.size() > 1 && (header[0] == "FID" || header[0] == "#FID") && header[1] == "IID") {
    ids.family = 0;
    ids.individual = 1;
  } else if (header[0] == "IID" || header[0] == "#IID") {
    ids.individual = 0;
  }
  if (id_column.empty() || (ids.any() && header[*ids.individual] == id_column)) return ids;
  if (!required && std::find(header.begin(), header.end(), id_column) == header.end()) return ids;
  const auto found = table.find(id_column, "--id-column");
  if (!found.ok()) return found.status();
  return IdColumns{.family = std::nullopt, .individual = found.value()};
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
      return Status::input(at(table.path(), Table::line_number(i), reader.column()) + not_a_number(kind, field) +
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
