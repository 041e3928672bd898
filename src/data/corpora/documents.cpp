// Which reader a corpus has, and what all of them do alike.
#include "strads/data/documents.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "data/corpora/docword.hpp"
#include "data/corpora/entries_by_document.hpp"
#include "data/corpora/text_documents.hpp"
#include "data/files/mapped_file.hpp"
#include "data/formats/libsvm.hpp"
#include "data/formats/matrix_market.hpp"
#include "data/formats/npz.hpp"
#include "data/text/text.hpp"
#include "strads/base/hash.hpp"

namespace strads {
namespace data {
namespace {

bool is_folder_of_texts(const DocumentsInput& input) {
  std::error_code unknown;
  return std::filesystem::is_directory(input.path, unknown);
}

DocumentFormat format_of(std::string_view bytes) {
  if (is_zip(bytes)) return DocumentFormat::npz;
  if (is_matrix_market(bytes)) return DocumentFormat::matrix_market;
  if (looks_like_docword(bytes)) return DocumentFormat::docword;
  return looks_like_libsvm(bytes) ? DocumentFormat::libsvm : DocumentFormat::text;
}

Result<Documents> read_matrix(std::string_view bytes, DocumentFormat format, bool columns, const std::string& path) {
  SparseEntries entries;
  if (format == DocumentFormat::docword) {
    STRADS_ASSIGN_OR_RETURN(entries, parse_docword(bytes, path));
  } else if (format == DocumentFormat::libsvm) {
    STRADS_ASSIGN_OR_RETURN(auto rows, parse_libsvm(bytes, path));
    entries = std::move(rows.entries);
  } else if (format == DocumentFormat::npz) {
    STRADS_ASSIGN_OR_RETURN(entries, parse_npz(bytes, path));
  } else {
    STRADS_ASSIGN_OR_RETURN(auto matrix, parse_matrix_market(bytes, path));
    if (!matrix.coordinate) {
      return Status::input(path + ": a Matrix Market array, expected coordinates: counts of words are sparse");
    }
    entries = std::move(matrix.entries);
  }
  return documents_of(std::move(entries), columns, path);
}

Result<std::vector<std::string>> read_vocabulary(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(path));
  std::vector<std::string> words;
  std::unordered_map<std::string, std::uint64_t> lines_of;  // looked up only
  LineReader lines = LineReader::of_file(file.bytes());
  for (std::string_view line; lines.next(line);) {
    const std::string_view word = trimmed(line);
    if (word.empty()) return Status::input(at(path, lines.number(), 1) + "an empty line, expected a word");
    const auto [place, is_new] = lines_of.try_emplace(std::string(word), lines.number());
    if (!is_new) {
      return Status::input(at(path, lines.number(), 1) + "the word " + in_quotes(word) + " is also in line " +
                           std::to_string(place->second) + ", expected each once");
    }
    words.emplace_back(word);
  }
  if (words.empty()) return Status::input(path + ": holds no words, expected one a line");
  return words;
}

/// Words of a vocabulary that may be longer than what the documents were said to have.
Status name_words(Documents& documents, std::vector<std::string> words, const DocumentsInput& input) {
  if (words.size() < documents.vocabulary) {
    const auto largest = std::ranges::max_element(documents.words);
    const std::uint64_t used = largest == documents.words.end() ? 0 : std::uint64_t{*largest} + 1;
    if (used > words.size()) {
      return Status::input(input.path + ": word number " + std::to_string(used) + " is outside of the vocabulary, " +
                           input.vocabulary + " holds " + std::to_string(words.size()) + " words");
    }
  }
  documents.vocabulary = static_cast<std::uint32_t>(words.size());
  documents.word_names = std::move(words);
  return {};
}

/// Keeps the entries of the words that have a number, and gives them that.
void renumber(Documents& documents, std::span<const std::uint32_t> numbers, std::uint32_t none) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  std::uint64_t kept = 0, begin = 0;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    entries.clear();
    for (std::uint64_t k = begin; k < documents.begins[d + 1]; ++k) {
      const std::uint32_t word = numbers[documents.words[k]];
      if (word == none) {
        documents.unknown += documents.counts[k];
      } else {
        entries.emplace_back(word, documents.counts[k]);
      }
    }
    std::ranges::sort(entries);
    begin = documents.begins[d + 1];
    for (const auto& entry : entries) {
      documents.words[kept] = entry.first;
      documents.counts[kept++] = entry.second;
    }
    documents.begins[d + 1] = kept;
  }
  documents.words.resize(kept);
  documents.counts.resize(kept);
}

