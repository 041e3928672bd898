// Time, memory and network of a fit with the policy auto, from its shape alone. docs/SIMULATION.md, "Planning".
#pragma once

#include <cstdint>
#include <string>

#include "strads/sim/simulate.hpp"

namespace strads::simulator {

/// Of every run: the program, and on several hosts until nodes that are there have joined, keys included.
inline constexpr double kStartSeconds = 0.02, kStartOfClusterSeconds = 0.3;

struct PlannedFit {
  std::uint64_t rows = 0;     ///< N
  std::uint64_t columns = 0;  ///< J
  std::uint64_t entries = 0;  ///< stored ones: N J unless the columns are sparse
  std::string storage;        ///< as LoadedModel::storage
  double lambda_ratio = 0.1;  ///< lambda / lambda_max, in (0, 1]
  double tolerance = 1e-6;    ///< relative gap, in (0, 1)
  double nonzeros = 1;        ///< of the solution: what everything but the passes grows with
};

/// About as many nonzeros as noise alone gives at this lambda. Data with few causes have a hundredth of it.
[[nodiscard]] double most_nonzeros(const PlannedFit& fit);

/// Counted work, and what follows from it. Bytes and messages are those of the busiest host.
struct Prediction {
  // assumed
  double phases = 0;       ///< working sets = barriers
  double working_set = 0;  ///< variables of the last working set
  double passes = 0;       ///< over all columns
  // time, seconds
  double seconds_passes = 0, seconds_pairs = 0, seconds_solving = 0, seconds_network = 0;
  [[nodiscard]] double seconds() const { return seconds_passes + seconds_pairs + seconds_solving + seconds_network; }
  // besides, of every run: the program, names of samples and variables, the check of what is written
  double seconds_start = 0, seconds_load = 0, seconds_check = 0;
  [[nodiscard]] double seconds_in_all() const { return seconds() + seconds_start + seconds_load + seconds_check; }
  // memory, bytes
  double file_bytes = 0;    ///< of the columns; every host has the file
  double mapped_bytes = 0;  ///< of them read on one host
  double statistics = 0;    ///< of the columns, with their names
  double replica = 0;
  double working_bytes = 0;  ///< products of pairs, decoded columns
  double process = 0;        ///< the program itself
  [[nodiscard]] double memory() const { return mapped_bytes + statistics + replica + working_bytes + process; }
  // network
  double messages = 0, bytes = 0;
};

/// `cluster`: hosts, prices and links; one node a host, all of the same size.
[[nodiscard]] Prediction predict(const PlannedFit& fit, const sim::SimulationOptions& cluster);

}  // namespace strads::simulator
