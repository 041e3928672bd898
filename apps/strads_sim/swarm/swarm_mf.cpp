// The factorizations of the swarm.
#include <array>
#include <utility>

#include "mf/mf_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/mf_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"
#include "strads_sim/swarm/swarm_ratings.hpp"

namespace strads::simulator {
namespace {

AuditedMf draw_mf_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kSolvers = {"cd", "ccd", "als", "sgd"};
  AuditedMf asked;
  asked.engine = engine;
  asked.solver = kSolvers[random.below(kSolvers.size())];
  asked.rank = 1 + static_cast<std::uint32_t>(random.below(4));
  asked.lambda = random.below(2) == 0 ? 0.05 : 0.5;
  asked.weighted = random.below(2) == 0;
  asked.bias = random.below(2) == 0;
  asked.mean = random.below(2) == 0;
  asked.tolerance = random.below(2) == 0 ? 1e-4 : 0.05;
  asked.sweeps = 1 + static_cast<std::uint32_t>(random.below(5));
  asked.patience = 1 + static_cast<std::uint32_t>(random.below(2));
  return asked;
}

std::string config_of(const AuditedMf& asked) {
  const auto on = [](bool value) { return value ? "on" : "off"; };
  return "[problem]\nrank = " + std::to_string(asked.rank) + "\nlambda = " + short_text(asked.lambda, 17) +
         "\nregularization = " + (asked.weighted ? "weighted" : "plain") + "\nbias = " + on(asked.bias) +
         "\nmean = " + on(asked.mean) + "\n[solver]\nsolver = " + asked.solver +
         "\nsweeps = " + std::to_string(asked.sweeps) + "\ntolerance = " + short_text(asked.tolerance, 17) +
         "\npatience = " + std::to_string(asked.patience) + swarm_engine_config(asked.engine);
}

}  // namespace

SwarmProblem swarm_mf(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  const auto ratings = draw_ratings(seed, true, random);
  const AuditedMf asked = draw_mf_options(engine, random);
  auto loaded = mf::mf_on(ratings, config_of(asked));
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  const std::string text = std::to_string(ratings->train.size()) + " ratings of " +
                           std::to_string(ratings->users->size()) + " x " + std::to_string(ratings->items->size()) +
                           ", mf with solver " + asked.solver + ", rank " + std::to_string(asked.rank) + ", " +
                           std::to_string(asked.sweeps) + " sweeps";
  return {text, "model_hash", std::move(loaded).value(),
          [ratings, asked] { return std::make_unique<MfAudit>(ratings, asked); }};
}

}  // namespace strads::simulator
