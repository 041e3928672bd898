// The swarm's factorizations of choices (implicit feedback).
#include <array>
#include <string>
#include <utility>

#include "mf/mf_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/mf_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"
#include "strads_sim/swarm/swarm_ratings.hpp"

namespace strads::simulator {
namespace {

/// The option of solver cd; the audit need not know it.
struct DrawnImplicit {
  AuditedMf asked;
  std::uint32_t width = 1;
};

DrawnImplicit draw_implicit_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kSolvers = {"als", "cd", "cg"}, kConfidences = {"ones", "linear", "log"};
  constexpr std::array kAlphas = {0.01, 0.1, 1.0}, kNus = {0.0, 0.5, 1.0};
  DrawnImplicit drawn;
  AuditedMf& asked = drawn.asked;
  asked.engine = engine;
  asked.implicit = true;
  asked.bias = asked.mean = asked.weighted = false;
  asked.solver = kSolvers[random.below(kSolvers.size())];
  asked.rank = 1 + static_cast<std::uint32_t>(random.below(20));
  asked.lambda = random.below(2) == 0 ? 0.01 : 0.3;
  asked.alpha0 = kAlphas[random.below(kAlphas.size())];
  asked.nu = kNus[random.below(kNus.size())];
  asked.confidence = kConfidences[random.below(kConfidences.size())];
  if (random.below(3) == 0) asked.positive_from = 1.5;
  asked.tolerance = random.below(2) == 0 ? 1e-4 : 0.05;
  asked.sweeps = 1 + static_cast<std::uint32_t>(random.below(5));
  drawn.width = 1 + static_cast<std::uint32_t>(random.below(8));
  // Last, so that all else is drawn as for the other objective.
  constexpr std::array kAlphasOfHu = {0.5, 3.0, 40.0};
  asked.hu = random.below(4) == 0;
  if (!asked.hu) return drawn;
  asked.alpha = kAlphasOfHu[random.below(kAlphasOfHu.size())];
  asked.alpha0 = 1;
  asked.nu = 0;
  return drawn;
}

std::string config_of(const DrawnImplicit& drawn) {
  const AuditedMf& asked = drawn.asked;
  const auto number = [](double value) { return short_text(value, 17); };
  const std::string weights = asked.hu ? "\nobjective = hu\nalpha = " + number(asked.alpha)
                                       : "\nalpha0 = " + number(asked.alpha0) + "\nnu = " + number(asked.nu);
  return "[problem]\nfeedback = implicit\nrank = " + std::to_string(asked.rank) + "\nlambda = " + number(asked.lambda) +
         weights + "\nconfidence = " + asked.confidence +
         (asked.positive_from.has_value() ? "\npositive-from = " + number(*asked.positive_from) : "") +
         "\n[solver]\nsolver = " + asked.solver + "\nblock-width = " + std::to_string(drawn.width) +
         "\nsweeps = " + std::to_string(asked.sweeps) + "\ntolerance = " + number(asked.tolerance) +
         swarm_engine_config(asked.engine);
}

}  // namespace

SwarmProblem swarm_implicit(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  const auto ratings = draw_ratings(seed, false, random);
  const DrawnImplicit drawn = draw_implicit_options(engine, random);
  const AuditedMf& asked = drawn.asked;
  auto loaded = mf::mf_on(ratings, config_of(drawn));
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  const std::string text = std::to_string(ratings->train.size()) + " choices of " +
                           std::to_string(ratings->users->size()) + " x " + std::to_string(ratings->items->size()) +
                           ", implicit feedback with solver " + asked.solver + ", rank " + std::to_string(asked.rank) +
                           ", confidence " + asked.confidence + (asked.hu ? ", Hu's objective, " : ", ") +
                           std::to_string(asked.sweeps) + " sweeps";
  return {text, "model_hash", std::move(loaded).value(),
          [ratings, asked] { return std::make_unique<MfAudit>(ratings, asked); }};
}

}  // namespace strads::simulator
