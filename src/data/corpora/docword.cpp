#include "data/corpora/docword.hpp"

#include <array>

#include "data/files/memory_limit.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

constexpr std::array<const char*, 3> kSizes = {"documents", "words", "entries"};

class DocwordParser {
 public:
  DocwordParser(std::string_view text, const std::string& path, std::uint64_t memory)
      : text_(text), path_(path), memory_(memory), lines_(LineReader::of_file(text)) {}

  Result<DocwordSizes> sizes() {
    std::array<std::uint64_t, 3> sizes = {};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      std::string_view line;
      if (!lines_.next(line)) return Status::input(path_ + ": ends before the number of its " + kSizes[k]);
      if (!parse_count(trimmed(line), sizes[k])) {
        return error(1, "found " + in_quotes(line) + ", expected the number of " + kSizes[k]);
      }
    }
    const DocwordSizes out{sizes[0], sizes[1], sizes[2]};
    if (out.documents == 0 || out.documents > kRowsMax) {
      return error(1, std::to_string(out.documents) + " documents, expected 1 to " + std::to_string(kRowsMax));
    }
    if (out.words == 0 || out.words > columns_max(text_.size())) {
      return error(1, std::to_string(out.words) + " words, " + expected_columns(text_.size()));
    }
    constexpr std::uint64_t kShortest = 6;  // "1 1 1\n"
    const std::uint64_t left = text_.size() - lines_.position();
    if (out.entries > (left + 1) / kShortest) {
      return error(1, std::to_string(out.entries) + " entries, but only " + std::to_string(left) +
                          " bytes follow: the file is cut off, or the number is wrong");
    }
    return out;
  }

  Result<SparseEntries> run() {
    STRADS_ASSIGN_OR_RETURN(const auto sizes, this->sizes());
    constexpr std::uint64_t kBytesOfAnEntry = 4 + 4 + 8 + 4 + 4;  // row, column, value; once more by documents
    Status fits =
        expect_memory(path_, "its entries take", sizes.entries * kBytesOfAnEntry, "use a larger machine", memory_);
    if (!fits.ok()) return fits;
    SparseEntries out;
    out.row_count = sizes.documents;
    out.column_count = sizes.words;
    out.rows.reserve(sizes.entries);
    out.columns.reserve(sizes.entries);
    out.values.reserve(sizes.entries);
    std::string_view line;
    while (lines_.next(line)) {
      WordReader words(line);
      std::string_view first;
      if (!words.next(first)) continue;
      if (out.values.size() == sizes.entries) {
        return error(1, "found " + in_quotes(line) + " after the last entry, expected the end (line 3 says " +
                            std::to_string(sizes.entries) + " entries)");
      }
      if (Status read = entry(words, first, sizes, out); !read.ok()) return read;
    }
    if (out.values.size() < sizes.entries) {
      return Status::input(path_ + ": ends after " + std::to_string(out.values.size()) + " of " +
                           std::to_string(sizes.entries) + " entries: the file is cut off; copy it again");
    }
    return out;
  }

 private:
  Status entry(WordReader& words, std::string_view first, const DocwordSizes& sizes, SparseEntries& out) {
    std::uint64_t document = 0, word = 0;
    double count = 0;
    if (Status read = index(words, first, "document", sizes.documents, document); !read.ok()) return read;
    std::string_view text;
    words.next(text);
    if (Status read = index(words, text, "word", sizes.words, word); !read.ok()) return read;
    text = {};
    if (!words.next(text)) return error(words.column(), "the line ends, expected document, word and count");
    if (const Number kind = parse_number(text, count); kind != Number::value) {
      return error(words.column(), "count is " + not_a_number(kind, text));
    }
    if (count < 0) return error(words.column(), "count " + short_number(count) + ", expected a whole number from 0");
    if (std::string_view more; words.next(more)) {
      return error(words.column(), "found " + in_quotes(more) + " after the count, expected one entry a line");
    }
    out.rows.push_back(static_cast<std::uint32_t>(document - 1));
    out.columns.push_back(static_cast<std::uint32_t>(word - 1));
    out.values.push_back(count);
    return {};
  }

  Status index(const WordReader& words, std::string_view text, const char* what, std::uint64_t count,
               std::uint64_t& value) {
    if (parse_count(text, value) && value >= 1 && value <= count) return {};
    return error(words.column(), std::string(what) + " number " + in_quotes(text) + ", expected 1 to " +
                                     std::to_string(count) + " as the head of the file says");
  }

  [[nodiscard]] Status error(std::uint64_t column, const std::string& what) const {
    return Status::input(at(path_, lines_.number(), column == 0 ? 1 : column) + what);
  }

  std::string_view text_;
  const std::string& path_;
  std::uint64_t memory_;
  LineReader lines_;
};

}  // namespace

bool looks_like_docword(std::string_view text) {
  LineReader lines = LineReader::of_file(text);
  std::string_view line;
  for (std::size_t k = 0; k < kSizes.size(); ++k) {
    std::uint64_t value = 0;
    if (!lines.next(line) || !parse_count(trimmed(line), value)) return false;
  }
  return true;
}

Result<DocwordSizes> docword_sizes(std::string_view text, const std::string& path) {
  return DocwordParser(text, path, 0).sizes();
}

Result<SparseEntries> parse_docword(std::string_view text, const std::string& path, std::uint64_t memory) {
  return DocwordParser(text, path, memory).run();
}

}  // namespace strads::data
