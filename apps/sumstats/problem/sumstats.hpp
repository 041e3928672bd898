// The Lasso on summary statistics with a reference panel, on the engine: what the command asks of the model.
// docs/MODELS.md, "Summary statistics", has the mathematics; source: [Mak17].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/base/types.hpp"
#include "strads/data/dataset.hpp"
#include "strads/engine/options.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::sumstats {

/// The problems that are solved: every lambda at every shrinkage.
struct Grid {
  std::vector<double> shrinks;  ///< s, in (0, 1]
  std::vector<double> lambdas;  ///< >= 0, descending
  double tolerance = 1e-6;      ///< a solution of a block is done when its gap is at most this share of |P_B|

  [[nodiscard]] std::size_t size() const { return shrinks.size() * lambdas.size(); }
  /// Point k of the grid: all lambdas of the first shrinkage, then of the next.
  [[nodiscard]] double shrink(std::size_t k) const { return shrinks[k / lambdas.size()]; }
  [[nodiscard]] double lambda(std::size_t k) const { return lambdas[k % lambdas.size()]; }
  /// A gap that is no larger is 0 up to the rounding of correlations that are about lambda.
  [[nodiscard]] static double rounding(double s, double lambda) { return 1e-29 * lambda * lambda / s; }
  [[nodiscard]] double rounding(std::size_t k) const { return rounding(shrink(k), lambda(k)); }
};

/// Statistics of a study beside the columns of a panel: the same on every node, and never changed.
struct SummaryProblem {
  std::shared_ptr<const Dataset> panel;
  std::shared_ptr<const StandardizedColumns> columns;  ///< of the panel, centred, of unit norm
  std::vector<VarId> variants;                         ///< columns of the panel, block after block; none is constant
  std::vector<double> r;                               ///< of each variant: correlation with the trait
  std::vector<double> weights;                         ///< of each variant: w_j > 0
  std::vector<std::size_t> begins;                     ///< of each block its first variant; then their number
  std::uint64_t fingerprint = 0;

  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  [[nodiscard]] std::size_t size_of(std::uint32_t block) const { return begins[block + 1] - begins[block]; }
};

/// The columns of a block are not needed soon: what of their file is mapped goes back. A hint, which changes no result.
void release_block(const SummaryProblem& problem, std::uint32_t block);

/// max |r_j| / w_j: from there on every solution is empty. 0 without variants.
[[nodiscard]] double lambda_max_of(const SummaryProblem& problem);

/// Of a block at b = 0, summed over the grid: sum_j (|r_j| - lambda w_j)_+^2 / (2 s). 0: all of its solutions are
/// empty.
[[nodiscard]] double gap_at_zero(const SummaryProblem& problem, const Grid& grid, std::uint32_t block);

/// The same for each point of the grid.
[[nodiscard]] std::vector<double> gaps_at_zero(const SummaryProblem& problem, const Grid& grid, std::uint32_t block);

/// How much a turn has: limits are heard and checkpoints made between turns. Never changes the bits.
struct TurnSize {
  /// That a worker gets, about, in flops of a Gram matrix: some hundredths of a second.
  std::uint64_t work_of_place = 10'000'000'000;
  /// And at least so many blocks, on the average, so that all workers end at about the same time; 0: any number.
  std::uint64_t blocks_of_place = 4;
  /// What a worker does in a turn at most, about: a fifth of a second, and a second where processors count bits word by
  /// word. A block that takes longer goes on in the next turn.
  std::uint64_t work_of_push = 40'000'000'000;
};

[[nodiscard]] std::shared_ptr<Model> make_summary_model(std::shared_ptr<const SummaryProblem> problem, const Grid& grid,
                                                        const EngineOptions& engine, const TurnSize& turn = {});

// Why a run ends besides limits. The first is success.
inline constexpr const char* kStopCertified = "converged";
inline constexpr const char* kStopUncertified = "no further progress in double precision";

/// A block at one point of the grid.
struct BlockSolution {
  double objective = 0, gap = 0;
  std::vector<std::uint32_t> places;  ///< of the nonzeros, in the block, ascending
  std::vector<double> values;
};

/// Whether the gap of a block is small enough. Of an empty solution that is optimal both are 0. `rounding`: see Grid.
[[nodiscard]] inline bool is_certified(double objective, double gap, double tolerance, double rounding) {
  return gap <= tolerance * (objective < 0 ? -objective : objective) || gap <= rounding;
}

/// One point of the grid, all blocks together.
struct GridSolution {
  double shrink = 1, lambda = 0;
  double objective = 0, gap = 0;
  double squares = 0;  ///< sum over blocks of |X_B b_B|^2: what the score explains in the panel, in units of the trait
  std::uint64_t nonzeros = 0;
  std::uint64_t certified = 0;  ///< blocks
  double worst = 0;             ///< largest gap / |objective| of a block
};

/// A run's end, gathered from the slices' last reports.
struct SummarySolution {
  std::vector<std::vector<BlockSolution>> blocks;  ///< by block, then by point; none: empty solutions
  /// By block; also those that need no solving. A limit leaves some out, of which blocks[] may have points that are
  /// done.
  std::vector<bool> solved;
  std::vector<GridSolution> points;  ///< filled in by check_blocks()

  [[nodiscard]] std::uint64_t solved_count() const;
};

/// REQUIRES: end.status.ok(). The figures are those that nodes say; check_blocks() replaces them.
[[nodiscard]] SummarySolution summary_solution_of(const SummaryProblem& problem, const Grid& grid, const RunEnd& end);

/// The same. Each record goes from `end` when its solutions are there: both at once take twice the memory.
[[nodiscard]] SummarySolution take_solution(const SummaryProblem& problem, const Grid& grid, RunEnd& end);

/// XXH3-64 over point after point, block after block: number of nonzeros, their variants, the coefficients; 16 hex
/// digits.
[[nodiscard]] std::string solution_hash(const SummaryProblem& problem, const Grid& grid,
                                        const SummarySolution& solution);

}  // namespace strads::sumstats
