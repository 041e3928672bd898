// One LD block at every point of the grid. Private to apps/sumstats. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// Work that was done, counted.
struct SolverCounts {
  std::uint64_t sweeps = 0, updates = 0, checks = 0, fallbacks = 0, flops = 0;
  // By kind, as Cost has it; `fresh` in bytes.
  std::uint64_t products = 0;  ///< of Gram matrices
  std::uint64_t passes = 0;    ///< over columns of large blocks
  std::uint64_t local = 0;     ///< of sweeps and bounds
  std::uint64_t fresh = 0;     ///< of Gram matrices that are larger than any before
};

/// min over b of P(b) = 1/2 (1 - s) |X b|^2 - r'b + s/2 |b|^2 + lambda sum w_j |b_j| over the variants of a block, for
/// every point of a grid. The answer depends on the problem, the grid and the block alone: whoever asks, and after
/// whatever, gets the same bits.
///
/// Coordinate descent on h = r - (1 - s) X'X b in the Gram matrix of the panel, each solution from the one before it.
/// Blocks of at most kWholeBlock variants have their whole Gram matrix made once, for all points. Of larger ones only
/// that of the variants which ever left 0 is: h of the others comes from the columns, and those that violate their
/// optimality join. Where coordinate descent is slow (s near 0 and equal columns) solve_l1_quadratic() takes over,
/// which has Newton steps. P is strongly convex with s > 0, and the gap needs no scaling of a dual point:
///   gap = sum_j [lambda w_j |b_j| - h_j b_j + s/2 b_j^2 + (|h_j| - lambda w_j)_+^2 / (2 s)], every term >= 0.
/// Memory: the square of the variants in the Gram matrix.
class BlockSolver {
 public:
  static constexpr std::size_t kWholeBlock = 2048;

  /// All outlive the object.
  BlockSolver(const SummaryProblem& problem, const Grid& grid, Chunks& chunks, std::size_t whole_block = kWholeBlock)
      : problem_(problem), grid_(grid), chunks_(chunks), whole_block_(whole_block) {}

  [[nodiscard]] std::vector<BlockSolution> solve(std::uint32_t block);
  [[nodiscard]] const SolverCounts& counts() const { return counts_; }

 private:
  struct Bounds {
    double objective = 0, gap = 0;
  };

  void start(std::uint32_t block);
  void join(std::span<const std::uint32_t> fresh);
  void solve_point(double s, double lambda);
  void set_shrink(double s);
  /// Lowers P over the variants that have joined until their gap is small enough.
  Bounds descend();
  double sweep(bool support_alone);
  void fall_back(Bounds& bounds);
  void refresh_h();
  [[nodiscard]] Bounds bounds_inside() const;
  /// Of all variants, from the columns; finds those that have to join.
  Bounds bounds_outside(const Bounds& inside, std::vector<std::uint32_t>& fresh);
  [[nodiscard]] bool is_done(const Bounds& bounds) const;
  [[nodiscard]] const double* row(std::size_t a) const { return gram_.data() + a * joined_.size(); }

  const SummaryProblem& problem_;
  const Grid& grid_;
  Chunks& chunks_;
  std::size_t whole_block_;
  SolverCounts counts_;

  std::size_t first_ = 0, size_ = 0;  ///< of the block's variants
  double s_ = 1, lambda_ = 0;
  std::vector<std::uint32_t> joined_;  ///< places in the block, in the order in which they came
  std::vector<bool> is_joined_;        ///< by place
  // By place in joined_.
  std::vector<VarId> columns_;
  std::vector<double> r_, weights_, b_, h_;
  std::vector<double> gram_;   ///< row-major
  std::size_t gram_most_ = 0;  ///< doubles of the largest one
};

/// What j's term of the gap is: a square where b_j has left 0 on the side of h_j, so that nothing cancels.
[[nodiscard]] double gap_term(double b, double h, double s, double penalty);

}  // namespace strads::sumstats
