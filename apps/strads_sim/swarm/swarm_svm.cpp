// The support vector machines of the swarm.
#include <array>
#include <cmath>
#include <utility>

#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/svm_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"
#include "svm/svm_node.hpp"

namespace strads::simulator {
namespace {

/// Two classes or three, in parts of the features; some rows are empty, and some are there twice.
std::shared_ptr<const svm::SvmData> draw_samples(std::uint64_t seed, CounterRng& random) {
  const auto samples = 16 + random.below(30);
  auto data = std::make_shared<svm::SvmData>();
  svm::Rows& rows = data->rows;
  rows.features = 3 + static_cast<std::uint32_t>(random.below(30));
  rows.begins = {0};
  data->classes = random.below(3) == 0 ? 3 : 2;
  data->fingerprint = seed;
  const double density = 0.1 + 0.9 * random.unit(), apart = random.unit();
  const bool weights = random.below(4) == 0, whole = random.below(3) == 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto label = static_cast<std::uint32_t>(i < data->classes ? i : random.below(data->classes));
    data->labels.push_back(label);
    if (weights) data->sample_weights.push_back(0.5 + random.unit());
    const std::uint64_t kind = random.below(20);
    const std::uint64_t before = rows.begins.size() < 2 ? 0 : rows.begins[rows.begins.size() - 2];
    if (kind == 0 && i > 0) {
      for (std::uint64_t at = before, end = rows.index.size(); at < end; ++at) {
        rows.index.push_back(rows.index[at]);
        rows.values.push_back(rows.values[at]);
      }
    }
    for (std::uint32_t f = 0; kind > 1 && f < rows.features; ++f) {
      if (random.unit() > density) continue;
      const double centre = f % data->classes == label ? apart : 0;
      rows.index.push_back(f);
      rows.values.push_back(whole ? 1.0 + static_cast<double>(random.below(3)) : centre + 2 * random.unit() - 1);
    }
    rows.begins.push_back(rows.index.size());
  }
  if (random.below(4) == 0) {
    for (std::uint32_t k = 0; k < data->classes; ++k) data->class_weights.push_back(0.25 + 2 * random.unit());
  }
  return data;
}

AuditedSvm draw_svm_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kPolicies = {"auto", "auto", "paper", "static", "uniform", "theorem1", "block-greedy"};
  constexpr std::array kCosts = {0.05, 1.0, 20.0}, kTolerances = {1e-1, 1e-3, 1e-6}, kBiases = {0.0, 1.0, 3.0};
  AuditedSvm asked;
  asked.engine = engine;
  asked.policy = kPolicies[random.below(kPolicies.size())];
  asked.hinge = random.below(2) == 0;
  asked.cost = kCosts[random.below(kCosts.size())];
  asked.bias = kBiases[random.below(kBiases.size())];
  asked.tolerance = kTolerances[random.below(kTolerances.size())];
  asked.rho = random.below(2) == 0 ? 0.1 : 0.3;
  asked.eta = random.below(2) == 0 ? 1e-6 : 1e-2;
  asked.candidates = random.below(2) == 0 ? 1.5 : 4.0;
  if (random.below(2) == 0) asked.check_interval = 5 + random.below(20);
  return asked;
}

std::string config_of(const AuditedSvm& asked) {
  const auto number = [](double value) { return short_text(value, 17); };
  return "[problem]\ncost = " + number(asked.cost) + "\nloss = " + (asked.hinge ? "hinge" : "squared_hinge") +
         "\nbias = " + number(asked.bias) + "\ntolerance = " + number(asked.tolerance) +
         "\n[policy]\npolicy = " + asked.policy + "\nrho = " + number(asked.rho) + "\neta = " + number(asked.eta) +
         "\ncandidates = " + number(asked.candidates) + "\ncheck-interval = " + std::to_string(asked.check_interval) +
         swarm_engine_config(asked.engine);
}

}  // namespace

SwarmProblem swarm_svm(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  const auto data = draw_samples(seed, random);
  const AuditedSvm asked = draw_svm_options(engine, random);
  auto loaded = svm::svm_on(data, config_of(asked));
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  std::string text = std::to_string(data->samples()) + " samples x " + std::to_string(data->rows.features) +
                     " features of " + std::to_string(data->classes) + " classes, svm with " +
                     (asked.hinge ? "hinge" : "squared hinge") + ", cost " + short_text(asked.cost) + ", bias " +
                     short_text(asked.bias) + ", policy " + asked.policy;
  if (!data->sample_weights.empty()) text += ", weights";
  if (!data->class_weights.empty()) text += ", class weights";
  return {text, "model_hash", std::move(loaded).value(),
          [data, asked] { return std::make_unique<SvmAudit>(data, asked); }};
}

}  // namespace strads::simulator
