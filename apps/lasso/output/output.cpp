#include "lasso/output/output.hpp"

#include <algorithm>

#include "lasso/output/covariate_facts.hpp"
#include "lasso/output/family_facts.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"

namespace strads::lasso {
namespace {

/// gap / F(0); of a response that leaves nothing to fit 0.
double gap_over_null(const FitResult& result) {
  const double null_objective = objective_at_zero(result.run.end);
  return null_objective > 0 ? result.run.end.certificate.gap / null_objective : 0.0;
}

/// How much of the response the model explains.
void add_explained(Summary& summary, const FitResult& result) {
  const double explained = result.original.r2;
  if (is_binomial(*result.data->dataset)) {
    const double null_deviance = 2 * objective_at_zero(result.run.end);
    summary.add("deviance", (1 - explained) * null_deviance);
    summary.add("null_deviance", null_deviance);
    summary.add("deviance_ratio", explained);
    return;
  }
  summary.add("r2", explained);
  if (is_partial(*result.data)) summary.add("r2_whole", whole_r2(*result.data, explained));
}

void add_quality(Summary& summary, const FitOptions& options, const FitResult& result) {
  const auto& certificate = result.run.end.certificate;
  summary.add("stop_reason", result.stop_reason);
  summary.add("tolerance_met", result.tolerance_met);
  summary.add("objective", certificate.objective);
  summary.add("duality_gap", certificate.gap);
  summary.add("relative_gap", certificate.relative_gap);
  summary.add("gap_over_null_objective", gap_over_null(result));
  summary.add("tolerance", options.lasso.tolerance);
  summary.add("lambda", result.solution.lambda);
  summary.add("lambda_max", result.solution.lambda_max);
  if (options.lasso.l1_ratio != 1) summary.add("l1_ratio", options.lasso.l1_ratio);
  if (options.lasso.nonnegative) summary.add("nonnegative", true);
  if (!options.input.penalty_factors.empty()) summary.add("penalty_factors", options.input.penalty_factors);
  if (!options.input.weights.empty()) summary.add("weights", options.input.weights);
  summary.add("nonzeros", std::uint64_t{result.solution.variables.size()});
  summary.add("intercept", result.original.intercept);
  add_explained(summary, result);
  summary.add("beta_hash", result.beta_hash);
}

std::string what_was_fitted(const FitOptions& options, const FitResult& result) {
  const auto& dataset = *result.data->dataset;
  const auto& source = options.input.source();
  const auto name = field(dataset.response_name());
  return (name.empty() ? "response" : name) + " on " + base_name(source) + ": " +
         with_unit(dataset.columns().samples(), "sample", "samples") + " x " +
         with_unit(result.solution.kept, "variable", "variables") + ", lambda " + short_text(result.solution.lambda) +
         over_lambda_max_text(result.solution.lambda, result.solution.lambda_max, 4) + ", " + family_text(dataset) +
         penalty_text(options) + "policy " + options.policy;
}

/// Whether anything but the intercept is fitted without penalty.
bool has_unpenalised(const LassoData& data) {
  return !data.dataset->covariates().empty() || data.unpenalised.any();
}

/// "R2 0.5", "deviance ratio 0.5"; with covariates "R2 0.5 of what covariates leave (0.7 of all)", the deviance ratio
/// without the last words.
std::string explained_text(const LassoData& data, double r2) {
  const bool binomial = is_binomial(*data.dataset);
  std::string text = (binomial ? "deviance ratio " : "R2 ") + short_text(r2, 5);
  if (binomial ? !has_unpenalised(data) : !is_partial(data)) return text;
  const bool covariates = !data.dataset->covariates().empty();
  return text + " of what " + (covariates ? "covariates" : "") + (covariates && data.unpenalised.any() ? " and " : "") +
         (data.unpenalised.any() ? "unpenalised variables" : "") + " leave" +
         (binomial ? "" : " (" + short_text(whole_r2(data, r2), 5) + " of all)");
}

}  // namespace

FittedModel fitted_model(const FitResult& result) {
  const Dataset& dataset = *result.data->dataset;
  FittedModel model;
  model.response = dataset.response_name();
  set_family(model, dataset);
  model.columns = dataset.columns().columns;
  model.has_alleles = dataset.has_alleles();
  model.has_names = has_names(dataset);
  model.intercept = result.original.intercept;
  model.covariate_names = dataset.covariate_names();
  model.covariates = result.original.covariates;
  model.samples = dataset.columns().samples();
  model.people = people_of(dataset);
  const auto& variables = result.solution.variables;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const auto name = dataset.variable(variables[k]);
    model.variables.push_back({variables[k], std::string(name.id), std::string(name.chromosome),
                               std::string(name.position), std::string(name.counted), std::string(name.other),
                               result.original.coefficients[k], result.original.means[k]});
  }
  return model;
}

