#include "lasso/report/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lasso/report/family_facts.hpp"
#include "lasso/report/path_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

std::string coefficients_header(const FittedModel& shape) {
  return variable_columns(shape) + "\tstandardized\tcoefficient\tcolumn" + ratio_header(shape) + "\n";
}

/// `coefficient`: per copy of the counted allele.
std::string coefficient_line(const FittedModel& shape, const FittedVariable& variable, double standardized,
                             double coefficient) {
  return variable_fields(shape, variable) + "\t" + exact_text(standardized) + "\t" + exact_text(coefficient) + "\t" +
         std::to_string(std::uint64_t{variable.column} + 1) + ratio_field(shape, coefficient) + "\n";
}

const char* choice_of(const Curve& curve, std::size_t k) {
  if (k == curve.least && k == curve.simplest) return "min,1se";
  if (k == curve.least) return "min";
  return k == curve.simplest ? "1se" : "";
}

/// NA where the fold has no number, as the area under the curve of one class alone.
std::string fold_field(const PathResult& result, std::size_t fold, std::size_t k) {
  return ratio_field(fold_mean(result, fold, k));
}

/// By row: what the path without the row's fold predicts at step `k`.
std::vector<double> out_of_fold(const PathResult& result, std::size_t k) {
  const Dataset& dataset = *result.group.dataset;
  std::vector<double> predicted(static_cast<std::size_t>(dataset.columns().rows));
  for (std::uint32_t fold = 0; fold < result.group.folds.count; ++fold) {
    const auto rows = rows_of_fold(result.group.folds, fold);
    const HeldOut samples = held_out_of(dataset, rows, result.followers[fold][k]);
    for (std::size_t i = 0; i < rows.size(); ++i) predicted[rows[i]] = samples.predicted[i];
  }
  return predicted;
}

/// "\tlambda_min\t ...".
std::string columns_of_choice(std::span<const char* const> columns, const char* choice) {
  std::string out;
  for (const char* const column : columns) out.append("\t").append(column).append("_").append(choice);
  return out;
}

/// Columns of what is chosen, "lambda_min" ... of folds, "lambda_chosen" ... of a split; of a path that nobody watches
/// of its last solution.
std::string choice_columns(const PathResult& result) {
  constexpr std::array kLambda{"lambda", "lambda_y", "lambda_ratio", "nonzeros"};
  if (!is_watched(result)) return columns_of_choice(kLambda, "last");
  if (result.is_cross_validated()) {
    constexpr std::array kCurve{"lambda", "lambda_y", "lambda_ratio", "error", "standard_error", "nonzeros", "r2"};
    return columns_of_choice(kCurve, "min") + columns_of_choice(kCurve, "1se");
  }
  constexpr std::array kSplit{"lambda", "lambda_y", "lambda_ratio", "error", "nonzeros", "test"};
  return columns_of_choice(kSplit, "chosen") + columns_of_choice(std::array{"nonzeros", "test"}, "refit");
}

std::string size_field(const Solution& solution) {
  return "\t" + line_of(solution, std::array{"nonzeros"});
}

/// Fields of a solution at point `k` of the curve; where nobody watches of the last one.
std::string fields_of_choice(const PathResult& result, std::size_t k) {
  const Solution& solution = result.steps[k];
  std::string out = "\t" + line_of(solution, std::array{"lambda", "lambda_y", "lambda_ratio"});
  if (is_watched(result)) out += "\t" + ratio_field(result.curve.mean[k]);
  if (result.is_cross_validated()) out += "\t" + ratio_field(result.curve.standard_error[k]);
  out += size_field(solution);
  return out + (result.is_cross_validated() ? "\t" + ratio_field(held_out_r2(result, k)) : "");
}

/// The fields of choice_columns(); NA without a solution.
std::string choice_fields(const PathResult& result) {
  if (!has_solutions(result)) {
    std::string fields;
    const std::string columns = choice_columns(result);
    for (auto count = std::ranges::count(columns, '\t'); count > 0; --count) fields += "\tNA";
    return fields;
  }
  if (!is_watched(result)) return fields_of_choice(result, result.steps.size() - 1);
  const std::string least = fields_of_choice(result, result.curve.least);
  if (result.is_cross_validated()) return least + fields_of_choice(result, result.curve.simplest);
  const auto test = [&](const HeldOutScore& score) { return "\t" + ratio_field(score.of(result.measure)); };
  return least + test(result.test_score) +
         (result.refit() == nullptr ? "\tNA\tNA" : size_field(*result.refit()) + test(result.refit_score));
}

}  // namespace

