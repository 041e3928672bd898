#include "lasso/held_out/split_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lasso/output/chosen_models.hpp"
#include "lasso/output/cv_output.hpp"
#include "lasso/output/run_summary.hpp"
#include "lasso/output/unseen.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

/// What every lambda of the grid has; the one at which a path ended is the last of its steps.
HeldOutScore score_of_step(const PathGroup& group, std::span<const std::uint32_t> rows, const Solution& step) {
  if (rows.empty()) return {};
  return score_held_out(held_out_of(*group.dataset, rows, step), group.family);
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

void add_model(Summary& summary, const Solution& solution) {
  add_fields(summary, solution,
             std::array{"lambda", "lambda_y", "lambda_ratio", "nonzeros", "objective", "relative_gap", "tolerance_met",
                        "beta_hash"});
}

Summary chosen_facts(const PathResult& result) {
  Summary facts;
  facts.add("index", std::uint64_t{result.curve.least + 1});
  add_model(facts, result.steps[result.curve.least]);
  facts.add("error", result.curve.mean[result.curve.least]);
  facts.add("val", facts_of(result.validation_score, result.group.family));
  if (!result.group.test.empty()) facts.add("test", facts_of(result.test_score, result.group.family));
  return facts;
}

Summary refit_facts(const PathResult& result) {
  Summary facts;
  add_model(facts, *result.refit());
  if (!result.group.test.empty()) facts.add("test", facts_of(result.refit_score, result.group.family));
  return facts;
}

/// summary.json of a folder.
Summary summary_of_folder(const PathCommandOptions& options, const LassoData& data, const Solution& step,
                          const Summary& facts) {
  Summary summary = summary_head("lasso path", data);
  summary.add("model", facts);
  summary.add("measure", options.measure);
  summary.add("tolerance", options.fit.lasso.tolerance);
  add_penalty(summary, options.fit);
  summary.add("intercept", step.intercept);
  summary.add(data.family->is_squares() ? "r2_training" : "deviance_ratio_training", step.explained);
  add_tail(summary, {.data = &data, .problem = &step.problem, .covariates = &step.covariates});
  return summary;
}

std::string chosen_line(const PathCommandOptions& options, const PathResult& result) {
  if (!result.has_choice()) return "chosen   nothing: no lambda was solved\n";
  const Solution& step = result.steps[result.curve.least];
  const std::size_t after = result.steps.size() - 1 - result.curve.least;
  return "chosen   lambda " + std::to_string(result.curve.least + 1) + " = " + short_text(step.lambda, 4) +
         over_lambda_max_text(step.lambda, step.problem.lambda_max, 3) + " by " + options.measure + " " +
         short_text(result.curve.mean[result.curve.least], 5) + " on val (" +
         with_unit(result.group.validate().size(), "sample", "samples") + ", " +
         held_out_score_text(result.validation_score, result.group.family) + "), " +
         with_unit(step.variables.size(), "nonzero", "nonzeros") + "; " +
         (result.has_stopped ? "stopped " : "the path went on for ") + with_unit(after, "lambda", "lambdas") +
         (result.has_stopped ? " later" : "") + "\n";
}

std::string test_line(const PathResult& result) {
  if (!result.has_choice()) return "";
  const bool has_test = !result.group.test.empty();
  std::string line =
      "test     " + (has_test ? with_unit(result.group.test.size(), "sample", "samples") + ": " +
                                    held_out_score_text(result.test_score, result.group.family) + " of the chosen"
                              : "nobody");
  if (!result.group.has(Follows::choice)) return line + "\n";
  if (result.refit() == nullptr) return line + "; train and val were not fitted together\n";
  return line +
         (has_test ? ", " + held_out_score_text(result.refit_score, result.group.family) + " of the model"
                   : "; a model") +
         " fitted on train and val (" + with_unit(result.refit()->variables.size(), "nonzero", "nonzeros") + ")\n";
}

}  // namespace

