#include "lasso/report/closing_lines.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "lasso/report/family_facts.hpp"
#include "lasso/report/path_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/report/tables.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kPartLinesMax = 8;  ///< of traits or ratios, where people read them all

/// "largest gap / objective 1e-07".
std::string largest_gap_text(double worst) {
  return std::isnan(worst) ? "no lambda was solved" : "largest gap / objective " + short_text(worst, 3);
}

/// " (not met by 2 lambdas)"; "" of none.
std::string unmet_text(const char* what, std::uint64_t count, const char* one, const char* many) {
  return count == 0 ? "" : std::string(" (") + what + " met by " + with_unit(count, one, many) + ")";
}

std::string nonzeros_text(const Solution& solution) {
  return with_unit(solution.variables.size(), "nonzero", "nonzeros");
}

/// "0.25 = 0.5 lambda_max".
std::string lambda_text(const Solution& solution) {
  return short_text(solution.lambda, 4) + over_lambda_max_text(solution.lambda, solution.problem.lambda_max, 3);
}

/// "R2 0.31"; of two classes "AUC 0.8, deviance 0.91".
std::string score_text(const HeldOutScore& score, Family family) {
  if (family->is_squares()) return "R2 " + short_text(score.r2, 4);
  return (family->has_classes ? "AUC " + short_text(score.area, 4) + ", " : "") + "deviance " +
         short_text(score.deviance, 4);
}

std::string mean_text(const PathResult& result, std::size_t k) {
  return short_text(result.curve.mean[k], 5);
}

/// Of a cross-validation at point `k` of its curve.
std::string point_text(const PathResult& result, const char* name, std::size_t k) {
  return std::string(name) + " " + lambda_text(result.steps[k]) + " (" +
         (result.group.family->is_squares() ? "" : std::string(measure_name(result.measure)) + " ") +
         mean_text(result, k) + " +- " + short_text(result.curve.standard_error[k], 2) +
         (result.variance.value_or(0) > 0 ? ", R2 " + short_text(held_out_r2(result, k), 3) : "") + ", " +
         nonzeros_text(result.steps[k]) + ")";
}

std::string points_text(const PathResult& result) {
  if (!result.has_choice()) return "no lambda was solved without every fold";
  return point_text(result, "lambda.min", result.curve.least) + ", " +
         point_text(result, "lambda.1se", result.curve.simplest);
}

/// What was chosen, in short; of a path that nobody watches how far it went.
std::string choices_text(const PathResult& result) {
  if (result.is_cross_validated()) return points_text(result);
  if (!has_solutions(result)) return "no lambda was solved";
  if (!is_watched(result)) {
    const Solution& last = result.steps.back();
    return with_unit(result.steps.size(), "lambda", "lambdas") + " down to " + lambda_text(last) + ", " +
           nonzeros_text(last) + ", path_hash " + result.path_hash;
  }
  const std::size_t k = result.curve.least;
  std::string chosen = "lambda " + lambda_text(result.steps[k]) + " (" + measure_name(result.measure) + " " +
                       mean_text(result, k) + " on val, " + nonzeros_text(result.steps[k]) + ")";
  if (result.group.test.empty()) return chosen;
  const Family family = result.group.family;
  return chosen + ", test " + score_text(result.test_score, family) +
         (result.refit() == nullptr ? "" : ", of train and val together " + score_text(result.refit_score, family));
}

/// Of a split: two lines, and what --stop-after has left out between them.
std::string split_lines(const PathCommandOptions& options, const PathResult& result) {
  const Family family = result.group.family;
  const std::string unseen = unseen_line(unseen_of(result), options.error, family, options.stop, "on val");
  if (!result.has_choice()) return "chosen   nothing: no lambda was solved\n" + unseen;
  const std::size_t k = result.curve.least;
  const std::string went_on = with_unit(result.steps.size() - 1 - k, "lambda", "lambdas");
  std::string lines =
      "chosen   lambda " + std::to_string(k + 1) + " = " + lambda_text(result.steps[k]) + " by " + options.measure +
      " " + mean_text(result, k) + " on val (" + with_unit(result.group.validate().size(), "sample", "samples") + ", " +
      score_text(result.validation_score, family) + "), " + nonzeros_text(result.steps[k]) + "; " +
      (result.has_stopped ? "stopped " + went_on + " later" : "the path went on for " + went_on) + "\n" + unseen;
  const bool has_test = !result.group.test.empty();
  lines += "test     " + (has_test ? with_unit(result.group.test.size(), "sample", "samples") + ": " +
                                         score_text(result.test_score, family) + " of the chosen"
                                   : "nobody");
  if (!result.group.has(Follows::choice)) return lines + "\n";
  if (result.refit() == nullptr) return lines + "; train and val were not fitted together\n";
  return lines + (has_test ? ", " + score_text(result.refit_score, family) + " of the model" : "; a model") +
         " fitted on train and val (" + nonzeros_text(*result.refit()) + ")\n";
}