/// Documents with the numbers of a model's words. Errors: input: words without names go beyond the model's.
Status use_known_words(Documents& documents, std::span<const std::string> known, const DocumentsInput& input) {
  const auto size = static_cast<std::uint32_t>(known.size());
  if (documents.word_names.empty()) {
    const auto largest = std::ranges::max_element(documents.words);
    if (largest != documents.words.end() && *largest >= size) {
      return Status::input(input.path + ": word number " + std::to_string(*largest + std::uint64_t{1}) +
                           " is outside of the model's vocabulary of " + std::to_string(size) +
                           " words, expected the numbering that the model was fitted with, or --vocab FILE");
    }
  } else {
    std::unordered_map<std::string_view, std::uint32_t> places;  // looked up only
    for (std::uint32_t k = 0; k < size; ++k) places.emplace(known[k], k);
    std::vector<std::uint32_t> numbers(documents.word_names.size(), size);
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      const auto place = places.find(documents.word_names[w]);
      if (place != places.end()) numbers[w] = place->second;
    }
    renumber(documents, numbers, size);
  }
  documents.vocabulary = size;
  documents.word_names.assign(known.begin(), known.end());
  return {};
}

Result<Documents> read_folder(const DocumentsInput& input, std::span<const std::string> known, Chunks& chunks,
                              const std::function<void(double share)>& progress) {
  STRADS_ASSIGN_OR_RETURN(auto names, files_in_folder(input.path));
  if (names.empty()) return Status::input(input.path + ": an empty folder, expected files of text");
  std::vector<InputFile> files;
  std::vector<std::string_view> texts;
  files.reserve(names.size());
  for (const std::string& name : names) {
    STRADS_ASSIGN_OR_RETURN(auto file, InputFile::open(input.path + "/" + name));
    files.push_back(std::move(file));
    texts.push_back(files.back().bytes().substr(byte_order_mark(files.back().bytes())));
  }
  STRADS_ASSIGN_OR_RETURN(auto documents, documents_of_texts(texts, input.text, known, chunks, progress));
  documents.document_names = std::move(names);
  return documents;
}

/// Cuts the name and the tab at the beginning of each line off.
Result<std::vector<std::string>> take_names(std::span<std::string_view> lines, const std::string& path) {
  std::vector<std::string> names;
  names.reserve(lines.size());
  for (std::string_view& line : lines) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      return Status::input(at(path, names.size() + 1, 1) + "found " + in_quotes(line) +
                           ", expected a name, a tab and the document, as --named says");
    }
    names.emplace_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  return names;
}

Result<Documents> read_file_of_documents(const DocumentsInput& input, std::span<const std::string> known,
                                         Chunks& chunks, const std::function<void(double share)>& progress) {
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(input.path));
  const DocumentFormat format = input.format == DocumentFormat::automatic ? format_of(file.bytes()) : input.format;
  if (format != DocumentFormat::text) {
    STRADS_ASSIGN_OR_RETURN(auto documents, read_matrix(file.bytes(), format, input.columns, input.path));
    documents.format = format;
    return documents;
  }
  if (input.columns) return Status::input(input.path + ": is text, whose documents are lines, and no matrix");
  auto lines = lines_of_text(file.bytes());
  std::vector<std::string> names;
  if (input.text.named) {
    STRADS_ASSIGN_OR_RETURN(names, take_names(lines, input.path));
  }
  STRADS_ASSIGN_OR_RETURN(auto documents, documents_of_texts(lines, input.text, known, chunks, progress));
  documents.document_names = std::move(names);
  return documents;
}

}  // namespace
}  // namespace data

Result<Documents> load_documents(const DocumentsInput& input, std::span<const std::string> known, Chunks& chunks,
                                 const std::function<void(double share)>& progress) {
  const bool is_folder = data::is_folder_of_texts(input);
  if (is_folder && input.format != DocumentFormat::automatic && input.format != DocumentFormat::text) {
    return Status::input(input.path + ": is a folder, expected a file of that format");
  }
  auto read = is_folder ? data::read_folder(input, known, chunks, progress)
                        : data::read_file_of_documents(input, known, chunks, progress);
  if (!read.ok()) return read;
  Documents documents = std::move(read).value();
  const bool is_text = documents.format == DocumentFormat::text;
  if (is_text && !input.vocabulary.empty()) {
    return Status::usage("--vocab " + input.vocabulary + ": " + input.path +
                         " is text, whose words say themselves which they are; leave --vocab out");
  }
  if (!is_text) {
    if (!input.vocabulary.empty()) {
      STRADS_ASSIGN_OR_RETURN(auto words, data::read_vocabulary(input.vocabulary));
      if (Status named = data::name_words(documents, std::move(words), input); !named.ok()) return named;
    }
    if (!known.empty()) {
      if (Status same = data::use_known_words(documents, known, input); !same.ok()) return same;
    }
  }
  if (Status counted = data::count_tokens(documents, input.path); !counted.ok()) return counted;
  return documents;
}

