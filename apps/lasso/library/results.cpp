#include "lasso/library/results.hpp"

#include "lasso/report/model_files.hpp"

namespace strads::lasso {

namespace {

void take_solutions(const PathResult& result, SolvedPathCall& out) {
  out.response = result.data->dataset->response_name();
  out.l1_ratio = result.group.l1_ratio;
  out.path = result.steps;
  out.model = fitted_path(*result.data, result.steps);
  out.path_hash = result.path_hash;
}

/// Of what has no penalty, in units of the data. Of two classes and of counts there is no norm, it is 1.
double null_deviance(const LassoData& data) {
  return 2 * data.null_loss * data.response.norm * data.response.norm;
}

SplitChoice choice_of_split(const PathResult& result) {
  SplitChoice choice;
  choice.measure = measure_name(result.measure);
  choice.validation = result.curve.mean;
  choice.chosen = result.curve.least;
  choice.train = result.data->dataset->columns().samples();
  choice.validate = result.group.validate().size();
  choice.test = result.group.test.size();
  choice.on_validation = result.validation_score;
  choice.on_test = result.test_score;
  if (result.refit() == nullptr) return choice;
  const LassoData& data = *result.group.paths[1].data;
  choice.refit = *result.refit();
  choice.refit_model = fitted_model(data, *result.refit());
  choice.refit_null_deviance = null_deviance(data);
  choice.refit_on_test = result.refit_score;
  return choice;
}

}  // namespace

void take_path(const PathResult& result, PathCall& out) {
  take_solutions(result, out);
  if (result.is_validated()) out.split = choice_of_split(result);
}

void take_cv(const PathResult& result, CvCall& out) {
  take_solutions(result, out);
  out.measure = measure_name(result.measure);
  out.mean = result.curve.mean;
  out.standard_error = result.curve.standard_error;
  out.least = result.curve.least;
  out.simplest = result.curve.simplest;
  for (const auto& errors : result.curve.errors) {
    auto& means = out.fold_errors.emplace_back();
    for (const FoldError& error : errors) means.push_back(error.sum / error.weight);
  }
  out.folds = result.followers;
  out.fold_of_row = result.group.folds.of_row;
}

void note_path(const PathResult& result, Outcome& out) {
  out.converged = result.tolerance_met;
  out.dataset = result.data->dataset;
  const Dataset& dataset = *out.dataset;
  out.samples = dataset.columns().samples();
  out.columns = dataset.columns().columns;
  out.lambda_max = result.steps.empty() ? 0 : result.steps.front().problem.lambda_max;
  out.response_mean = result.data->response.mean;
  out.response_norm = result.data->response.norm;
  out.null_deviance = null_deviance(*result.data);
  out.classes = dataset.classes();
}

}  // namespace strads::lasso
