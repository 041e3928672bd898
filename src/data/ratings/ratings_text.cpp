// The hot loop over lines of ratings. Plain lines take a path of word operations; every other line, and every error,
// the one of split_line. Both give the same ids and values.
#include "data/ratings/ratings_text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "data/ratings/ratings_columns.hpp"
#include "data/ratings/ratings_ids.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHighs = 0x8080808080808080U;
// Bytes below this one (controls, blank, quotation mark) send a line to the slow path; so does '!', harmlessly.
constexpr std::uint64_t kPlainFrom = 0x23;
// The fast path looks so far ahead at most.
constexpr std::ptrdiff_t kLookAhead = 32;

std::uint64_t load8(const char* at_byte) {
  std::uint64_t word;
  std::memcpy(&word, at_byte, sizeof word);
  return word;
}

// What is wrong with a line, and where.
struct LineError {
  std::uint64_t line_begin;  // offset of the line in the text
  std::uint64_t column;
  std::string what;
};

/// Reads the lines of one piece.
class PieceParser {
 public:
  PieceParser(std::string_view text, const TextLayout& layout, std::uint64_t begin, std::uint64_t end)
      : text_(text),
        layout_(layout),
        cursor_(text.data() + begin),
        end_(text.data() + end),
        fast_end_(end - begin > kLookAhead ? end_ - kLookAhead : cursor_),
        users_(text),
        items_(text) {
    constexpr std::uint64_t kShortestLine = 6;  // "1 1 1\n"; the last may lack the line end
    const std::uint64_t capacity = (end - begin) / kShortestLine + 1;
    piece_.users = PageArray<std::uint32_t>(capacity);
    piece_.items = PageArray<std::uint32_t>(capacity);
    piece_.values = PieceValues(capacity);
  }

  void without_fast_path() { fast_end_ = cursor_; }

  std::optional<LineError> run() {
    switch (layout_.separator) {
      case Separator::tab:
        return lines<'\t', false>();
      case Separator::colons:
        return lines<':', true>();
      case Separator::comma:
        return lines<',', false>();
      case Separator::semicolon:
        return lines<';', false>();
      case Separator::blanks:
        break;
    }
    return lines<' ', false>();
  }

  RatingsPiece take_piece() { return std::move(piece_); }
  std::vector<std::uint64_t> take_users() { return users_.release_references(); }
  std::vector<std::uint64_t> take_items() { return items_.release_references(); }
  /// Lines that were passed over as comments.
  [[nodiscard]] std::uint64_t comments() const { return comments_; }

 private:
  // Lines are taken in batches, so that the look-ups of one are under way while the next are split.
  static constexpr std::size_t kBatch = 32;
  struct Words {
    std::uint64_t key, reference;
  };

  template <char kMark, bool kDouble>
  std::optional<LineError> lines() {
    while (cursor_ < end_) {
      std::size_t taken = 0;
      while (taken < kBatch && cursor_ < end_) {
        if (cursor_ < fast_end_ && !layout_.pairs && fast_line<kMark, kDouble>(taken)) {
          ++taken;
        } else if (auto error = slow_line(taken)) {
          return error;
        }
      }
      look_up(taken);
    }
    return std::nullopt;
  }

  void look_up(std::size_t taken) {
    for (std::size_t k = 0; k < taken; ++k) {
      piece_.users[piece_.count] = users_.number(user_words_[k].key, user_words_[k].reference);
      piece_.items[piece_.count] = items_.number(item_words_[k].key, item_words_[k].reference);
      ++piece_.count;
    }
  }

  // A field of 1 to 7 plain bytes and the mark after it: its key, and `from` moves behind the mark. 0 for others.
  template <char kMark, bool kDouble>
  static std::uint64_t short_field(const char*& from) {
    const std::uint64_t word = load8(from);
    const std::uint64_t marks = word ^ (kOnes * static_cast<unsigned char>(kMark));
    const std::uint64_t found = (marks - kOnes) & ~marks & kHighs;  // its lowest bit is right
    const int bits = std::countr_zero(found) & ~7;
    if (found == 0 || bits == 0) return 0;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t others = word | ~mask;
    if (((others - kOnes * kPlainFrom) & ~others & kHighs) != 0) return 0;
    from += bits / 8 + 1;
    if (kDouble && *from++ != kMark) return 0;
    return (word & mask) | (static_cast<std::uint64_t>(bits / 8) << 56);
  }

