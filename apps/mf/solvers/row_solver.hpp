// cd and als: whole rows of one side, with the other side fixed. Private to apps/mf. Pure.
#pragma once

#include <vector>

#include "mf/solvers/row_pages.hpp"

namespace strads::mf {

class RowSolver final : public RowPages {
 public:
  /// `width`: RowProblem::width, coordinates that are solved at once; rank + 1 is als.
  RowSolver(const MfOptions& options, std::uint32_t width);

  [[nodiscard]] Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const override;
  [[nodiscard]] std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                std::uint32_t of_items) const override;
  void add_parts(const MfState& now, std::span<const double> plan, std::uint32_t page, std::span<const Payload> parts,
                 Payload& changes) const override;

 private:
  [[nodiscard]] Push update(const MfState& base, std::span<const double> plan, std::uint32_t page,
                            const RatingRows& rows) const;
  [[nodiscard]] Push normal_part(const MfState& base, std::span<const double> plan, std::uint32_t page,
                                 const RatingRows& rows) const;
  [[nodiscard]] RowProblem problem_of(std::span<const double> plan, std::span<const float> weights) const;

  std::uint32_t width_;
};

}  // namespace strads::mf
