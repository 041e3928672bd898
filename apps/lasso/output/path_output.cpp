#include "lasso/output/path_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lasso/model/payloads.hpp"
#include "lasso/output/cv_output.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kPathLinesMax = 100;  ///< of a picture: more would hide each other
constexpr std::size_t kPathNamesMax = 16;   ///< of the largest ones: as many as palette and margin tell apart

/// Lambdas that the run was to solve.
std::size_t planned(const RunEnd& end) {
  return end.problem.values.empty() ? 0 : lambdas_of(end.problem).size();
}

/// What rounding did to the residual between commits and the data, as a share of y'y or of the null deviance.
double residual_drift(const PathResult& result) {
  double worst = 0;
  for (const Solution& step : result.steps) worst = std::max(worst, std::abs(step.explained - step.deviance_ratio));
  return worst;
}

/// " (not met by 2 lambdas)".
std::string unmet_text(const std::vector<Solution>& steps) {
  const std::size_t count = lambdas_unmet(steps).size();
  return count == 0 ? "" : " (not met by " + with_unit(count, "lambda", "lambdas") + ")";
}

/// How much of the response the last solution explains.
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

std::string early_text(const PathResult& result) {
  const bool early = result.tolerance_met && result.steps.size() < planned(result.run.end);
  if (early && result.has_stopped) return "stopped on val";
  return early ? "early end" : result.stop_reason;
}

}  // namespace

std::vector<std::string> files_of_path() {
  return {kPathFile, kPathCoefficientsFile, kPathCovariatesFile, kPathPicture, kPathModelFile, kTraceFile, kConfigFile,
          kLogFile};
}

double worst_relative_gap(std::span<const Solution> steps) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const Solution& step : steps) worst = std::fmax(worst, step.certificate.relative_gap);
  return worst;
}

std::string largest_gap_text(double worst) {
  return std::isnan(worst) ? "no lambda was solved" : "largest gap / objective " + short_text(worst, 3);
}

std::vector<Solution> unfinished(const RunEnd& end, double seconds) {
  if (end.statuses.empty() || planned(end) == 0 || !(end.certificate.gap >= 0)) return {};
  Solution solution = solution_of(end);
  solution.certificate.converged = false;
  solution.deviance_ratio = 1 - head_of(end.statuses.front()).loss / objective_at_zero(end);
  solution.seconds = seconds;
  return {solution};
}

std::string unfinished_text(const std::string& what) {
  return what + " ended before its first lambda was solved: it is kept where it was, with its gap";
}

void complete(const LassoData& data, const RunEnd& end, Solution& solution) {
  solution.problem = read_fields<Start>(end.problem.values);
  solution.lambda_y = lambda_in_y(data, solution.lambda);
  solution.beta_hash = beta_hash(solution, data.columns->size());
  solution = original_scale(data, std::move(solution));
}

FittedPath fitted_path(const LassoData& data, const std::vector<Solution>& steps) {
  const Dataset& dataset = *data.dataset;
  FittedPath fitted;
  FittedModel& shape = fitted.shape;
  shape.response = dataset.response_name();
  set_family(shape, data);
  shape.columns = dataset.columns().columns;
  shape.has_alleles = dataset.has_alleles();
  shape.has_names = has_names(dataset);
  shape.covariate_names = dataset.covariate_names();
  shape.covariates.resize(shape.covariate_names.size());
  shape.samples = dataset.columns().samples();
  shape.people = people_of(dataset);
  std::map<VarId, double> means;  // of all variables that ever are nonzero
  for (const Solution& step : steps) {
    for (std::size_t k = 0; k < step.variables.size(); ++k) means.emplace(step.variables[k], step.means[k]);
  }
  std::map<VarId, std::uint64_t> places;
  for (const auto& [j, mean] : means) {
    places.emplace(j, places.size());
    const auto name = dataset.variable(j);
    shape.variables.push_back({j, std::string(name.id), std::string(name.chromosome), std::string(name.position),
                               std::string(name.counted), std::string(name.other), 0.0, mean});
  }
  for (const Solution& step : steps) {
    FittedStep& own = fitted.steps.emplace_back();
    own.lambda = step.lambda;
    own.lambda_y = step.lambda_y;
    own.intercept = step.intercept;
    own.covariates = step.covariates;
    for (const VarId j : step.variables) own.places.push_back(places.at(j));
    own.coefficients = step.coefficients;
  }
  return fitted;
}

