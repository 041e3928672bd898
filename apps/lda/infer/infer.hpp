// Topics of documents that a model has not learnt from, its topics held fixed. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lda/problem/lda.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/documents.hpp"

namespace strads::lda {

struct InferSettings {
  std::uint64_t seed = 1;
  std::uint32_t sweeps = kInferSweeps;  ///< of Gibbs sampling; shares are the mean over the second half of them
};

/// Writes the shares of a word in the topics (a column of phi), K floats.
using WordShares = std::function<void(std::uint32_t word, float* to)>;
/// Of `phi`, topics x words, which outlives it.
[[nodiscard]] WordShares shares_in(std::span<const float> phi, std::size_t topics);

/// One document after the other, with room for the longest of them.
class DocumentInference {
 public:
  DocumentInference(WordShares shares, std::span<const double> alpha, const InferSettings& settings);
  /// Shares of topics of one document: `theta` has K floats. What infer_topics() says of it.
  void infer(const Documents& documents, std::uint64_t document, float* theta);

 private:
  void lay_out(const Documents& documents, std::uint64_t document);
  void draw(std::size_t token, double unit);

  WordShares shares_;
  InferSettings settings_;
  std::size_t topics_;
  std::vector<float> alpha_, counts_;  ///< of each topic, in whole rows of a grid
  std::vector<float> sums_;            ///< of the weights of each column of it, and of those before it
  std::vector<float> rows_;            ///< phi of the document's words, as alpha
  double whole_ = 0;
  std::vector<std::size_t> row_of_;       ///< of each token
  std::vector<std::uint32_t> topics_of_;  ///< of each token
  std::uint64_t key_ = 0;
};

/// Natural log likelihood of the tokens of one document: sum of ln sum_k theta_k phi_kw.
[[nodiscard]] double log_likelihood_of(const Documents& documents, std::uint64_t document, std::span<const float> theta,
                                       const WordShares& shares);
/// exp(-log likelihood per token): of V words that are all as probable, V. Of no tokens: NaN.
[[nodiscard]] double perplexity_of(double log_likelihood, std::uint64_t tokens);

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
