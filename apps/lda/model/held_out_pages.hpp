// Held-out documents in pages, and their log likelihood by completion on a replica. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lda/infer/infer.hpp"
#include "lda/problem/lda.hpp"
#include "lda/problem/lda_state.hpp"
#include "lda/problem/row_pages.hpp"
#include "lda/solvers/lda_solver.hpp"
#include "strads/engine/model.hpp"

namespace strads::lda {

/// A page is a block of the phase Work::held_out. What pages say are whole numbers, which add up to the same sum
/// however documents are dealt to them.
class HeldOutPages {
 public:
  HeldOutPages(std::shared_ptr<const LdaData> data, const LdaOptions& options);

  /// At most as many pages as workers; fewer where counting the tokens of all words, which each page does again, would
  /// cost more than a quarter of the rest.
  void place(const Placement& placement);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(variables_.size()); }
  [[nodiscard]] std::uint64_t tokens_of(std::uint64_t page) const { return pages_.tokens[page]; }
  [[nodiscard]] std::uint64_t flops_of(std::uint64_t page) const;
  [[nodiscard]] std::vector<std::uint32_t> of_slice(std::uint32_t slice) const;
  /// Some variable of the slice that has the page; those of its other pages have others.
  [[nodiscard]] VarId variable_of(std::uint64_t page) const { return variables_[page]; }

  /// FixedSum::parts() of the log likelihood of the asked halves, given topics inferred from the seen ones. phi is that
  /// of the topics that tokens have now, as phi_of() has it. Cost: a pass over the tokens, K multiply-adds for each
  /// token of the seen halves and kInferSweeps; 4 K bytes for each word of the page.
  [[nodiscard]] std::vector<double> measured(const LdaSolver& solver, const LdaState& state, std::uint64_t page,
                                             const Prior& prior) const;

 private:
  /// phi of the page's words, word by word.
  struct PageShares {
    std::vector<std::uint32_t> place;  ///< by word
    std::vector<float> phi;
  };
  [[nodiscard]] PageShares shares_of(const LdaSolver& solver, const LdaState& state, std::uint64_t page,
                                     double beta) const;

  std::shared_ptr<const LdaData> data_;
  LdaOptions options_;
  RowPages pages_;
  std::vector<std::uint32_t> slices_;  ///< by page
  std::vector<VarId> variables_;       ///< by page
};

}  // namespace strads::lda
