// Topics of documents that a model has not learnt from, its topics held fixed. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct InferSettings {
  std::uint64_t seed = 1;
  std::uint32_t sweeps = 100;  ///< of Gibbs sampling; shares are the mean over the second half of them
};

/// theta, documents x topics: each document's shares of topics, rows sum to 1.
///   phi: topics x words, above 0, rows sum to 1 (phi_of())
///   alpha: of each topic, above 0
/// Every random number is a function of (seed, the document's own words and counts, sweep, token): a document has the
/// same answer at each time, in any order and company, with any number of threads. A document without tokens has the
/// prior's shares. REQUIRES: words below the vocabulary of phi. Cost: K multiply-adds a token and sweep.
[[nodiscard]] std::vector<float> infer_topics(const Documents& documents, std::span<const float> phi,
                                              std::span<const double> alpha, const InferSettings& settings,
                                              Chunks& chunks);

}  // namespace strads::lda
