#include "data/formats/matrix_market.hpp"

#include "data/files/memory_limit.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";

class MatrixMarketParser {
 public:
  MatrixMarketParser(std::string_view text, const std::string& path, std::uint64_t memory)
      : text_(text), path_(path), memory_(memory), lines_(LineReader::of_file(text)) {}

  Result<MatrixMarket> run() {
    if (Status status = banner(); !status.ok()) return status;
    if (Status status = sizes(); !status.ok()) return status;
    if (Status status = out_.coordinate ? coordinates() : array(); !status.ok()) return status;
    std::string_view line;
    if (next_line(line)) {
      return error(1, "found " + in_quotes(line) + " after the last entry, expected the end (the header says " +
                          std::to_string(count_) + " entries)");
    }
    return std::move(out_);
  }

 private:
  Status banner() {
    std::string_view line;
    if (!lines_.next(line)) return Status::input(path_ + ": is empty, expected %%MatrixMarket");
    WordReader words(line);
    if (Status status = expect(words, {kBanner}); !status.ok()) return status;
    if (Status status = expect(words, {"matrix"}); !status.ok()) return status;
    if (Status status = expect(words, {"coordinate", "array"}); !status.ok()) return status;
    out_.coordinate = choice_ == 0;
    if (Status status = expect(words, {"real", "integer", "pattern"}); !status.ok()) return status;
    pattern_ = choice_ == 2;
    if (pattern_ && !out_.coordinate) return error(words.column(), "an array cannot be a pattern, expected real");
    return expect(words, {"general"});
  }

  // The next word must be one of `words`; choice_ says which.
  Status expect(WordReader& reader, std::initializer_list<std::string_view> words) {
    std::string_view word;
    std::string wanted;
    reader.next(word);
    choice_ = 0;
    for (const std::string_view candidate : words) {
      if (same_word(word, candidate)) return {};
      wanted += (wanted.empty() ? "" : " or ") + std::string(candidate);
      ++choice_;
    }
    const bool triangle = *words.begin() == "general";
    return error(reader.column(), "found " + in_quotes(word) + " in the first line, expected " + wanted +
                                      (triangle ? "; write the full matrix" : ""));
  }

  Status sizes() {
    std::string_view line;
    if (!next_line(line)) return Status::input(path_ + ": ends before the line with the sizes");
    WordReader words(line);
    std::uint64_t sizes[3] = {0, 0, 0};
    const int wanted = out_.coordinate ? 3 : 2;
    for (int k = 0; k < wanted; ++k) {
      std::string_view word;
      if (!words.next(word) || !parse_count(word, sizes[k])) {
        return error(words.column(),
                     "size " + in_quotes(word) + ", expected " + std::to_string(wanted) +
                         (out_.coordinate ? " counts: rows, columns, entries" : " counts: rows, columns"));
      }
    }
    if (std::string_view more; words.next(more))
      return error(words.column(), "found " + in_quotes(more) + " after the sizes");
    return check_sizes(sizes[0], sizes[1], sizes[2]);
  }

  Status check_sizes(std::uint64_t rows, std::uint64_t columns, std::uint64_t entries) {
    if (rows == 0 || columns == 0) return error(1, "a matrix without rows or columns, expected at least one of each");
    if (rows > kRowsMax) return error(1, std::to_string(rows) + " rows, expected at most " + std::to_string(kRowsMax));
    if (out_.coordinate ? columns > columns_max(text_.size()) : columns > kColumnsMax) {
      return error(1, std::to_string(columns) + " columns, " + expected_columns(text_.size()));
    }
    // Both factors are below 2^32: no overflow.
    count_ = out_.coordinate ? entries : rows * columns;
    const std::uint64_t entry_bytes = !out_.coordinate ? 2 : pattern_ ? 4 : 6;  // "1\n", "1 1\n", "1 1 1\n"
    const std::uint64_t left = text_.size() - lines_.position();
    if (count_ > (left + 1) / entry_bytes) {
      return error(1, std::to_string(count_) + " entries, but only " + std::to_string(left) +
                          " bytes follow: the file is cut off, or the sizes are wrong");
    }
    out_.entries.row_count = rows;
    out_.entries.column_count = columns;
    constexpr std::uint64_t kBytesOfAnEntry = 4 + 4 + 8 + 4 + 8;  // row, column, value; once more by columns
    constexpr std::uint64_t kBytesOfADenseEntry = 2 * 8;
    return expect_memory(path_, "its entries take", count_ * (out_.coordinate ? kBytesOfAnEntry : kBytesOfADenseEntry),
                         "leave columns out, or use a larger machine", memory_);
  }

