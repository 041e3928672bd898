// One LD block at every point of the grid. Private to apps/sumstats. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "sumstats/problem/block_progress.hpp"
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

  /// In flops of a Gram matrix that is counted in whole registers; elsewhere these take eight times as long.
  [[nodiscard]] std::uint64_t work() const { return products + 8 * passes + 16 * local; }
  void add(const SolverCounts& more);
  /// What was done since `before`.
  [[nodiscard]] SolverCounts since(const SolverCounts& before) const;
};

/// min over b of P(b) = 1/2 (1 - s) |X b|^2 - r'b + s/2 |b|^2 + lambda sum w_j |b_j| over the variants of a block, for
/// every point of a grid. The answer depends on the problem, the grid and the block alone: whoever asks, and after
/// whatever, gets the same bits.
///
/// Coordinate descent on h = r - (1 - s) X'X b in the Gram matrix of the variants that have joined, each solution from
/// the one before it. A variant joins when it violates its optimality, and for good. h of the others is asked for once
/// a point or twice: in blocks of at most kWholeBlock variants from rows of products of those that have joined with the
/// whole block; there those join beforehand whose |h| at the point before says so (the sequential strong rule
/// [Tibshirani12]). In larger blocks it comes from the columns. Where coordinate descent is slow (s near 0 and equal
/// columns) solve_l1_quadratic() takes over, which has Newton steps. P is strongly convex with s > 0, and the gap needs
/// no scaling of a dual point:
///   gap = sum_j [lambda w_j |b_j| - h_j b_j + s/2 b_j^2 + (|h_j| - lambda w_j)_+^2 / (2 s)], every term >= 0.
/// Memory: the square of the variants that have joined, and in blocks of at most kWholeBlock their rows.
///
/// A large block takes long, and limits are heard between turns: begin(), then advance() until it says that all is
/// done, does what solve() does, in pieces of about as much work as is asked for. In between progress() says all that
/// another solver has to know to go on(), with the same bits. Only a call of solve_l1_quadratic() is never cut in two.
class BlockSolver {
 public:
  static constexpr std::size_t kWholeBlock = 2048;

  /// All outlive the object.
  BlockSolver(const SummaryProblem& problem, const Grid& grid, Chunks& chunks, std::size_t whole_block = kWholeBlock)
      : problem_(problem), grid_(grid), chunks_(&chunks), whole_block_(whole_block), pairs_(*problem.columns) {}
  /// From now on.
  void use(Chunks& chunks) { chunks_ = &chunks; }

  [[nodiscard]] std::vector<BlockSolution> solve(std::uint32_t block);

  void begin(std::uint32_t block);
  /// Goes on where another solver was. The Gram matrix is made again, which is counted nowhere. REQUIRES:
  /// find_progress() takes it.
  void go_on(std::uint32_t block, const BlockProgress& progress);
  /// Works until the block is done, or until counts() has grown by `most` of work(); at least a step. Solutions of the
  /// points that are done are put into `solutions`, which has one for each point. True: all are done.
  bool advance(std::uint64_t most, std::span<BlockSolution> solutions);
  [[nodiscard]] std::uint32_t block() const { return block_; }
  [[nodiscard]] BlockProgress progress() const;

  [[nodiscard]] const SolverCounts& counts() const { return counts_; }

 private:
  struct Bounds {
    double objective = 0, gap = 0;
  };

  void clear(std::uint32_t block);
  /// The next piece of what waits.
  void join_some();
  void join(std::span<const std::uint32_t> fresh, std::size_t in_all);
  void make_room(std::size_t in_all);
  /// The products of those that joined last, the others being `before`.
  void multiply_rows(std::size_t before);
  void multiply_columns(std::size_t before);
  void begin_point();
  void set_shrink(double s);
  /// A full sweep and those on the support, or what comes behind the last of them.
  void descend();
  double sweep(bool support_alone);
  void fall_back();
  /// What has joined is as good as it gets: whether others must join, or the point is done.
  void look_outside(std::span<BlockSolution> solutions);
  [[nodiscard]] bool has_rows() const { return size_ <= whole_block_; }
  /// Doubles of the Gram matrix and its rows, without room.
  [[nodiscard]] std::size_t made() const { return joined_.size() * (joined_.size() + (has_rows() ? size_ : 0)); }
  /// h of all variants of the block. REQUIRES: has_rows().
  void refresh_all();
  /// Those whose h at the point before says that they may leave 0. REQUIRES: has_rows(), that refresh_all() was called.
  void find_likely(double lambda_before);
  void hand_over(const Bounds& bounds, BlockSolution& own) const;
  void refresh_h();
  [[nodiscard]] Bounds bounds_inside() const;
  /// Of all variants, from the columns; finds those that have to join.
  Bounds bounds_outside(const Bounds& inside, std::vector<std::uint32_t>& fresh);
  /// X'X b of all variants of the block, from the columns.
  [[nodiscard]] std::vector<double> products_outside() const;
  [[nodiscard]] bool is_done(const Bounds& bounds) const;
  [[nodiscard]] const double* row(std::size_t a) const { return gram_.data() + a * stride_; }

  const SummaryProblem& problem_;
  const Grid& grid_;
  Chunks* chunks_;
  std::size_t whole_block_;
  SolverCounts counts_;

  std::uint32_t block_ = 0;
  std::size_t first_ = 0, size_ = 0;  ///< of the block's variants
  BlockProgress::Stage stage_ = BlockProgress::Stage::done;
  std::size_t point_ = 0;
  int joins_ = 0, full_ = 0, fallbacks_ = 0;
  double gap_max_ = 0;
  Bounds bounds_;  ///< of those that have joined, while they are descended on
  double s_ = 1, lambda_ = 0;
  std::vector<std::uint32_t> waiting_;  ///< places that join next
  std::vector<std::uint32_t> joined_;   ///< places in the block, in the order in which they came
  std::vector<bool> is_joined_;         ///< by place
  // By place in joined_.
  std::vector<VarId> columns_;
  std::vector<double> r_, weights_, b_, h_;
  std::vector<double> gram_;   ///< row-major, with room for those that come
  std::size_t stride_ = 0;     ///< of its rows
  std::size_t made_most_ = 0;  ///< doubles of the largest Gram matrix with its rows
  // Of blocks whose rows are kept.
  StandardizedColumns::Pairs pairs_;
  std::vector<double> rows_;   ///< by place in joined_, of all variants
  std::vector<double> all_h_;  ///< by place in the block, of the last point
};

/// What j's term of the gap is: a square where b_j has left 0 on the side of h_j, so that nothing cancels.
[[nodiscard]] double gap_term(double b, double h, double s, double penalty);

}  // namespace strads::sumstats
