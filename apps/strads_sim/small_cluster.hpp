// One seed of the swarm: a small cluster, a small fit, faults; run, and compared with the run that nothing happens to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "strads/cluster.hpp"
#include "strads/simulate.hpp"

namespace strads::simulator {

/// What a seed stands for.
struct SeedCase {
  std::uint64_t seed = 1;
  sim::SimulationOptions options;
  LoadedModel loaded;
  std::string text;  ///< one line for people: nodes, roles, policy
};
[[nodiscard]] SeedCase case_of(std::uint64_t seed);

struct SeedOutcome {
  sim::SimulatedRun run;
  std::string hash;       ///< of the solution; "" where the run ended without one
  std::string ending;     ///< one line: how it ended
  std::string violation;  ///< what was broken; "" if nothing
};
/// `trace` may be empty.
[[nodiscard]] SeedOutcome play(const SeedCase& seed_case, const std::function<void(const std::string&)>& trace);

}  // namespace strads::simulator
