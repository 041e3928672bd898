#include "lasso/library/results.hpp"

namespace strads::lasso {
namespace {

void take_certificate(const Certificate& certificate, Solution& out) {
  out.objective = certificate.objective;
  out.gap = certificate.gap;
  out.relative_gap = certificate.relative_gap;
  out.converged = certificate.converged;
}

Solution solution_from(const LassoData& data, const LassoSolution& solution, const OriginalScale& original) {
  Solution out;
  out.lambda = solution.lambda;
  out.lambda_y = lambda_in_y(data, solution.lambda);
  out.variables = solution.variables;
  out.coefficients = original.coefficients;
  out.standardized = solution.standardized;
  out.intercept = original.intercept;
  out.covariates = original.covariates;
  out.explained = original.r2;
  return out;
}

std::vector<Solution> solutions_of(const LassoData& data, const std::vector<PathStep>& steps) {
  std::vector<Solution> out;
  for (const PathStep& step : steps) {
    out.push_back(solution_from(data, step.solution, step.original));
    take_certificate(step.point.certificate, out.back());
    out.back().beta_hash = step.beta_hash;
  }
  return out;
}

}  // namespace

Solution solution_of_fit(const FitResult& result) {
  Solution out = solution_from(*result.data, result.solution, result.original);
  take_certificate(result.run.end.certificate, out);
  out.beta_hash = result.beta_hash;
  return out;
}

void take_path(const PathResult& result, PathCall& out) {
  out.path = solutions_of(*result.data, result.steps);
  out.model = fitted_path(*result.data, result.steps);
  out.path_hash = result.path_hash;
}

void take_cv(const CvResult& result, CvCall& out) {
  take_path(result, out);
  out.measure = measure_name(result.measure);
  out.mean = result.curve.mean;
  out.standard_error = result.curve.standard_error;
  out.least = result.curve.least;
  out.simplest = result.curve.simplest;
  for (const auto& errors : result.errors) {
    auto& means = out.fold_errors.emplace_back();
    for (const FoldError& error : errors) means.push_back(error.sum / error.weight);
  }
  for (std::size_t f = 0; f < result.folds.size(); ++f) {
    out.folds.push_back(solutions_of(*result.cv.parts[f + 1], result.folds[f]));
  }
  out.fold_of_row = result.cv.folds.of_row;
}

void note_outcome(const RunFacts& facts, const LassoSolution& solution, const std::vector<std::string>& notes,
                  const OptionTable& table, Outcome& out) {
  out.stop_reason = facts.stop_reason;
  out.rounds = facts.run.end.totals.rounds;
  out.phases = facts.run.end.totals.phases;
  out.updates = facts.run.end.totals.updates;
  out.seconds_load = facts.seconds_load;
  out.seconds_solve = facts.seconds_solve;
  out.seconds_check = facts.seconds_check;
  out.dataset = facts.data->dataset;
  const Dataset& dataset = *out.dataset;
  out.samples = dataset.columns().samples();
  out.columns = dataset.columns().columns;
  out.lambda_max = solution.lambda_max;
  out.response_mean = facts.data->response.mean;
  out.response_norm = facts.data->response.norm;
  // Of two classes there is no norm, it is 1.
  out.null_deviance = 2 * facts.data->null_loss * out.response_norm * out.response_norm;
  out.classes = dataset.classes();
  out.notes = notes;
  out.config = table.config(kExecutionSections);
}

}  // namespace strads::lasso
