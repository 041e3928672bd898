// How long solving takes, said before it begins.
#pragma once

#include <cstdint>
#include <string>

#include "strads/base/status.hpp"
#include "strads/sim/simulate.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// Counted, and what follows from it, in seconds of one processor.
struct SummaryWork {
  std::uint64_t visited = 0;    ///< blocks that have a solution which is not empty
  std::uint64_t variants = 0;   ///< of these blocks
  std::uint64_t largest = 0;    ///< variants of the largest one
  double seconds_products = 0;  ///< Gram matrices
  double seconds_sweeps = 0;    ///< guessed: how many there are depends on the data
  double seconds_check = 0;
  double seconds_largest = 0;  ///< of the dearest block, which one worker solves
  [[nodiscard]] double seconds() const { return seconds_products + seconds_sweeps + seconds_check; }
  /// By the clock, on so many threads that nobody else uses.
  [[nodiscard]] double seconds_on(unsigned threads) const;
};

/// A pure function. `prices`: as costs_for() says them for genotypes.
[[nodiscard]] SummaryWork planned_summary_work(const SummaryProblem& problem, const Grid& grid,
                                               const sim::CostConstants& prices);

/// Lines for people, with what is assumed and what is not counted: reads panel and statistics, and measures prices of
/// this machine for some tenths of a second. Errors: as load_summary().
[[nodiscard]] Result<std::string> summary_work_lines(const PathOptions& options);

}  // namespace strads::sumstats
