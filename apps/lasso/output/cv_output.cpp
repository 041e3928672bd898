#include "lasso/output/cv_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lasso/output/family_facts.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

double fold_mean(const PathResult& result, std::size_t fold, std::size_t k) {
  return result.curve.errors[fold][k].sum / result.curve.errors[fold][k].weight;
}

const char* choice_of(const Curve& curve, std::size_t k) {
  if (k == curve.least && k == curve.simplest) return "min,1se";
  if (k == curve.least) return "min";
  return k == curve.simplest ? "1se" : "";
}

/// As a field of a table: NA where the fold has no number, as the area under the curve of one class alone.
std::string fold_field(const PathResult& result, std::size_t fold, std::size_t k) {
  const double mean = fold_mean(result, fold, k);
  return std::isnan(mean) ? "NA" : exact_text(mean);
}

}  // namespace

double worst_relative_gap(const PathResult& result) {
  double worst = worst_relative_gap(result.steps);
  for (const auto& fold : result.followers) worst = std::fmax(worst, worst_relative_gap(fold));
  return worst;
}

std::optional<Unseen> unseen_of(const PathResult& result) {
  return result.has_stopped ? unseen_of(result.ends.front(), result.curve.mean.size()) : std::nullopt;
}

std::string unseen_line(std::span<const PathResult> results) {
  std::vector<Unseen> unseen;
  for (const PathResult& one : results) {
    if (const auto own = unseen_of(one)) unseen.push_back(*own);
  }
  return unseen_line(unseen, results.size());
}

double held_out_r2(const PathResult& result, std::size_t k) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return result.variance.value_or(0) > 0 ? 1 - result.curve.mean[k] / *result.variance : kNone;
}

std::uint64_t solutions_unmet(const PathResult& result) {
  std::uint64_t count = lambdas_unmet(result.steps).size();
  for (const auto& fold : result.followers) count += lambdas_unmet(fold).size();
  return count;
}

Summary chosen(const PathResult& result, std::size_t k) {
  Summary facts;
  add_choice(facts, result, k);
  return facts;
}

void add_choice(Summary& summary, const PathResult& result, std::size_t k) {
  const Solution& solution = result.steps[k];
  add_fields(summary, solution, std::array{"index", "lambda", "lambda_y", "lambda_ratio"});
  summary.add("error", result.curve.mean[k]);
  summary.add("standard_error", result.curve.standard_error[k]);
  if (result.group.family->is_squares()) summary.add("r2", held_out_r2(result, k));
  add_fields(summary, solution, std::array{"nonzeros", "beta_hash"});
}

std::string chosen_text(const PathResult& result, const char* name, std::size_t k) {
  return std::string(name) + " " + short_text(result.steps[k].lambda, 4) +
         over_lambda_max_text(result.steps[k].lambda, result.steps[k].problem.lambda_max, 3) + " (" +
         (result.group.family->is_squares() ? "" : std::string(measure_name(result.measure)) + " ") +
         short_text(result.curve.mean[k], 5) + " +- " + short_text(result.curve.standard_error[k], 2) +
         (result.variance.value_or(0) > 0 ? ", R2 " + short_text(held_out_r2(result, k), 3) : "") + ", " +
         with_unit(result.steps[k].variables.size(), "nonzero", "nonzeros") + ")";
}

std::string fold_model_file(std::size_t fold) {
  return "fold_" + std::to_string(fold + 1) + ".bin";
}

std::string cv_table(const PathResult& result) {
  constexpr std::array kColumns{"index", "lambda", "lambda_y", "lambda_ratio", "nonzeros"};
  const bool named = !result.group.family->is_squares();  // the measure
  std::string out = header_of(kColumns) + "\tmean\tstandard_error";
  out += named ? "\tmeasure\tchoice" : "\tchoice";
  for (const std::string& name : result.group.folds.names) out += "\tfold_" + field(name);
  out += "\n";
  for (std::size_t k = 0; k < result.curve.mean.size(); ++k) {
    out += line_of(result.steps[k], kColumns) + "\t" + exact_text(result.curve.mean[k]) + "\t" +
           exact_text(result.curve.standard_error[k]) + "\t" +
           (named ? std::string(measure_name(result.measure)) + "\t" : "") + choice_of(result.curve, k);
    for (std::size_t f = 0; f < result.curve.errors.size(); ++f) out += "\t" + fold_field(result, f, k);
    out += "\n";
  }
  return out;
}

