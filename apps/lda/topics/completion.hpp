// Perplexity of documents by completion: the topics of a document come from one half of its tokens, and are asked for
// the other half (Wallach, Murray, Salakhutdinov and Mimno 2009, section 3.4: document completion). Pure.
#pragma once

#include <cstdint>
#include <span>

#include "lda/topics/topic_model.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

/// Some documents, and the others, in their order.
struct DocumentParts {
  Documents kept, held_out;
};
/// Documents are held out by a hash of (seed, number of the document). Words have the same numbers in both;
/// documents without a name are called by their number.
[[nodiscard]] DocumentParts hold_out(const Documents& documents, double share, std::uint64_t seed);

/// Two halves of the tokens of each document, by a hash of (seed, document, token).
struct DocumentHalves {
  Documents seen, asked;
};
[[nodiscard]] DocumentHalves halves_of(const Documents& documents, std::uint64_t seed);

struct Completion {
  double log_likelihood = 0;  ///< natural, of the tokens that were asked for
  std::uint64_t tokens = 0;

  /// exp(-log likelihood per token): of V words that are all as probable, V.
  [[nodiscard]] double perplexity() const;
};
/// sum over tokens of ln sum_k theta_dk phi_kw. `theta`: documents x topics. Documents are summed in their order,
/// whoever computes them. Cost: a multiply-add a topic and pair of document and word.
[[nodiscard]] Completion completed(const TopicModel& model, std::span<const float> theta, const Documents& asked,
                                   Chunks& chunks);

}  // namespace strads::lda
