// Tokens one by one: which of them a block draws, what is counted of their topics, and the log joint, all sums as they
// stand in the papers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strads/base/types.hpp"
#include "strads/data/documents.hpp"
#include "strads_sim/audit/audited_lda.hpp"

namespace strads::simulator {

/// A topic that nobody has told yet.
inline constexpr std::uint16_t kUntold = 0xffff;

/// What is computed of topics, and how far the model may be off: it adds up rows in multiples of 2^-20.
struct PlainMeasure {
  double log_joint = 0, log_joint_slack = 0;
  std::vector<double> alpha, alpha_slack;  ///< after a step of Minka's fixed point
  double beta = 0, beta_slack = 0;
};

class PlainTokens {
 public:
  PlainTokens(std::shared_ptr<const Documents> documents, const AuditedLda& asked);

  [[nodiscard]] std::size_t size() const { return document_.size(); }
  [[nodiscard]] std::size_t documents() const { return documents_->size(); }
  [[nodiscard]] std::size_t first_of(std::size_t document) const { return first_[document]; }
  /// Deals documents and words to blocks: the slices' rows, longest first, each to the block with fewest tokens.
  void deal(const std::vector<std::vector<VarId>>& slices);
  /// Blocks of documents (`of_words`: of words) are numbered slice x P + block; cells document part x blocks of words +
  /// block of words. The tokens of one in the order in which it keeps them.
  [[nodiscard]] std::vector<std::size_t> tokens_of_block(bool of_words, std::uint64_t block) const;
  [[nodiscard]] std::vector<std::size_t> tokens_of_cell(std::uint64_t cell) const;
  /// Of a block that measures: in `rotation` and `stale` it has what all slices have at its place.
  [[nodiscard]] std::vector<std::size_t> tokens_of_measure(bool of_words, std::uint64_t block) const;
  [[nodiscard]] std::uint32_t blocks_of_words() const { return asked_.sampler == "stale" ? 1 : asked_.engine.workers; }

  /// c_k.
  [[nodiscard]] std::vector<double> totals(const std::vector<std::uint16_t>& topics) const;
  /// REQUIRES: every topic has been told.
  [[nodiscard]] PlainMeasure measure(const std::vector<std::uint16_t>& topics, const std::vector<double>& alpha,
                                     double beta) const;

 private:
  /// Tokens by word, those of a word as they come.
  [[nodiscard]] std::vector<std::size_t> by_word(const std::vector<std::size_t>& tokens) const;

  std::shared_ptr<const Documents> documents_;
  AuditedLda asked_;
  std::vector<std::uint32_t> document_, word_;  ///< of each token
  std::vector<std::size_t> first_;              ///< documents + 1
  std::vector<std::uint64_t> block_of_document_, block_of_word_;
};

}  // namespace strads::simulator