Result<Documents> documents_in_memory(std::span<const std::uint64_t> begins, std::span<const std::uint32_t> words,
                                      std::span<const double> counts, std::uint32_t vocabulary) {
  data::SparseEntries entries;
  entries.row_count = begins.empty() ? 0 : begins.size() - 1;
  entries.column_count = vocabulary;
  entries.row_starts.assign(begins.begin(), begins.end());
  entries.columns.assign(words.begin(), words.end());
  entries.values.assign(counts.begin(), counts.end());
  const std::string where = "documents in memory";
  if (begins.empty() || begins.front() != 0 || begins.back() != words.size() || words.size() != counts.size() ||
      !std::is_sorted(begins.begin(), begins.end())) {
    return Status::input(where + ": offsets, words and counts do not fit each other");
  }
  if (std::ranges::any_of(words, [&](std::uint32_t word) { return word >= vocabulary; })) {
    return Status::input(where + ": a word is outside of the vocabulary of " + std::to_string(vocabulary) + " words");
  }
  STRADS_ASSIGN_OR_RETURN(auto documents, data::documents_of(std::move(entries), false, where));
  if (Status counted = data::count_tokens(documents, where); !counted.ok()) return counted;
  return documents;
}

std::vector<std::string> files_of(const DocumentsInput& input) {
  std::vector<std::string> files;
  if (data::is_folder_of_texts(input)) {
    auto names = data::files_in_folder(input.path);
    if (names.ok()) {
      for (const std::string& name : names.value()) files.push_back(input.path + "/" + name);
    }
  } else {
    files.push_back(input.path);
  }
  if (!input.vocabulary.empty()) files.push_back(input.vocabulary);
  const std::string& stop = input.text.stop_words;
  if (stop != "none" && stop != "english") files.push_back(stop);
  return files;
}

std::uint64_t fingerprint_of(const Documents& documents) {
  Hash64 hash;
  hash.update_u64(documents.vocabulary);
  hash.update(std::as_bytes(std::span(documents.begins)));
  hash.update(std::as_bytes(std::span(documents.words)));
  hash.update(std::as_bytes(std::span(documents.counts)));
  return hash.digest();
}

namespace data {
namespace {

/// Bytes that an entry takes while a matrix becomes documents: numbers of row and column, value, word and count.
constexpr std::uint64_t kReadingAnEntry = 4 + 4 + 8 + 4 + 4;

Result<DocumentsShape> shape_of_head(std::string_view bytes, DocumentFormat format, const DocumentsInput& input) {
  DocumentsShape shape;
  if (format == DocumentFormat::docword) {
    STRADS_ASSIGN_OR_RETURN(const auto sizes, docword_sizes(bytes, input.path));
    shape = {sizes.documents, sizes.words, sizes.entries, sizes.entries, false, 0};
  } else if (format == DocumentFormat::text) {
    constexpr std::uint64_t kBytesOfAToken = 8;  // with blanks and what is left out: a lower bound is wanted
    const auto lines = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    shape.documents = std::max<std::uint64_t>(1, lines);
    shape.tokens = bytes.size() / kBytesOfAToken;
    shape.entries = shape.tokens;
  } else {
    STRADS_ASSIGN_OR_RETURN(const auto documents, read_matrix(bytes, format, input.columns, input.path));
    shape.documents = documents.size();
    shape.vocabulary = documents.vocabulary;
    shape.entries = documents.words.size();
    shape.tokens = std::accumulate(documents.counts.begin(), documents.counts.end(), std::uint64_t{0});
    shape.exact = true;
  }
  return shape;
}

}  // namespace
}  // namespace data

Result<DocumentsShape> look_at_documents(const DocumentsInput& input, bool thorough, Chunks& chunks) {
  DocumentsShape shape;
  std::uint64_t unpacked = 0;
  if (thorough || data::is_folder_of_texts(input)) {
    STRADS_ASSIGN_OR_RETURN(const auto documents, load_documents(input, {}, chunks, {}));
    shape = {documents.size(), documents.vocabulary, documents.words.size(), documents.tokens, true, 0};
  }
  if (!data::is_folder_of_texts(input)) {
    STRADS_ASSIGN_OR_RETURN(const auto file, data::InputFile::open(input.path));
    if (!file.mapped()) unpacked = file.bytes().size();
    if (!thorough) {
      const DocumentFormat format =
          input.format == DocumentFormat::automatic ? data::format_of(file.bytes()) : input.format;
      STRADS_ASSIGN_OR_RETURN(shape, data::shape_of_head(file.bytes(), format, input));
    }
  }
  shape.reading_bytes = shape.entries * data::kReadingAnEntry + unpacked;
  return shape;
}

}  // namespace strads
