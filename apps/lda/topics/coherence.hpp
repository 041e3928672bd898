// How well the top words of a topic go together. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/topics/topic_model.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct Coherence {
  std::vector<double> of_topic;    ///< mean over the pairs of its words; NaN: fewer than two words
  double mean = 0;                 ///< over the topics that have one
  std::uint64_t pairs_unseen = 0;  ///< pairs with a word that no document has: they count -1
};

/// Normalised pointwise mutual information (Bouma 2009; Roder, Both and Hinneburg 2015) of the `top` most probable
/// words of each topic: ln(p(i, j) / (p(i) p(j))) / -ln p(i, j), where p is the share of documents that hold the words,
/// among those that hold any. Counts are of whole documents, with no window. A pair that no document holds counts -1,
/// one that all hold 1. Cost: a pass over the documents, and one over the lists of documents of each pair.
[[nodiscard]] Coherence npmi(const TopicModel& model, const Documents& documents, std::uint32_t top);

}  // namespace strads::lda
