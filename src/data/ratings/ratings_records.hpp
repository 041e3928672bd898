// RecordFields of lines that may be quoted or lie in any place. Layer: data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/ratings/ratings_names.hpp"
#include "data/ratings/ratings_text.hpp"
#include "data/text/text.hpp"

namespace strads::data {

/// Walks the records of a text: a line each, but for line ends in quotes.
class RecordReader {
 public:
  /// `first_line`: the number of the text's first line, for messages.
  RecordReader(std::string_view text, Separator separator, bool quotes, std::uint64_t first_line = 1)
      : text_(text), separator_(separator), quotes_(quotes), number_(first_line) {}

  /// False: there is none, or one is wrong (error()). Empty lines and comments are records without fields.
  bool next() {
    fields_.clear();
    unescaped_.clear();
    number_ += lines_;
    lines_ = 1;
    begin_ = at_;
    if (at_ == text_.size()) return false;
    if (is_comment(rest_of_line())) {
      plain_line();
      return true;
    }
    if (is_quotable(separator_) && separator_ != Separator::blanks) return delimited();
    if (separator_ == Separator::blanks && quotes_) return blank_separated();
    const std::string_view line = plain_line();
    if (separator_ == Separator::blanks) {
      WordReader words(line);
      for (std::string_view word; words.next(word);) fields_.push_back(word);
    } else {
      split_at_colons(line);
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Lines of the record.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  /// Bytes of the text before the next record.
  [[nodiscard]] std::uint64_t end_offset() const { return at_; }
  /// False: it was put together without its escapes and goes with the record.
  [[nodiscard]] bool lies_in_text(std::string_view field) const {
    return field.data() >= text_.data() && field.data() <= text_.data() + text_.size();
  }
  /// Of a field's first byte, as far as that is known.
  [[nodiscard]] TextPlace place_of(std::string_view field) const {
    return lies_in_text(field) ? place(static_cast<std::uint64_t>(field.data() - text_.data())) : TextPlace{number_, 1};
  }
  [[nodiscard]] TextPlace end() const { return place(at_ > begin_ && text_[at_ - 1] == '\n' ? at_ - 1 : at_); }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] TextPlace error_place() const { return error_place_; }

 private:
  [[nodiscard]] TextPlace place(std::uint64_t offset) const {
    const std::string_view before = text_.substr(begin_, offset - begin_);
    const std::size_t line_end = before.rfind('\n');
    const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    return {number_ + lines, before.size() - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1};
  }

  [[nodiscard]] std::string_view rest_of_line() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }

  std::string_view plain_line() {
    LineReader reader(text_.substr(at_));
    std::string_view line;
    reader.next(line);
    at_ += reader.position();
    return line;
  }

  void split_at_colons(std::string_view line) {
    if (trimmed(line).empty()) return;
    for (;;) {
      const std::size_t end = line.find("::");
      fields_.push_back(trimmed(line.substr(0, end)));
      if (end == std::string_view::npos) return;
      line.remove_prefix(end + 2);
    }
  }

  [[nodiscard]] char mark() const {
    return separator_ == Separator::tab ? '\t' : separator_ == Separator::semicolon ? ';' : ',';
  }
  [[nodiscard]] bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != Separator::tab); }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool delimited() {
    for (;;) {
      skip_blanks();
      if (quotes_ && at_ < text_.size() && text_[at_] == '"') {
        if (!quoted()) return false;
      } else {
        const std::size_t end = std::min(text_.find_first_of(line_ends_or_mark(), at_), text_.size());
        std::string_view field = text_.substr(at_, end - at_);
        if (field.ends_with('\r') && (end == text_.size() || text_[end] == '\n')) field.remove_suffix(1);
        fields_.push_back(trimmed(field));
        at_ = end;
      }
      if (at_ == text_.size() || text_[at_++] == '\n') break;
    }
    if (fields_.size() == 1 && fields_[0].empty()) fields_.clear();
    return true;
  }

  [[nodiscard]] const char* line_ends_or_mark() const {
    return separator_ == Separator::tab ? "\t\n" : separator_ == Separator::semicolon ? ";\n" : ",\n";
  }

  /// As R's write.table writes it.
  bool blank_separated() {
    for (;;) {
      skip_blanks();
      if (text_.substr(at_).starts_with("\r\n")) ++at_;
      if (at_ == text_.size()) return true;
      if (text_[at_] == '\n') return ++at_, true;
      if (text_[at_] == '"') {
        if (!quoted()) return false;
        continue;
      }
      const std::size_t end = std::min(text_.find_first_of(" \t\n", at_), text_.size());
      std::string_view field = text_.substr(at_, end - at_);
      if (field.ends_with('\r')) field.remove_suffix(1);
      fields_.push_back(field);
      at_ = end;
    }
  }

  /// From the opening quote to the separator or line end after the closing one.
  bool quoted() {
    const std::uint64_t opened = at_++;
    std::string* copy = nullptr;
    std::uint64_t from = at_;
    for (;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) return fail(opened, "a quotation mark opens here and none closes it");
      at_ = quote + 1;
      if (is_escaped(from, quote)) {  // the quote takes the place of its backslash
        if (copy == nullptr) copy = &unescaped_.emplace_back();
        copy->append(text_.substr(from, quote - 1 - from)).append(1, '"');
        from = at_;
        continue;
      }
      if (at_ == text_.size() || text_[at_] != '"') break;
      if (copy == nullptr) copy = &unescaped_.emplace_back();
      copy->append(text_.substr(from, at_ - from));
      from = ++at_;
    }
    const std::string_view last = text_.substr(from, at_ - 1 - from);
    if (copy != nullptr) copy->append(last);
    fields_.push_back(copy != nullptr ? std::string_view(*copy) : last);
    const std::string_view whole = text_.substr(opened, at_ - opened);
    lines_ += static_cast<std::uint64_t>(std::count(whole.begin(), whole.end(), '\n'));
    skip_blanks();
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    if (at_ == text_.size() || text_[at_] == mark() || text_[at_] == '\n') return true;
    if (separator_ == Separator::blanks && at_ > 0 && is_blank(text_[at_ - 1])) return true;
    return fail(at_, "found " + in_quotes(text_.substr(at_, 1)) + " behind the closing quotation mark, expected the " +
                         "next field; a quotation mark inside a field is doubled");
  }

  /// A quote behind a backslash, as R's write.table and Book-Crossing write one inside of a field: not where the field
  /// ends behind it.
  [[nodiscard]] bool is_escaped(std::uint64_t from, std::size_t quote) const {
    if (separator_ != Separator::blanks && separator_ != Separator::semicolon) return false;
    if (quote == from || text_[quote - 1] != '\\') return false;
    const char next = quote + 1 < text_.size() ? text_[quote + 1] : '\n';
    return next != '\n' && next != '\r' && (next != ';' || separator_ != Separator::semicolon);
  }

  bool fail(std::uint64_t offset, std::string what) {
    error_place_ = place(offset);
    error_ = std::move(what);
    return false;
  }

  std::string_view text_;
  Separator separator_;
  bool quotes_;
  std::uint64_t at_ = 0, begin_ = 0, number_ = 1, lines_ = 0;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;
  std::string error_;
  TextPlace error_place_;
};

}  // namespace strads::data
