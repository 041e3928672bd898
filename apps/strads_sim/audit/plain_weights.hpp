// Item weights in plain numbers: the pairs as a dense matrix, objective and gap of a column, and which blocks items are
// dealt into.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/types.hpp"
#include "strads/data/ratings.hpp"
#include "strads_sim/audit/audited_slim.hpp"

namespace strads::simulator {

class PlainWeights {
 public:
  PlainWeights(const Ratings& ratings, const AuditedSlim& asked);

  struct Figures {
    double objective = 0, gap = 0;
  };
  [[nodiscard]] std::uint32_t items() const { return static_cast<std::uint32_t>(item_counts_.size()); }
  /// 1/2 ||a_j||^2: the objective of no weights, and the size of what rounds.
  [[nodiscard]] double half_norm(std::uint32_t item) const;
  /// `weights`: by item, of the pairs as they are. Cost: users x items.
  [[nodiscard]] Figures figures(std::uint32_t item, const std::vector<double>& weights) const;
  [[nodiscard]] std::uint64_t turns() const;
  /// The blocks of a slice, turn after turn: longest first, each item to the block with least so far.
  [[nodiscard]] std::vector<std::vector<VarId>> blocks(const std::vector<VarId>& slice) const;

 private:
  [[nodiscard]] bool has(std::size_t user, std::size_t item) const { return pairs_[user * items() + item]; }

  AuditedSlim asked_;
  std::vector<std::uint64_t> user_counts_, item_counts_;
  std::vector<bool> pairs_;  ///< users x items
  std::vector<std::uint64_t> work_;
  std::vector<double> squares_, scales_;  ///< x_u^2; y_i
};

}  // namespace strads::simulator
