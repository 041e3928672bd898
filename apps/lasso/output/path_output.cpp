#include "lasso/output/path_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lasso/model/payloads.hpp"
#include "lasso/output/covariate_facts.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/output.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "regression/picture.hpp"

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
  for (const PathStep& step : result.steps)
    worst = std::max(worst, std::abs(step.original.r2 - step.point.deviance_ratio));
  return worst;
}

/// " (not met by 2 lambdas)".
std::string unmet_text(const std::vector<PathStep>& steps) {
  const std::size_t count = lambdas_unmet(steps).size();
  return count == 0 ? "" : " (not met by " + with_unit(count, "lambda", "lambdas") + ")";
}

/// How much of the response the last solution explains.
void add_explained_last(Summary& summary, const PathResult& result) {
  const double explained = result.steps.back().original.r2;
  summary.add("deviance_ratio_last", explained);
  if (is_binomial(*result.data->dataset)) {
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

double worst_relative_gap(std::span<const PathStep> steps) {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const PathStep& step : steps) worst = std::fmax(worst, step.point.certificate.relative_gap);
  return worst;
}

std::string largest_gap_text(double worst) {
  return std::isnan(worst) ? "no lambda was solved" : "largest gap / objective " + short_text(worst, 3);
}

std::vector<PathStep> unfinished_step(const RunEnd& end, double seconds) {
  if (end.statuses.empty() || planned(end) == 0 || !(end.certificate.gap >= 0)) return {};
  PathStep step;
  const LassoSolution solution = solution_of(end);
  step.point.lambda = lambdas_of(end.problem).front();
  step.point.certificate = end.certificate;
  step.point.certificate.converged = false;
  step.point.deviance_ratio = 1 - head_of(end.statuses.front()).loss / objective_at_zero(end);
  step.point.phases = end.totals.phases;
  step.point.variables = solution.variables;
  step.point.standardized = solution.standardized;
  step.seconds = seconds;
  return {step};
}

std::string unfinished_text(const std::string& what) {
  return what + " ended before its first lambda was solved: it is kept where it was, with its gap";
}

void complete_step(const LassoData& data, const RunEnd& end, PathStep& step,
                   const std::function<void(std::span<const VarId>)>& look) {
  step.solution = solution_of(end);
  step.solution.lambda = step.point.lambda;
  step.solution.variables = step.point.variables;
  step.solution.standardized = step.point.standardized;
  look(step.solution.variables);
  step.original = original_scale(data, step.solution);
  step.beta_hash = beta_hash(step.solution, data.columns->size());
  if (data.unpenalised.any()) add_unpenalised(data, step.solution, step.original);
}

double lambda_in_y(const LassoData& data, double lambda) {
  // As the slices say it (Ready::lambda_per_y), so that a lambda that is copied from here comes back as it was.
  return lambda / (data.units.per_glmnet / data.response.norm);
}

FittedPath fitted_path(const LassoData& data, const std::vector<PathStep>& steps) {
  const Dataset& dataset = *data.dataset;
  FittedPath fitted;
  FittedModel& shape = fitted.shape;
  shape.response = dataset.response_name();
  set_family(shape, dataset);
  shape.columns = dataset.columns().columns;
  shape.has_alleles = dataset.has_alleles();
  shape.has_names = has_names(dataset);
  shape.covariate_names = dataset.covariate_names();
  shape.covariates.resize(shape.covariate_names.size());
  shape.samples = dataset.columns().samples();
  shape.people = people_of(dataset);
  std::map<VarId, double> means;  // of all variables that ever are nonzero
  for (const PathStep& step : steps) {
    for (std::size_t k = 0; k < step.solution.variables.size(); ++k)
      means.emplace(step.solution.variables[k], step.original.means[k]);
  }
  std::map<VarId, std::uint64_t> places;
  for (const auto& [j, mean] : means) {
    places.emplace(j, places.size());
    const auto name = dataset.variable(j);
    shape.variables.push_back({j, std::string(name.id), std::string(name.chromosome), std::string(name.position),
                               std::string(name.counted), std::string(name.other), 0.0, mean});
  }
  for (const PathStep& step : steps) {
    FittedStep& own = fitted.steps.emplace_back();
    own.lambda = step.point.lambda;
    own.lambda_y = lambda_in_y(data, step.point.lambda);
    own.intercept = step.original.intercept;
    own.covariates = step.original.covariates;
    for (const VarId j : step.solution.variables) own.places.push_back(places.at(j));
    own.coefficients = step.original.coefficients;
  }
  return fitted;
}

std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end) {
  if (solved < 2 || solution_of(end).lambda_max == 0) return "";
  const auto lambdas = lambdas_of(end.problem);
  const std::string last = " is the last lambda that was solved, and a smaller one may be better: ";
  if (!lasso.path.given.empty()) return last + "give smaller ones, too";
  const std::string least = short_text(lambdas.back() / lambdas.front(), 3);
  if (solved < lambdas.size()) {
    return last + "the path ended early, --early-end off goes on to " + least + " lambda_max";
  }
  return last + "give a --lambda-min-ratio below " + least;
}

