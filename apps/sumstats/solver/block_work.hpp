// What solving a block takes, before it is solved. Private to apps/sumstats. Pure.
#pragma once

#include <cstdint>

#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// Flops of a block at all points of the grid. Blocks whose solutions are all empty take none.
struct BlockWork {
  std::uint64_t products = 0;  ///< of its Gram matrix
  std::uint64_t sweeps = 0;    ///< of coordinate descent and its bounds, a guess

  /// In flops of a Gram matrix, so that blocks can be compared.
  [[nodiscard]] std::uint64_t weight() const { return products + kSweepFlop * sweeps; }
  /// Time of a flop of a sweep, by that of one of a Gram matrix.
  static constexpr std::uint64_t kSweepFlop = 6;
};

/// Products are rows x variants x variants that join (all of a block of BlockSolver::kWholeBlock, else those whose
/// |r_j| exceeds the last lambda w_j). Sweeps are those of every point: a share for each variant, and one for each pair
/// of a variant and of one whose |r_j| exceeds lambda w_j, of which a part has a coefficient. Cost: variants x lambdas.
[[nodiscard]] BlockWork work_of_block(const SummaryProblem& problem, const Grid& grid, std::uint32_t block);

}  // namespace strads::sumstats