std::string coefficients_table(const FittedModel& model, std::span<const double> standardized) {
  std::string out = model.has_alleles ? "id\tchromosome\tposition\tA1\tA2\tstandardized\tcoefficient\tcolumn"
                                      : "id\tstandardized\tcoefficient\tcolumn";
  out += odds_ratio_header(model) + "\n";
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    const auto& variable = model.variables[k];
    out += variable_id(model, variable) + "\t";
    if (model.has_alleles) {
      out += field(variable.chromosome) + "\t" + field(variable.position) + "\t" + field(variable.counted) + "\t" +
             field(variable.other) + "\t";
    }
    const double coefficient = per_copy(variable);
    out += exact_text(standardized[k]) + "\t" + exact_text(coefficient) + "\t" +
           std::to_string(std::uint64_t{variable.column} + 1) + odds_ratio_field(model, coefficient) + "\n";
  }
  return out;
}

std::string frequency_table(const LassoData& data, const FittedModel& model) {
  std::string out = "#CHROM\tID\tREF\tALT\tALT_FREQS\tOBS_CT\n";
  const auto& columns = *data.columns;
  const auto* const unpenalised = data.unpenalised.columns.get();
  for (const auto& variable : model.variables) {
    const VarId j = variable.column;
    const bool solved = columns.state(j) != ColumnState::excluded;
    const auto observed = columns.samples() - (solved ? columns.missing(j) : unpenalised->missing(j));
    out += field(variable.chromosome) + "\t" + field(variable.id) + "\t" + field(variable.other) + "\t" +
           field(variable.counted) + "\t" + exact_text(variable.mean / 2) + "\t" +
           std::to_string(copies_of_a_count(variable.chromosome) == 1 ? 2 * observed : observed) + "\n";
  }
  return out;
}

std::string frequency_file(const std::string& bfile) {
  return base_name(bfile) + ".afreq";
}

Summary summary_of(const FitOptions& options, const FitResult& result) {
  const Dataset& dataset = *result.data->dataset;
  Summary summary;
  summary.add("program", "lasso fit");
  summary.add("response", dataset.response_name());
  add_family(summary, dataset);
  add_quality(summary, options, result);
  add_work(summary, result);
  summary.add("transport", transport_name(options.cluster));
  summary.add("seconds_load", result.seconds_load);
  summary.add("seconds_solve", result.seconds_solve);
  summary.add("seconds_check", result.seconds_check);
  summary.add("peak_rss_bytes", peak_rss_bytes());
  add_options(summary, options);
  summary.add("samples", sample_facts(dataset));
  summary.add("variables", variable_facts(*result.data, result.solution));
  summary.add("missing_imputed", std::max(dataset.missing_imputed(), result.solution.missing));
  add_covariates(summary, *result.data, result.original.covariates);
  add_nodes(summary, result);
  return summary;
}

std::string closing_lines(const FitOptions& options, const FitResult& result, const RunDirectory& directory) {
  const auto& certificate = result.run.end.certificate;
  const auto& totals = result.run.end.totals;
  constexpr double kMebibyte = 1024.0 * 1024.0;
  std::string files;
  for (const auto& file : directory.files()) files += (files.empty() ? "" : ", ") + file;
  return "fitted   " + what_was_fitted(options, result) + "\n" + "quality  " + result.stop_reason + ": objective " +
         short_text(certificate.objective, 10) + ", gap / objective " + short_text(certificate.relative_gap, 3) +
         (result.tolerance_met ? " <= " : " > ") + "tolerance " + short_text(options.lasso.tolerance, 3) +
         " (gap / F(0) " + short_text(gap_over_null(result), 3) + "), " +
         explained_text(*result.data, result.original.r2) + "\n" + "size     " +
         with_unit(result.solution.variables.size(), "nonzero", "nonzeros") + "; " +
         with_unit(totals.rounds, "round", "rounds") + " in " + with_unit(totals.phases, "phase", "phases") + ", " +
         with_unit(totals.updates, "update", "updates") + "; beta_hash " + result.beta_hash + "\n" + "time     load " +
         short_text(result.seconds_load, 3) + " s, solve " + short_text(result.seconds_solve, 3) + " s, check " +
         short_text(result.seconds_check, 3) + " s, peak memory " +
         short_text(static_cast<double>(peak_rss_bytes()) / kMebibyte, 4) + " MiB" +
         (options.cluster.wanted() ? ", " + cluster_text(options.cluster) : "") + "\n" + "files    " +
         (directory.exists() ? directory.path() + ": " + files : "none written; --out DIR keeps the results") + "\n";
}

}  // namespace strads::lasso
