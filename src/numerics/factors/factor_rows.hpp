// What update_rows and normal_equations share: rows made into panels. Layer: numerics. Pure, private.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/factors/factor_kernels.hpp"
#include "strads/base/payload.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads {

/// Groups of a panel while there are lanes left to share a row: a block's coordinates of so many groups stay in L1.
inline constexpr std::size_t kPanelGroups = 64;
/// The longest row that is a panel; longer ones go through their normal equations. A panel visits its coordinates
/// twice, from L2 or beyond; the normal equations visit them once, but take rank / width times the products. Measured
/// with 2 MB of L2: equal at about 12,000 to 16,000 ratings for ranks from 40 to 100.
inline constexpr std::uint64_t kPanelRatings = 16'384;
/// Floats of the coordinates of the largest panel, whatever the rank: 8 MB.
inline constexpr std::uint64_t kPanelFloats = 2'000'000;

/// Coordinates of a row: the factors, and the bias if it is a variable.
[[nodiscard]] inline std::size_t coordinates_of(const RowProblem& problem) {
  return std::size_t{problem.rank} + (problem.bias ? 1 : 0);
}
/// lambda n^weighted
[[nodiscard]] inline double penalty_of(const RowProblem& problem, std::uint64_t count) {
  return problem.lambda * (problem.weighted ? static_cast<double>(count) : 1.0);
}
/// Penalty weights of all coordinates; the bias has 1.
[[nodiscard]] std::vector<float> weights_of(const RowProblem& problem);
/// Multiplications and additions of one pass over a row, by formula.
[[nodiscard]] std::uint64_t flops_of(const RowProblem& problem, std::uint64_t count);

/// The records of a panel that kernels fetch while they work on the one before; nullptr: none.
[[nodiscard]] inline FactorAhead ahead_of(const FactorPanel* next, std::size_t lanes) {
  return next == nullptr ? FactorAhead{} : FactorAhead{.records = next->records, .count = next->groups * lanes};
}

/// One row in a panel, or a part of one.
struct PanelRow {
  std::uint64_t begin = 0, end = 0;  ///< its ratings, as RatingRows counts
  const float* before = nullptr;
  float* after = nullptr;
  double penalty = 0;
};

/// Room for panels of one problem, and what every panel of a call has in common.
class PanelRoom {
 public:
  /// `longest`: ratings of the longest row that fill() will be given.
  PanelRoom(const RatingRows& rows, const FactorPages& columns, const RowProblem& problem, std::uint64_t longest);

  /// Makes a panel of up to lanes / split rows; nothing of the records is read. Valid until the next but one call.
  const FactorPanel& fill(std::span<const PanelRow> rows, std::size_t split);

  [[nodiscard]] const FactorKernels& kernels() const { return kernels_; }
  [[nodiscard]] FactorShape& shape() { return shape_; }
  [[nodiscard]] std::span<float> equations() { return equations_.writable(); }

 private:
  struct Lists {
    std::vector<const float*> records;
    SharedFloats residual;
    SharedFloats lanes{2 * kFactorLanesMax};  ///< counts, then penalties
    std::array<const float*, kFactorLanesMax> starts{};
    std::array<float*, kFactorLanesMax> results{};
    FactorPanel panel;
  };
  void fill_lane(Lists& lists, std::size_t lane, std::size_t split, const PanelRow& row);

  const RatingRows& rows_;
  const FactorPages& columns_;
  const FactorKernels& kernels_;
  std::vector<float> weights_;
  FactorShape shape_;
  SharedFloats nothing_;  ///< a record of zeros
  SharedFloats dropped_;  ///< where lanes without a row put theirs
  SharedFloats factors_, coordinates_, equations_;
  Lists lists_[2];
  bool second_ = false;
};

/// The normal equations of the ratings [begin, end) (as RatingRows counts) as normal_size() doubles, for residuals
/// without w'h: value - mean - b_j - own_bias.
void sum_normal(PanelRoom& room, std::uint64_t begin, std::uint64_t end, float own_bias, std::span<double> normal);

}  // namespace strads
