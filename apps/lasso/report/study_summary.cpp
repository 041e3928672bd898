#include "lasso/report/study_summary.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lasso/report/family_facts.hpp"
#include "lasso/report/path_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "lasso/report/unseen.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

/// Lambda, error and size at point `k` of the curve of a cross-validation.
void add_point(Summary& summary, const PathResult& result, std::size_t k) {
  const Solution& solution = result.steps[k];
  add_fields(summary, solution, std::array{"index", "lambda", "lambda_y", "lambda_ratio"});
  summary.add("error", result.curve.mean[k]);
  summary.add("standard_error", result.curve.standard_error[k]);
  if (result.group.family->is_squares()) summary.add("r2", held_out_r2(result, k));
  add_fields(summary, solution, std::array{"nonzeros", "beta_hash"});
}

Summary facts_of(const HeldOutScore& score, Family family) {
  Summary facts;
  facts.add("samples", score.samples);
  facts.add("mse", score.mse);
  facts.add("mae", score.mae);
  if (family->is_squares()) {
    facts.add("r2", score.r2);
    return facts;
  }
  facts.add("deviance", score.deviance);
  if (!family->has_classes) return facts;
  facts.add("class", score.misclassification);
  facts.add("auc", score.area);
  return facts;
}

/// Of a split: the model that was chosen on val, or the one of train and val.
Summary facts_of(const PathResult& result, const ChosenModel& model) {
  Summary facts;
  if (!model.is_refit) facts.add("index", std::uint64_t{result.curve.least + 1});
  add_fields(facts, model.solution,
             std::array{"lambda", "lambda_y", "lambda_ratio", "nonzeros", "objective", "relative_gap", "tolerance_met",
                        "beta_hash"});
  if (!model.is_refit) {
    facts.add("error", result.curve.mean[result.curve.least]);
    facts.add("val", facts_of(result.validation_score, result.group.family));
  }
  if (!result.group.test.empty()) {
    facts.add("test", facts_of(model.is_refit ? result.refit_score : result.test_score, result.group.family));
  }
  return facts;
}

/// What was chosen; of a path that nobody watches its last solution.
void add_choices(Summary& summary, const PathResult& result) {
  if (!is_watched(result)) {
    if (result.steps.empty()) return;
    Summary last;
    add_fields(last, result.steps.back(),
               std::array{"index", "lambda", "lambda_y", "lambda_ratio", "nonzeros", "beta_hash"});
    return summary.add("lambda_last", last);
  }
  for (const ChosenModel& model : chosen_models(result)) {
    if (!result.is_cross_validated()) {
      summary.add(model.folder, facts_of(result, model));
      continue;
    }
    Summary facts;
    add_point(facts, result, model.solution.index);
    summary.add(model.folder, facts);
  }
}

void add_ratios(Summary& summary, std::span<const PathResult> ratios) {
  std::vector<Summary> list;
  for (const PathResult& result : ratios) {
    Summary& facts = list.emplace_back();
    facts.add("l1_ratio", result.group.l1_ratio);
    facts.add("stop_reason", result.stop_reason);
    facts.add("tolerance_met", result.tolerance_met);
    facts.add("solutions_unmet", solutions_unmet(result));
    facts.add("relative_gap_worst", worst_relative_gap(result));
    facts.add("lambdas", lambdas_shown(result));
    add_unseen(facts, unseen_of(result));
    add_choices(facts, result);
    facts.add("path_hash", result.path_hash);
  }
  summary.add("l1_ratios", list);
}

/// How much of the response the model of a fit explains.
void add_explained(Summary& summary, const PathResult& result) {
  const double explained = result.steps.front().explained;
  if (!result.data->family->is_squares()) {
    const double null_deviance = 2 * objective_at_zero(result.run.end);
    summary.add("deviance", (1 - explained) * null_deviance);
    summary.add("null_deviance", null_deviance);
    summary.add("deviance_ratio", explained);
    return;
  }
  summary.add("r2", explained);
  if (is_partial(*result.data)) summary.add("r2_whole", whole_r2(*result.data, explained));
}

/// The same of the last solution of a path.
void add_explained_last(Summary& summary, const PathResult& result) {
  const double explained = result.steps.back().explained;
  summary.add("deviance_ratio_last", explained);
  if (!result.data->family->is_squares()) {
    const double null_deviance = 2 * objective_at_zero(result.run.end);
    summary.add("deviance_last", (1 - explained) * null_deviance);
    summary.add("null_deviance", null_deviance);
  } else if (is_partial(*result.data)) {
    summary.add("r2_whole_last", whole_r2(*result.data, explained));
  }
}

