// What `lda infer` and `lda evaluate` read.
#pragma once

#include "lda/options/fit_options.hpp"
#include "lda/topics/topic_model.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct ModelAndDocuments {
  TopicModel model;
  Documents documents;  ///< with the model's words
};

/// Text becomes words as it did for the fit, unless the options say otherwise; what was noted is said on stderr.
/// `table`: what the user gave. Errors: input, usage.
[[nodiscard]] Result<ModelAndDocuments> read_for_model(ModelOptions& options, const OptionTable& table, Chunks& chunks);

}  // namespace strads::lda