std::string coefficients_table(const FittedModel& model, std::span<const double> standardized) {
  std::string out = coefficients_header(model);
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    out += coefficient_line(model, model.variables[k], standardized[k], per_copy(model.variables[k]));
  }
  return out;
}

std::string path_coefficients(const FittedPath& model, const std::vector<Solution>& steps) {
  const FittedModel& shape = model.shape;
  std::string out = "index\t" + coefficients_header(shape);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const FittedStep& own = model.steps[s];
    for (std::size_t k = 0; k < own.places.size(); ++k) {
      const FittedVariable& variable = shape.variables[own.places[k]];
      out += std::to_string(steps[s].index + 1) + "\t" +
             coefficient_line(shape, variable, steps[s].standardized[k],
                              own.coefficients[k] / copies_of_a_count(variable.chromosome));
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

std::string fold_predictions_table(const PathResult& result) {
  const Dataset& dataset = *result.group.dataset;
  const Family family = result.group.family;
  const std::string mean = family->mean_column == nullptr ? "" : family->mean_column;
  const std::array predicted{out_of_fold(result, result.curve.least), out_of_fold(result, result.curve.simplest)};
  std::string out = id_columns(dataset) + "\tfold\tresponse";
  out += mean.empty() ? "\tprediction_min\tprediction_1se\n"
                      : "\t" + mean + "_min\tlink_min\t" + mean + "_1se\tlink_1se\n";
  for (std::size_t row = 0; row < result.group.folds.of_row.size(); ++row) {
    const std::uint32_t fold = result.group.folds.of_row[row];
    if (fold >= result.group.folds.count) continue;
    out += id_or_row(dataset, row) + "\t" + field(result.group.folds.names[fold]) + "\t" +
           exact_text(dataset.response()[row]);
    for (const auto& of_choice : predicted) {
      if (!mean.empty()) out += "\t" + exact_text(family->mean_of(of_choice[row]));
      out += "\t" + exact_text(of_choice[row]);
    }
    out += "\n";
  }
  return out;
}

std::string ratios_table(std::span<const PathResult> ratios) {
  const bool compared = is_watched(ratios.front());
  std::string out = std::string("l1_ratio") + (compared ? "\tbest" : "") + "\tlambdas\tstop_reason" +
                    choice_columns(ratios.front()) + "\tpath_hash\n";
  const std::size_t best = best_ratio(ratios);
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    const PathResult& result = ratios[r];
    out += exact_text(result.group.l1_ratio) +
           (compared ? "\t" + yes_or_no(r == best && !result.curve.mean.empty()) : "") + "\t" +
           std::to_string(lambdas_shown(result)) + "\t" + result.stop_reason + choice_fields(result) + "\t" +
           result.path_hash + "\n";
  }
  return out;
}

std::vector<const PathResult*> shown_of_traits(const StudyResults& results) {
  std::vector<const PathResult*> all;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const auto ratios = results.of_trait(t);
    if (has_best(ratios)) {
      all.push_back(&results.best_of_trait(t));
    } else {
      for (const PathResult& one : ratios) all.push_back(&one);
    }
  }
  return all;
}

std::string traits_table(const StudyResults& results) {
  const bool folds = results.list.front().is_cross_validated();
  std::string out = std::string("trait\tsamples") + (folds ? "\tfolds" : "") + "\tlambdas\tstop_reason" +
                    choice_columns(results.list.front()) + (results.ratios > 1 ? "\tl1_ratio" : "") + "\tpath_hash\n";
  for (const PathResult* const trait : shown_of_traits(results)) {
    out += field(trait->data->dataset->response_name()) + "\t" +
           std::to_string(trait->data->dataset->columns().samples()) +
           (folds ? "\t" + std::to_string(trait->group.folds.count) : "") + "\t" +
           std::to_string(lambdas_shown(*trait)) + "\t" + trait->stop_reason + choice_fields(*trait) +
           (results.ratios > 1 ? "\t" + exact_text(trait->group.l1_ratio) : "") + "\t" + trait->path_hash + "\n";
  }
  return out;
}

}  // namespace strads::lasso