void add_fit(Summary& summary, const FitOptions& fit, const PathResult& result) {
  const Solution& solution = result.steps.front();
  add_fields(summary, solution, std::array{"objective", "duality_gap", "relative_gap"});
  summary.add("gap_over_null_objective", gap_over_null(result));
  summary.add("tolerance", fit.lasso.tolerance);
  add_fields(summary, solution, std::array{"lambda", "lambda_max"});
  add_penalty(summary, fit, fit.lasso.l1_ratio);
  add_fields(summary, solution, std::array{"nonzeros", "intercept"});
  add_explained(summary, result);
  summary.add("beta_hash", solution.beta_hash);
}

/// `problem`: none: it has not begun.
void add_path(Summary& summary, const PathResult& result, const std::optional<Start>& problem) {
  summary.add("lambdas_planned", std::uint64_t{planned(result.run.end)});
  summary.add("lambdas_solved", std::uint64_t{result.steps.size()});
  if (problem) summary.add("lambda_max", problem->lambda_max);
  if (result.steps.empty()) return;
  summary.add("lambda_first", result.steps.front().lambda);
  summary.add("lambda_last", result.steps.back().lambda);
  summary.add("nonzeros_last", std::uint64_t{result.steps.back().variables.size()});
  add_explained_last(summary, result);
}

void add_cv(Summary& summary, const CvOptions& options, const PathResult& result) {
  summary.add("folds", result.group.folds.count);
  summary.add("measure", measure_name(result.measure));
  if (options.stratify) summary.add("stratify", true);
  if (options.stop.after > 0) {
    summary.add("stop_after", options.stop.after);
    summary.add("stop_from", options.stop.from);
    summary.add("stopped_by_error", result.has_stopped);
    add_unseen(summary, unseen_of(result));
  }
  summary.add("grouped", result.curve.grouped);
  summary.add("lambdas", std::uint64_t{result.curve.mean.size()});
  add_choices(summary, result);
}

void add_split(Summary& summary, const PathCommandOptions& options, const PathResult& result) {
  Summary split;
  split.add("train", result.data->dataset->columns().samples());
  split.add("val", std::uint64_t{result.group.validate().size()});
  split.add("test", std::uint64_t{result.group.test.size()});
  summary.add("split", split);
  summary.add("measure", options.measure);
  summary.add("stop_after", options.stop.after);
  if (options.stop.after > 0) summary.add("stop_from", options.stop.from);
  summary.add("stopped_by_val", result.has_stopped);
  add_unseen(summary, unseen_of(result));
  add_choices(summary, result);
}

/// What the run of the last of its solutions was told; of a path without one that has begun what that was told.
std::optional<Start> problem_of(const PathResult& result, bool begun_is_enough) {
  if (!result.steps.empty()) return result.steps.back().problem;
  if (!begun_is_enough || result.run.end.problem.values.empty()) return std::nullopt;
  return solution_of(result.run.end).problem;
}

}  // namespace

Summary summary_of(StudyKind kind, const CvOptions& options, std::span<const PathResult> ratios, const RunFacts* run) {
  const PathResult& best = ratios[best_ratio(ratios)];
  const FitOptions& fit = options.path.fit;
  const EndOfAll end(ratios);
  const bool is_fit = kind == StudyKind::fit, is_cv = kind == StudyKind::cv, several = ratios.size() > 1;
  const bool compared = has_best(ratios), is_path = kind == StudyKind::path && compared;
  const std::optional<Start> problem = problem_of(best, is_path);
  Summary summary = summary_head(command_of(kind), *best.data);
  summary.add("stop_reason", is_path && end.stop_reason == "converged" ? end_of_path(best) : end.stop_reason);
  summary.add("tolerance_met", end.tolerance_met);
  if (is_fit) {
    add_fit(summary, fit, best);
  } else {
    if (compared) summary.add("lambdas_unmet", lambdas_unmet(best.steps));
    if (is_cv || several) summary.add("solutions_unmet", end.unmet);
    if (is_path) add_path(summary, best, problem);
    if (is_cv) add_cv(summary, options, best);
    if (!compared) add_ratios(summary, ratios);
    summary.add("tolerance", fit.lasso.tolerance);
    summary.add("relative_gap_worst", is_path && !several ? worst_relative_gap(best.steps) : end.worst_gap);
    if (is_path) summary.add("residual_drift", residual_drift(best));
    add_penalty(summary, fit, compared ? best.group.l1_ratio : 1);  // else that of each is said above
    if (compared) summary.add("path_hash", best.path_hash);
  }
  if (is_cv) {
    std::vector<std::string> hashes;
    hashes.reserve(best.followers.size());
    for (const auto& fold : best.followers) hashes.push_back(path_hash(fold));
    summary.add("fold_path_hashes", hashes);
  }
  add_tail(summary, {.options = &fit,
                     .run = run,
                     .data = best.data.get(),
                     .problem = problem ? &*problem : nullptr,
                     .says_imputed = is_fit || is_path,
                     .covariates = is_fit ? &best.steps.front().covariates : nullptr});
  if (kind == StudyKind::path && options.path.splits()) add_split(summary, options.path, best);
  if (several && compared) add_ratios(summary, ratios);
  return summary;
}

