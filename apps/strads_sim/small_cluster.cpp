#include "strads_sim/small_cluster.hpp"

#include <array>
#include <utility>

#include "lasso/lasso_node.hpp"
#include "strads/random.hpp"
#include "strads_sim/made_up_problem.hpp"

namespace strads::simulator {
namespace {

constexpr std::array kPolicies = {"auto", "paper", "static", "uniform", "theorem1", "block-greedy"};

struct Draw {
  std::uint32_t nodes, schedulers, workers, depth, rounds;
  const char* policy;
};

Draw draw_of(CounterRng& random) {
  Draw draw{};
  const auto between = [&random](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random.below(high - low + 1));
  };
  draw.nodes = between(2, 5);
  draw.schedulers = between(1, 4);
  draw.workers = between(2, 8);
  draw.depth = between(1, draw.schedulers);
  draw.rounds = between(20, 60);
  draw.policy = kPolicies[random.below(kPolicies.size())];
  return draw;
}

std::string config_of(const Draw& draw, std::uint64_t seed) {
  return "[problem]\nlambda-ratio = 0.2\ntolerance = 1e-4\n[policy]\npolicy = " + std::string(draw.policy) +
         "\ncheck-interval = 60\n[engine]\nseed = " + std::to_string(seed) +
         "\nschedulers = " + std::to_string(draw.schedulers) + "\nworkers = " + std::to_string(draw.workers) +
         "\ndepth = " + std::to_string(draw.depth) + "\n[limits]\nmax-rounds = " + std::to_string(draw.rounds) + "\n";
}

/// A node that schedules and does not work can be lost with the run, one that works alone without it; the first node
/// does both, so that there is always somebody.
void add_nodes(const Draw& draw, CounterRng& random, sim::SimulationOptions& options) {
  for (std::uint32_t n = 0; n < draw.nodes; ++n) {
    options.hosts.push_back({"host" + std::to_string(n), 1 + static_cast<unsigned>(random.below(3)), 1});
    const bool schedules = n == 0 || random.below(3) == 0;
    options.nodes.push_back({n, schedules, true, 0});
  }
}

std::string replay(std::uint64_t seed) {
  return "strads_sim --seed " + std::to_string(seed) + " --trace";
}

/// The run that nothing happens to, on one process.
std::string undisturbed_hash(const SeedCase& seed_case) {
  sim::SimulationOptions calm;
  calm.engine = seed_case.options.engine;
  calm.hosts = {{"host0", 2, 1}};
  calm.nodes = {{0, true, true, 0}};
  calm.embedded = true;
  calm.watch_liveness = false;
  const auto run = sim::simulate(seed_case.loaded.another, calm, {});
  if (!run.ended || !run.end.status.ok()) return "none";
  return seed_case.loaded.finding(run.end).hash;
}

}  // namespace

SeedCase case_of(std::uint64_t seed) {
  CounterRng random(seed, Purpose::faults, 7);
  const Draw draw = draw_of(random);
  SeedCase result;
  result.seed = seed;
  auto loaded = lasso::lasso_on(made_up({.seed = seed}), config_of(draw, seed));
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  result.loaded = std::move(loaded).value();
  sim::SimulationOptions& options = result.options;
  options.engine = result.loaded.engine;
  options.seed = seed;
  options.faults.enabled = true;
  options.audit = true;
  options.lease_seconds = 3;
  options.network.jitter = 0.3;
  add_nodes(draw, random, options);
  result.text = std::to_string(draw.nodes) + " nodes, " + std::to_string(draw.schedulers) + " schedulers, " +
                std::to_string(draw.workers) + " workers, depth " + std::to_string(draw.depth) + ", policy " +
                draw.policy + ", at most " + std::to_string(draw.rounds) + " rounds";
  return result;
}

SeedOutcome play(const SeedCase& seed_case, const std::function<void(const std::string&)>& trace) {
  SeedOutcome outcome;
  outcome.run = sim::simulate(seed_case.loaded.another, seed_case.options, {.observe = {}, .trace = trace});
  const auto& run = outcome.run;
  if (run.violation.has_value()) {
    outcome.violation = *run.violation;
  } else if (!run.ended) {
    outcome.violation = "the run hangs: nothing is left to happen, and no end was announced";
  }
  if (!run.ended) {
    outcome.ending = "no end";
  } else if (!run.end.status.ok()) {
    outcome.ending = "ended by a loss: " + run.end.status.message();
  } else {
    outcome.hash = seed_case.loaded.finding(run.end).hash;
    outcome.ending = "ended: " + run.end.stop_reason;
    const std::string expected = undisturbed_hash(seed_case);
    if (outcome.violation.empty() && outcome.hash != expected) {
      outcome.violation = "beta_hash " + outcome.hash + ", without faults " + expected;
    }
  }
  if (!outcome.violation.empty()) outcome.violation += "; replay: " + replay(seed_case.seed);
  return outcome;
}

}  // namespace strads::simulator
