// Documents as counts of words: what topic models learn from. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads {

enum class DocumentFormat : std::uint8_t { automatic, docword, libsvm, matrix_market, npz, text };

/// How text becomes words.
struct TextOptions {
  bool digits = true;                  ///< digits and underscores belong to words, as letters do
  std::uint32_t letters_min = 2;       ///< shorter words are left out
  std::uint32_t documents_min = 2;     ///< words of fewer documents are left out
  double share_max = 1;                ///< words of a larger share of the documents are left out
  std::uint32_t words_max = 0;         ///< the most frequent words alone; 0: all
  bool named = false;                  ///< a line begins with the document's name and a tab
  std::string stop_words = "english";  ///< "english", "none" or a file with one word a line

  friend bool operator==(const TextOptions&, const TextOptions&) = default;
};

/// What load_documents() reads.
struct DocumentsInput {
  std::string path;             ///< a file, or for text a folder of files
  std::string vocabulary = {};  ///< a file with one word a line, in the order of their numbers; "": none
  DocumentFormat format = DocumentFormat::automatic;
  bool columns = false;  ///< of a matrix the documents are columns
  TextOptions text = {};

  friend bool operator==(const DocumentsInput&, const DocumentsInput&) = default;
};

/// What of a text did not become tokens.
struct TextLeftOut {
  std::uint64_t stop_words = 0;  ///< tokens
  std::uint64_t rare = 0;        ///< tokens of words in too few documents
  std::uint64_t common = 0;      ///< tokens of words in too many documents
  std::uint64_t beyond = 0;      ///< tokens of words behind the most frequent ones
};

/// Documents in compressed rows. Document d has the words words[k] with counts[k], begins[d] <= k < begins[d + 1].
struct Documents {
  std::vector<std::uint64_t> begins = {0};  ///< documents + 1
  std::vector<std::uint32_t> words;         ///< ascending within a document
  std::vector<std::uint32_t> counts;        ///< above 0
  std::uint32_t vocabulary = 0;             ///< number of different words that there may be
  std::vector<std::string> word_names;      ///< of all of them; empty: they have none
  std::vector<std::string> document_names;  ///< of all of them; empty: they have none
  std::uint64_t tokens = 0;                 ///< sum of the counts
  std::uint64_t empty = 0;                  ///< documents without a token
  std::uint64_t unknown = 0;                ///< tokens of words that a given vocabulary lacks: left out
  TextLeftOut left_out;
  DocumentFormat format = DocumentFormat::automatic;  ///< that was found

  [[nodiscard]] std::uint64_t size() const { return begins.size() - 1; }
  /// Name of a word: its number from 1 where it has none.
  [[nodiscard]] std::string word(std::uint32_t w) const {
    return word_names.empty() ? std::to_string(w + std::uint64_t{1}) : word_names[w];
  }
  [[nodiscard]] std::string document(std::uint64_t d) const {
    return document_names.empty() ? std::to_string(d + 1) : document_names[d];
  }
};

/// Reads documents.
///   known: the words of a model, in their order; documents are numbered by these: text and files with a vocabulary by
///          their words, others by their numbers. Empty: the documents say which words there are
///   progress: share that is read
/// Errors: input: missing, damaged, a count that is negative or no whole number, a word outside of the vocabulary, a
/// word twice in a document, no documents, no tokens. Cost: matrices a pass, about 60 ns an entry; text about 30 ns a
/// byte and thread.
[[nodiscard]] Result<Documents> load_documents(const DocumentsInput& input, std::span<const std::string> known,
                                               Chunks& chunks, const std::function<void(double share)>& progress);

/// Documents that another program holds in memory, as compressed rows; words need not be sorted. Errors: input: as
/// above.
[[nodiscard]] Result<Documents> documents_in_memory(std::span<const std::uint64_t> begins,
                                                    std::span<const std::uint32_t> words,
                                                    std::span<const double> counts, std::uint32_t vocabulary);

/// All files that load_documents() reads.
[[nodiscard]] std::vector<std::string> files_of(const DocumentsInput& input);

/// Of begins, words and counts.
[[nodiscard]] std::uint64_t fingerprint_of(const Documents& documents);

/// How large documents are before they are read.
struct DocumentsShape {
  std::uint64_t documents = 0, vocabulary = 0;  ///< of text the vocabulary is a guess
  std::uint64_t entries = 0;                    ///< pairs of document and word, at the most
  std::uint64_t tokens = 0;                     ///< at least so many; exact where `exact`
  bool exact = false;
  std::uint64_t reading_bytes = 0;  ///< anonymous, at the most while they are read
};
/// `thorough`: reads the documents and counts; else their head is looked at, and their bytes. Errors: input, as
/// load_documents().
[[nodiscard]] Result<DocumentsShape> look_at_documents(const DocumentsInput& input, bool thorough, Chunks& chunks);

}  // namespace strads