Summary summary_of_traits(StudyKind kind, const CvOptions& options, const StudyResults& results) {
  std::vector<Summary> list;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const auto ratios = results.of_trait(t);
    const PathResult& trait = results.best_of_trait(t);
    const bool compared = has_best(ratios);
    Summary& facts = list.emplace_back();
    facts.add("trait", trait.data->dataset->response_name());
    add_family(facts, *trait.data);
    if (!trait.group.family->is_squares() && trait.is_cross_validated()) {
      facts.add("measure", measure_name(trait.measure));
    }
    if (compared) {
      facts.add("stop_reason", trait.stop_reason);
      facts.add("tolerance_met", trait.tolerance_met);
      facts.add("solutions_unmet", solutions_unmet(trait));
    }
    facts.add("samples", trait.data->dataset->columns().samples());
    if (trait.is_cross_validated()) facts.add("folds", trait.group.folds.count);
    if (compared) {
      facts.add("lambdas", lambdas_shown(trait));
      add_unseen(facts, unseen_of(trait));
      add_choices(facts, trait);
      facts.add("path_hash", trait.path_hash);
    }
    if (ratios.size() > 1) {
      if (compared) facts.add("l1_ratio", trait.group.l1_ratio);
      add_ratios(facts, ratios);
    }
  }
  const FitOptions& fit = options.path.fit;
  const EndOfAll end(results.list);
  Summary summary;
  summary.add("program", command_of(kind));
  summary.add("stop_reason", results.run.stop_reason);
  summary.add("tolerance_met", end.tolerance_met);
  summary.add("traits", list);
  if (is_watched(results.list.front())) {
    summary.add("measure", kind == StudyKind::cv ? options.measure : options.path.measure);
  }
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", end.worst_gap);
  add_penalty(summary, fit, results.ratios > 1 ? 1 : fit.lasso.l1_ratio);  // else that of each is said above
  add_tail(summary, {.options = &fit, .run = &results.run});
  return summary;
}

Summary summary_of_study(StudyKind kind, const CvOptions& options, const StudyResults& results) {
  if (!options.path.traits.empty()) return summary_of_traits(kind, options, results);
  return summary_of(kind, options, results.of_trait(0), &results.run);
}

Summary summary_of_model(StudyKind kind, const CvOptions& options, const PathResult& result, const ChosenModel& model) {
  const FitOptions& fit = options.path.fit;
  const bool is_cv = kind == StudyKind::cv;
  Summary summary = summary_head(command_of(kind), model.data);
  if (is_cv) {
    add_point(summary, result, model.solution.index);
    summary.add("measure", measure_name(result.measure));
    add_fields(summary, model.solution, std::array{"objective", "duality_gap", "relative_gap"});
  } else {
    summary.add("model", facts_of(result, model));
    summary.add("measure", options.path.measure);
  }
  summary.add("tolerance", fit.lasso.tolerance);
  add_penalty(summary, fit, result.group.l1_ratio);
  summary.add("intercept", model.solution.intercept);
  const bool squares = model.data.family->is_squares();
  summary.add(squares ? "r2_training" : "deviance_ratio_training", model.solution.explained);
  if (is_cv && squares && is_partial(model.data)) {
    summary.add("r2_training_whole", whole_r2(model.data, model.solution.explained));
  }
  add_tail(summary,
           {.data = &model.data, .problem = &model.solution.problem, .covariates = &model.solution.covariates});
  return summary;
}

}  // namespace strads::lasso