  // d, dd or d.d and then the end of the field: ten times the number, and `from` moves to the end. -1 for others.
  template <char kMark>
  static int short_number(const char*& from) {
    const auto digit = [&](int i) { return static_cast<unsigned>(from[i]) - '0'; };
    const auto ends = [&](int i) { return from[i] == '\n' || from[i] == '\r' || from[i] == kMark; };
    if (digit(0) > 9) return -1;
    int tenths = static_cast<int>(10 * digit(0));
    int length = 1;
    if (from[1] == '.' && digit(2) <= 9) {
      tenths += static_cast<int>(digit(2));
      length = 3;
    } else if (digit(1) <= 9) {
      tenths = 10 * tenths + static_cast<int>(10 * digit(1));
      length = 2;
    }
    if (!ends(length)) return -1;
    from += length;
    return tenths;
  }

  // Moves `from`, at the end of the third field, behind the line. False when that needs a closer look.
  template <char kMark, bool kDouble>
  bool rest_of_line(const char*& from) const {
    if (*from == '\n') return ++from, true;
    if (*from == '\r') {
      from += 2;
      return from[-1] == '\n';
    }
    if (kDouble && from[1] != kMark) return false;
    const void* line_end = std::memchr(from, '\n', static_cast<std::size_t>(end_ - from));
    from = line_end == nullptr ? end_ : static_cast<const char*>(line_end) + 1;
    return true;
  }

  template <char kMark, bool kDouble>
  bool fast_line(std::size_t k) {
    const char* from = cursor_;
    if (static_cast<unsigned char>(*from - '#') <= '%' - '#') return false;  // may be a comment
    const std::uint64_t user = short_field<kMark, kDouble>(from);
    if (user == 0) return false;
    const std::uint64_t item = short_field<kMark, kDouble>(from);
    if (item == 0) return false;
    const int tenths = short_number<kMark>(from);
    if (tenths < 0 || !rest_of_line<kMark, kDouble>(from)) return false;
    piece_.values.add_tenths(static_cast<unsigned>(tenths));
    keep(k, {user, user}, {item, item});
    cursor_ = from;
    return true;
  }

  void keep(std::size_t k, Words user, Words item) {
    users_.prefetch(user.key);
    items_.prefetch(item.key);
    user_words_[k] = user;
    item_words_[k] = item;
  }

  // Any line; adds one to `taken` when there is a rating on it.
  std::optional<LineError> slow_line(std::size_t& taken) {
    LineReader reader({cursor_, static_cast<std::size_t>(end_ - cursor_)});
    std::string_view line;
    reader.next(line);
    const auto begin = static_cast<std::uint64_t>(cursor_ - text_.data());
    cursor_ += reader.position();
    if (is_passed_over(layout_, line)) {
      if (!layout_.market && layout_.comments && is_comment(line)) ++comments_;
      return std::nullopt;
    }
    const LineFields fields = split_line(line, layout_.separator);
    const auto error_at = [&](int field, std::string what) {
      const char* place = fields.count > field ? fields.field[field].data() : line.data() + line.size();
      return LineError{begin, static_cast<std::uint64_t>(place - line.data()) + 1, std::move(what)};
    };
    const int wanted = layout_.pairs ? 2 : 3;
    if (fields.count < wanted) {
      return error_at(fields.count, "the line ends after " + std::to_string(fields.count) +
                                        (fields.count == 1 ? " field" : " fields") + ", expected user" +
                                        (layout_.pairs ? " and item" : ", item and rating") + " separated by " +
                                        name_of(layout_.separator));
    }
    for (int side = 0; side < 2; ++side) {
      const std::uint64_t limit = side == 0 ? layout_.users : layout_.items;
      std::string wrong = wrong_id(fields.field[side], side == 0 ? "user" : "item", limit);
      if (!wrong.empty()) return error_at(side, std::move(wrong));
    }
    float value = 1;
    if (!layout_.pairs) {
      if (std::string wrong = read_rating(fields.field[2], value); !wrong.empty()) return error_at(2, std::move(wrong));
    }
    piece_.values.add(value);
    keep(taken++, words_of(fields.field[0]), words_of(fields.field[1]));
    return std::nullopt;
  }

