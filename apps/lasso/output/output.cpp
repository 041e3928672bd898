#include "lasso/output/output.hpp"

#include <algorithm>
#include <array>

#include "lasso/output/family_facts.hpp"
#include "lasso/output/path_output.hpp"
#include "lasso/output/run_summary.hpp"
#include "regression/match_variables.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

/// gap / F(0); of a response that leaves nothing to fit 0.
double gap_over_null(const PathResult& result) {
  const double null_objective = objective_at_zero(result.run.end);
  return null_objective > 0 ? result.run.end.certificate.gap / null_objective : 0.0;
}

/// How much of the response the model explains.
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

void add_quality(Summary& summary, const FitOptions& options, const PathResult& result) {
  summary.add("stop_reason", result.stop_reason);
  summary.add("tolerance_met", result.tolerance_met);
  add_fields(summary, result.steps.front(), std::array{"objective", "duality_gap", "relative_gap"});
  summary.add("gap_over_null_objective", gap_over_null(result));
  summary.add("tolerance", options.lasso.tolerance);
  add_fields(summary, result.steps.front(), std::array{"lambda", "lambda_max"});
  add_penalty(summary, options);
  add_fields(summary, result.steps.front(), std::array{"nonzeros", "intercept"});
  add_explained(summary, result);
  summary.add("beta_hash", result.steps.front().beta_hash);
}

std::string what_was_fitted(const FitOptions& options, const PathResult& result) {
  const Dataset& dataset = *result.data->dataset;
  const double lambda = result.steps.front().lambda;
  return fitted_text(options, dataset) + " x " + with_unit(result.steps.front().problem.kept, "variable", "variables") +
         ", lambda " + short_text(lambda) + over_lambda_max_text(lambda, result.steps.front().problem.lambda_max, 4) +
         ", " + family_text(*result.data) + penalty_text(options) + "policy " + options.policy;
}

/// Whether anything but the intercept is fitted without penalty.
bool has_unpenalised(const LassoData& data) {
  return !data.dataset->covariates().empty() || data.unpenalised.any();
}

/// "R2 0.5", "deviance ratio 0.5"; with covariates "R2 0.5 of what covariates leave (0.7 of all)", the deviance ratio
/// without the last words.
std::string explained_text(const LassoData& data, double r2) {
  const bool squares = data.family->is_squares();
  std::string text = (squares ? "R2 " : "deviance ratio ") + short_text(r2, 5);
  if (squares ? !is_partial(data) : !has_unpenalised(data)) return text;
  const bool covariates = !data.dataset->covariates().empty();
  return text + " of what " + (covariates ? "covariates" : "") + (covariates && data.unpenalised.any() ? " and " : "") +
         (data.unpenalised.any() ? "unpenalised variables" : "") + " leave" +
         (squares ? " (" + short_text(whole_r2(data, r2), 5) + " of all)" : "");
}

}  // namespace

FittedModel fitted_model(const PathResult& result) {
  return fitted_path(*result.data, result.steps).at(0);
}

std::string coefficients_table(const FittedModel& model, std::span<const double> standardized) {
  std::string out = model.has_alleles ? "id\tchromosome\tposition\tA1\tA2\tstandardized\tcoefficient\tcolumn"
                                      : "id\tstandardized\tcoefficient\tcolumn";
  out += ratio_header(model) + "\n";
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    const auto& variable = model.variables[k];
    out += variable_id(model, variable) + "\t";
    if (model.has_alleles) {
      out += field(variable.chromosome) + "\t" + field(variable.position) + "\t" + field(variable.counted) + "\t" +
             field(variable.other) + "\t";
    }
    const double coefficient = per_copy(variable);
    out += exact_text(standardized[k]) + "\t" + exact_text(coefficient) + "\t" +
           std::to_string(std::uint64_t{variable.column} + 1) + ratio_field(model, coefficient) + "\n";
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

Summary summary_of(const FitOptions& options, const PathResult& result) {
  const Solution& solution = result.steps.front();
  Summary summary = summary_head("lasso fit", *result.data);
  add_quality(summary, options, result);
  add_tail(summary, {.options = &options,
                     .run = &result,
                     .data = result.data.get(),
                     .problem = &solution.problem,
                     .says_imputed = true,
                     .covariates = &solution.covariates});
  return summary;
}

std::string closing_lines(const FitOptions& options, const PathResult& result, const RunDirectory& directory) {
  const Certificate& certificate = result.steps.front().certificate;
  return what_was_fitted(options, result) + "\n" + "quality  " + result.stop_reason + ": objective " +
         short_text(certificate.objective, 10) + ", gap / objective " + short_text(certificate.relative_gap, 3) +
         (result.tolerance_met ? " <= " : " > ") + "tolerance " + short_text(options.lasso.tolerance, 3) +
         " (gap / F(0) " + short_text(gap_over_null(result), 3) + "), " +
         explained_text(*result.data, result.steps.front().explained) + "\n" + "size     " +
         with_unit(result.steps.front().variables.size(), "nonzero", "nonzeros") + "; " + work_text(result) +
         "; beta_hash " + result.steps.front().beta_hash + "\n" + time_and_files(options, result, directory);
}

}  // namespace strads::lasso
