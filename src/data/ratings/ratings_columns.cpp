#include "data/ratings/ratings_columns.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "data/formats/matrix_market.hpp"
#include "data/formats/text.hpp"

namespace strads::data {
namespace {

constexpr std::size_t kUser = 0, kItem = 1, kRating = 2;
constexpr const char* kRoles[] = {"user", "item", "rating"};

bool one_of(std::string_view field, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return same_word(field, name); });
}

bool names_role(std::string_view field, std::size_t role) {
  switch (role) {
    case kUser:
      return one_of(field, {"user", "users", "userid", "user_id", "uid"});
    case kItem:
      return one_of(field, {"item", "items", "itemid", "item_id", "iid", "movie", "movieid", "movie_id"});
    default:
      return one_of(field, {"rating", "ratings", "score", "stars", "value"});
  }
}

bool names_time(std::string_view field) {
  return one_of(field, {"timestamp", "time", "date", "datetime", "unixtime", "ts"});
}

/// Where a byte lies.
struct TextPlace {
  std::uint64_t line = 1, column = 1;
};

/// Walks the records of a text: a line each, but for line ends in quotes.
class RecordReader {
 public:
  RecordReader(std::string_view text, Separator separator, bool quotes)
      : text_(text), separator_(separator), quotes_(quotes) {}