std::string cv_paths_table(const PathResult& result) {
  constexpr std::array kColumns{"index", "lambda",       "lambda_y",      "nonzeros",  "deviance_ratio", "objective",
                                "gap",   "relative_gap", "tolerance_met", "intercept", "phases"};
  std::string out = "fold\t" + header_of(kColumns) + "\terror\tbeta_hash\n";
  for (std::size_t f = 0; f < result.followers.size(); ++f) {
    for (std::size_t k = 0; k < result.followers[f].size(); ++k) {
      const Solution& solution = result.followers[f][k];
      const bool known = f < result.curve.errors.size() && k < result.curve.errors[f].size();
      out += field(result.group.folds.names[f]) + "\t" + line_of(solution, kColumns) + "\t" +
             (known ? fold_field(result, f, k) : "NA") + "\t" + solution.beta_hash + "\n";
    }
  }
  return out;
}

std::string cv_picture(const PathResult& result) {
  const Curve& curve = result.curve;
  std::vector<double> xs, ys;
  for (std::size_t k = 0; k < curve.mean.size(); ++k) {
    xs.push_back(place_of_lambda(result.steps[k].lambda, result.steps[k].problem.lambda_max));
    ys.insert(ys.end(), {curve.mean[k] - curve.standard_error[k], curve.mean[k] + curve.standard_error[k]});
  }
  Picture picture(field(result.data->dataset->response_name()) + ": " + std::to_string(result.group.folds.count) +
                      "-fold cross-validation",
                  "-log10(lambda / lambda_max)", measure_text(result.measure, result.group.family), range_of(xs),
                  range_of(ys));
  for (std::size_t k = 0; k < xs.size(); ++k) picture.dot(xs[k], curve.mean[k], curve.standard_error[k]);
  picture.mark(xs[curve.simplest], "lambda.1se", 0);
  picture.mark(xs[curve.least], "lambda.min", 1);
  for (std::size_t k = 0; k < xs.size(); k += std::max<std::size_t>(1, (xs.size() + 7) / 8)) {
    picture.top(xs[k], std::to_string(result.steps[k].variables.size()));
  }
  picture.top_label(kNonzerosAxis);
  return picture.svg();
}

namespace {

/// Of all parts of all of them.
std::uint64_t solutions_of(const StudyResults& results) {
  std::uint64_t solutions = 0;
  for (const PathResult& one : results.list) {
    solutions += one.steps.size();
    for (const auto& fold : one.followers) solutions += fold.size();
  }
  return solutions;
}

}  // namespace

std::string cv_progress_line(const StudyResults& results, const ProgressEvent& event, double seconds) {
  // How many there will be is known when the paths on all samples have ended.
  std::uint64_t all = 0;
  const bool folds = results.list.front().is_cross_validated();
  bool known = folds;
  for (const PathResult& one : results.list) {
    known = known && !one.ends.front().stop_reason.empty();
    all += one.steps.size() * (1 + one.followers.size());
  }
  return (results.traits() == 1 ? "" : with_unit(results.traits(), "trait", "traits") + "  ") +
         (results.ratios == 1 ? "" : with_unit(results.ratios, "l1 ratio", "l1 ratios") + "  ") +
         (folds ? with_unit(results.list.front().followers.size(), "fold", "folds") + "  " : "") +
         std::to_string(solutions_of(results)) + (known ? " of " + std::to_string(all) : "") + " solutions  round " +
         std::to_string(event.totals.rounds) + "  " + short_text(seconds, 3) + " s";
}

