// sgd: strata of a grid, a cell of which is the users of one page with the items of another. Private to apps/mf. Pure.
#pragma once

#include <vector>

#include "mf/solvers/mf_solver.hpp"

namespace strads::mf {

/// Its records have accumulators beside the bias, which every later sweep needs and nobody else does.
class CellSolver final : public MfSolver {
 public:
  explicit CellSolver(const MfOptions& options);

  [[nodiscard]] std::vector<Step> steps(std::uint32_t schedulers, std::uint32_t workers) const override;
  void sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks, Triplets* spent,
                    WorkerRatings& to) const override;
  void start(MfState& state, Side side, Chunks& chunks) const override;
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const override;
  [[nodiscard]] SharedFloats evaluated(const MfState& state, std::uint32_t page) const override {
    return records(state, Side::users, page);
  }
  void each_evaluated(const RatingRows& rows, const SharedFloats& records, const EvaluateRows& act) const override;
  [[nodiscard]] Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const override;
  [[nodiscard]] bool is_finite(const Payload& deltas) const override;
  [[nodiscard]] std::uint32_t items_page(std::span<const double> plan, std::uint32_t page) const override;
  [[nodiscard]] std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                std::uint32_t of_items) const override;
  void begin_sweep(MfState& state) const override;
  void fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
            std::span<const SharedFloats> arrays, Replaced replaced) const override;
  void finish(MfState& replica) const override;

 private:
  void placed() override;
  [[nodiscard]] std::uint32_t strata() const;
  [[nodiscard]] SgdProblem problem_of(std::uint32_t users_page, std::uint32_t of_items, bool first_sweep) const;
  /// Whether no later stratum of the sweep has a cell of these items.
  [[nodiscard]] bool is_last_visit(std::uint32_t of_items, std::uint32_t stratum) const;
  /// Penalties of a page from its records: rank + 1 sums.
  [[nodiscard]] std::vector<double> penalties_of_page(Side side, std::size_t page,
                                                      std::span<const float> records) const;
  /// Every rating was met.
  void end_sweep(MfState& state) const;

  std::vector<std::vector<float>> multipliers_[kSides];  ///< plain penalties: 1 / ratings of each row, by page
};

}  // namespace strads::mf
