// Small problems of summary statistics, made up from a seed, and plain loops that solve and judge them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/engine/progress.hpp"
#include "strads/transport/embedded.hpp"
#include "sumstats/problem/sumstats.hpp"
#include "support/made_up_data.hpp"

namespace strads::sumstats::made_up {

/// A panel of made genotypes; its columns that vary are variants. Blocks of `block` variants. r: `r_of` a place.
template <class RandomR>
std::shared_ptr<SummaryProblem> problem_on(const support::MadeUp& panel, std::size_t block, const RandomR& r_of) {
  auto problem = std::make_shared<SummaryProblem>();
  problem->panel = support::genotype_dataset(panel);
  problem->columns = std::make_shared<StandardizedColumns>(problem->panel->columns(), Standardization{});
  std::vector<VarId> all(problem->columns->size());
  std::iota(all.begin(), all.end(), VarId{0});
  SerialChunks serial;
  problem->columns->scan(all, serial);
  for (const VarId j : all) {
    if (problem->columns->state(j) != ColumnState::kept) continue;
    if (problem->variants.size() % block == 0) problem->begins.push_back(problem->variants.size());
    problem->r.push_back(r_of(problem->variants.size()));
    problem->weights.push_back(1.0);
    problem->variants.push_back(j);
  }
  problem->begins.push_back(problem->variants.size());
  problem->fingerprint = panel.seed;
  return problem;
}

/// Correlations of about `size`, drawn from a seed.
inline std::shared_ptr<SummaryProblem> random_problem(const support::MadeUp& panel, std::size_t block, double size) {
  CounterRng random(panel.seed, Purpose::tests, 41);
  return problem_on(panel, block, [&](std::size_t) { return size * (2 * random.unit() - 1) * random.unit(); });
}

/// By place: the column as it is decoded.
inline std::vector<std::vector<double>> decoded(const SummaryProblem& problem, std::uint32_t block) {
  std::vector<std::vector<double>> columns;
  for (std::size_t v = problem.begins[block]; v < problem.begins[block + 1]; ++v) {
    columns.emplace_back(problem.columns->rows());
    problem.columns->decode(problem.variants[v], columns.back());
  }
  return columns;
}

struct Figures {
  double objective = 0, gap = 0;
};

/// The formulas of the design as they stand.
inline Figures figures_of(const SummaryProblem& problem, const Grid& grid, std::uint32_t block, std::size_t k,
                          const BlockSolution& solution) {
  const auto columns = decoded(problem, block);
  const double s = grid.shrink(k), lambda = grid.lambda(k);
  std::vector<double> b(columns.size(), 0.0), image(problem.columns->rows(), 0.0);
  for (std::size_t i = 0; i < solution.places.size(); ++i) b[solution.places[i]] = solution.values[i];
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (std::size_t i = 0; i < image.size(); ++i) image[i] += columns[j][i] * b[j];
  }
  Figures found;
  found.objective = (1 - s) / 2 * std::inner_product(image.begin(), image.end(), image.begin(), 0.0);
  for (std::size_t j = 0; j < b.size(); ++j) {
    const std::size_t v = problem.begins[block] + j;
    const double r = problem.r[v], penalty = lambda * problem.weights[v];
    const double h = r - (1 - s) * std::inner_product(image.begin(), image.end(), columns[j].begin(), 0.0);
    const double over = std::max(std::abs(h) - penalty, 0.0);
    found.objective += s / 2 * b[j] * b[j] - r * b[j] + penalty * std::abs(b[j]);
    found.gap += penalty * std::abs(b[j]) - h * b[j] + s / 2 * b[j] * b[j] + over * over / (2 * s);
  }
  return found;
}

inline RunEnd run(const std::shared_ptr<SummaryProblem>& problem, const Grid& grid, const EngineOptions& engine = {},
                  unsigned threads = 1) {
  return run_embedded(make_summary_model(problem, grid, engine), engine, {.threads = threads}, {}, {}).end;
}

}  // namespace strads::sumstats::made_up
