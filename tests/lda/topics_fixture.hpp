// A topic model and documents small enough to be computed by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lda/topics/topic_model.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda::test {

/// Two topics of four words.
inline TopicModel small_model() {
  TopicModel model;
  model.topics = 2;
  model.alpha = {0.5, 0.25};
  model.beta = 0.125;
  model.words = {"ape", "bee", "cat", "dog"};
  model.phi = {0.5F, 0.25F, 0.125F, 0.125F, 0.125F, 0.125F, 0.25F, 0.5F};
  model.word_tokens = {5, 3, 2, 6};
  model.topic_tokens = {9, 7};
  return model;
}

/// Rows of counts, with a column for each word.
inline Documents counted(const std::vector<std::vector<std::uint32_t>>& rows) {
  Documents documents;
  documents.vocabulary = rows.empty() ? 0 : static_cast<std::uint32_t>(rows.front().size());
  for (const auto& row : rows) {
    for (std::uint32_t w = 0; w < row.size(); ++w) {
      if (row[w] == 0) continue;
      documents.words.push_back(w);
      documents.counts.push_back(row[w]);
      documents.tokens += row[w];
    }
    documents.empty += documents.begins.back() == documents.words.size() ? 1 : 0;
    documents.begins.push_back(documents.words.size());
  }
  return documents;
}

}  // namespace strads::lda::test