  /// False: there is none, or one is wrong (error()). Empty lines are records without fields.
  bool next() {
    fields_.clear();
    unescaped_.clear();
    number_ += lines_;
    lines_ = 1;
    begin_ = at_;
    if (at_ == text_.size()) return false;
    if (separator_ == Separator::comma || separator_ == Separator::tab) return delimited();
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
  /// Of a field's first byte, as far as that is known.
  [[nodiscard]] TextPlace place_of(std::string_view field) const {
    const bool in_text = field.data() >= text_.data() && field.data() <= text_.data() + text_.size();
    return in_text ? place(static_cast<std::uint64_t>(field.data() - text_.data())) : TextPlace{number_, 1};
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

  [[nodiscard]] char mark() const { return separator_ == Separator::tab ? '\t' : ','; }
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
        const std::size_t end = std::min(text_.find_first_of(mark() == ',' ? ",\n" : "\t\n", at_), text_.size());
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

  /// From the opening quote to the separator or line end after the closing one.
  bool quoted() {
    const std::uint64_t opened = at_++;
    std::string* copy = nullptr;
    std::uint64_t from = at_;
    for (;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) return fail(opened, "a quotation mark opens here and none closes it");
      at_ = quote + 1;
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
    return fail(at_, "found " + in_quotes(text_.substr(at_, 1)) + " behind the closing quotation mark, expected the " +
                         "next field; a quotation mark inside a field is doubled");
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

Status said(const std::string& path, const TextPlace& place, const std::string& what) {
  return Status::input(at(path, place.line, place.column) + what);
}

using Columns = std::array<std::size_t, 3>;

/// Where a header says that the columns are. What it does not name is the first column that it has no name for.
Result<Columns> columns_of(const std::vector<std::string_view>& header, std::size_t wanted, const std::string& path,
                           const TextPlace& place) {
  constexpr std::size_t kNowhere = ~std::size_t{0};
  Columns columns{kNowhere, kNowhere, kNowhere};
  std::vector<bool> is_taken(header.size());
  for (std::size_t column = 0; column < header.size(); ++column) {
    is_taken[column] = names_time(header[column]);
    for (std::size_t role = 0; role < 3; ++role) {
      if (!names_role(header[column], role)) continue;
      is_taken[column] = true;
      if (columns[role] == kNowhere) columns[role] = column;
    }
  }
  if (wanted == 3 && columns[kRating] == kNowhere && names_time(header[kRating])) {
    return said(path, place,
                "column 3 is called " + in_quotes(header[kRating]) + " and none is called rating: name " +
                    "the column of the ratings in the first line");
  }
  for (std::size_t role = 0; role < wanted; ++role) {
    if (columns[role] != kNowhere) continue;
    const auto free = std::find(is_taken.begin(), is_taken.end(), false);
    if (free == is_taken.end()) {
      return said(path, place,
                  std::string("no column for the ") + kRoles[role] + ", expected user, item" +
                      (wanted == 3 ? " and rating" : "") + " in the first line");
    }
    *free = true;
    columns[role] = static_cast<std::size_t>(free - is_taken.begin());
  }
  return columns;
}

/// Ratings: a third field that is no number. Pairs: names of both sides; where the third field decides, find_layout()
/// looks at it.
bool names_columns(const std::vector<std::string_view>& record, std::size_t wanted) {
  if (wanted == 3) return record.size() >= 3 && !is_number(record[kRating]);
  const auto names = [&](std::size_t role) {
    return std::any_of(record.begin(), record.end(), [&](auto field) { return names_role(field, role); });
  };
  return names(kUser) && names(kItem);
}

bool finds_quote(const Source& source) {
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  const std::string_view text = source.bytes();
  for (std::uint64_t begin = 0; begin < text.size(); begin += kPiece) {
    const std::uint64_t size = std::min<std::uint64_t>(kPiece, text.size() - begin);
    const bool found = std::memchr(text.data() + begin, '"', size) != nullptr;
    if (source.mapped()) source.file().release(begin, begin + size);
    if (found) return true;
  }
  return false;
}

/// Writes the wanted fields of every record.
class Rewriter {
 public:
  Rewriter(const Source& source, std::size_t begin, Separator separator, bool quotes, std::size_t wanted)
      : path_(source.path()),
        records_(source.bytes().substr(begin), separator, quotes),
        separator_(separator),
        wanted_(wanted) {}

  Result<PlainLines> run() {
    bool is_first = true;
    while (records_.next()) {
      const auto& fields = records_.fields();
      if (!fields.empty()) {
        const bool header = is_first && names_columns(fields, wanted_);
        if (Status status = header ? follow(fields) : write(fields); !status.ok()) return status;
        is_first = false;
      }
      out_.text.append(records_.lines(), '\n');
    }
    if (!records_.error().empty()) return said(path_, records_.error_place(), records_.error());
    return std::move(out_);
  }

 private:
  Status follow(const std::vector<std::string_view>& header) {
    auto columns = columns_of(header, wanted_, path_, {records_.number(), 1});
    if (!columns.ok()) return columns.status();
    columns_ = columns.value();
    if (columns_ == Columns{0, 1, 2} || wanted_ == 2) return {};
    out_.note = "user, item and rating are columns " + std::to_string(columns_[kUser] + 1) + ", " +
                std::to_string(columns_[kItem] + 1) + " and " + std::to_string(columns_[kRating] + 1) +
                ", as the first line names them";
    return {};
  }

  Status write(const std::vector<std::string_view>& fields) {
    const std::size_t least =
        *std::max_element(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(wanted_)) + 1;
    if (fields.size() < least) {
      return said(path_, records_.end(),
                  "the line ends after " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                      ", expected " + (least > wanted_ ? std::to_string(least) + ", among them " : "") +
                      (wanted_ == 3 ? "user, item and rating" : "user and item") + " separated by " +
                      name_of(separator_));
    }
    for (std::size_t role = 0; role < wanted_; ++role) {
      const std::string_view field = trimmed(fields[columns_[role]]);
      float value = 0;
      std::string wrong = role == kRating ? read_rating(field, value) : wrong_id(field, kRoles[role], 0);
      if (role != kRating && wrong.empty() && field.find('\t') != std::string_view::npos) {
        wrong = std::string(kRoles[role]) + ' ' + in_quotes(field) + " has a tab, expected an id without";
      }
      if (!wrong.empty()) return said(path_, records_.place_of(fields[columns_[role]]), wrong);
      if (role > 0) out_.text += '\t';
      out_.text += field;
    }
    return {};
  }

  const std::string& path_;
  RecordReader records_;
  Separator separator_;
  std::size_t wanted_;
  Columns columns_{0, 1, 2};
  PlainLines out_;
};

}  // namespace

bool may_be_quoted(const Source& source, const TextLayout& layout) {
  const bool quotable = layout.separator == Separator::comma || layout.separator == Separator::tab;
  return !layout.market && quotable && finds_quote(source);
}

Result<std::optional<PlainLines>> plain_lines(const Source& source, int fields, bool has_quotes) {
  const auto wanted = static_cast<std::size_t>(fields);
  const std::string_view text = source.bytes();
  const auto as_it_is = std::optional<PlainLines>();
  if (is_matrix_market(text)) return as_it_is;
  const std::size_t begin = mark_length(text);
  LineReader lines(text.substr(begin));
  std::string_view line;
  while (lines.next(line) && trimmed(line).empty()) continue;
  const Separator separator = find_separator(line, fields);
  const bool quotable = separator == Separator::comma || separator == Separator::tab;
  const bool quoted_start = quotable && (has_quotes || line.find('"') != std::string_view::npos);
  RecordReader first(text.substr(begin), separator, quoted_start);
  while (first.next() && first.fields().empty()) continue;
  const auto& record = first.fields();
  if (record.size() < wanted && first.error().empty()) return as_it_is;  // find_layout() says what is missing
  const bool quotes = quoted_start || (quotable && record.size() > wanted && finds_quote(source));
  if (!quotes) {
    if (!names_columns(record, wanted)) return as_it_is;
    const auto columns = columns_of(record, wanted, source.path(), {first.number(), 1});
    if (!columns.ok()) return columns.status();
    if (columns.value()[0] == 0 && columns.value()[1] == 1 && (wanted == 2 || columns.value()[2] == 2)) return as_it_is;
  }
  auto plain = Rewriter(source, begin, separator, quotes, wanted).run();
  if (!plain.ok()) return plain.status();
  return std::optional<PlainLines>(std::move(plain).value());
}

}  // namespace strads::data

namespace strads {

std::string_view role_of_column(std::string_view name) {
  for (const std::size_t role : {data::kUser, data::kItem, data::kRating}) {
    if (data::names_role(name, role)) return data::kRoles[role];
  }
  return data::names_time(name) ? "time" : "";
}

}  // namespace strads