std::string tolerance_note(const PathPoint& point) {
  return point.certificate.converged ? "" : ", tolerance not met";
}

std::vector<std::uint32_t> lambdas_unmet(const std::vector<PathStep>& steps) {
  std::vector<std::uint32_t> indices;
  for (const PathStep& step : steps) {
    if (!step.point.certificate.converged) indices.push_back(static_cast<std::uint32_t>(step.point.index + 1));
  }
  return indices;
}

std::string path_table(const LassoData& data, const PathResult& result) {
  std::string out =
      "index\tlambda\tlambda_y\tlambda_ratio\tnonzeros\tdeviance_ratio\tobjective\tgap\trelative_gap\t"
      "tolerance_met\tintercept\tphases\tseconds\tbeta_hash";
  out += result.validation.empty() ? "\n" : "\tmeasure\tval\tchoice\n";
  for (const PathStep& step : result.steps) {
    const Certificate& certificate = step.point.certificate;
    out += std::to_string(step.point.index + 1);
    for (const double value : {step.point.lambda, lambda_in_y(data, step.point.lambda)}) {
      out += "\t" + exact_text(value);
    }
    out += "\t" + ratio_field(over_lambda_max(step.point.lambda, step.solution.lambda_max));
    out += "\t" + std::to_string(step.solution.variables.size());
    for (const double value : {step.original.r2, certificate.objective, certificate.gap, certificate.relative_gap}) {
      out += "\t" + exact_text(value);
    }
    out += "\t" + yes_or_no(certificate.converged) + "\t" + exact_text(step.original.intercept);
    out += "\t" + std::to_string(step.point.phases) + "\t" + short_text(step.seconds, 6) + "\t" + step.beta_hash;
    const std::size_t k = step.point.index;
    if (!result.validation.empty()) {
      out += std::string("\t") + result.measure + "\t" + exact_text(result.validation[k]) +
             (k == result.chosen ? "\tchosen" : "\t");
    }
    out += "\n";
  }
  return out;
}

std::string path_coefficients(const FittedPath& model, const std::vector<PathStep>& steps) {
  const FittedModel& shape = model.shape;
  std::string out = shape.has_alleles ? "index\tid\tchromosome\tposition\tA1\tA2\tstandardized\tcoefficient\tcolumn"
                                      : "index\tid\tstandardized\tcoefficient\tcolumn";
  out += odds_ratio_header(shape) + "\n";
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const FittedStep& own = model.steps[s];
    for (std::size_t k = 0; k < own.places.size(); ++k) {
      const FittedVariable& variable = shape.variables[own.places[k]];
      out += std::to_string(steps[s].point.index + 1) + "\t" + variable_id(shape, variable) + "\t";
      if (shape.has_alleles) {
        out += field(variable.chromosome) + "\t" + field(variable.position) + "\t" + field(variable.counted) + "\t" +
               field(variable.other) + "\t";
      }
      const double coefficient = own.coefficients[k] / copies_of_a_count(variable.chromosome);
      out += exact_text(steps[s].solution.standardized[k]) + "\t" + exact_text(coefficient) + "\t" +
             std::to_string(std::uint64_t{variable.column} + 1) + odds_ratio_field(shape, coefficient) + "\n";
    }
  }
  return out;
}

std::string path_covariates(const FittedPath& model, const std::vector<PathStep>& steps) {
  std::string out = "index\tcovariate\tcoefficient" + odds_ratio_header(model.shape) + "\n";
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::vector<double>& own = model.steps[s].covariates;
    for (std::size_t c = 0; c < own.size(); ++c) {
      out += std::to_string(steps[s].point.index + 1) + "\t" + field(model.shape.covariate_names[c]) + "\t" +
             exact_text(own[c]) + odds_ratio_field(model.shape, own[c]) + "\n";
    }
  }
  return out;
}

Status write_path_files(const PathResult& result, const FittedPath& model, const std::string& bfile,
                        RunDirectory& directory) {
  const auto put = [&](const std::string& name, const std::string& text) { return directory.write(name, text); };
  if (Status done = put(kPathFile, path_table(*result.data, result)); !done.ok()) return done;
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
    const double x = place_of_lambda(steps[s].point.lambda, steps[s].solution.lambda_max);
    xs.push_back(x);
    for (auto& line : lines) {
      if (!line.empty()) line.emplace_back(x, 0.0);
    }
    for (std::size_t k = 0; k < model.steps[s].places.size(); ++k) {
      const std::size_t place = model.steps[s].places[k];
      const double value = steps[s].solution.standardized[k];
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
    picture.top(xs[s], std::to_string(steps[s].solution.variables.size()));
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
    const PathPoint& last = result.steps.back().point;
    line += ", the last " + short_text(last.lambda, 4) + ": " +
            with_unit(last.variables.size(), "nonzero", "nonzeros") + ", objective " +
            short_text(last.certificate.objective, 8);
  }
  return line + "  round " + std::to_string(event.totals.rounds) + "  " + short_text(seconds, 3) + " s";
}

