// What `mf fit` and `mf cv` know and tell about a run of the engine alike.
#pragma once

#include <optional>
#include <string>

#include "mf/options/fit_options.hpp"
#include "strads/program/run.hpp"
#include "strads/transport/cluster.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::mf {

/// How a run went.
struct RunFacts {
  std::optional<ClusterRun> cluster;  ///< of a run on several processes; `run` has its end and traffic too
  EmbeddedRun run;
  std::string stop_reason;
  bool finished = false;     ///< neither a limit nor a signal ended it
  double seconds_start = 0;  ///< until all nodes had joined; 0 embedded
  double seconds_load = 0;
  double seconds_solve = 0;
};

/// Passes over training ratings: of all fits of the run together.
struct Swept {
  double sweeps = 0;
  double ratings = 0;  ///< training ratings of each sweep

  [[nodiscard]] double ratings_per_second(double seconds) const { return seconds > 0 ? ratings / seconds : 0; }
};

/// "1 sweep", "3 sweeps".
[[nodiscard]] std::string with_unit(std::uint64_t count, const char* one, const char* many);
/// Counted work and traffic, and sweeps a second.
void add_work(Summary& summary, const RunFacts& facts, const Swept& swept);
/// Transport, seconds, memory.
void add_execution(Summary& summary, const FitOptions& options, const RunFacts& facts);
/// How it was computed: shape, seed, instruction set, build.
void add_engine(Summary& summary, const FitOptions& options);
/// "cluster", where there was one.
void add_cluster(Summary& summary, const RunFacts& facts, const Swept& swept);

/// "time     load 0.1 s, solve ..." and "files    ...", the last two of the closing lines.
[[nodiscard]] std::string time_and_files(const FitOptions& options, const RunFacts& facts, const Swept& swept,
                                         const RunDirectory& directory);

}  // namespace strads::mf