/// "R2 0.5", "deviance ratio 0.5"; with covariates "R2 0.5 of what covariates leave (0.7 of all)", the deviance ratio
/// without the last words.
std::string explained_text(const LassoData& data, double r2) {
  const bool squares = data.family->is_squares();
  const bool covariates = !data.dataset->covariates().empty(), unpenalised = data.unpenalised.any();
  std::string text = (squares ? "R2 " : "deviance ratio ") + short_text(r2, 5);
  if (squares ? !is_partial(data) : !covariates && !unpenalised) return text;
  return text + " of what " + (covariates ? "covariates" : "") + (covariates && unpenalised ? " and " : "") +
         (unpenalised ? "unpenalised variables" : "") + " leave" +
         (squares ? " (" + short_text(whole_r2(data, r2), 5) + " of all)" : "");
}

/// " from 1 to 0.01 lambda_max".
std::string span_text(const PathResult& result) {
  if (result.steps.empty()) return "";
  const double lambda_max = result.steps.back().problem.lambda_max;
  if (!(lambda_max > 0)) return " (lambda_max is 0)";
  return " from " + short_text(result.steps.front().lambda / lambda_max, 4) + " to " +
         short_text(result.steps.back().lambda / lambda_max, 4) + " lambda_max";
}

std::string fitted_line(StudyKind kind, const PathCommandOptions& options, const StudyResults& results) {
  const FitOptions& fit = options.fit;
  const PathResult& first = results.list.front();
  const bool several = results.ratios > 1;
  const std::string folds = first.is_cross_validated() ? with_unit(first.group.folds.count, "fold", "folds") : "";
  const std::string ratios = several ? with_unit(results.ratios, "l1 ratio", "l1 ratios") + ", " : "";
  const std::string how = penalty_text(fit, several ? 1 : fit.lasso.l1_ratio) + "policy " + fit.policy + "\n";
  if (!options.traits.empty()) {
    return "fitted   " + with_unit(results.traits(), "trait", "traits") + " on " + base_name(fit.input.source.name()) +
           ": " + with_unit(variables_of(first), "variable", "variables") + ", " + (folds.empty() ? "" : folds + ", ") +
           (fit.lasso.family->is_squares() ? "" : std::string(fit.lasso.family->name) + ", ") + ratios + how;
  }
  const PathResult& best = results.best_of_trait(0);
  const bool is_begun_path = kind == StudyKind::path && !several && best.steps.empty();
  const std::uint64_t variables = is_begun_path ? solution_of(best.run.end).problem.kept : variables_of(best);
  std::string what = ratios;
  if (kind == StudyKind::fit) {
    const double lambda = best.steps.front().lambda;
    what =
        "lambda " + short_text(lambda) + over_lambda_max_text(lambda, best.steps.front().problem.lambda_max, 4) + ", ";
  } else if (kind == StudyKind::cv) {
    what = folds + " x " + (several ? ratios : with_unit(best.curve.mean.size(), "lambda", "lambdas") + ", ");
  } else if (!several) {
    what = std::to_string(best.steps.size()) + " of " + with_unit(planned(best.run.end), "lambda", "lambdas") +
           span_text(best) + ", ";
  }
  return fitted_text(fit, *best.data->dataset) + " x " + with_unit(variables, "variable", "variables") + ", " + what +
         family_text(*best.data) + how;
}

std::string tolerance_text(const FitOptions& fit) {
  return "tolerance " + short_text(fit.lasso.tolerance, 3);
}

