#include "data/formats/libsvm.hpp"

#include <algorithm>

#include "data/files/memory_limit.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

// Splits "17:0.5". False when there is no colon.
bool split_feature(std::string_view word, std::string_view& index, std::string_view& value) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  index = word.substr(0, colon);
  value = word.substr(colon + 1);
  return true;
}

std::string wrong_index(std::uint64_t index, std::uint64_t bytes) {
  return "feature index " + std::to_string(index) + ", " + expected_columns(bytes);
}

enum class RowLook : std::uint8_t { empty, label, features, other };

RowLook look_at_row(std::string_view line) {
  WordReader words(line);
  std::string_view word;
  if (!words.next(word)) return RowLook::empty;
  double label = 0;
  const Number kind = parse_number(word, label);
  if (kind != Number::value && kind != Number::missing) return RowLook::other;
  if (!words.next(word)) return RowLook::label;
  std::string_view index_text;
  std::string_view value;
  std::uint64_t index = 0;
  const bool feature =
      split_feature(word, index_text, value) && (index_text == "qid" || parse_count(index_text, index));
  return feature ? RowLook::features : RowLook::other;
}

// Names of columns: no number among the words.
bool is_header(std::string_view line) {
  WordReader words(line);
  for (std::string_view word; words.next(word);) {
    if (is_number(word)) return false;
  }
  return true;
}

// Reads one text; the members are the state that a line needs.
class LibsvmParser {
 public:
  LibsvmParser(std::string_view text, const std::string& path, std::uint64_t memory)
      : text_(text), path_(path), memory_(memory) {}

  Result<LibsvmData> run() {
    const auto features = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), ':'));
    constexpr std::uint64_t kBytesOfAnEntry = 4 + 8 + 4 + 8;  // column, value; then row and value by columns
    if (Status fits = expect_memory(path_, "its entries take", features * kBytesOfAnEntry,
                                    "leave columns out, or use a larger machine", memory_);
        !fits.ok()) {
      return fits;
    }
    out_.entries.columns.reserve(features);
    out_.entries.values.reserve(features);
    out_.entries.row_starts.push_back(0);
    LineReader lines = LineReader::of_file(text_);
    for (std::string_view line; lines.next(line);) {
      line_ = lines.number();
      if (Status status = row(without_comment(line)); !status.ok()) return status;
    }
    if (out_.labels.empty()) return Status::input(path_ + ": holds no rows, expected 'label index:value ...' lines");
    if (out_.entries.column_count == 0) return Status::input(path_ + ": no row has a feature, expected index:value");
    out_.entries.row_count = out_.labels.size();
    return std::move(out_);
  }

 private:
  Status row(std::string_view line) {
    WordReader words(line);
    std::string_view word;
    if (!words.next(word)) return {};
    if (out_.labels.size() == kRowsMax) return error(words, "more rows than 32 bits can count");
    double label = 0;
    const Number kind = parse_number(word, label);
    if (kind == Number::text || kind == Number::not_finite) {
      return error(words, "label is " + not_a_number(kind, word));
    }
    std::uint64_t last_index = 0;
    while (words.next(word)) {
      if (Status status = feature(words, word, last_index); !status.ok()) return status;
    }
    out_.labels.push_back(label);
    out_.entries.row_starts.push_back(out_.entries.values.size());
    return {};
  }

  Status feature(const WordReader& words, std::string_view word, std::uint64_t& last_index) {
    std::string_view index_text;
    std::string_view value_text;
    if (!split_feature(word, index_text, value_text)) {
      return error(words, "found " + in_quotes(word) + ", expected index:value");
    }
    if (index_text == "qid") return error(words, "query ids (qid:) are for ranking, expected index:value; remove them");
    std::uint64_t index = 0;
    if (!parse_count(index_text, index)) {
      return error(words, "feature index " + in_quotes(index_text) + ", expected a whole number >= 1");
    }
    if (index == 0)
      return error(words,
                   "feature index 0, expected >= 1 (libsvm counts from one; scikit-learn's dump_svmlight_file "
                   "does with zero_based=False)");
    if (index > columns_max(text_.size())) {
      return error(words, wrong_index(index, text_.size()));
    }
    if (index <= last_index) {
      return error(words, "feature index " + std::to_string(index) + " after " + std::to_string(last_index) +
                              ", expected increasing indices without repeats; sort the row");
    }
    double value = 0;
    const Number kind = parse_number(value_text, value);
    if (kind == Number::text || kind == Number::not_finite || value_text.empty()) {
      return error(words, "feature " + std::to_string(index) + " is " + not_a_number(kind, value_text));
    }
    if (kind == Number::missing) {
      out_.entries.missing.push_back({static_cast<std::uint32_t>(out_.labels.size()), line_, words.column()});
    }
    last_index = index;
    out_.entries.column_count = std::max(out_.entries.column_count, index);
    out_.entries.columns.push_back(static_cast<std::uint32_t>(index - 1));
    out_.entries.values.push_back(value);
    return {};
  }

  [[nodiscard]] Status error(const WordReader& words, const std::string& what) const {
    return Status::input(at(path_, line_, words.column()) + what);
  }

  std::string_view text_;
  const std::string& path_;
  std::uint64_t memory_;
  std::uint64_t line_ = 0;
  LibsvmData out_;
};

}  // namespace

Result<LibsvmData> parse_libsvm(std::string_view text, const std::string& path, std::uint64_t memory) {
  return LibsvmParser(text, path, memory).run();
}

Status check_libsvm_index(std::string_view text, const std::string& path, std::uint64_t index, std::size_t place) {
  if (index <= columns_max(text.size())) return {};
  const std::string_view before = text.substr(0, place);
  const auto line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n');  // none: one less than 0, as the sum below wants it
  return Status::input(at(path, line, place - start) + wrong_index(index, text.size()));
}

bool looks_like_libsvm(std::string_view text) {
  constexpr int kRowsLookedAt = 1000;  // rows without features say nothing
  constexpr int kBrokenMax = 3;        // before the first that has some
  LineReader lines = LineReader::of_file(text);
  int rows = 0, broken = 0;
  bool has_colons = false;  // among the broken ones: a header of a table has none
  for (std::string_view line; rows < kRowsLookedAt && lines.next(line);) {
    const RowLook look = look_at_row(without_comment(line));
    if (look == RowLook::empty) continue;
    ++rows;
    if (look == RowLook::label) continue;
    if (look == RowLook::features) return broken == 0 || has_colons;
    has_colons = has_colons || line.find(':') != std::string_view::npos || !is_header(line);
    if (++broken > kBrokenMax) return false;
  }
  return false;
}

}  // namespace strads::data
