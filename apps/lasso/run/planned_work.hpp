// How much work a fit, a path or a cross-validation is, and how long it takes: from sizes and prices alone.
#pragma once

#include <cstdint>
#include <string>

#include "strads/sim/simulate.hpp"

namespace strads::lasso {

/// What decides how much one run computes.
struct WorkSizes {
  std::uint64_t rows = 0;     ///< length of a column
  std::uint64_t samples = 0;  ///< N: who is fitted; of a split who trains
  std::uint64_t columns = 0;  ///< J
  std::uint64_t entries = 0;  ///< stored ones: rows x J unless the columns are sparse
  bool sparse = false;
  bool bytes = false;             ///< genotypes or bytes: most of a pass is in whole numbers
  bool newton_steps = false;      ///< every Newton step has products of its own
  std::uint64_t lambdas = 1;      ///< of the grid, or given
  double last_ratio = 0.1;        ///< the last one / lambda_max
  double tolerance = 1e-6;        ///< relative gap
  std::uint64_t stop_after = 0;   ///< lambdas without gain for others after which a path ends; 0: none
  std::uint64_t stop_from = 0;    ///< lambdas that are solved in any case
  std::uint64_t refits = 0;       ///< fits at the best of them, which follow
  std::uint64_t paths = 1;        ///< alike, each on about as many samples
  std::uint64_t ridge_paths = 0;  ///< of these, those without an l1 norm: all variables are nonzero
  std::uint64_t nonzeros = 0;     ///< that the user expects; 0: guessed
  [[nodiscard]] bool all_ridge() const { return ridge_paths > 0 && ridge_paths == paths; }
};

/// Nonzeros of the last solution, guessed. Nobody knows them before the fit: data decide, not their shape. That they
/// can be more than min(N, J) is left out.
///
/// Where a path stops on others, 18 sqrt(N), at most N / 5. Elsewhere what noise gives and what signals give, at r =
/// lambda / lambda_max: lambda_max is taken to be a correlation of sqrt(2 ln J / N), that of noise, or 0.12, that of a
/// trait with causes, whichever is larger. Half of the variance is noise, so that an estimate of nothing exceeds lambda
/// where a Gaussian number exceeds t = r lambda_max sqrt(N) / 0.7. A quarter of the variables count as independent:
/// K = N (1 - exp(-J / 4 P(|Z| > t) / N)), and up to 0.03 min(N, J) signals. bench/RESULTS.md compares it.
[[nodiscard]] double guessed_nonzeros(const WorkSizes& sizes);
/// Those that are planned for: what the user expects, or a guess; all J where every path is of ridge.
[[nodiscard]] double planned_nonzeros(const WorkSizes& sizes);

/// Counted, and what follows from it, in seconds of one processor.
struct PlannedWork {
  double nonzeros = 0;   ///< of the last solution
  double solutions = 0;  ///< lambdas that are solved, of all paths together
  double phases = 0;
  double passes = 0;  ///< over all columns, the check of the solutions left out
  double seconds_passes = 0, seconds_pairs = 0, seconds_solving = 0, seconds_check = 0;
  [[nodiscard]] double seconds() const { return seconds_passes + seconds_pairs + seconds_solving + seconds_check; }
  /// By the clock, on so many threads that nobody else uses.
  [[nodiscard]] double seconds_on(unsigned threads) const;
};

/// A pure function. `prices`: as costs_for() says them for this storage.
[[nodiscard]] PlannedWork planned_work(const WorkSizes& sizes, const sim::CostConstants& prices);

/// Lines for people, with what is assumed.
///   prices_from: where they are from
[[nodiscard]] std::string work_lines(const WorkSizes& sizes, const PlannedWork& work, unsigned threads,
                                     const std::string& prices_from);

}  // namespace strads::lasso