std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end) {
  if (solved < 2 || solution_of(end).problem.lambda_max == 0) return "";
  const auto lambdas = lambdas_of(end.problem);
  const std::string last = " is the last lambda that was solved, and a smaller one may be better: ";
  if (!lasso.path.given.empty()) return last + "give smaller ones, too";
  const std::string least = short_text(lambdas.back() / lambdas.front(), 3);
  if (solved < lambdas.size()) {
    return last + "the path ended early, --early-end off goes on to " + least + " lambda_max";
  }
  return last + "give a --lambda-min-ratio below " + least;
}

std::vector<std::uint32_t> lambdas_unmet(const std::vector<Solution>& steps) {
  std::vector<std::uint32_t> indices;
  for (const Solution& step : steps) {
    if (!step.certificate.converged) indices.push_back(static_cast<std::uint32_t>(step.index + 1));
  }
  return indices;
}

std::string path_table(const PathResult& result) {
  constexpr std::array kColumns{"index",          "lambda",    "lambda_y", "lambda_ratio", "nonzeros",
                                "deviance_ratio", "objective", "gap",      "relative_gap", "tolerance_met",
                                "intercept",      "phases",    "seconds",  "beta_hash"};
  std::string out = header_of(kColumns) + (result.is_validated() ? "\tmeasure\tval\tchoice\n" : "\n");
  for (const Solution& solution : result.steps) {
    out += line_of(solution, kColumns);
    if (result.is_validated()) {
      out += std::string("\t") + measure_name(result.measure) + "\t" + exact_text(result.curve.mean[solution.index]) +
             (solution.index == result.curve.least ? "\tchosen" : "\t");
    }
    out += "\n";
  }
  return out;
}

std::string path_coefficients(const FittedPath& model, const std::vector<Solution>& steps) {
  const FittedModel& shape = model.shape;
  std::string out = shape.has_alleles ? "index\tid\tchromosome\tposition\tA1\tA2\tstandardized\tcoefficient\tcolumn"
                                      : "index\tid\tstandardized\tcoefficient\tcolumn";
  out += ratio_header(shape) + "\n";
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const FittedStep& own = model.steps[s];
    for (std::size_t k = 0; k < own.places.size(); ++k) {
      const FittedVariable& variable = shape.variables[own.places[k]];
      out += std::to_string(steps[s].index + 1) + "\t" + variable_id(shape, variable) + "\t";
      if (shape.has_alleles) {
        out += field(variable.chromosome) + "\t" + field(variable.position) + "\t" + field(variable.counted) + "\t" +
               field(variable.other) + "\t";
      }
      const double coefficient = own.coefficients[k] / copies_of_a_count(variable.chromosome);
      out += exact_text(steps[s].standardized[k]) + "\t" + exact_text(coefficient) + "\t" +
             std::to_string(std::uint64_t{variable.column} + 1) + ratio_field(shape, coefficient) + "\n";
    }
  }
  return out;
}

std::string path_covariates(const FittedPath& model, const std::vector<Solution>& steps) {
  std::string out = "index\tcovariate\tcoefficient" + ratio_header(model.shape) + "\n";
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::vector<double>& own = model.steps[s].covariates;
    for (std::size_t c = 0; c < own.size(); ++c) {
      out += std::to_string(steps[s].index + 1) + "\t" + field(model.shape.covariate_names[c]) + "\t" +
             exact_text(own[c]) + ratio_field(model.shape, own[c]) + "\n";
    }
  }
  return out;
}

