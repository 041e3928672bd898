// Options of documents, as every command of `lda` has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/data/documents.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lda {

/// As the user gave them. `input` is complete after settle_corpus().
struct CorpusOptions {
  DocumentsInput input;
  std::string format = "auto";
  std::string documents = "rows";
};

/// --corpus, --format, --documents, --vocab.
void add_corpus_options(OptionTable& table, CorpusOptions& options, std::string effect);
/// How text becomes words. `chooses`: the documents say which words there are, so that words may be left out.
void add_text_options(OptionTable& table, TextOptions& text, bool chooses);

/// Errors: usage: no corpus.
[[nodiscard]] Status settle_corpus(CorpusOptions& options);

/// The options that name files. The built-in lists of stop words are no files.
[[nodiscard]] std::vector<std::string*> corpus_paths(CorpusOptions& options);

/// What is said of documents that were read: one line of those that are empty, one of tokens of unknown words.
[[nodiscard]] std::vector<std::string> corpus_notes(std::uint64_t empty, std::uint64_t unknown,
                                                    const std::string& path);

/// "ap.mtx.gz: 2246 documents, 435838 tokens of 10473 words".
[[nodiscard]] std::string corpus_text(const Documents& documents, const std::string& path);

}  // namespace strads::lda
