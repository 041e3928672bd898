// Perplexity of documents by completion: the topics of a document come from one half of its tokens, and are asked for
// the other half (Wallach, Murray, Salakhutdinov and Mimno 2009, section 3.4: document completion). Pure.
#pragma once

#include <cstdint>
#include <span>

#include "lda/problem/held_out.hpp"
#include "lda/topics/topic_model.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct Completion {
  double log_likelihood = 0;  ///< natural, of the tokens that were asked for
  std::uint64_t tokens = 0;

  /// exp(-log likelihood per token): of V words that are all as probable, V.
  [[nodiscard]] double perplexity() const;
};
/// sum over tokens of ln sum_k theta_dk phi_kw. `theta`: documents x topics. The sum of a document is a whole multiple
/// of 2^-20, so that the sum of all is the same whoever computes them: what a fit says of its held-out documents while
/// it runs, to the last bit. Cost: a multiply-add a topic and pair of document and word.
[[nodiscard]] Completion completed(const TopicModel& model, std::span<const float> theta, const Documents& asked,
                                   Chunks& chunks);

}  // namespace strads::lda