Status write_path_files(const PathResult& result, const FittedPath& model, const std::string& bfile,
                        RunDirectory& directory) {
  const auto put = [&](const std::string& name, const std::string& text) { return directory.write(name, text); };
  if (Status done = put(kPathFile, path_table(result)); !done.ok()) return done;
  if (Status done = put(kPathCoefficientsFile, path_coefficients(model, result.steps)); !done.ok()) return done;
  if (!model.shape.covariate_names.empty()) {
    if (Status done = put(kPathCovariatesFile, path_covariates(model, result.steps)); !done.ok()) return done;
  }
  if (model.shape.has_alleles) {
    if (Status done = put(frequency_file(bfile), frequency_table(*result.data, model.shape)); !done.ok()) return done;
  }
  if (Status done = put(kPathPicture, path_picture(model, result)); !done.ok()) return done;
  if (Status done = write_path(directory.path_of(kPathModelFile), model); !done.ok()) return done;
  directory.note_file(kPathModelFile);
  return {};
}

std::string path_picture(const FittedPath& model, const PathResult& result) {
  const auto& steps = result.steps;
  // By variable: points (-log10 of lambda / lambda_max, coefficient), and the largest of these.
  std::vector<std::vector<std::pair<double, double>>> lines(model.shape.variables.size());
  std::vector<double> largest(lines.size(), 0.0);
  std::vector<double> xs, ys{0.0};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double x = place_of_lambda(steps[s].lambda, steps[s].problem.lambda_max);
    xs.push_back(x);
    for (auto& line : lines) {
      if (!line.empty()) line.emplace_back(x, 0.0);
    }
    for (std::size_t k = 0; k < model.steps[s].places.size(); ++k) {
      const std::size_t place = model.steps[s].places[k];
      const double value = steps[s].standardized[k];
      if (lines[place].empty()) {
        if (s > 0) lines[place].emplace_back(xs[s - 1], 0.0);
        lines[place].emplace_back(x, 0.0);
      }
      lines[place].back().second = value;
      largest[place] = std::max(largest[place], std::abs(value));
      ys.push_back(value);
    }
  }
  std::vector<std::size_t> order(lines.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return largest[a] > largest[b]; });
  const std::size_t shown = std::min(order.size(), kPathLinesMax);
  const std::string which = shown < order.size() ? "the " + std::to_string(shown) + " largest of " +
                                                       std::to_string(order.size()) + " variables"
                                                 : with_unit(shown, "variable", "variables");
  std::vector<LineEnd> ends;
  for (std::size_t k = 0; k < std::min(shown, kPathNamesMax); ++k) {
    ends.push_back({lines[order[k]].back().second, variable_id(model.shape, model.shape.variables[order[k]]), k});
  }
  Picture picture(field(model.shape.response) + ": coefficients along the path, " + which,
                  "-log10(lambda / lambda_max)", "standardised coefficient", range_of(xs), range_of(ys),
                  margin_for(ends));
  for (std::size_t k = shown; k-- > 0;) picture.line(lines[order[k]], k);
  picture.name_ends(ends);
  for (std::size_t s = 0; s < steps.size(); s += std::max<std::size_t>(1, (steps.size() + 7) / 8)) {
    picture.top(xs[s], std::to_string(steps[s].variables.size()));
  }
  picture.top_label(kNonzerosAxis);
  return picture.svg();
}

std::string path_progress_line(const PathCommandOptions& options, const PathResult& result, const ProgressEvent& event,
                               double seconds) {
  const std::size_t given = options.fit.lasso.path.given.size();
  const std::size_t count = given > 0 ? given : options.lambdas;
  std::string line = "solved " + std::to_string(result.steps.size()) + "/" + std::to_string(count) + " lambdas";
  if (!result.steps.empty()) {
    const Solution& last = result.steps.back();
    line += ", the last " + short_text(last.lambda, 4) + ": " +
            with_unit(last.variables.size(), "nonzero", "nonzeros") + ", objective " +
            short_text(last.certificate.objective, 8);
  }
  return line + "  round " + std::to_string(event.totals.rounds) + "  " + short_text(seconds, 3) + " s";
}

