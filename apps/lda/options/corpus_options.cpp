#include "lda/options/corpus_options.hpp"

#include <filesystem>
#include <utility>

#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"

namespace strads::lda {
namespace {

DocumentFormat named_format(const std::string& name) {
  if (name == "docword") return DocumentFormat::docword;
  if (name == "libsvm") return DocumentFormat::libsvm;
  if (name == "mtx") return DocumentFormat::matrix_market;
  if (name == "npz") return DocumentFormat::npz;
  return name == "text" ? DocumentFormat::text : DocumentFormat::automatic;
}

}  // namespace

void add_corpus_options(OptionTable& table, CorpusOptions& options, std::string effect) {
  const OptionSection rows = table.section("input");
  rows.common().text("corpus", "FILE", std::move(effect), &options.input.path);
  rows.common().text("vocab", "FILE",
                     "words of a matrix, one a line, in the order of its columns; without it words are their numbers",
                     &options.input.vocabulary);
  rows.choice("format", "what the corpus is; auto = as its first bytes say", &options.format,
              {"auto", "docword", "libsvm", "mtx", "npz", "text"});
  rows.choice("documents", "of a matrix: documents are its rows, or its columns, as of genes or peaks x cells",
              &options.documents, {"rows", "columns"});
}

void add_text_options(OptionTable& table, TextOptions& text, bool chooses) {
  const OptionSection rows = table.section("text");
  rows.common(chooses).text("stop-words", "LIST",
                            "words left out: english, none, or a file of words; english is a built-in list of 300",
                            &text.stop_words);
  if (chooses) {
    rows.count("min-documents", "N", "words of fewer documents are left out", &text.documents_min, {.min = 1});
    rows.number("max-share", "SHARE", "words of more than this share of the documents are left out", &text.share_max,
                {.min = 0, .max = 1, .min_open = true});
    rows.count("max-words", "N", "only the N most frequent words, 0 = all", &text.words_max, {});
  }
  rows.on_off("named", "each line of the corpus begins with the name of its document and a tab", &text.named);
  rows.count("min-letters", "N", "shorter words are left out", &text.letters_min, {.min = 1});
  rows.on_off("digits", "digits and underscores belong to words, as letters do; off = they end a word", &text.digits);
}

Status settle_corpus(CorpusOptions& options) {
  if (options.input.path.empty()) {
    return Status::usage("no input: give --corpus FILE (--help shows the options)");
  }
  options.input.format = named_format(options.format);
  options.input.columns = options.documents == "columns";
  return {};
}

std::vector<std::string*> corpus_paths(CorpusOptions& options) {
  std::vector<std::string*> paths = {&options.input.path, &options.input.vocabulary};
  std::string& stop = options.input.text.stop_words;
  if (stop != "english" && stop != "none") paths.push_back(&stop);
  return paths;
}

std::vector<std::string> corpus_notes(std::uint64_t empty, std::uint64_t unknown, const std::string& path) {
  const std::string where = path.empty() ? "" : path + ": ";
  std::vector<std::string> notes;
  if (empty > 0) {
    notes.push_back(where + with_unit(empty, "document has", "documents have") +
                    " no words: their topics are those of the prior");
  }
  if (unknown > 0) {
    notes.push_back(where + with_unit(unknown, "token is", "tokens are") +
                    " of words that the model does not know: left out");
  }
  return notes;
}

std::string corpus_text(const Documents& documents, const std::string& path) {
  return std::filesystem::path(path).filename().string() + ": " + with_unit(documents.size(), "document", "documents") +
         ", " + with_unit(documents.tokens, "token", "tokens") + " of " +
         with_unit(documents.vocabulary, "word", "words");
}

}  // namespace strads::lda
