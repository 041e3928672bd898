// cd and als: whole rows of one side, with the other side fixed. Private to apps/mf. Pure.
#pragma once

#include <vector>

#include "mf/solvers/mf_solver.hpp"

namespace strads::mf {

class RowSolver final : public MfSolver {
 public:
  /// `width`: RowProblem::width, coordinates that are solved at once; rank + 1 is als.
  RowSolver(const MfOptions& options, std::uint32_t width);

  [[nodiscard]] std::vector<Step> steps(std::uint32_t schedulers, std::uint32_t workers) const override;
  void sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks, Triplets* spent,
                    WorkerRatings& to) const override;
  void start(MfState& state, Side side, Chunks& chunks) const override;
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const override;
  [[nodiscard]] Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const override;
  [[nodiscard]] std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                std::uint32_t of_items) const override;
  void add_parts(const MfState& now, std::span<const double> plan, std::uint32_t page, std::span<const Payload> parts,
                 Payload& changes) const override;
  void fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
            std::span<const SharedFloats> arrays, Replaced replaced) const override;

 private:
  [[nodiscard]] Push update(const MfState& base, std::span<const double> plan, std::uint32_t page,
                            const RatingRows& rows) const;
  [[nodiscard]] Push normal_part(const MfState& base, std::span<const double> plan, std::uint32_t page,
                                 const RatingRows& rows) const;
  [[nodiscard]] RowProblem problem_of(std::span<const double> plan, std::span<const float> weights) const;

  std::uint32_t width_;
};

}  // namespace strads::mf
