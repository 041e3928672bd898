#include "lda/run/fit_data.hpp"

#include <utility>

#include "lda/topics/completion.hpp"
#include "strads/program/program.hpp"

namespace strads::lda {

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
  STRADS_ASSIGN_OR_RETURN(out.data, prepare_lda(std::move(all), options.engine.seed, std::move(threads)));
  return out;
}

}  // namespace strads::lda
