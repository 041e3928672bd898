// The swarm's paths on summary statistics.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads_sim/audit/sumstats_audit.hpp"
#include "strads_sim/made_up_data.hpp"
#include "strads_sim/swarm/swarm_kinds.hpp"
#include "sumstats/problem/sumstats.hpp"
#include "sumstats/sumstats_node.hpp"

namespace strads::simulator {
namespace {

/// Genotypes of 12 to 40 people, blocks of 1 to 12 of their variants, and correlations with a trait: some blocks have
/// none that counts, some a large one.
std::shared_ptr<const sumstats::SummaryProblem> draw_study(std::uint64_t seed, CounterRng& random) {
  constexpr std::array kCorrelations = {0.2, 0.5, 0.9};
  MadeUpData panel;
  panel.seed = seed;
  panel.rows = 12 + static_cast<std::uint32_t>(random.below(29));
  panel.columns = 50 + static_cast<VarId>(random.below(51));
  panel.genotypes = true;
  panel.correlation = kCorrelations[random.below(kCorrelations.size())];
  const bool has_weights = random.below(3) == 0;
  auto problem = std::make_shared<sumstats::SummaryProblem>();
  problem->panel = made_up(panel);
  problem->columns = std::make_shared<StandardizedColumns>(problem->panel->columns(), Standardization{});
  std::vector<VarId> all(problem->columns->size());
  std::iota(all.begin(), all.end(), VarId{0});
  SerialChunks serial;
  problem->columns->scan(all, serial);
  std::uint64_t left = 0;
  double size = 0;
  for (const VarId j : all) {
    if (problem->columns->state(j) != ColumnState::kept) continue;
    if (left == 0) {
      problem->begins.push_back(problem->variants.size());
      left = 1 + random.below(12);
      size = random.below(4) == 0 ? 0.02 : 0.1 + 0.4 * random.unit();
    }
    --left;
    problem->variants.push_back(j);
    problem->r.push_back(size * (2 * random.unit() - 1));
    problem->weights.push_back(has_weights ? 1 + random.unit() : 1.0);
  }
  problem->begins.push_back(problem->variants.size());
  problem->fingerprint = seed;
  return problem;
}

double largest_of(const sumstats::SummaryProblem& problem) {
  double largest = 0;
  for (std::size_t v = 0; v < problem.r.size(); ++v) {
    largest = std::max(largest, std::abs(problem.r[v]) / problem.weights[v]);
  }
  return largest;
}

AuditedSumstats draw_sumstats_options(const EngineOptions& engine, double largest, CounterRng& random) {
  constexpr std::array kShrinks = {0.05, 0.2, 0.5, 0.9, 1.0};
  constexpr std::array kTolerances = {1e-3, 1e-6};
  constexpr std::array kWorks = {std::uint64_t{1}, std::uint64_t{100'000}, std::uint64_t{5'000'000'000}};
  AuditedSumstats asked;
  asked.engine = engine;
  for (const double s : kShrinks) {
    if (random.below(2) == 0 || s == 1) asked.grid.shrinks.push_back(s);
  }
  const std::uint64_t count = 1 + random.below(5);
  double lambda = largest * (random.below(2) == 0 ? 1.0 : 0.5);
  for (std::uint64_t k = 0; k < count; ++k, lambda *= 0.6) asked.grid.lambdas.push_back(lambda);
  asked.grid.tolerance = kTolerances[random.below(kTolerances.size())];
  asked.turn.work_of_place = kWorks[random.below(kWorks.size())];
  asked.turn.blocks_of_place = random.below(3) == 0 ? 2 : 0;
  return asked;
}

}  // namespace

SwarmProblem swarm_sumstats(std::uint64_t seed, const EngineOptions& engine, CounterRng& random) {
  const auto study = draw_study(seed, random);
  const AuditedSumstats asked = draw_sumstats_options(engine, largest_of(*study), random);
  auto loaded = sumstats::sumstats_on(study, asked.grid, engine, asked.turn);
  STRADS_CHECK(loaded.ok(), loaded.status().message());
  const std::string text = std::to_string(study->variants.size()) + " variants of " +
                           std::to_string(study->columns->rows()) + " people in " + std::to_string(study->blocks()) +
                           " blocks, summary statistics with " + std::to_string(asked.grid.shrinks.size()) +
                           " shrinkages x " + std::to_string(asked.grid.lambdas.size()) + " lambdas, tolerance " +
                           short_text(asked.grid.tolerance) + ", turns of " + std::to_string(asked.turn.work_of_place);
  return {text, "model_hash", std::move(loaded).value(),
          [study, asked] { return std::make_unique<SumstatsAudit>(study, asked); }};
}

}  // namespace strads::simulator
