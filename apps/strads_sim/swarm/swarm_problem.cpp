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

namespace {

/// A seed's kind, and its stream of random numbers for the rest.
struct Drawn {
  std::string_view kind;
  CounterRng random;
};

/// Support vector machines and topic models came later than the others, models of choices after these, and summary
/// statistics then: a stream of its own takes seeds from what was there, so that the seeds that are left mean what they
/// meant, those of past failures (tests/sim/swarm_test.cpp) among them.
Drawn draw_kind(std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x52, kStreamOfLater = 0x11ed, kLaterOneOf = 6, kFactorsOneOf = 6;
  CounterRng later(seed, Purpose::tests, kStreamOfLater);
  if (later.below(kLaterOneOf) == 0) {
    const bool is_svm = later.below(2) == 0;
    return {is_svm ? "svm" : "lda", later};
  }
  constexpr std::uint64_t kStreamOfChoices = 0x40e1, kChoicesOneOf = 12;
  CounterRng choices(seed, Purpose::tests, kStreamOfChoices);
  if (choices.below(kChoicesOneOf) == 0) {
    const bool is_slim = choices.below(2) == 0;
    return {is_slim ? "slim" : "implicit", choices};
  }
  constexpr std::uint64_t kStreamOfStudies = 0x5d, kStudiesOneOf = 20;
  CounterRng studies(seed, Purpose::tests, kStreamOfStudies);
  if (studies.below(kStudiesOneOf) == 0) return {"sumstats", studies};
  CounterRng random(seed, Purpose::tests, kStream);
  const bool is_mf = random.below(kFactorsOneOf) == 0;
  return {is_mf ? "mf" : "lasso", random};
}

}  // namespace

std::string_view swarm_kind(std::uint64_t seed) {
  return draw_kind(seed).kind;
}

SwarmProblem swarm_problem(std::uint64_t seed, const EngineOptions& engine) {
  auto [kind, random] = draw_kind(seed);
  if (kind == "svm") return swarm_svm(seed, engine, random);
  if (kind == "lda") return swarm_lda(engine, random);
  if (kind == "implicit") return swarm_implicit(seed, engine, random);
  if (kind == "slim") return swarm_slim(seed, engine, random);
  if (kind == "sumstats") return swarm_sumstats(seed, engine, random);
  if (kind == "mf") return swarm_mf(seed, engine, random);
  return swarm_lasso(seed, engine, random);
}

sim::SwarmSubject swarm_models(std::uint64_t seed, const EngineOptions& engine) {
  SwarmProblem problem = swarm_problem(seed, engine);
  return {problem.loaded.second_model, problem.make_audit, kept_on_disk};
}

}  // namespace strads::simulator