  [[nodiscard]] Words words_of(std::string_view id) const { return {id_key(id), id_reference(id, text_)}; }

  std::string_view text_;
  const TextLayout& layout_;
  const char* cursor_;
  const char* end_;
  const char* fast_end_;
  RatingsPiece piece_;
  std::uint64_t comments_ = 0;
  IdNumbers users_, items_;
  Words user_words_[kBatch];
  Words item_words_[kBatch];
};

std::uint64_t lines_before(std::string_view text, std::uint64_t end) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

// Offsets of the pieces and the end: after the line ends that follow multiples of piece_bytes.
std::vector<std::uint64_t> cuts(std::string_view text, std::uint64_t begin, std::uint64_t piece_bytes) {
  std::vector<std::uint64_t> out{begin};
  while (out.back() < text.size()) {
    const std::uint64_t least = out.back() + piece_bytes;
    const std::size_t line_end = least >= text.size() ? std::string_view::npos : text.find('\n', least - 1);
    out.push_back(line_end == std::string_view::npos ? text.size() : line_end + 1);
  }
  return out;
}

/// Reads a whole text: its pieces, then one numbering for their ids.
class TextReader {
 public:
  TextReader(const InputFile& source, const TextLayout& layout, std::uint64_t piece_bytes)
      : source_(source),
        layout_(layout),
        cuts_(cuts(source.bytes(), layout.begin, piece_bytes)),
        users_(cuts_.size() - 1),
        items_(cuts_.size() - 1),
        errors_(cuts_.size() - 1),
        comments_(cuts_.size() - 1) {
    out_.path = source.path();
    out_.bytes = source.mapping()->bytes().size();
    out_.pieces.resize(cuts_.size() - 1);
  }

  Result<RatingsFile> run(Chunks& chunks, SharedProgress& progress) {
    chunks.for_each(out_.pieces.size(), [&](std::size_t piece) {
      read_piece(piece);
      progress.add(cuts_[piece + 1] - cuts_[piece]);
    });
    for (const auto& error : errors_) {
      if (error) return said(*error);
    }
    if (Status status = check_count(); !status.ok()) return status;
    auto users = merge_ids(users_, source_.bytes(), chunks);
    auto items = merge_ids(items_, source_.bytes(), chunks);
    if (users.table == nullptr || items.table == nullptr) return too_many();
    chunks.for_each(out_.pieces.size(), [&](std::size_t piece) {
      renumber(out_.pieces[piece].users, out_.pieces[piece].count, users.numbers[piece]);
      renumber(out_.pieces[piece].items, out_.pieces[piece].count, items.numbers[piece]);
    });
    out_.users = std::move(users.table);
    out_.items = std::move(items.table);
    if (const auto comments = std::accumulate(comments_.begin(), comments_.end(), std::uint64_t{0}); comments > 0) {
      out_.note = std::to_string(comments) + (comments == 1 ? " line" : " lines") +
                  " among the ratings with # or % in front " + (comments == 1 ? "is" : "are") + " taken for comments";
    }
    out_.place = [source = source_, layout = layout_, cuts = cuts_](std::size_t piece, std::uint64_t index) {
      return place(source, layout, cuts[piece], index);
    };
    return std::move(out_);
  }

 private:
  void read_piece(std::size_t piece) {
    PieceParser parser(source_.bytes(), layout_, cuts_[piece], cuts_[piece + 1]);
    errors_[piece] = parser.run();
    users_[piece] = parser.take_users();
    items_[piece] = parser.take_items();
    out_.pieces[piece] = parser.take_piece();
    comments_[piece] = parser.comments();
    if (layout_.market && !errors_[piece]) errors_[piece] = check_market_ids(piece);
    if (source_.mapped()) source_.mapping()->release(cuts_[piece], cuts_[piece + 1]);
  }