Summary path_summary(const PathCommandOptions& options, const PathResult& result) {
  const Dataset& dataset = *result.data->dataset;
  const LassoSolution last = result.steps.empty() ? solution_of(result.run.end) : result.steps.back().solution;
  Summary summary;
  summary.add("program", "lasso path");
  summary.add("response", dataset.response_name());
  add_family(summary, dataset);
  summary.add("stop_reason", early_text(result));
  summary.add("tolerance_met", result.tolerance_met);
  summary.add("lambdas_unmet", lambdas_unmet(result.steps));
  summary.add("lambdas_planned", std::uint64_t{planned(result.run.end)});
  summary.add("lambdas_solved", std::uint64_t{result.steps.size()});
  summary.add("lambda_max", last.lambda_max);
  if (!result.steps.empty()) {
    summary.add("lambda_first", result.steps.front().point.lambda);
    summary.add("lambda_last", last.lambda);
    summary.add("nonzeros_last", std::uint64_t{last.variables.size()});
    add_explained_last(summary, result);
  }
  summary.add("tolerance", options.fit.lasso.tolerance);
  summary.add("relative_gap_worst", worst_relative_gap(result.steps));
  summary.add("residual_drift", residual_drift(result));
  if (options.fit.lasso.l1_ratio != 1) summary.add("l1_ratio", options.fit.lasso.l1_ratio);
  if (options.fit.lasso.nonnegative) summary.add("nonnegative", true);
  if (!options.fit.input.penalty_factors.empty()) summary.add("penalty_factors", options.fit.input.penalty_factors);
  if (!options.fit.input.weights.empty()) summary.add("weights", options.fit.input.weights);
  summary.add("path_hash", result.path_hash);
  add_run(summary, options.fit, result);
  add_options(summary, options.fit);
  summary.add("samples", sample_facts(dataset));
  summary.add("variables", variable_facts(*result.data, last));
  summary.add("missing_imputed", std::max(dataset.missing_imputed(), last.missing));
  add_covariates(summary, *result.data, {});
  add_nodes(summary, result);
  return summary;
}

std::string path_closing_lines(const PathCommandOptions& options, const PathResult& result,
                               const RunDirectory& directory) {
  const FitOptions& fit = options.fit;
  const Dataset& dataset = *result.data->dataset;
  const auto& totals = result.run.end.totals;
  const LassoSolution last = result.steps.empty() ? solution_of(result.run.end) : result.steps.back().solution;
  const auto& source = fit.input.source();
  const auto name = field(dataset.response_name());
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::string files;
  for (const auto& file : directory.files()) files += (files.empty() ? "" : ", ") + file;
  std::string out = "fitted   " + (name.empty() ? "response" : name) + " on " + base_name(source) + ": " +
                    with_unit(dataset.columns().samples(), "sample", "samples") + " x " +
                    with_unit(last.kept, "variable", "variables") + ", " + std::to_string(result.steps.size()) +
                    " of " + with_unit(planned(result.run.end), "lambda", "lambdas");
  if (!result.steps.empty() && !(last.lambda_max > 0)) out += " (lambda_max is 0)";
  if (!result.steps.empty() && last.lambda_max > 0) {
    out += " from " + short_text(result.steps.front().point.lambda / last.lambda_max, 4) + " to " +
           short_text(last.lambda / last.lambda_max, 4) + " lambda_max";
  }
  out += ", " + family_text(dataset) + penalty_text(fit) + "policy " + fit.policy + "\n";
  const bool has_any = !result.steps.empty();
  out += "quality  " + early_text(result) + ": " + largest_gap_text(worst_relative_gap(result.steps)) + ", tolerance " +
         short_text(fit.lasso.tolerance, 3) + unmet_text(result.steps) +
         (has_any ? ", residual against the data " + short_text(residual_drift(result), 2) : "") + "\n";
  out += "size     " +
         (has_any ? with_unit(last.variables.size(), "nonzero", "nonzeros") + " at the last lambda; " : "") +
         with_unit(totals.rounds, "round", "rounds") + " in " + with_unit(totals.phases, "phase", "phases") + ", " +
         with_unit(totals.updates, "update", "updates") + "; path_hash " + result.path_hash + "\n";
  out += "time     load " + short_text(result.seconds_load, 3) + " s, solve " + short_text(result.seconds_solve, 3) +
         " s, check " + short_text(result.seconds_check, 3) + " s, peak memory " +
         short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (fit.cluster.wanted() ? ", " + cluster_text(fit.cluster) : "") + "\n";
  out += "files    " +
         (directory.exists() ? directory.path() + ": " + files : "none written; --out DIR keeps the results") + "\n";
  return out;
}

}  // namespace strads::lasso
