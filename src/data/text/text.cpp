#include "data/text/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

namespace strads::data {

namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// True iff a well-formed number that does not fit a double is too small rather than too large: from_chars says the
// same of both. The decimal exponent of its first nonzero digit decides.
bool underflows(std::string_view field) {
  std::int64_t leading = 0;  // decimal exponent of the first nonzero digit, without the written exponent
  bool seen = false;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < field.size() && lower(field[i]) != 'e'; ++i) {
    if (field[i] == '.') fraction = true;
    if (!is_digit(field[i])) continue;
    if (field[i] != '0') seen = true;
    if (seen && !fraction) ++leading;
    if (!seen && fraction) --leading;
  }
  if (i == field.size()) return leading < 0;
  const bool negative = i + 1 < field.size() && field[i + 1] == '-';
  std::int64_t exponent = 0;
  for (++i; i < field.size() && exponent < 1'000'000'000; ++i) {
    if (is_digit(field[i])) exponent = 10 * exponent + (field[i] - '0');
  }
  return leading + (negative ? -exponent : exponent) < 0;
}

}  // namespace

std::size_t byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? kMark.size() : 0;
}

LineReader LineReader::of_file(std::string_view text) {
  LineReader lines(text);
  lines.position_ = byte_order_mark(text);
  return lines;
}

bool LineReader::next(std::string_view& line) {
  if (position_ >= text_.size()) return false;
  const char* first = text_.data() + position_;
  const std::size_t left = text_.size() - position_;
  const void* end = std::memchr(first, '\n', left);
  std::size_t length = end == nullptr ? left : static_cast<std::size_t>(static_cast<const char*>(end) - first);
  position_ += length + (end == nullptr ? 0 : 1);
  ++number_;
  if (length > 0 && first[length - 1] == '\r') --length;
  line = std::string_view(first, length);
  return true;
}

bool WordReader::next(std::string_view& word) {
  while (position_ < line_.size() && is_blank(line_[position_])) ++position_;
  if (position_ == line_.size()) return false;
  const std::size_t first = position_;
  while (position_ < line_.size() && !is_blank(line_[position_])) ++position_;
  column_ = first + 1;
  word = line_.substr(first, position_ - first);
  return true;
}

Number parse_number(std::string_view field, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (field.empty() || same_word(field, "NA")) return Number::missing;
  const char* first = field.data();
  const char* last = first + field.size();
  if (*first == '+' && field.size() > 1 && first[1] != '-') ++first;
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error == std::errc::invalid_argument) return Number::text;
  if (error == std::errc::result_out_of_range) {
    if (!underflows({first, field.size() - static_cast<std::size_t>(first - field.data())})) return Number::not_finite;
    value = 0;
    return Number::value;
  }
  if (std::isnan(value)) return Number::missing;
  return std::isfinite(value) ? Number::value : Number::not_finite;
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

bool parse_count(std::string_view field, std::uint64_t& value) {
  const char* last = field.data() + field.size();
  const auto [end, error] = std::from_chars(field.data(), last, value);
  return !field.empty() && error == std::errc{} && end == last;
}

std::string at(std::string_view path, std::uint64_t line, std::uint64_t column) {
  return std::string(path) + ':' + std::to_string(line) + ':' + std::to_string(column) + ": ";
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + (text.size() > kShown ? "...'" : "'");
}

namespace {

// What is meant by a text that stands where a number should: how it is written here.
const char* how_it_is_written(std::string_view field) {
  if (same_word(field, "true") || same_word(field, "false")) return "true and false are written 1 and 0";
  const bool digits = field.find_first_not_of("0123456789.,+-eE") == std::string_view::npos;
  if (digits && field.find(',') != std::string_view::npos) {
    return "with a decimal point and without commas: R's write.csv in place of write.csv2, pandas' decimal='.', a "
           "spreadsheet's format without thousands";
  }
  if (field.find_first_of(" \t") != std::string_view::npos &&
      field.find_first_not_of("0123456789.+-eE \t") == std::string_view::npos) {
    return "these are several: blanks and tabs are mixed, write one of them between fields";
  }
  return "a missing value is written NA";
}

}  // namespace

std::string not_a_number(Number kind, std::string_view field) {
  switch (kind) {
    case Number::missing:
      return "missing value " + in_quotes(field) + ", expected a number";
    case Number::not_finite:
      return "number " + in_quotes(field) + " is infinite or too large for a double, expected a finite number";
    case Number::value:
    case Number::text:
      break;
  }
  return "text " + in_quotes(field) + ", expected a number (" + how_it_is_written(field) + ")";
}

Status expect_plain_id(std::string_view id, const std::string& where) {
  if (!id.starts_with('"')) return {};
  return Status::input(where + in_quotes(id) +
                       " begins with a quotation mark, expected plain ids, separated by blanks "
                       "or line ends; R: write.table(..., quote = FALSE, row.names = FALSE, col.names = FALSE)");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (lower(left[i]) != lower(right[i])) return false;
  }
  return true;
}

}  // namespace strads::data
