// LassoRun: what was found, and what is made of it, against the data.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lasso/problem/payloads.hpp"
#include "lasso/run/lasso_run.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {
namespace {

constexpr const char* kNoProgress = "no further progress in double precision";

/// What the messages of a run have said about these solutions.
std::vector<Solution> claims_of(const LassoData& data, const std::vector<Solution>& solutions) {
  std::vector<Solution> claims;
  claims.reserve(solutions.size());
  for (const Solution& one : solutions) {
    Solution& claim = claims.emplace_back();
    claim.index = one.index;
    claim.lambda = one.lambda;
    claim.certificate = one.certificate;
    claim.variables = one.variables;
    claim.standardized = one.standardized;
    for (const VarId j : data.unpenalised.variables) {  // these came in here
      const auto place = std::lower_bound(claim.variables.begin(), claim.variables.end(), j) - claim.variables.begin();
      claim.variables.erase(claim.variables.begin() + place);
      claim.standardized.erase(claim.standardized.begin() + place);
    }
  }
  return claims;
}

std::string digits_of(double value) {
  return short_text(value, 12);
}

/// What solutions of one path say of each other, and of the model without variables. `before`: that at the lambda
/// before, or null. Empty: nothing is wrong.
std::string wrong_in_path(const Solution& step, const SolutionCheck::Finding& finding, const Solution* before,
                          const SolutionCheck::Finding* finding_before, double null_loss) {
  const double gap = std::max(0.0, step.certificate.gap);
  if (null_loss == 0) return {};  // what has no penalty explains all of it
  const double ratio = 1 - finding.loss / null_loss;
  if (!(std::abs(ratio - step.explained) * null_loss <= finding.allowed)) {
    return "explains a share of " + digits_of(step.explained) + ", and as it is written " + digits_of(ratio);
  }
  if (!(finding.loss <= null_loss + gap + finding.allowed)) {
    return "has a loss of " + digits_of(finding.loss) + ", above that without variables, " + digits_of(null_loss);
  }
  if (before == nullptr) return {};
  // F_1(b_1) <= F_1(b_2) + g_1 and F_2(b_2) <= F_2(b_1) + g_2, the one times lambda_2, the other times lambda_1.
  const double first = before->lambda, second = step.lambda;
  if (!(first > second)) return {};
  const double gap_before = std::max(0.0, before->certificate.gap);
  const double allowed =
      (second * gap_before + first * gap) / (first - second) + finding.allowed + finding_before->allowed;
  if (finding.loss - finding_before->loss <= allowed) return {};
  return "has a loss of " + digits_of(finding.loss) + ", above that at the larger lambda before it, " +
         digits_of(finding_before->loss);
}

/// For people: why zeros are the solution at every lambda.
std::string why_zero(const LassoData& data, const Start& problem, const LassoOptions& options) {
  if (*data.response.nothing_left != '\0') return std::string("the response ") + data.response.nothing_left;
  if (problem.kept == 0) {
    return "no column is left, " + std::to_string(problem.constant) + " are constant" +
           (problem.collinear > 0 ? ", " + std::to_string(problem.collinear) + " are explained by what has no penalty"
                                  : "");
  }
  return options.nonnegative ? "no column rises with the response" : "the response is orthogonal to every column";
}

}  // namespace

