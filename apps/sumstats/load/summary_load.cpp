#include "sumstats/load/summary_load.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "strads/base/hash.hpp"
#include "sumstats/solver/block_solver.hpp"

namespace strads::sumstats {
namespace {

/// Beside the panel's columns: its name, standardisation, statistics.
constexpr std::uint64_t kVariantBytes = 220;
/// On a worker, about: Gram matrices of a block.
constexpr std::uint64_t kBlockBytes = 2 * 8 * BlockSolver::kWholeBlock * BlockSolver::kWholeBlock / 4;

/// What a message has room for, with an array for each.
constexpr std::size_t kBlocksMax = 100'000;

std::uint64_t fingerprint_of(const SummaryProblem& problem) {
  Hash64 hash;
  hash.update_u64(problem.panel->fingerprint());
  hash.update(std::as_bytes(std::span(problem.variants)));
  hash.update(std::as_bytes(std::span(problem.r)));
  hash.update(std::as_bytes(std::span(problem.weights)));
  for (const std::size_t begin : problem.begins) hash.update_u64(begin);
  return hash.digest();
}

bool knows_scale(const SummaryStatistic& variant) {
  return std::isfinite(variant.beta) && std::isfinite(variant.se);
}

double effect_of(const SummaryStatistic& variant, double trait_sd, double panel_sd) {
  if (!std::isfinite(trait_sd)) return 1 / panel_sd;
  if (knows_scale(variant)) return std::sqrt(variant.n * variant.se * variant.se + variant.beta * variant.beta);
  return trait_sd / panel_sd;
}

/// What is asked of the variants later on; the others of their numbers go. `panel_sd`: by column.
void take_numbers(SummaryData& study, const std::vector<double>& panel_sd, LoadedSummary& loaded) {
  const std::vector<SummaryStatistic>& variants = study.variants;
  const auto numbers_of = [&variants](const auto& number) {
    std::vector<double> numbers;
    numbers.reserve(variants.size());
    for (const SummaryStatistic& variant : variants) numbers.push_back(number(variant));
    return VariantNumbers(std::move(numbers));
  };
  loaded.n = numbers_of([](const SummaryStatistic& variant) { return variant.n; });
  loaded.frequency = numbers_of([](const SummaryStatistic& variant) { return variant.frequency; });
  loaded.effect = numbers_of(
      [&](const SummaryStatistic& variant) { return effect_of(variant, study.trait_sd, panel_sd[variant.column]); });
  if (std::isfinite(study.trait_sd)) {
    loaded.scale = std::ranges::all_of(variants, knows_scale) ? WeightScale::study : WeightScale::mixed;
  }
  study.variants = {};
}

ProcessMemory memory_of(const PathOptions& options, const DataShape& shape, bool computes, unsigned workers) {
  ProcessMemory memory;
  memory.reading = shape.reading_bytes;
  memory.parts.push_back({"columns of the panel", shape.mapped_bytes, shape.held_bytes});
  memory.parts.push_back({"names of variants and people", 0, shape.names_bytes});
  memory.parts.push_back({"statistics", 0, kVariantBytes * shape.columns});
  if (computes) memory.parts.push_back({"Gram matrices of blocks", 0, kBlockBytes * workers});
  // A tenth of the variants at each point is much.
  const std::uint64_t points =
      options.shrinks.size() * (options.given.empty() ? options.lambdas : options.given.size());
  memory.guessed = points * shape.columns / 10 * 16 * 2;
  memory.parts.push_back({"solutions, a guess", 0, memory.guessed});
  return memory;
}

}  // namespace

VariantNumbers::VariantNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {
  const auto is_first = [first = std::bit_cast<std::uint64_t>(numbers_.empty() ? 0.0 : numbers_.front())](double own) {
    return std::bit_cast<std::uint64_t>(own) == first;
  };
  if (!numbers_.empty() && std::ranges::all_of(numbers_, is_first)) numbers_ = {numbers_.front()};
}

double mean_of(const LoadedSummary& loaded, std::size_t variant) {
  const SummaryProblem& problem = *loaded.problem;
  const double frequency = loaded.frequency[variant];
  return std::isfinite(frequency) ? 2 * frequency : problem.columns->observed_mean(problem.variants[variant]);
}

Result<std::shared_ptr<const LoadedSummary>> load_summary(const PathOptions& options, Chunks& threads) {
  STRADS_ASSIGN_OR_RETURN(auto panel, load_dataset(options.panel));
  const auto columns = std::make_shared<StandardizedColumns>(panel->columns(), Standardization{});
  std::vector<VarId> all(columns->size());
  std::iota(all.begin(), all.end(), VarId{0});
  // It prepares the file for being released, which the fingerprint of the problem asks for anyway.
  static_cast<void>(panel->fingerprint());
  columns->scan(all, threads);
  panel->release_columns(0, columns->size());
  std::vector<double> sd(all.size(), 0.0), frequency(all.size(), 0.0);
  const double samples = static_cast<double>(columns->samples());
  for (const VarId j : all) {
    if (columns->state(j) != ColumnState::kept) continue;
    sd[j] = columns->norm(j) / std::sqrt(samples);
    frequency[j] = columns->observed_mean(j) / 2;
  }
  const SummaryPanel about{.name = options.panel.source.prefix(),
                           .variants = columns->size(),
                           .variant = [&panel](VarId j) { return panel->variable(j); },
                           .sd = sd,
                           .frequency = frequency,
                           .excluded = panel->columns().excluded};
  STRADS_ASSIGN_OR_RETURN(auto study, options.study_in_memory
                                          ? summary_in_memory(*options.study_in_memory, options.summary, about)
                                          : read_summary(options.summary, about));
  if (study.blocks.size() > kBlocksMax) {
    return Status::input("found " + std::to_string(study.blocks.size()) +
                         " LD blocks with variants, expected at most " + std::to_string(kBlocksMax) +
                         ": give --ld-blocks with larger regions");
  }
  auto loaded = std::make_shared<LoadedSummary>();
  loaded->problem = problem_of(panel, columns, study, options.weigh_n);
  loaded->lambda_max = lambda_max_of(*loaded->problem);
  take_numbers(study, sd, *loaded);
  loaded->study = std::make_shared<const SummaryData>(std::move(study));
  return std::shared_ptr<const LoadedSummary>(std::move(loaded));
}

std::shared_ptr<const SummaryProblem> problem_of(std::shared_ptr<const Dataset> panel,
                                                 std::shared_ptr<const StandardizedColumns> columns,
                                                 const SummaryData& study, bool weigh_n) {
  auto problem = std::make_shared<SummaryProblem>();
  problem->panel = std::move(panel);
  problem->columns = std::move(columns);
  problem->variants.reserve(study.variants.size());
  problem->r.reserve(study.variants.size());
  problem->weights.reserve(study.variants.size());
  for (const SummaryStatistic& variant : study.variants) {
    problem->variants.push_back(variant.column);
    problem->r.push_back(variant.r);
    problem->weights.push_back(weigh_n ? std::sqrt(study.n_max / variant.n) : 1.0);
  }
  for (const SummaryBlock& block : study.blocks) problem->begins.push_back(static_cast<std::size_t>(block.first));
  problem->begins.push_back(study.variants.size());
  problem->fingerprint = fingerprint_of(*problem);
  return problem;
}

Grid grid_of(const PathOptions& options, double lambda_max) {
  Grid grid{.shrinks = options.shrinks, .lambdas = options.given, .tolerance = options.tolerance};
  if (!grid.lambdas.empty()) return grid;
  if (options.single) {
    grid.lambdas = {options.lambda_ratio * lambda_max};
    return grid;
  }
  // Products instead of powers: the same bits on every machine.
  const double step = options.lambdas > 1 ? std::exp(std::log(options.min_ratio) / (options.lambdas - 1)) : 1.0;
  double lambda = lambda_max;
  for (std::uint32_t k = 0; k < options.lambdas; ++k, lambda *= step) grid.lambdas.push_back(lambda);
  return grid;
}

Result<MemoryPlan> plan_summary(const PathOptions& options, Look look) {
  STRADS_ASSIGN_OR_RETURN(const DataShape shape, look_at_dataset(options.panel, look));
  MemoryPlan plan;
  plan.shape = "panel of " + std::to_string(shape.rows) + " people x " + std::to_string(shape.columns) + " variants";
  const unsigned threads = options.machine.threads;
  const unsigned at_once = std::max(1U, threads == 0 ? options.engine.workers : threads);
  if (!options.cluster.wanted()) {
    plan.add(memory_of(options, shape, true, at_once), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  plan.add(memory_of(options, shape, true, at_once), "node", local ? options.cluster.processes : options.cluster.nodes,
           local, threads);
  plan.add(memory_of(options, shape, false, at_once), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const PathOptions& options) {
  if (!options.memory_check) return {};
  const auto shape = look_at_dataset(options.panel, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MemoryPlan plan;
  plan.add(memory_of(options, shape.value(), true, 1), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::sumstats
