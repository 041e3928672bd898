#include "sumstats/solver/block_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sumstats/solver/block_solver.hpp"

namespace strads::sumstats {

namespace {

// Fitted to the counts of solved blocks: 1,703 of 503 people, and dense solutions of 100 people.
constexpr double kJoinedByCrossing = 1.3;  ///< variants that ever leave 0, by those whose |r_j| exceeds the last lambda
constexpr double kSweepsSparse = 0.25, kSweepsDense = 3, kSweepsDenser = 1;
constexpr double kSweepsMost = 600;
constexpr double kFlopsOfPoint = 8, kFlopsOfSweep = 6;  ///< of a variant; of one that has joined

/// How often coordinate descent goes over those that have joined. 1 without correlations. Where there are as many
/// coefficients as people, (1 - s) / s decides how badly the problem is conditioned.
double sweeps_of(double s, double density) {
  const double by_density = kSweepsSparse + kSweepsDense * density + kSweepsDenser * density * density;
  return std::min(kSweepsMost, 1 + (1 - s) / s * by_density);
}

}  // namespace

BlockWork work_of_block(const SummaryProblem& problem, const Grid& grid, std::uint32_t block) {
  if (gap_at_zero(problem, grid, block) == 0) return {};
  const std::uint64_t size = problem.size_of(block);
  std::vector<std::uint64_t> beyond(grid.lambdas.size(), 0);
  for (std::size_t j = problem.begins[block]; j < problem.begins[block + 1]; ++j) {
    for (std::size_t l = grid.lambdas.size(); l-- > 0;) {
      if (std::abs(problem.r[j]) <= grid.lambdas[l] * problem.weights[j]) break;
      ++beyond[l];
    }
  }
  const auto variants = static_cast<double>(size), people = static_cast<double>(problem.columns->samples());
  const double joined = std::min(variants, kJoinedByCrossing * static_cast<double>(beyond.back()));
  const bool has_rows = size <= BlockSolver::kWholeBlock;
  double sweeps = 0;
  for (const double s : grid.shrinks) {
    for (const std::uint64_t crossing : beyond) {
      const auto nonzeros = static_cast<double>(crossing);
      sweeps += sweeps_of(s, nonzeros / people) * joined * (2 * nonzeros + kFlopsOfSweep) + kFlopsOfPoint * variants;
      // In larger blocks h of all comes from the columns.
      if (has_rows) sweeps += 2 * variants * nonzeros;
    }
  }
  BlockWork work;
  work.products = static_cast<std::uint64_t>(2 * static_cast<double>(problem.columns->rows()) * joined *
                                             (has_rows ? variants : joined));
  work.sweeps = static_cast<std::uint64_t>(sweeps);
  return work;
}

}  // namespace strads::sumstats