Status LassoRun::check(const LassoData& data, RunEnd& end, std::vector<Solution>& steps, const FittedPath& written,
                       const std::string& whose, double l1_ratio, const std::string& part) {
  // A run that diverged, which is said, has figures that mean nothing, and maybe no numbers.
  if (steps.empty() || end.stop_reason == "diverged" || end.certificate.gap < 0) return {};
  const Stopwatch watch;
  const auto threads = make_threads(options_.machine.threads);
  LassoOptions lasso = options_.lasso;
  lasso.l1_ratio = l1_ratio;
  SolutionCheck own(data.dataset, lasso, *threads, facts().cluster.has_value());
  const bool quiet = options_.common.quiet || options_.host != nullptr;
  if (!checking_) checking_ = ProgressPrinter::for_stderr(quiet);
  own.name(whose);
  own.tell([&](double done, double of) {
    const auto line = [&] {
      const double seconds = facts().seconds_check + watch.seconds();
      return share_line("checking solutions against the data", done / of, seconds);
    };
    checking_->show_line(line, facts().seconds_check + watch.seconds());
  });
  const auto problem = read_fields<Start>(end.problem.values);
  const std::vector<Solution> claims = claims_of(data, steps);
  auto findings = own.examine({problem.lambda_max, problem.response_squared}, claims);
  if (findings.ok()) own.examine_written(written, claims, findings.value());
  checking_->finish();
  facts().seconds_check += watch.seconds();
  if (!findings.ok()) return findings.status();
  if (problem.kept == 0 && !own.lost().empty()) {
    return Status::input((part.empty() ? "" : part + ": ") + "no column takes part; " + lost_text(own.lost()));
  }
  note_lost(own.lost());
  if (problem.lambda_max == 0) all_zero_[why_zero(data, problem, lasso)].insert(part);
  judge_steps(own, lasso, end, steps, findings.value());
  return {};
}

void LassoRun::note_zeros() {
  constexpr std::size_t kPartsShown = 4;
  for (const auto& [reason, parts] : all_zero_) {
    std::string of;
    std::size_t shown = 0;
    for (const std::string& part : parts) {
      if (part.empty() || shown++ >= kPartsShown) continue;
      of += (of.empty() ? " (" : "; ") + part;
    }
    if (shown > kPartsShown) of += " and " + std::to_string(shown - kPartsShown) + " more";
    report_note("all coefficients are 0 at every lambda (lambda_max is 0): " + reason + (of.empty() ? "" : of + ")"));
  }
}

/// Takes the figures over, and false steps out.
void LassoRun::judge_steps(const SolutionCheck& own, const LassoOptions& options, RunEnd& end,
                           std::vector<Solution>& steps, std::span<SolutionCheck::Finding> findings) {
  const double null_loss = 0.5 * own.response_squared();
  std::vector<Solution> true_steps;
  const SolutionCheck::Finding* before = nullptr;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    SolutionCheck::Finding& finding = findings[k];
    Certificate& certificate = steps[k].certificate;
    if (finding.status.ok()) {
      const bool met = certificate.converged;
      certificate.objective = finding.objective;
      certificate.gap = finding.gap;
      certificate.relative_gap = finding.objective > 0 ? finding.gap / finding.objective : 0.0;
      certificate.converged = met && finding.gap <= options.tolerance * finding.objective;
      if (met && !certificate.converged && end.certificate.converged) {
        end.certificate.converged = false;
        end.stop_reason = kNoProgress;
      }
      const Solution* const step_before = true_steps.empty() ? nullptr : &true_steps.back();
      const std::string wrong =
          finding.allowed > 0 ? wrong_in_path(steps[k], finding, step_before, before, null_loss) : "";
      if (!wrong.empty()) {
        finding.status = Status::internal("check of what is written: the model of " + own.name_of(steps[k]) + " " +
                                          wrong + ": this is a bug; the model was not written");
      }
    }
    if (!finding.status.ok()) {
      false_.push_back(finding.status.message());
      continue;
    }
    before = &finding;
    true_steps.push_back(std::move(steps[k]));
  }
  steps = std::move(true_steps);
}

Status LassoRun::ended(bool tolerance_met, bool is_written) const {
  if (false_.empty()) return tolerance_met ? Status() : Status(StatusCode::stopped, "");
  const std::string more = false_.size() == 1 ? "" : " (and " + std::to_string(false_.size() - 1) + " more)";
  return Status::internal(false_.front() + more + (is_written ? ". Solutions that are right were written" : ""));
}

}  // namespace strads::lasso