std::string quality_of_fit(const FitOptions& fit, const PathResult& result) {
  const Certificate& certificate = result.steps.front().certificate;
  return "objective " + short_text(certificate.objective, 10) + ", gap / objective " +
         short_text(certificate.relative_gap, 3) + (result.tolerance_met ? " <= " : " > ") + tolerance_text(fit) +
         " (gap / F(0) " + short_text(gap_over_null(result), 3) + "), " +
         explained_text(*result.data, result.steps.front().explained);
}

std::string quality_of_path(const FitOptions& fit, const PathResult& result) {
  return largest_gap_text(worst_relative_gap(result.steps)) + ", " + tolerance_text(fit) +
         unmet_text("not", lambdas_unmet(result.steps).size(), "lambda", "lambdas") +
         (result.steps.empty() ? "" : ", residual against the data " + short_text(residual_drift(result), 2));
}

std::string quality_of_cv(const PathResult& result) {
  if (!result.has_stopped || !result.has_choice()) return points_text(result);
  return points_text(result) + "; stopped " +
         with_unit(result.curve.mean.size() - 1 - result.curve.least, "lambda", "lambdas") + " after lambda.min";
}

/// Of one path, fit or cross-validation: quality, what was chosen, size.
std::string lines_of_one(StudyKind kind, const CvOptions& options, const PathResult& result) {
  const FitOptions& fit = options.path.fit;
  const std::string work = work_text(result), hash = "; path_hash " + result.path_hash + "\n";
  const std::string nonzeros = result.steps.empty() ? "" : nonzeros_text(result.steps.back());
  if (kind == StudyKind::fit) {
    return "quality  " + result.stop_reason + ": " + quality_of_fit(fit, result) + "\nsize     " + nonzeros + "; " +
           work + "; beta_hash " + result.steps.front().beta_hash + "\n";
  }
  if (kind == StudyKind::cv) {
    const std::string unseen = unseen_line(result.has_choice() ? unseen_of(result) : std::nullopt, result.measure,
                                           result.group.family, options.stop, "over the folds");
    return "quality  " + result.stop_reason + ": " + quality_of_cv(result) + "\n" + unseen + "size     " + work + "; " +
           largest_gap_text(worst_relative_gap(result)) +
           unmet_text("tolerance not", solutions_unmet(result), "solution", "solutions") + hash;
  }
  return "quality  " + end_of_path(result) + ": " + quality_of_path(fit, result) + "\n" +
         (options.path.splits() ? split_lines(options.path, result) : "") + "size     " +
         (nonzeros.empty() ? "" : nonzeros + " at the last lambda; ") + work + hash;
}

/// Of several traits, or several l1 ratios of one: quality, the first of them, size.
std::string lines_of_several(const PathCommandOptions& options, const StudyResults& results,
                             const RunDirectory& directory) {
  const bool traits = !options.traits.empty(), several = results.ratios > 1;
  const PathResult& best = results.best_of_trait(0);
  const bool compared = !traits && is_watched(best);
  std::string out = "quality  " + results.run.stop_reason + ": " + largest_gap_text(EndOfAll(results.list).worst_gap) +
                    ", " + tolerance_text(options.fit) + "\n";
  if (compared) {
    out += "best     " + (best.has_choice() ? ratio_text(best.group.l1_ratio) + ": " : "") + choices_text(best) + "\n";
  }
  std::vector<const PathResult*> shown;
  if (traits) shown = shown_of_traits(results);
  for (const PathResult& one : results.list) {
    if (!traits) shown.push_back(&one);
  }
  for (std::size_t k = 0; k < std::min(shown.size(), kPartLinesMax); ++k) {
    const Dataset& dataset = *shown[k]->data->dataset;
    const double ratio = shown[k]->group.l1_ratio;
    out += (traits ? "trait    " + field(dataset.response_name()) + ": " +
                         with_unit(dataset.columns().samples(), "sample", "samples") + ", " +
                         (several ? ratio_text(ratio) + ", " : "")
                   : "ratio    " + short_text(ratio) + ": ") +
           choices_text(*shown[k]) + "\n";
  }
  if (shown.size() > kPartLinesMax) {
    out += "         and " + std::to_string(shown.size() - kPartLinesMax) + " more" +
           (directory.exists() ? ": " + directory.path_of(traits ? kTraitsFile : kRatiosFile) : "") + "\n";
  }
  std::vector<Unseen> unseen;
  for (const PathResult& one : results.list) {
    if (const auto own = unseen_of(one)) unseen.push_back(*own);
  }
  return out + unseen_line(unseen, results.list.size()) + "size     " + work_text(results.run) +
         (compared ? "; path_hash " + best.path_hash : "") + "\n";
}

