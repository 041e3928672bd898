#include "sumstats/solver/block_work.hpp"

#include <cmath>
#include <cstddef>

#include "sumstats/solver/block_solver.hpp"

namespace strads::sumstats {

namespace {

// Fitted to the counts of solved blocks (docs/SIMULATION.md, "Summary statistics").
constexpr std::uint64_t kFlopsOfVariant = 30;  ///< at a point
constexpr std::uint64_t kFlopsOfPair = 10;     ///< of a variant and of one that exceeds lambda

}  // namespace

BlockWork work_of_block(const SummaryProblem& problem, const Grid& grid, std::uint32_t block) {
  if (gap_at_zero(problem, grid, block) == 0) return {};
  const std::uint64_t size = problem.size_of(block);
  std::uint64_t beyond = 0, beyond_last = 0;
  for (std::size_t j = problem.begins[block]; j < problem.begins[block + 1]; ++j) {
    for (std::size_t l = grid.lambdas.size(); l-- > 0;) {
      if (std::abs(problem.r[j]) <= grid.lambdas[l] * problem.weights[j]) break;
      ++beyond;
      if (l + 1 == grid.lambdas.size()) ++beyond_last;
    }
  }
  const std::uint64_t joined = size <= BlockSolver::kWholeBlock ? size : beyond_last;
  BlockWork work;
  work.products = problem.columns->rows() * size * joined;
  work.sweeps = kFlopsOfVariant * size * grid.size() + kFlopsOfPair * joined * beyond * grid.shrinks.size();
  return work;
}

}  // namespace strads::sumstats
