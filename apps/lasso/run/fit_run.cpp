#include "lasso/run/fit_run.hpp"

#include <span>

namespace strads::lasso {

Result<RunList> FitRun::make_runs() {
  return single_run(make_lasso_model(result_.data, options_.lasso));
}

void FitRun::keep_solution() {
  result_.solution = solution_of(result_.run.end);
  look_at(result_.solution.variables);
  result_.original = original_scale(*result_.data, result_.solution);
  result_.beta_hash = beta_hash(result_.solution, dataset_->columns().columns);
  if (result_.data->unpenalised.any()) add_unpenalised(*result_.data, result_.solution, result_.original);
  count_unrepresented(result_.solution, result_.original);
  note_unrepresented();
  result_.seconds_solve = solving_.seconds();
}

Status FitRun::check_solution(const FittedModel& model) {
  RunEnd& end = result_.run.end;
  const LassoSolution claimed = solution_of(end);  // as the messages tell it
  PathStep step;
  step.point.lambda = claimed.lambda;
  step.point.certificate = end.certificate;
  step.point.variables = claimed.variables;
  step.point.standardized = claimed.standardized;
  step.solution = result_.solution;
  step.original = result_.original;
  std::vector<PathStep> steps{std::move(step)};
  if (Status checked = check(*result_.data, end, steps, path_of(model), ""); !checked.ok()) return checked;
  if (steps.empty()) return ended(false, false);
  end.certificate = steps.front().point.certificate;
  judge_end();
  note_zeros();
  return {};
}

void FitRun::judge_end() {
  const auto& certificate = result_.run.end.certificate;
  result_.tolerance_met = certificate.converged;
  result_.stop_reason = reason_of_end(result_.run.end.stop_reason);
  log_.info("end: " + result_.stop_reason + ", relative gap " + short_text(certificate.relative_gap, 4) + ", " +
            std::to_string(result_.solution.variables.size()) + " nonzeros, beta_hash " + result_.beta_hash);
}

}  // namespace strads::lasso
