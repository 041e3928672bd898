#include "lasso/commands/predict_command.hpp"

#include <algorithm>

#include "lasso/commands/fitted_solutions.hpp"
#include "lasso/options/data_options.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/report/family_facts.hpp"
#include "lasso/report/prediction_report.hpp"
#include "regression/foreign_options.hpp"
#include "regression/match_variables.hpp"
#include "regression/model_file.hpp"
#include "regression/people.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"

namespace strads::lasso {
namespace {

void print_unless_quiet(const PredictOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("lasso", text);
}

void say_what_differs(const PredictOptions& options, const FittedModel& model, const Matching& matching,
                      const Dataset& data) {
  if (matching.by_position && !matching.names_differ)
    print_unless_quiet(options, "columns without names: matched by column number");
  for (const auto& text : matching_notes(model, matching)) print_unless_quiet(options, text);
  for (const auto& warning : data.warnings()) print_unless_quiet(options, warning);
  for (const auto& dropped : data.dropped_samples()) {
    if (dropped.count > 0)
      print_unless_quiet(options, std::to_string(dropped.count) + " samples left out: " + dropped.reason);
  }
}

/// The matching of one of the models, whose variables are some of those that were matched.
Matching part_of(const Matching& all, const std::vector<std::size_t>& places) {
  Matching own;
  own.by_position = all.by_position;
  for (const std::size_t place : places) own.matches.push_back(all.matches[place]);
  return own;
}

/// What is written of the predictions, a column for each name.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
};

/// Of least squares the predictions; of other families for each model what takes the response's place and the link, as
/// "probability" and "link" of classes, in place of "prediction".
Columns columns_of(const FittedModel& model, const std::vector<std::string>& names,
                   const std::vector<std::vector<double>>& predictions) {
  const Family family = family_of(model);
  if (family->is_squares()) return {names, predictions};
  Columns columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (const char* what : {family->mean_column, "link"}) columns.names.push_back(column_in_place(what, names[k]));
    auto& means = columns.values.emplace_back();
    for (const double link : predictions[k]) means.push_back(family->mean_of(link));
    columns.values.push_back(predictions[k]);
  }
  return columns;
}

/// FID IID prediction; with one id only: id prediction; without ids: the row's number, from 1.
std::string table_of(const Dataset& data, const Columns& columns) {
  std::string out = id_columns(data);
  for (const std::string& name : columns.names) out.append("\t").append(name);
  out += "\n";
  for (const std::uint32_t i : samples_of(data.columns())) {
    out += id_or_row(data, i);
    for (const auto& of_model : columns.values) out.append("\t").append(exact_text(of_model[i]));
    out += "\n";
  }
  return out;
}

/// What is read: nothing is dropped, missing values stay, and a response is taken where there is one.
InputOptions input_of(const PredictOptions& options, const FittedModel& model) {
  InputOptions input = options.input;
  Response& response = input.response;
  response.required = false;
  input.source.missing_mean = true;
  input.source.missing_stays = true;  // the training means take the place of NaN below
  response.covar_names = model.covariate_names;
  response.two_classes = model.has_classes();
  response.only_numbers = family_of(model)->has_only_numbers();
  response.classes = model.classes;
  const bool is_variable = std::any_of(model.variables.begin(), model.variables.end(),
                                       [&](const FittedVariable& one) { return one.id == model.response; });
  const bool in_table = !input.source.x.empty() && response.y.empty() && response.y_name.empty() && !is_variable;
  if (in_table) response.y_name = model.response;  // formats without names do not look at it
  return input;
}

bool names_response(const Response& response) {
  return !response.y.empty() || !response.y_name.empty() || !response.pheno.empty();
}

Status check_covariates(const Response& response, bool plink) {
  if (response.covar.empty() == response.covar_names.empty()) return {};
  if (response.covar.empty() && plink) return {};  // of the .fam or .psam
  return Status::usage(response.covar.empty() ? "the model has covariates (" + response.covar_names.front() +
                                                    " ...), expected --covar FILE"
                                              : "the model has no covariates, --covar does not go with it");
}

Status check_offset(const Response& response, const FittedModel& model) {
  if (!response.offset_name.empty() && response.offset.empty()) {
    return Status::usage("--offset-name needs --offset FILE");
  }
  if (response.offset.empty() != model.has_offset) return {};
  return Status::usage(model.has_offset
                           ? "the model was fitted with offsets, expected --offset FILE with those of these "
                             "samples"
                           : "the model was fitted without offsets, --offset does not go with it");
}

/// Of every model, offsets added.
std::vector<std::vector<double>> predict_all(const FittedSolutions& fitted, const Matching& matching,
                                             const Dataset& dataset) {
  std::vector<std::vector<double>> predictions;
  for (std::size_t k = 0; k < fitted.models.size(); ++k) {
    predictions.push_back(predict(fitted.models[k], part_of(matching, fitted.places[k]), dataset));
    const auto offset = dataset.offset();
    for (std::size_t i = 0; i < offset.size(); ++i) predictions.back()[i] += offset[i];
  }
  return predictions;
}

}  // namespace

Status run_predict(std::span<const std::string> arguments) {
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  PredictOptions options;
  OptionTable table = predict_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "lasso")) return {};
  if (Status checked = check_predict_options(options); !checked.ok()) return checked;
  STRADS_ASSIGN_OR_RETURN(auto fitted, read_fitted(options));
  for (const std::string& text : fitted.notes) print_unless_quiet(options, text);
  const FittedModel& model = fitted.all;
  const InputOptions input = input_of(options, model);
  if (Status covariates = check_covariates(input.response, input.source.is_plink()); !covariates.ok())
    return covariates;
  if (Status offset = check_offset(input.response, model); !offset.ok()) return offset;
  STRADS_ASSIGN_OR_RETURN(auto data, load_dataset(input));
  const Dataset& dataset = *data;
  const bool wanted = names_response(options.input.response);
  if (wanted && dataset.response().empty()) {
    return Status::usage("--y-name " + options.input.response.y_name + ": " + options.input.source.x +
                         " has no such column of numbers; lasso predict needs no response, leave it out");
  }
  STRADS_ASSIGN_OR_RETURN(auto matching, match_variables(model, dataset));
  say_what_differs(options, model, matching, dataset);
  const auto predictions = predict_all(fitted, matching, dataset);
  const auto table_text = table_of(dataset, columns_of(model, fitted.names, predictions));
  if (Status written = write_result(options.common.out, table_text); !written.ok()) return written;
  print_unless_quiet(options, what_was_predicted({model, matching, dataset, fitted.names, predictions}, wanted));
  return {};
}

}  // namespace strads::lasso
