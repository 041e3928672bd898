#include "lasso/run/fit_run.hpp"

#include <span>
#include <utility>

#include "lasso/output/path_output.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {

Result<RunList> FitRun::make_runs() {
  return single_run(make_lasso_model(result_.data, options_.lasso));
}

void FitRun::keep_solution() {
  result_.solution = solution_of(result_.run.end);
  complete(*result_.data, result_.run.end, result_.solution,
           [this](std::span<const VarId> variables) { look_at(variables); });
  count_unrepresented(result_.solution);
  note_unrepresented();
  result_.seconds_solve = solving_.seconds();
}

Status FitRun::check_solution() {
  RunEnd& end = result_.run.end;
  std::vector<Solution> one{result_.solution};
  const FittedPath written = fitted_path(*result_.data, one);
  if (Status checked = check(*result_.data, end, one, written, ""); !checked.ok()) return checked;
  if (one.empty()) return ended(false, false);
  result_.solution = std::move(one.front());
  end.certificate = result_.solution.certificate;
  judge_end();
  note_zeros();
  return {};
}

void FitRun::judge_end() {
  const auto& certificate = result_.run.end.certificate;
  result_.tolerance_met = certificate.converged;
  result_.stop_reason = reason_of_end(result_.run.end.stop_reason);
  log_.info("end: " + result_.stop_reason + ", relative gap " + short_text(certificate.relative_gap, 4) + ", " +
            std::to_string(result_.solution.variables.size()) + " nonzeros, beta_hash " + result_.solution.beta_hash);
}

}  // namespace strads::lasso
