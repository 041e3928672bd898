// Time, memory and network of a fit of `mf` from its sizes alone. docs/SIMULATION.md, "Planning".
#pragma once

#include <cstdint>

#include "mf/mf_node.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::simulator {

/// On so many hosts alike, one node each.
struct MfPrediction {
  double hosts = 1;
  double cores = 1;  ///< of all hosts that work: no more than there are workers
  double seconds_start = 0, seconds_load = 0, seconds_sweeps = 0, seconds_network = 0, seconds_end = 0;
  [[nodiscard]] double seconds() const {
    return seconds_start + seconds_load + seconds_sweeps + seconds_network + seconds_end;
  }
  double memory = 0;  ///< anonymous, of the host that needs most
  double bytes = 0;   ///< that the busiest host sends
};

/// `cluster`: hosts, prices and links. `workers` 0: as many as there are cores.
[[nodiscard]] MfPrediction predict_factorization(mf::PlannedFactorization fit, std::uint32_t sweeps,
                                                 const sim::SimulationOptions& cluster);

}  // namespace strads::simulator
