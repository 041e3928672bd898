// Tables with a header line: CSV, TSV and blank-separated (FID IID ...). Layer: data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// Walks the fields of one row. Fields lose blanks at their ends and the quotes around them; a doubled quote inside
/// quotes stays doubled. Delimiter ' ' stands for any run of blanks and tabs.
class FieldReader {
 public:
  FieldReader(std::string_view line, char delimiter) : line_(line), delimiter_(delimiter) {}

  /// Moves to the next field. Returns false iff there is none, or the quotes are broken.
  bool next(std::string_view& field);
  /// Byte position in the line, from 1, of the field that `next` returned last.
  [[nodiscard]] std::uint64_t column() const noexcept { return column_; }
  [[nodiscard]] bool broken_quotes() const noexcept { return broken_quotes_; }

 private:
  bool next_quoted(std::string_view& field);

  std::string_view line_;
  char delimiter_;
  std::size_t position_ = 0;
  std::uint64_t column_ = 0;
  bool ended_ = false;
  bool broken_quotes_ = false;
};

/// Whether -9 is a number or a missing value (the PLINK family of phenotype tables).
enum class MinusNine : std::uint8_t { number, missing };

/// A parsed header and the places of the rows; the numbers are read on demand. Owns no text: the bytes given to `parse`
/// must outlive it.
class Table {
 public:
  /// Reads the header, finds the delimiter (tab, else semicolon, else comma, else blanks; blanks too where rows mix
  /// them with tabs) and the rows. Empty lines at the end are ignored. Errors: StatusCode::input when empty, without
  /// rows, when the first line is no header or the second one has another number of fields, for comments, and for
  /// empty lines between rows of several columns.
  static Result<Table> parse(std::string_view text, std::string path);
  /// A table as plink2 reads it: one that has no header, whose lines are FID, IID and numbers, gets FID, IID and
  /// `prefix`1, `prefix`2, ...; any other is parse()d.
  static Result<Table> parse_for_plink(std::string_view text, std::string path, std::string_view prefix);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] FieldReader row(std::uint64_t i) const { return {line(i), delimiter_}; }
  /// Number of a row's line in the file, from 1.
  [[nodiscard]] std::uint64_t line_number(std::uint64_t row) const { return row + (has_header_ ? 2 : 1); }
  /// False iff parse_for_plink() has named the columns.
  [[nodiscard]] bool has_header() const noexcept { return has_header_; }

  /// Error iff two columns have the same name. Cost: a hash table of the names.
  [[nodiscard]] Status check_unique_names() const;

  /// Column called `name`. Errors: none or several have that name; `option` is what asked for it, for the message.
  [[nodiscard]] Result<std::size_t> find(std::string_view name, std::string_view option) const;

  /// Error unless the row has as many fields as the header. Cost: one pass over the row.
  [[nodiscard]] Status check_width(std::uint64_t row) const;

  /// One column as text; every row is checked for its number of fields.
  [[nodiscard]] Result<std::vector<std::string_view>> texts(std::size_t column) const;
  /// One column as numbers, NaN where missing; every row is checked. Errors: text or inf, with its place.
  [[nodiscard]] Result<std::vector<double>> numbers(std::size_t column, MinusNine minus_nine) const;

  /// The message for a row with a wrong number of fields or broken quotes.
  [[nodiscard]] Status ragged(std::uint64_t row, std::uint64_t fields, const FieldReader& reader) const;

 private:
  [[nodiscard]] std::string_view line(std::uint64_t row) const;
  /// Calls visit(row, field, reader) with the field of each row, whose Status ends it; every row is checked.
  template <class Visit>
  [[nodiscard]] Status each_field(std::size_t column, Visit&& visit) const;
  Status read_header(std::string_view first_line);
  Status index_rows(LineReader& lines);
  [[nodiscard]] Status check_first_row(std::string_view first_line) const;
  [[nodiscard]] Status check_odd_line(std::string_view line, std::uint64_t number) const;

  std::string path_;
  std::string_view text_;
  char delimiter_ = ',';
  bool has_header_ = true;
  std::vector<std::string> header_;
  std::vector<std::uint64_t> starts_;  // rows + 1 offsets into text_
};

/// Where a table keeps the names of its samples: columns called IID and FID, in any place (the first one may begin with
/// #), or the column given by --id-column.
struct IdColumns {
  std::optional<std::size_t> family;
  std::optional<std::size_t> individual;
  std::optional<std::size_t> unused_family, unused_individual;  ///< FID and IID beside --id-column or without the other

  [[nodiscard]] bool any() const noexcept { return individual.has_value(); }
  [[nodiscard]] bool is_id(std::size_t column) const {
    return family == column || individual == column || unused_family == column || unused_individual == column;
  }
};

/// Finds them; none is no error unless `id_column` is named and `required`.
Result<IdColumns> find_id_columns(const Table& table, const std::string& id_column, bool required);

/// True iff the name is what programs call sample ids and row numbers: id, sample_id, eid, index, "Unnamed: 0" and so
/// on.
[[nodiscard]] bool is_name_of_ids(std::string_view name);
/// True iff that name is one that pandas, readr or Arrow gave to row numbers: nobody means the column.
[[nodiscard]] bool is_name_of_row_numbers(std::string_view name);
/// True iff the column holds what ids are: text, or different whole numbers. Cost: a pass over the table.
[[nodiscard]] Result<bool> holds_ids(const Table& table, std::size_t column);
/// True iff the column is 0, 1, 2, ... or 1, 2, 3, ... in three rows or more. Cost: until the first other row.
[[nodiscard]] bool counts_rows(const Table& table, std::size_t column);

/// Columns of numbers, column after column.
struct DenseColumns {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<double> values;  ///< rows x columns
  std::uint64_t missing_imputed = 0;
};

/// Reads the numeric columns of a table.
///   columns:      which, in this order
///   kept:         one flag per row; rows with 0 are only checked for their width
///   missing_mean: replace missing entries by the mean of the column's other entries (0 if there are none)
///   weights:      empty, or one per kept row: that mean is weighted
///   missing_stays: with missing_mean, leave them NaN instead
/// Errors: StatusCode::input with the place of text, inf or, without missing_mean, of a missing entry.
/// Cost: one pass over the text, about 40 ns a number.
Result<DenseColumns> read_columns(const Table& table, std::span<const std::size_t> columns,
                                  std::span<const std::uint8_t> kept, bool missing_mean, bool missing_stays = false,
                                  std::span<const double> weights = {});

/// Replaces NaN in `values` (rows x columns, column-major) by the mean of the column's other entries, 0 if there are
/// none. Returns how many. Cost: one pass.
template <class T>
std::uint64_t impute_column_means(std::span<T> values, std::uint64_t rows, std::span<const double> weights = {});

}  // namespace strads::data
