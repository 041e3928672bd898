// From a corpus to what one process of a fit knows.
#pragma once

#include <functional>
#include <memory>

#include "lda/options/fit_options.hpp"
#include "lda/problem/lda.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct FitData {
  std::shared_ptr<LdaData> data;              ///< what is learned from
  std::shared_ptr<const Documents> held_out;  ///< by --held-out or --test; null: none
  std::uint64_t documents = 0, empty = 0;     ///< of the corpus
  std::uint64_t unknown = 0;
};

/// The same on every node. `progress`: share that is read. Errors: input; of --held-out too large: no token is left; of
/// --test: no document of it has a word of the corpus.
[[nodiscard]] Result<FitData> load_fit_data(const FitOptions& options, std::shared_ptr<Chunks> threads,
                                            const std::function<void(double share)>& progress);

}  // namespace strads::lda