std::string held_out_score_text(const HeldOutScore& score, Family family) {
  if (family->is_squares()) return "R2 " + short_text(score.r2, 4);
  return (family->has_classes ? "AUC " + short_text(score.area, 4) + ", " : "") + "deviance " +
         short_text(score.deviance, 4);
}

void add_split_choice(Summary& summary, const PathResult& result) {
  if (result.has_choice()) summary.add("chosen", chosen_facts(result));
  if (result.refit() != nullptr) summary.add("refit", refit_facts(result));
}

std::string split_text(const PathGroup& group) {
  return "train " + std::to_string(group.data()->dataset->columns().samples()) + ", val " +
         std::to_string(group.validate().size()) + ", test " + std::to_string(group.test.size());
}

void score_models(PathResult& result) {
  const Solution& chosen = result.steps[result.curve.least];
  result.validation_score = score_of_step(result.group, result.group.validate(), chosen);
  result.test_score = score_of_step(result.group, result.group.test, chosen);
  if (result.refit() != nullptr) {
    result.refit_score = score_of_step(result.group, result.group.test, *result.refit());
  }
}

std::string validation_picture(const PathResult& result) {
  std::vector<double> xs;
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
    xs.push_back(place_of_lambda(result.steps[k].lambda, result.steps[k].problem.lambda_max));
    points.emplace_back(xs.back(), result.curve.mean[k]);
  }
  Picture picture(field(result.data->dataset->response_name()) + ": error on val, " +
                      with_unit(result.group.validate().size(), "sample", "samples"),
                  "-log10(lambda / lambda_max)", measure_text(result.measure, result.group.family), range_of(xs),
                  range_of(result.curve.mean));
  picture.line(points, 0);
  for (const auto& [x, y] : points) picture.dot(x, y, 0, 0);
  picture.mark(xs[result.curve.least], "chosen", 0);
  for (std::size_t k = 0; k < xs.size(); k += std::max<std::size_t>(1, (xs.size() + 7) / 8)) {
    picture.top(xs[k], std::to_string(result.steps[k].variables.size()));
  }
  picture.top_label(kNonzerosAxis);
  return picture.svg();
}

Status write_split_models(const PathCommandOptions& options, const PathResult& result, const FittedPath& model,
                          RunDirectory& directory) {
  const auto write = [&](const char* folder, const FittedPath& path, std::size_t k, const Solution& step,
                         const LassoData& data, const Summary& facts) {
    const FittedModel own = path.at(k);
    const Summary summary = summary_of_folder(options, data, step, facts);
    return write_model_folder(folder, {own, step.standardized, data}, summary, options.fit.input.source.prefix(),
                              directory);
  };
  const Solution& chosen = result.steps[result.curve.least];
  Status done = write(kChosenFolder, model, result.curve.least, chosen, *result.data, chosen_facts(result));
  if (!done.ok() || result.refit() == nullptr) return done;
  const FittedPath last = fitted_path(*result.group.paths[1].data, {*result.refit()});
  return write(kRefitFolder, last, 0, *result.refit(), *result.group.paths[1].data, refit_facts(result));
}

Summary split_summary(const PathCommandOptions& options, const PathResult& result, const RunFacts* run,
                      std::span<const PathResult> all) {
  Summary summary = path_summary(options, result, run, all);
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
  add_split_choice(summary, result);
  return summary;
}

std::string split_closing_lines(const PathCommandOptions& options, const PathResult& result,
                                const RunDirectory& directory) {
  std::string lines = path_closing_lines(options, result, directory);
  const std::size_t after_quality = lines.find('\n', lines.find('\n') + 1) + 1;
  const std::string unseen = unseen_line(unseen_of(result), options.error, result.group.family, options.stop, "on val");
  return lines.insert(after_quality, chosen_line(options, result) + unseen + test_line(result));
}

}  // namespace strads::lasso
