// What all text readers share: lines, numbers, missing values, places in messages. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// Between two reports of how far a reader is.
inline constexpr std::uint64_t kReportBytes = std::uint64_t{1} << 22;

/// Bytes of the mark with which some programs begin a text (UTF-8's byte order mark), which is no part of it; else 0.
std::size_t byte_order_mark(std::string_view text);

/// Walks the lines of a text: '\n' ends a line, a '\r' before it is not part of it, the last line may lack the end.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}
  /// Of a file from its beginning, where a byte order mark is passed over.
  static LineReader of_file(std::string_view text);

  /// Moves to the next line. Returns false iff there is none.
  bool next(std::string_view& line);
  /// Number of the line that `next` returned last, from 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Bytes of the text before the next line.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  std::string_view text_;
  std::uint64_t position_ = 0;
  std::uint64_t number_ = 0;
};

/// Walks the blank-separated words of a line (blanks and tabs, any number of them).
class WordReader {
 public:
  explicit WordReader(std::string_view line) : line_(line) {}

  /// Moves to the next word. Returns false iff there is none.
  bool next(std::string_view& word);
  /// Byte position in the line, from 1, of the word that `next` returned last.
  [[nodiscard]] std::uint64_t column() const noexcept { return column_; }

 private:
  std::string_view line_;
  std::size_t position_ = 0;
  std::uint64_t column_ = 0;
};

/// What a field turned out to be.
enum class Number : std::uint8_t {
  value,       ///< a finite number
  missing,     ///< empty, NA or NaN in any case
  not_finite,  ///< inf, or too large for a double
  text         ///< anything else
};

/// Reads a field as a number, independent of the locale; a leading `+` is fine. `value` becomes NaN when missing, 0
/// when the number is too small for a double. Cost: about 20 ns.
Number parse_number(std::string_view field, double& value);
/// Whether it is one, finite or not.
[[nodiscard]] inline bool is_number(std::string_view field) {
  double value = 0;
  return parse_number(field, value) != Number::text;
}

/// Six digits of a number, for messages.
std::string short_number(double value);

/// True iff the whole field is a decimal number without sign that fits 64 bits.
bool parse_count(std::string_view field, std::uint64_t& value);

/// "path:line:column: ", the start of every message about a text file. Columns are bytes from 1.
std::string at(std::string_view path, std::uint64_t line, std::uint64_t column);

/// The found text in quotes for a message: at most 40 bytes of it, unprintable bytes as \xNN.
std::string in_quotes(std::string_view text);

/// Message part for a field that is no usable number: "text 'abc', expected a number".
std::string not_a_number(Number kind, std::string_view field);

/// Error iff an id of a list begins with a quotation mark, which R writes around text: it would match nothing.
///   where: as at() has it
Status expect_plain_id(std::string_view id, const std::string& where);

/// Text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// True iff equal, upper and lower case taken as the same (ASCII).
bool same_word(std::string_view left, std::string_view right);

}  // namespace strads::data