  // The fast path takes any short id: each different one is looked at here, once. The slow path then finds the place.
  std::optional<LineError> check_market_ids(std::size_t piece) const {
    const auto all_right = [&](const std::vector<std::uint64_t>& references, const char* side, std::uint64_t limit) {
      return std::all_of(references.begin(), references.end(), [&](const std::uint64_t& reference) {
        return wrong_id(id_text(reference, source_.bytes()), side, limit).empty();
      });
    };
    if (all_right(users_[piece], "user", layout_.users) && all_right(items_[piece], "item", layout_.items)) {
      return std::nullopt;
    }
    PieceParser parser(source_.bytes(), layout_, cuts_[piece], cuts_[piece + 1]);
    parser.without_fast_path();
    return parser.run();
  }

  [[nodiscard]] Status check_count() const {
    const std::uint64_t count = out_.count();
    if (count == 0) return Status::input(out_.path + ": holds no ratings, expected a line for each");
    if (!layout_.market || count == layout_.entries) return {};
    return Status::input(out_.path + ": " + std::to_string(count) + " ratings, but the line of sizes says " +
                         std::to_string(layout_.entries) + ": the file is cut off, or the sizes are wrong");
  }

  [[nodiscard]] Status said(const LineError& error) const {
    return Status::input(at(out_.path, lines_before(source_.bytes(), error.line_begin) + 1, error.column) + error.what);
  }
  [[nodiscard]] Status too_many() const {
    return Status::input(out_.path + ": more users or items than 32 bits can count");
  }

  static void renumber(PageArray<std::uint32_t>& numbers, std::uint64_t count,
                       const std::vector<std::uint32_t>& global) {
    for (std::uint64_t i = 0; i < count; ++i) numbers[i] = global[numbers[i]];
  }

  static std::string place(const InputFile& source, const TextLayout& layout, std::uint64_t begin,
                           std::uint64_t index) {
    LineReader lines(source.bytes().substr(begin));
    std::string_view line;
    while (lines.next(line)) {
      if (is_passed_over(layout, line)) continue;
      if (index-- == 0) break;
    }
    return at(source.path(), lines_before(source.bytes(), begin) + lines.number(), 1);
  }

  InputFile source_;
  TextLayout layout_;
  std::vector<std::uint64_t> cuts_;
  std::vector<std::vector<std::uint64_t>> users_, items_;  // references of each piece
  std::vector<std::optional<LineError>> errors_;
  std::vector<std::uint64_t> comments_;  // of each piece
  RatingsFile out_;
};

}  // namespace

std::string read_rating(std::string_view field, float& value) {
  double wide = 0;
  Number kind = parse_number(field, wide);
  if (kind == Number::text) {
    const auto comma = field.find(',');
    constexpr std::size_t kThousands = 3;
    if (comma != std::string_view::npos && field.size() - comma - 1 != kThousands) {
      std::string with_point(field);
      with_point[comma] = '.';
      kind = parse_number(with_point, wide);
    }
  }
  switch (kind) {
    case Number::value:
      if (std::abs(wide) <= static_cast<double>(std::numeric_limits<float>::max())) {
        value = static_cast<float>(wide);
        return {};
      }
      [[fallthrough]];
    case Number::not_finite:
      return "rating " + in_quotes(field) + " is infinite or too large for a float, expected a finite number";
    case Number::missing:
      return "rating " + in_quotes(field) + " is missing, expected a number: leave the line out";
    case Number::text:
      break;
  }
  return "rating " + in_quotes(field) + ", expected a number";
}

std::uint64_t ratings_piece_bytes(std::uint64_t size) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  return std::max(kLeast, size / 64 + 1);
}

Result<RatingsFile> read_text_ratings(const InputFile& source, const WantedFields& wanted, std::uint64_t piece_bytes,
                                      Chunks& chunks, SharedProgress& progress) {
  const auto read = [&](const InputFile& file, TextLayout layout) {
    layout.pairs = wanted.fields == 2;
    return TextReader(file, layout, piece_bytes).run(chunks, progress);
  };
  return read_lines(source, wanted, read, [](Result<RatingsFile> found, const TextReading& reading) {
    if (!found.ok() || reading.note.empty()) return found;
    std::string& all = found.value().note;
    all = all.empty() ? reading.note : reading.note + "; " + all;
    return found;
  });
}

}  // namespace strads::data
