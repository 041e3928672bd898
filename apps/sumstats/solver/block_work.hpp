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
  static constexpr std::uint64_t kSweepFlop = 16;
};

/// By how many |r_j| exceed each lambda w_j, which is about how many coefficients there are. Variants that join are a
/// few more. Products are 2 rows x variants that join x variants (in blocks beyond BlockSolver::kWholeBlock: x those
/// that join). Sweeps take a step for each pair of a coefficient and of a variant that has joined, as often as s and
/// the share of coefficients by people make it, and one for each pair of a coefficient and of any variant at the end of
/// a point. Cost: variants x lambdas.
[[nodiscard]] BlockWork work_of_block(const SummaryProblem& problem, const Grid& grid, std::uint32_t block);

}  // namespace strads::sumstats
