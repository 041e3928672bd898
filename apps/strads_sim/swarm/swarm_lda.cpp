// The topic models of the swarm.
#include <array>
#include <utility>

#include "lda/lda_node.hpp"
#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/lda_audit.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"

namespace strads::simulator {
namespace {

/// Some documents are empty, some words are in none; one document in ten is much longer than the others.
std::shared_ptr<const Documents> draw_documents(CounterRng& random) {
  auto documents = std::make_shared<Documents>();
  const auto count = 3 + random.below(20);
  documents->vocabulary = 3 + static_cast<std::uint32_t>(random.below(20));
  for (std::uint64_t d = 0; d < count; ++d) {
    std::vector<std::uint32_t> counts(documents->vocabulary, 0);
    const std::uint64_t tokens = d == 0 ? 5 : random.below(random.below(10) == 0 ? 60 : 15);
    for (std::uint64_t n = 0; n < tokens; ++n) {
      const auto word = random.below(documents->vocabulary);
      ++counts[random.below(3) == 0 ? word / 2 : word];
    }
    for (std::uint32_t w = 0; w < counts.size(); ++w) {
      if (counts[w] == 0) continue;
      documents->words.push_back(w);
      documents->counts.push_back(counts[w]);
      documents->tokens += counts[w];
    }
    documents->empty += tokens == 0 ? 1 : 0;
    documents->begins.push_back(documents->words.size());
  }
  return documents;
}

AuditedLda draw_lda_options(const EngineOptions& engine, CounterRng& random) {
  constexpr std::array kSamplers = {"delayed", "rotation", "stale"};
  AuditedLda asked;
  asked.engine = engine;
  asked.sampler = kSamplers[random.below(kSamplers.size())];
  asked.topics = 1 + static_cast<std::uint32_t>(random.below(6));
  asked.alpha = random.below(2) == 0 ? 0.1 : 2;
  asked.beta = random.below(2) == 0 ? 0.01 : 0.5;
  asked.sweeps = 1 + static_cast<std::uint32_t>(random.below(6));
  asked.proposals = 1 + static_cast<std::uint32_t>(random.below(4));
  asked.optimise = random.below(3) == 0;
  asked.optimise_after = static_cast<std::uint32_t>(random.below(3));
  asked.measure_every = 1 + static_cast<std::uint32_t>(random.below(3));
  return asked;
}

std::string config_of(const AuditedLda& asked) {
  return "[problem]\ntopics = " + std::to_string(asked.topics) + "\nalpha = " + short_text(asked.alpha, 17) +
         "\nbeta = " + short_text(asked.beta, 17) + "\n[sampler]\nsampler = " + asked.sampler +
         "\nsweeps = " + std::to_string(asked.sweeps) + "\nproposals = " + std::to_string(asked.proposals) +
         "\noptimise = " + (asked.optimise ? "on" : "off") +
         "\noptimise-after = " + std::to_string(asked.optimise_after) +
         "\nmeasure-every = " + std::to_string(asked.measure_every) + swarm_engine_config(asked.engine);
}

}  // namespace

SwarmProblem swarm_lda(const EngineOptions& engine, CounterRng& random) {
  const auto documents = draw_documents(random);
  const AuditedLda asked = draw_lda_options(engine, random);
  auto loaded = lda::lda_on(documents, config_of(asked));
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  const std::string text = std::to_string(documents->tokens) + " tokens of " + std::to_string(documents->size()) +
                           " documents and " + std::to_string(documents->vocabulary) + " words, lda with sampler " +
                           asked.sampler + ", " + std::to_string(asked.topics) + " topics, " +
                           std::to_string(asked.sweeps) + " sweeps" + (asked.optimise ? ", optimised" : "");
  return {text, "model_hash", std::move(loaded).value(),
          [documents, asked] { return std::make_unique<LdaAudit>(documents, asked); }};
}

}  // namespace strads::simulator
