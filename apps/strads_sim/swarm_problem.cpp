#include "strads_sim/swarm_problem.hpp"

#include <array>
#include <utility>

#include "lasso/lasso_node.hpp"
#include "strads/random.hpp"
#include "strads/status.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

constexpr std::array kPolicies = {"auto", "paper", "static", "uniform", "theorem1", "block-greedy"};
constexpr std::array kLambdaRatios = {"0.1", "0.2", "0.4"};

}  // namespace

SwarmProblem swarm_problem(std::uint64_t seed, const EngineOptions& engine) {
  constexpr std::uint64_t kStream = 0x52;
  CounterRng random(seed, Purpose::tests, kStream);
  MadeUpData data;
  data.seed = seed;
  data.rows = 20 + static_cast<std::uint32_t>(random.below(21));
  data.columns = 40 + static_cast<VarId>(random.below(41));
  data.genotypes = random.below(2) == 0;
  const std::string policy = kPolicies[random.below(kPolicies.size())];
  const std::string ratio = kLambdaRatios[random.below(kLambdaRatios.size())];
  const std::string config =
      "[problem]\nlambda-ratio = " + ratio + "\n[policy]\npolicy = " + policy +
      "\n[engine]\nseed = " + std::to_string(engine.seed) + "\nschedulers = " + std::to_string(engine.schedulers) +
      "\nworkers = " + std::to_string(engine.workers) + "\ndepth = " + std::to_string(engine.depth) +
      "\n[limits]\nmax-rounds = " + std::to_string(engine.rounds_max) + "\n";
  auto loaded = lasso::lasso_on(made_up(data), config, {.rounds_cost_nothing = true, .nothing_shared = true});
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  return {std::to_string(data.rows) + " x " + std::to_string(data.columns) +
              (data.genotypes ? " genotypes" : " doubles") + ", policy " + policy + ", lambda " + ratio + " lambda_max",
          std::move(loaded).value()};
}

std::function<std::shared_ptr<Model>()> swarm_models(std::uint64_t seed, const EngineOptions& engine) {
  return swarm_problem(seed, engine).loaded.another;
}

}  // namespace strads::simulator
