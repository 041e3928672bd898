// Topics of documents that a model was not fitted to. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "lda/topics/topic_model.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct Inference {
  std::uint64_t seed = 1;
  std::uint32_t sweeps = 100;  ///< over the tokens of a document
};

/// theta, documents x topics: rows sum to 1. A document's row depends on the model, `how`, its words and its number
/// alone. Its words are those of the model. One without words has alpha / sum(alpha).
[[nodiscard]] std::vector<float> infer_topics(const TopicModel& model, const Documents& documents, const Inference& how,
                                              Chunks& chunks);

}  // namespace strads::lda
