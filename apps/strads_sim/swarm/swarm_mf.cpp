// The factorizations of the swarm.
#include <algorithm>
#include <array>
#include <utility>

#include "mf/mf_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/mf_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"

namespace strads::simulator {
namespace {

class Numbered final : public IdTable {
 public:
  Numbered(const char* prefix, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) names_.push_back(prefix + std::to_string(k));
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return names_[index]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    return static_cast<std::uint32_t>(std::ranges::find(names_, name) - names_.begin());
  }

 private:
  std::vector<std::string> names_;
};

/// One to five stars, or any number; about a third of the pairs, some of them held out. Everybody has rated something
/// that is not.
std::shared_ptr<const Ratings> draw_ratings(std::uint64_t seed, CounterRng& random) {
  const auto users = 6 + static_cast<std::uint32_t>(random.below(15));
  const auto items = 6 + static_cast<std::uint32_t>(random.below(15));
  const bool stars = random.below(2) == 0;
  const double validation = random.below(2) == 0 ? 0.2 : 0;
  auto ratings = std::make_shared<Ratings>();
  ratings->users = std::make_shared<Numbered>("u", users);
  ratings->items = std::make_shared<Numbered>("i", items);
  if (stars) ratings->levels = {1, 2, 3, 4, 5};
  ratings->lowest = 1;
  ratings->highest = 5;
  ratings->fingerprint = seed;
  for (std::uint32_t user = 0; user < users; ++user) {
    for (std::uint32_t item = 0; item < items; ++item) {
      const bool needed = user % items == item || item % users == user;
      if (!needed && random.unit() > 0.35) continue;
      const std::uint64_t star = (user % 3 + item % 2 + random.below(2)) % 5;
      const bool held_out = !needed && random.unit() < validation;
      Triplets& part = !held_out ? ratings->train : random.below(2) == 0 ? ratings->validation : ratings->test;
      part.users.push_back(user);
      part.items.push_back(item);
      if (stars) part.codes.push_back(static_cast<std::uint8_t>(star));
      if (!stars) part.values.push_back(static_cast<float>(1.0 + static_cast<double>(star) * random.unit()));
    }
  }
  return ratings;
}

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
  const auto ratings = draw_ratings(seed, random);
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
