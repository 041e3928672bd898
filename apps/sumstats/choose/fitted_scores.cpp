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

Scores::Scores(const LoadedSummary& loaded, const Grid& grid, const SummarySolution& solution, std::size_t from,
               std::size_t to)
    : loaded_(loaded), grid_(grid), solution_(solution), from_(from), to_(to) {
  const SummaryProblem& problem = *loaded.problem;
  const Dataset& panel = *problem.panel;
  shape_.response = loaded.study->trait.empty() ? "trait" : loaded.study->trait;
  shape_.columns = panel.columns().columns;
  shape_.has_alleles = panel.has_alleles();
  shape_.has_names = panel.has_alleles() || lasso::has_names(panel);
  shape_.samples = panel.columns().samples();
  shape_.people = lasso::people_of(panel);
  place_of_.resize(problem.variants.size());
  std::vector<bool> is_wanted(problem.variants.size(), false);
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    if (solution.blocks[block].empty()) continue;
    for (std::size_t k = from; k < to; ++k) {
      for (const std::uint32_t place : solution.blocks[block][k].places)
        is_wanted[problem.begins[block] + place] = true;
    }
  }
  // By column of the panel, as every reader of models expects them.
  for (std::size_t v = 0; v < is_wanted.size(); ++v) {
    if (is_wanted[v]) order_.push_back(static_cast<std::uint32_t>(v));
  }
  std::ranges::sort(order_, {}, [&](std::uint32_t v) { return problem.variants[v]; });
  for (std::size_t k = 0; k < order_.size(); ++k) place_of_[order_[k]] = static_cast<std::uint32_t>(k);
}

lasso::FittedVariable Scores::variable(std::size_t place) const {
  const VarId j = loaded_.problem->variants[order_[place]];
  const VariableName name = loaded_.problem->panel->variable(j);
  return {j,
          std::string(name.id),
          std::string(name.chromosome),
          std::string(name.position),
          std::string(name.counted),
          std::string(name.other),
          0.0,
          mean_of(loaded_, order_[place])};
}

lasso::FittedStep Scores::step(std::size_t k) const {
  const SummaryProblem& problem = *loaded_.problem;
  lasso::FittedStep step;
  step.lambda = step.lambda_y = grid_.lambda(from_ + k);
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    if (solution_.blocks[block].empty()) continue;
    const BlockSolution& own = solution_.blocks[block][from_ + k];
    for (std::size_t i = 0; i < own.places.size(); ++i) {
      const std::size_t v = problem.begins[block] + own.places[i];
      entries.emplace_back(place_of_[v], own.values[i] * loaded_.effect[v]);
    }
  }
  std::ranges::sort(entries, {}, [](const auto& entry) { return entry.first; });
  step.places.reserve(entries.size());
  step.coefficients.reserve(entries.size());
  for (const auto& [place, coefficient] : entries) {
    step.places.push_back(place);
    step.coefficients.push_back(coefficient);
  }
  return step;
}

lasso::PathInPieces Scores::in_pieces() const {
  return {.shape = shape_,
          .variables = order_.size(),
          .steps = to_ - from_,
          .variable = [this](std::size_t place) { return variable(place); },
          .step = [this](std::size_t k) { return step(k); }};
}

lasso::FittedPath Scores::whole() const {
  lasso::FittedPath fitted;
  fitted.shape = shape_;
  fitted.shape.variables.reserve(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) fitted.shape.variables.push_back(variable(place));
  for (std::size_t k = 0; k < to_ - from_; ++k) fitted.steps.push_back(step(k));
  return fitted;
}

lasso::FittedPath fitted_scores(const LoadedSummary& loaded, const Grid& grid, const SummarySolution& solution,
                                std::size_t from, std::size_t to) {
  return Scores(loaded, grid, solution, from, to).whole();
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