std::string cv_trace_row(const StudyResults& results, const ProgressEvent& event, double seconds) {
  if (event.kind != ProgressEvent::Kind::barrier) return "";
  std::string row = exact_text(seconds) + (event.verified ? ",verified" : ",barrier");
  for (const std::uint64_t count :
       {event.totals.rounds, std::uint64_t{event.phase}, solutions_of(results), event.totals.updates,
        event.totals.updates_path, event.totals.flops, event.totals.flops_path, std::uint64_t{event.blocks}}) {
    row += "," + std::to_string(count);
  }
  return row;
}

std::uint64_t variables_of(const PathResult& result) {
  return result.steps.empty() ? result.data->dataset->columns().columns : result.steps.front().problem.kept;
}

EndOfAll::EndOfAll(std::span<const PathResult> results) : worst_gap(std::numeric_limits<double>::quiet_NaN()) {
  for (const PathResult& one : results) {
    if (stop_reason == "converged") stop_reason = one.stop_reason;
    tolerance_met = tolerance_met && one.tolerance_met;
    unmet += solutions_unmet(one);
    worst_gap = std::fmax(worst_gap, worst_relative_gap(one));
  }
}

Summary cv_summary(const CvOptions& options, const PathResult& result, const RunFacts* run,
                   std::span<const PathResult> all) {
  const EndOfAll end(all.empty() ? std::span(&result, 1) : all);
  const FitOptions& fit = options.path.fit;
  Summary summary = summary_head("lasso cv", *result.data);
  summary.add("stop_reason", end.stop_reason);
  summary.add("tolerance_met", end.tolerance_met);
  summary.add("lambdas_unmet", lambdas_unmet(result.steps));
  summary.add("solutions_unmet", end.unmet);
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
  if (!result.curve.mean.empty()) {
    summary.add("lambda_min", chosen(result, result.curve.least));
    summary.add("lambda_1se", chosen(result, result.curve.simplest));
  }
  summary.add("tolerance", fit.lasso.tolerance);
  summary.add("relative_gap_worst", end.worst_gap);
  add_penalty(summary, fit);
  summary.add("path_hash", result.path_hash);
  std::vector<std::string> hashes;
  hashes.reserve(result.followers.size());
  for (const auto& fold : result.followers) hashes.push_back(path_hash(fold));
  summary.add("fold_path_hashes", hashes);
  const Start* const problem = result.steps.empty() ? nullptr : &result.steps.back().problem;
  add_tail(summary, {.options = &fit, .run = run, .data = result.data.get(), .problem = problem});
  return summary;
}

std::string cv_closing_lines(const CvOptions& options, const PathResult& result, const RunFacts& run,
                             const RunDirectory& directory) {
  const FitOptions& fit = options.path.fit;
  const Dataset& dataset = *result.data->dataset;
  std::string out = fitted_text(fit, dataset) + " x " + with_unit(variables_of(result), "variable", "variables") +
                    ", " + with_unit(result.group.folds.count, "fold", "folds") + " x " +
                    with_unit(result.curve.mean.size(), "lambda", "lambdas") + ", " + family_text(*result.data) +
                    penalty_text(fit) + "policy " + fit.policy + "\n";
  out += "quality  " + result.stop_reason + ": ";
  if (result.curve.mean.empty()) {
    out += "no lambda was solved without every fold\n";
  } else {
    out += chosen_text(result, "lambda.min", result.curve.least) + ", " +
           chosen_text(result, "lambda.1se", result.curve.simplest) +
           (result.has_stopped
                ? "; stopped " + with_unit(result.curve.mean.size() - 1 - result.curve.least, "lambda", "lambdas") +
                      " after lambda.min"
                : "") +
           "\n" + unseen_line(unseen_of(result), result.measure, result.group.family, options.stop, "over the folds");
  }
  const std::uint64_t count = solutions_unmet(result);
  const std::string unmet =
      count == 0 ? "" : " (tolerance not met by " + with_unit(count, "solution", "solutions") + ")";
  out += "size     " + work_text(run) + "; " + largest_gap_text(worst_relative_gap(result)) + unmet + "; path_hash " +
         result.path_hash + "\n";
  return out + time_and_files(fit, run, directory, "trait");
}

}  // namespace strads::lasso