/// Of all parts of all of them.
std::uint64_t solutions_of(const StudyResults& results) {
  std::uint64_t solutions = 0;
  for (const PathResult& one : results.list) {
    solutions += one.steps.size();
    for (const auto& fold : one.followers) solutions += fold.size();
  }
  return solutions;
}

/// Where a path explains all that there is, or by `stop` nobody's error falls any more, it has no further lambdas.
bool may_end_early(const PathCommandOptions& options, const StopRule& stop) {
  return stop.after > 0 || (options.early_end && options.fit.lasso.path.given.empty());
}

}  // namespace

std::string closing_lines(StudyKind kind, const CvOptions& options, const StudyResults& results,
                          const RunDirectory& directory) {
  const bool traits = !options.path.traits.empty(), several = traits || results.ratios > 1;
  const char* const each = traits ? "trait" : several ? "l1 ratio" : kind == StudyKind::cv ? "choice" : nullptr;
  return fitted_line(kind, options.path, results) +
         (several ? lines_of_several(options.path, results, directory)
                  : lines_of_one(kind, options, results.list.front())) +
         time_line(options.path.fit, results.run) + files_line(directory, each);
}

ProgressLine path_progress_line(const PathCommandOptions& options, const PathResult& result, const ProgressEvent& event,
                                double seconds) {
  ProgressLine line(seconds);
  const StopRule stop = options.splits() ? options.stop : StopRule();
  line.count({"lambda", result.steps.size(), lambdas_of_grid(options), may_end_early(options, stop)});
  if (!result.steps.empty()) {
    const Solution& last = result.steps.back();
    line.figure(ProgressRank::figure, "lambda", "the last", last.lambda, 4)
        .number(ProgressRank::quality, "nonzeros", last.variables.size() == 1 ? "nonzero" : "nonzeros",
                last.variables.size(), true)
        .figure(ProgressRank::objective, "objective", "objective", last.certificate.objective, 8);
  }
  return line.number(ProgressRank::round, "round", "round", event.totals.rounds);
}

ProgressLine paths_progress_line(const CvOptions& options, const StudyResults& results, const ProgressEvent& event,
                                 double seconds) {
  // How many there will be is known when the paths on all samples have ended.
  std::uint64_t all = 0, at_most = 0;
  const bool folds = results.list.front().is_cross_validated();
  bool known = folds;
  for (const PathResult& one : results.list) {
    known = known && !one.ends.front().stop_reason.empty();
    all += one.steps.size() * (1 + one.followers.size());
    for (const Path& path : one.group.paths)
      at_most += path.follows == Follows::choice ? 1 : lambdas_of_grid(options.path);
  }
  ProgressLine line(seconds);
  const StopRule& stop = folds ? options.stop : options.path.splits() ? options.path.stop : StopRule();
  line.count({"solution", solutions_of(results), known ? all : at_most, !known && may_end_early(options.path, stop)});
  if (results.traits() > 1) line.number(ProgressRank::figure, "traits", "traits", results.traits(), true);
  if (results.ratios > 1) line.number(ProgressRank::figure, "l1_ratios", "l1 ratios", results.ratios, true);
  if (folds) line.number(ProgressRank::figure, "folds", "folds", results.list.front().followers.size(), true);
  return line.number(ProgressRank::round, "round", "round", event.totals.rounds);
}

std::string paths_trace_row(const StudyResults& results, const ProgressEvent& event, double seconds) {
  if (event.kind != ProgressEvent::Kind::barrier) return "";
  std::string row = exact_text(seconds) + (event.verified ? ",verified" : ",barrier");
  for (const std::uint64_t count :
       {event.totals.rounds, std::uint64_t{event.phase}, solutions_of(results), event.totals.updates,
        event.totals.updates_path, event.totals.flops, event.totals.flops_path, std::uint64_t{event.blocks}}) {
    row += "," + std::to_string(count);
  }
  return row;
}

std::string split_text(const PathGroup& group) {
  return "train " + std::to_string(group.data()->dataset->columns().samples()) + ", val " +
         std::to_string(group.validate().size()) + ", test " + std::to_string(group.test.size());
}

}  // namespace strads::lasso
