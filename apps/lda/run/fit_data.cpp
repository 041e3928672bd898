#include "lda/run/fit_data.hpp"

#include <string>
#include <utility>
#include <vector>

#include "lda/problem/held_out.hpp"
#include "strads/program/program.hpp"

namespace strads::lda {
namespace {

/// Words as `trained` has them.
Result<Documents> load_test(const FitOptions& options, const Documents& trained, Chunks& chunks) {
  std::vector<std::string> words;
  words.reserve(trained.vocabulary);
  for (std::uint32_t w = 0; w < trained.vocabulary; ++w) words.push_back(trained.word(w));
  STRADS_ASSIGN_OR_RETURN(auto read, load_documents(test_input(options), words, chunks, {}));
  if (read.tokens == 0) {
    return Status::input(options.test +
                         ": no word of these documents is one of the corpus, expected documents of the " + "same kind");
  }
  return read;
}

}  // namespace

Result<FitData> load_fit_data(const FitOptions& options, std::shared_ptr<Chunks> threads,
                              const std::function<void(double share)>& progress) {
  FitData out;
  std::shared_ptr<const Documents> all = options.in_memory;
  if (all == nullptr) {
    STRADS_ASSIGN_OR_RETURN(auto read, load_documents(options.corpus.input, {}, *threads, progress));
    all = std::make_shared<const Documents>(std::move(read));
  }
  out.documents = all->size();
  out.empty = all->empty;
  out.unknown = all->unknown;
  if (options.held_out > 0) {
    DocumentParts parts = hold_out(*all, options.held_out, options.engine.seed);
    out.held_out = std::make_shared<const Documents>(std::move(parts.held_out));
    all = std::make_shared<const Documents>(std::move(parts.kept));
    if (all->tokens == 0) {
      return Status::input(options.corpus.input.path + ": --held-out " + short_text(options.held_out) +
                           " leaves no token to learn from; give a smaller share");
    }
  }
  if (!options.test.empty()) {
    STRADS_ASSIGN_OR_RETURN(auto test, load_test(options, *all, *threads));
    out.held_out = std::make_shared<const Documents>(std::move(test));
  }
  STRADS_ASSIGN_OR_RETURN(out.data, prepare_lda(std::move(all), options.engine.seed, std::move(threads)));
  if (out.held_out != nullptr) measure_held_out(*out.data, halves_of(*out.held_out, options.engine.seed));
  return out;
}

}  // namespace strads::lda
