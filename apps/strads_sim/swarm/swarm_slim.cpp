// The swarm's item weights (SLIM).
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "mf/mf_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/slim_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"
#include "strads_sim/swarm/swarm_ratings.hpp"

namespace strads::simulator {
namespace {

AuditedSlim draw_slim_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kL1s = {0.0, 0.3, 1.0}, kL2s = {0.5, 3.0, 30.0};
  constexpr std::array kTolerances = {1e-3, 1e-6};
  constexpr std::array kWorks = {std::uint64_t{20}, std::uint64_t{100}, std::uint64_t{250'000}};
  AuditedSlim asked;
  asked.engine = engine;
  asked.l1 = kL1s[random.below(kL1s.size())];
  asked.l2 = kL2s[random.below(kL2s.size())];
  asked.tolerance = kTolerances[random.below(kTolerances.size())];
  asked.block_work = kWorks[random.below(kWorks.size())];
  if (random.below(3) == 0) asked.user_power = 0.5;
  if (random.below(3) == 0) asked.item_power = 0.3;
  if (random.below(3) == 0) asked.positive_from = 1.5;
  return asked;
}

std::string config_of(const AuditedSlim& asked) {
  const auto number = [](double value) { return short_text(value, 17); };
  return "[problem]\n" +
         (asked.positive_from.has_value() ? "positive-from = " + number(*asked.positive_from) + "\n" : "") +
         "[solver]\nsolver = slim\ntolerance = " + number(asked.tolerance) + "\n[slim]\nl1 = " + number(asked.l1) +
         "\nl2 = " + number(asked.l2) + "\nuser-power = " + number(asked.user_power) +
         "\nitem-power = " + number(asked.item_power) + swarm_engine_config(asked.engine);
}

}  // namespace

SwarmProblem swarm_slim(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  const auto ratings = draw_ratings(seed, false, random);
  const AuditedSlim asked = draw_slim_options(engine, random);
  auto loaded = mf::slim_on(ratings, config_of(asked), asked.block_work);
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  const std::string text = std::to_string(ratings->train.size()) + " pairs of " +
                           std::to_string(ratings->users->size()) + " x " + std::to_string(ratings->items->size()) +
                           ", slim with l1 " + short_text(asked.l1) + ", l2 " + short_text(asked.l2) + ", powers " +
                           short_text(asked.user_power) + " and " + short_text(asked.item_power) + ", block work " +
                           std::to_string(asked.block_work);
  return {text, "model_hash", std::move(loaded).value(),
          [ratings, asked] { return std::make_unique<SlimAudit>(ratings, asked); }};
}

}  // namespace strads::simulator
