// What `strads_sim run` tells: five lines and summary.json.
#pragma once

#include <string>
#include <vector>

#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/sim/simulate.hpp"
#include "strads_sim/models.hpp"

namespace strads::simulator {

struct RunStory {
  const SimulatedModel& model;
  const sim::SimulatedRun& run;
  const sim::SimulationOptions& options;
  ResultSummary result;
  std::string cluster;     ///< shape_text()
  std::string stopped_by;  ///< a target or a signal; "": by the coordinator's verdict
  double seconds_real = 0;
};

/// Of the core-seconds that the hosts had, the shares that went somewhere. The rest is waiting: for the network, for
/// the round's last block, for the commit.
struct TimeShares {
  std::vector<sim::KindSeconds> tasks;  ///< by kind, largest first, shares instead of seconds
  double loops = 0;                     ///< messages and bookkeeping
  double waiting = 0;
};
[[nodiscard]] TimeShares time_shares(const sim::SimulatedRun& run, const sim::SimulationOptions& options);

/// What, quality, time, where it went, files. Nothing of it depends on the wall clock.
[[nodiscard]] std::string closing_lines(const RunStory& story, const RunDirectory& directory);
[[nodiscard]] Summary summary_of(const RunStory& story);

}  // namespace strads::simulator
