// als, cd and cg of implicit feedback: whole rows of one side, with the other side and its Gram matrix fixed. Private
// to apps/mf. Pure but for what it remembers of the phase under way.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mf/solvers/other_side.hpp"
#include "mf/solvers/row_pages.hpp"
#include "strads/base/types.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {

/// The problem of one side, whose other side has `columns` rows.
[[nodiscard]] ImplicitProblem implicit_problem(const MfOptions& options, std::uint64_t columns);

class ImplicitSolver final : public RowPages {
 public:
  explicit ImplicitSolver(const MfOptions& options);

  [[nodiscard]] Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const override;
  [[nodiscard]] std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                std::uint32_t of_items) const override;
  void finish(MfState& replica) const override;

 private:
  [[nodiscard]] std::vector<double> penalties_of_page(Side side, std::size_t page, const float* records) const override;
  [[nodiscard]] ImplicitProblem problem_of(Side side) const;
  [[nodiscard]] Cost cost_of(Side side, const ImplicitProblem& problem, const RatingRows& rows,
                             const RowSums& sums) const;
  /// What the blocks of this phase read of the other side; nullptr: nobody waits for this block.
  [[nodiscard]] std::shared_ptr<OtherSide> other_side(const MfState& base, std::span<const double> plan) const;

  mutable std::mutex mutex_;
  mutable std::uint64_t phase_ = 0;             ///< Plan::first of the phase that `other_` is of
  mutable std::shared_ptr<OtherSide> other_{};  ///< of the last phase that was asked about
};

}  // namespace strads::mf
