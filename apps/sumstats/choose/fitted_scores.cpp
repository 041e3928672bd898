#include "sumstats/choose/fitted_scores.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "regression/match_variables.hpp"
#include "regression/people.hpp"

namespace strads::sumstats {

const char* text_of(WeightScale scale) {
  switch (scale) {
    case WeightScale::study:
      return "b sqrt(n se^2 + beta^2), the study's units";
    case WeightScale::mixed:
      return "b sqrt(n se^2 + beta^2), without beta and se b sd(trait) / sd(panel), the study's units";
    case WeightScale::standard:
      break;
  }
  return "b / sd(panel), standard deviations of the trait";
}

lasso::FittedPath fitted_scores(const LoadedSummary& loaded, const Grid& grid, const SummarySolution& solution,
                                std::size_t from, std::size_t to) {
  const SummaryProblem& problem = *loaded.problem;
  const Dataset& panel = *problem.panel;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  lasso::FittedPath fitted;
  lasso::FittedModel& shape = fitted.shape;
  shape.response = loaded.study->trait.empty() ? "trait" : loaded.study->trait;
  shape.columns = panel.columns().columns;
  shape.has_alleles = panel.has_alleles();
  shape.has_names = panel.has_alleles() || lasso::has_names(panel);
  shape.samples = panel.columns().samples();
  shape.people = lasso::people_of(panel);
  std::vector<std::uint64_t> place_of(problem.variants.size(), kNone);
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    if (solution.blocks[block].empty()) continue;
    for (std::size_t k = from; k < to; ++k) {
      for (const std::uint32_t place : solution.blocks[block][k].places) place_of[problem.begins[block] + place] = 0;
    }
  }
  // By column of the panel, as every reader of models expects them.
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < place_of.size(); ++v) {
    if (place_of[v] != kNone) order.push_back(v);
  }
  std::ranges::sort(order, {}, [&](std::size_t v) { return problem.variants[v]; });
  shape.variables.reserve(order.size());
  for (const std::size_t v : order) {
    place_of[v] = shape.variables.size();
    const VarId j = problem.variants[v];
    const VariableName name = panel.variable(j);
    shape.variables.push_back({j, std::string(name.id), std::string(name.chromosome), std::string(name.position),
                               std::string(name.counted), std::string(name.other), 0.0, mean_of(loaded, v)});
  }
  for (std::size_t k = from; k < to; ++k) {
    lasso::FittedStep& step = fitted.steps.emplace_back();
    step.lambda = step.lambda_y = grid.lambda(k);
    std::vector<std::pair<std::uint64_t, double>> entries;
    for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
      if (solution.blocks[block].empty()) continue;
      const BlockSolution& own = solution.blocks[block][k];
      for (std::size_t i = 0; i < own.places.size(); ++i) {
        const std::size_t v = problem.begins[block] + own.places[i];
        entries.emplace_back(place_of[v], own.values[i] * loaded.effect[v]);
      }
    }
    std::ranges::sort(entries);
    step.places.reserve(entries.size());
    step.coefficients.reserve(entries.size());
    for (const auto& [place, coefficient] : entries) {
      step.places.push_back(place);
      step.coefficients.push_back(coefficient);
    }
  }
  return fitted;
}

lasso::FittedModel fitted_score(const LoadedSummary& loaded, const Grid& grid, const SummarySolution& solution,
                                std::size_t k) {
  lasso::FittedPath fitted = fitted_scores(loaded, grid, solution, k, k + 1);
  // Every variable is of the one step.
  lasso::FittedModel model = std::move(fitted.shape);
  const lasso::FittedStep& step = fitted.steps.front();
  for (std::size_t i = 0; i < step.places.size(); ++i) {
    model.variables[step.places[i]].coefficient = step.coefficients[i];
  }
  return model;
}

}  // namespace strads::sumstats