  Status coordinates() {
    SparseEntries& entries = out_.entries;
    entries.rows.reserve(count_);
    entries.columns.reserve(count_);
    entries.values.reserve(count_);
    for (std::uint64_t k = 0; k < count_; ++k) {
      std::string_view line;
      if (!next_line(line)) return cut_off(k);
      WordReader words(line);
      std::uint64_t row = 0;
      std::uint64_t column = 0;
      double value = 1;
      if (Status status = index(words, "row", entries.row_count, row); !status.ok()) return status;
      if (Status status = index(words, "column", entries.column_count, column); !status.ok()) return status;
      if (!pattern_) {
        const auto place = static_cast<std::uint32_t>(row - 1);
        if (Status status = number(words, place, value); !status.ok()) return status;
      }
      if (Status status = end(words); !status.ok()) return status;
      entries.rows.push_back(static_cast<std::uint32_t>(row - 1));
      entries.columns.push_back(static_cast<std::uint32_t>(column - 1));
      entries.values.push_back(value);
    }
    return {};
  }

  Status array() {
    out_.dense.reserve(count_);
    for (std::uint64_t k = 0; k < count_; ++k) {
      std::string_view line;
      if (!next_line(line)) return cut_off(k);
      WordReader words(line);
      double value = 0;
      const auto row = static_cast<std::uint32_t>(k % out_.entries.row_count);
      if (Status status = number(words, row, value); !status.ok()) return status;
      if (Status status = end(words); !status.ok()) return status;
      out_.dense.push_back(value);
    }
    return {};
  }

  Status index(WordReader& words, const char* what, std::uint64_t count, std::uint64_t& value) {
    std::string_view word;
    if (words.next(word) && parse_count(word, value) && value >= 1 && value <= count) return {};
    return error(words.column(), std::string(what) + " number " + in_quotes(word) + ", expected 1 to " +
                                     std::to_string(count) + " (the format counts from one)");
  }

  Status number(WordReader& words, std::uint32_t row, double& value) {
    std::string_view word;
    if (!words.next(word)) return error(words.column(), "the line ends, expected a value");
    const Number kind = parse_number(word, value);
    if (kind == Number::missing) out_.entries.missing.push_back({row, lines_.number(), words.column()});
    if (kind == Number::value || kind == Number::missing) return {};
    return error(words.column(), not_a_number(kind, word));
  }

  Status end(WordReader& words) {
    std::string_view word;
    if (!words.next(word)) return {};
    return error(words.column(), "found " + in_quotes(word) + " after the entry, expected one entry a line");
  }

  // Next line that is neither empty nor a comment.
  bool next_line(std::string_view& line) {
    while (lines_.next(line)) {
      if (!trimmed(line).empty() && line.front() != '%') return true;
    }
    return false;
  }

  [[nodiscard]] Status cut_off(std::uint64_t found) const {
    return Status::input(path_ + ": ends after " + std::to_string(found) + " of " + std::to_string(count_) +
                         " entries: the file is cut off; copy it again");
  }
  [[nodiscard]] Status error(std::uint64_t column, const std::string& what) const {
    return Status::input(at(path_, lines_.number(), column == 0 ? 1 : column) + what);
  }

  std::string_view text_;
  const std::string& path_;
  std::uint64_t memory_;
  LineReader lines_;
  bool pattern_ = false;
  int choice_ = 0;
  std::uint64_t count_ = 0;
  MatrixMarket out_;
};

}  // namespace

bool is_matrix_market(std::string_view bytes) {
  return same_word(bytes.substr(byte_order_mark(bytes), kBanner.size()), kBanner);
}

Result<MatrixMarket> parse_matrix_market(std::string_view text, const std::string& path, std::uint64_t memory) {
  return MatrixMarketParser(text, path, memory).run();
}

}  // namespace strads::data
