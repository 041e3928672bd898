// What `mf fit` and `mf cv` know and tell about a run of the engine alike.
#pragma once

#include <string>

#include "mf/options/fit_options.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {

/// How a run went.
struct RunFacts : RunRecord {
  bool finished = false;  ///< neither a limit nor a signal ended it
};

/// Passes over training ratings: of all fits of the run together.
struct Swept {
  double sweeps = 0;
  double ratings = 0;  ///< training ratings of each sweep

  [[nodiscard]] double ratings_per_second(double seconds) const { return seconds > 0 ? ratings / seconds : 0; }
};

/// Counted work and traffic, and sweeps a second.
void add_work(Summary& summary, const RunFacts& facts, const Swept& swept);
/// "cluster", where there was one.
void add_cluster(Summary& summary, const RunFacts& facts, const Swept& swept);

/// "time     load 0.1 s, solve ..." and "files    ...", the last two of the closing lines.
[[nodiscard]] std::string time_and_files(const FitOptions& options, const RunFacts& facts, const Swept& swept,
                                         const RunDirectory& directory);

}  // namespace strads::mf
