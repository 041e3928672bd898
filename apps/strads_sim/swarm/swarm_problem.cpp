#include "strads_sim/swarm/swarm_problem.hpp"

#include "strads/base/random.hpp"
#include "strads_sim/swarm/swarm_disk.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"

namespace strads::simulator {

std::string swarm_engine_config(const EngineOptions& engine) {
  return "\n[engine]\nseed = " + std::to_string(engine.seed) + "\nschedulers = " + std::to_string(engine.schedulers) +
         "\nworkers = " + std::to_string(engine.workers) + "\ndepth = " + std::to_string(engine.depth) +
         "\n[limits]\nmax-rounds = " + std::to_string(engine.rounds_max) + "\n";
}

SwarmProblem swarm_problem(std::uint64_t seed, const EngineOptions& engine) {
  constexpr std::uint64_t kStream = 0x52;
  CounterRng random(seed, Purpose::tests, kStream);
  constexpr std::uint64_t kOneOf = 6;
  if (random.below(kOneOf) == 0) return swarm_mf(seed, engine, random);
  return swarm_lasso(seed, engine, random);
}

sim::SwarmSubject swarm_models(std::uint64_t seed, const EngineOptions& engine) {
  SwarmProblem problem = swarm_problem(seed, engine);
  return {problem.loaded.second_model, problem.make_audit, kept_on_disk};
}

}  // namespace strads::simulator
