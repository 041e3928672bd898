#include "lasso/library/results.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

void take_path(const PathResult& result, PathCall& out) {
  out.path = result.steps;
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
  for (const auto& errors : result.curve.errors) {
    auto& means = out.fold_errors.emplace_back();
    for (const FoldError& error : errors) means.push_back(error.sum / error.weight);
  }
  out.folds = result.folds;
  out.fold_of_row = result.cv.folds.of_row;
}

void note_outcome(const RunFacts& facts, double lambda_max, const std::vector<std::string>& notes,
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
  out.lambda_max = lambda_max;
  out.response_mean = facts.data->response.mean;
  out.response_norm = facts.data->response.norm;
  // Of two classes there is no norm, it is 1.
  out.null_deviance = 2 * facts.data->null_loss * out.response_norm * out.response_norm;
  out.classes = dataset.classes();
  out.notes = notes;
  out.config = table.config(kExecutionSections);
}

}  // namespace strads::lasso