Summary path_summary(const PathCommandOptions& options, const PathResult& result, const RunFacts* run,
                     std::span<const PathResult> all) {
  const EndOfAll end(all);
  // Of several a limit may leave one out.
  const bool has_begun = !result.steps.empty() || !result.run.end.problem.values.empty();
  const Solution last = !result.steps.empty() ? result.steps.back()
                        : has_begun           ? solution_of(result.run.end)
                                              : Solution();
  Summary summary = summary_head("lasso path", *result.data);
  summary.add("stop_reason", end.stop_reason == "converged" ? early_text(result) : end.stop_reason);
  summary.add("tolerance_met", all.empty() ? result.tolerance_met : end.tolerance_met);
  summary.add("lambdas_unmet", lambdas_unmet(result.steps));
  if (!all.empty()) summary.add("solutions_unmet", end.unmet);
  summary.add("lambdas_planned", std::uint64_t{planned(result.run.end)});
  summary.add("lambdas_solved", std::uint64_t{result.steps.size()});
  if (has_begun) summary.add("lambda_max", last.problem.lambda_max);
  if (!result.steps.empty()) {
    summary.add("lambda_first", result.steps.front().lambda);
    summary.add("lambda_last", last.lambda);
    summary.add("nonzeros_last", std::uint64_t{last.variables.size()});
    add_explained_last(summary, result);
  }
  summary.add("tolerance", options.fit.lasso.tolerance);
  summary.add("relative_gap_worst", all.empty() ? worst_relative_gap(result.steps) : end.worst_gap);
  summary.add("residual_drift", residual_drift(result));
  add_penalty(summary, options.fit);
  summary.add("path_hash", result.path_hash);
  add_tail(summary, {.options = &options.fit,
                     .run = run,
                     .data = result.data.get(),
                     .problem = has_begun ? &last.problem : nullptr,
                     .says_imputed = true});
  return summary;
}

std::string path_closing_lines(const PathCommandOptions& options, const PathResult& result,
                               const RunDirectory& directory) {
  const FitOptions& fit = options.fit;
  const Dataset& dataset = *result.data->dataset;
  const Solution last = result.steps.empty() ? solution_of(result.run.end) : result.steps.back();
  std::string out = fitted_text(fit, dataset) + " x " + with_unit(last.problem.kept, "variable", "variables") + ", " +
                    std::to_string(result.steps.size()) + " of " +
                    with_unit(planned(result.run.end), "lambda", "lambdas");
  if (!result.steps.empty() && !(last.problem.lambda_max > 0)) out += " (lambda_max is 0)";
  if (!result.steps.empty() && last.problem.lambda_max > 0) {
    out += " from " + short_text(result.steps.front().lambda / last.problem.lambda_max, 4) + " to " +
           short_text(last.lambda / last.problem.lambda_max, 4) + " lambda_max";
  }
  out += ", " + family_text(*result.data) + penalty_text(fit) + "policy " + fit.policy + "\n";
  const bool has_any = !result.steps.empty();
  out += "quality  " + early_text(result) + ": " + largest_gap_text(worst_relative_gap(result.steps)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + unmet_text(result.steps) +
         (has_any ? ", residual against the data " + short_text(residual_drift(result), 2) : "") + "\n";
  out += "size     " +
         (has_any ? with_unit(last.variables.size(), "nonzero", "nonzeros") + " at the last lambda; " : "") +
         work_text(result) + "; path_hash " + result.path_hash + "\n";
  return out + time_and_files(fit, result, directory);
}

}  // namespace strads::lasso
