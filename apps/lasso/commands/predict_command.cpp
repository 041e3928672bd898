#include "lasso/commands/predict_command.hpp"

#include <utility>
#include <vector>

#include "lasso/commands/fitted_solutions.hpp"
#include "lasso/options/data_options.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/report/family_facts.hpp"
#include "lasso/report/prediction_report.hpp"
#include "regression/foreign_options.hpp"
#include "regression/match_variables.hpp"
#include "regression/model_file.hpp"
#include "regression/predictions.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"

namespace strads::lasso {
namespace {

void print_unless_quiet(const PredictOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("lasso", text);
}

/// The matching of one of the models, whose variables are some of those that were matched.
Matching part_of(const Matching& all, const std::vector<std::size_t>& places) {
  Matching own;
  own.by_position = all.by_position;
  for (const std::size_t place : places) own.matches.push_back(all.matches[place]);
  return own;
}

/// Of least squares the predictions; of other families for each model what takes the response's place and the link, as
/// "probability" and "link" of classes, in place of "prediction".
std::vector<PredictedColumn> columns_of(const FittedModel& model, const std::vector<std::string>& names,
                                        const std::vector<std::vector<double>>& predictions) {
  const Family family = family_of(model);
  std::vector<PredictedColumn> columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (family->is_squares()) {
      columns.push_back({names[k], predictions[k]});
      continue;
    }
    auto& means = columns.emplace_back(PredictedColumn{column_in_place(family->mean_column, names[k]), {}}).values;
    for (const double link : predictions[k]) means.push_back(family->mean_of(link));
    columns.push_back({column_in_place("link", names[k]), predictions[k]});
  }
  return columns;
}

InputOptions input_of(const PredictOptions& options, const FittedModel& model) {
  InputOptions input = input_to_predict(options.input, model);
  input.response.two_classes = model.has_classes();
  input.response.only_numbers = family_of(model)->has_only_numbers();
  input.response.classes = model.classes;
  return input;
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
  if (Status named = expect_named_response(options.input, dataset, "lasso predict"); !named.ok()) return named;
  STRADS_ASSIGN_OR_RETURN(auto matching, match_variables(model, dataset));
  for (const std::string& text : notes_of_prediction(model, matching, dataset)) print_unless_quiet(options, text);
  const auto predictions = predict_all(fitted, matching, dataset);
  const auto table_text = prediction_table(dataset, columns_of(model, fitted.names, predictions));
  if (Status written = write_result(options.common.out, table_text); !written.ok()) return written;
  print_unless_quiet(options, what_was_predicted({model, matching, dataset, fitted.names, predictions},
                                                 names_response(options.input.response)));
  return {};
}

}  // namespace strads::lasso
