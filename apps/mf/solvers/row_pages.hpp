// Solvers whose pages are whole records and whose phases are the two sides: what cd, als and those of implicit feedback
// do alike. Private to apps/mf. Pure.
#pragma once

#include <vector>

#include "mf/solvers/mf_solver.hpp"

namespace strads::mf {

class RowPages : public MfSolver {
 public:
  [[nodiscard]] std::vector<Step> steps(std::uint32_t schedulers, std::uint32_t workers) const override;
  void sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks, Triplets* spent,
                    WorkerRatings& to) const override;
  void start(MfState& state, Side side, Chunks& chunks) const override;
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const override;
  void fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
            std::span<const SharedFloats> arrays, Replaced replaced) const override;

 protected:
  /// `width`: of the items' start, as drawn_page() takes it.
  RowPages(const MfOptions& options, const SolverFacts& facts, double width)
      : MfSolver(options, facts), start_width_(width) {}
  /// The facts of such a solver; `splits`: SolverFacts::splits_rows, `rescales` likewise.
  [[nodiscard]] static SolverFacts row_facts(const MfOptions& options, bool splits, bool rescales);
  /// Penalties of a page without lambda: rank + 1 sums.
  [[nodiscard]] virtual std::vector<double> penalties_of_page(Side side, std::size_t page, const float* records) const {
    return penalties_of_records(side, page, records);
  }

 private:
  double start_width_;
};

}  // namespace strads::mf
