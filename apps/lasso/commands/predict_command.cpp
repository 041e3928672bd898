#include "lasso/commands/predict_command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "lasso/options/fit_options.hpp"
#include "lasso/output/cv_traits.hpp"
#include "lasso/output/prediction_report.hpp"
#include "regression/classification.hpp"
#include "regression/foreign_options.hpp"
#include "regression/match_variables.hpp"
#include "regression/model_file.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lasso {
namespace {

void note(const PredictOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("lasso", text);
}

void say_what_differs(const PredictOptions& options, const FittedModel& model, const Matching& matching,
                      const Dataset& data) {
  const auto of_all = " of the model's " + std::to_string(model.variables.size()) + " variables ";
  if (matching.by_position) note(options, "columns without names: matched by column number");
  if (matching.swapped > 0) {
    note(options, std::to_string(matching.swapped) + of_all + "have their alleles swapped here: flipped");
  }
  if (matching.absent > 0) note(options, std::to_string(matching.absent) + of_all + "are absent: training mean used");
  if (matching.other_alleles > 0) {
    note(options, std::to_string(matching.other_alleles) + of_all + "have other alleles here: training mean used");
  }
  if (matching.ambiguous > 0) {
    note(options, std::to_string(matching.ambiguous) + of_all +
                      "match several columns equally well: left out, training mean used");
  }
  for (const auto& warning : data.warnings()) note(options, warning);
  for (const auto& dropped : data.dropped_samples()) {
    if (dropped.count > 0) note(options, std::to_string(dropped.count) + " samples left out: " + dropped.reason);
  }
}

/// What was fitted: one model, or those of a path that were asked for.
struct Fitted {
  FittedModel all;                               ///< every variable that one of the models has, once
  std::vector<FittedModel> models;               ///< to predict with
  std::vector<std::string> names;                ///< of their columns
  std::vector<std::vector<std::size_t>> places;  ///< of each model's variables in `all`
};

std::string range_text(const FittedPath& path) {
  return "the path has " + std::to_string(path.steps.size()) + " lambdas, from " +
         short_text(path.steps.front().lambda, 4) + " to " + short_text(path.steps.back().lambda, 4);
}

/// A solution to predict with, and the name of its column.
struct ChosenStep {
  FittedStep step;
  std::string name;
};

/// The solution at a lambda: one of those that were solved, or the line between the two around it, which is said.
Result<ChosenStep> step_at(const PredictOptions& options, const FittedPath& path, double lambda) {
  constexpr double kSame = 1e-5;  // lambdas that people copy have lost digits
  const auto& steps = path.steps;
  for (const FittedStep& step : steps) {
    if (std::abs(step.lambda / lambda - 1) <= kSame) return ChosenStep{step, "prediction"};
  }
  if (!(lambda < steps.front().lambda && lambda > steps.back().lambda)) {
    return Status::usage("--lambda " + short_text(lambda) + " is not within what was solved: " + range_text(path) +
                         "; path.tsv lists them");
  }
  std::size_t k = 0;
  while (steps[k + 1].lambda > lambda) ++k;
  note(options, "--lambda " + short_text(lambda) + " lies between lambda " + std::to_string(k + 1) + " = " +
                    short_text(steps[k].lambda) + " and " + std::to_string(k + 2) + " = " +
                    short_text(steps[k + 1].lambda) +
                    " of the path: coefficients are interpolated linearly, as glmnet does; lasso fit --lambda solves "
                    "there");
  return ChosenStep{path.between(k, lambda), "prediction_interpolated"};
}

Result<std::vector<ChosenStep>> chosen_steps(const PredictOptions& options, const FittedPath& path) {
  const std::size_t count = path.steps.size();
  const auto one = [&](std::size_t k) { return std::vector<ChosenStep>{{path.steps[k], "prediction"}}; };
  if (options.lambda_index > 0) {
    if (options.lambda_index <= count) return one(options.lambda_index - 1);
    return Status::usage("--lambda-index " + std::to_string(options.lambda_index) + ": " + range_text(path));
  }
  if (options.lambda.has_value()) {
    auto step = step_at(options, path, *options.lambda);
    if (!step.ok()) return step.status();
    return std::vector<ChosenStep>{std::move(step).value()};
  }
  const std::uint64_t chosen = options.lambda_1se ? path.simplest : path.least;
  if (chosen > 0) return one(chosen - 1);
  if (options.lambda_1se) return Status::usage("--lambda-1se needs the run of a cross-validation; " + range_text(path));
  std::vector<ChosenStep> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back({path.steps[k], count == 1 ? "prediction" : "prediction_" + std::to_string(k + 1)});
  }
  return all;
}

Result<Fitted> read_fitted(const PredictOptions& options) {
  Fitted fitted;
  std::error_code none;
  const std::string path_file =
      options.model + (options.fold > 0 ? "/fold_" + std::to_string(options.fold) + ".bin" : "/path.bin");
  if (options.fold > 0 && !std::filesystem::exists(path_file, none)) {
    return Status::usage("--fold " + std::to_string(options.fold) + ": " + path_file +
                         " is not there; --model DIR with --fold K needs the run of a cross-validation");
  }
  if (!std::filesystem::exists(path_file, none)) {
    if (options.lambda.has_value() || options.lambda_index > 0 || options.lambda_1se) {
      return Status::usage("--lambda, --lambda-index and --lambda-1se choose among the solutions of a path, and " +
                           options.model + " has no path.bin");
    }
    if (std::filesystem::exists(options.model + "/" + kTraitsFile, none)) {
      return Status::usage("--model " + options.model +
                           ": a cross-validation of several traits; give the folder of one: " + "--model " +
                           options.model + "/TRAIT (" + options.model + "/" + kTraitsFile + " lists them)");
    }
    if (Status run = expect_run_folder(options.model, "model.bin", "lasso fit"); !run.ok()) return run;
    auto model = read_model(options.model + "/model.bin");
    if (!model.ok()) return model.status();
    fitted.all = model.value();
    fitted.models.push_back(std::move(model).value());
    fitted.names.emplace_back("prediction");
    fitted.places.emplace_back(fitted.all.variables.size());
    std::iota(fitted.places[0].begin(), fitted.places[0].end(), std::size_t{0});
    return fitted;
  }
  auto path = read_path(path_file);
  if (!path.ok()) return path.status();
  auto steps = chosen_steps(options, path.value());
  if (!steps.ok()) return steps.status();
  fitted.all = path.value().shape;
  for (const ChosenStep& chosen : steps.value()) {
    fitted.models.push_back(path.value().at(chosen.step));
    fitted.names.push_back(chosen.name);
    fitted.places.emplace_back(chosen.step.places.begin(), chosen.step.places.end());
  }
  return fitted;
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

/// Of least squares the predictions; of the binomial family for each model the probability of class 1 and its log-odds,
/// under "probability" and "link" in place of "prediction".
Columns columns_of(const FittedModel& model, const std::vector<std::string>& names,
                   const std::vector<std::vector<double>>& predictions) {
  if (!model.is_binomial()) return {names, predictions};
  Columns columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (const char* what : {"probability", "link"}) columns.names.push_back(column_of_classes(what, names[k]));
    auto& probabilities = columns.values.emplace_back();
    for (const double link : predictions[k]) probabilities.push_back(probability_of(link));
    columns.values.push_back(predictions[k]);
  }
  return columns;
}

/// FID IID prediction; with one id only: id prediction; without ids: the row's number, from 1.
std::string table_of(const Dataset& data, const Columns& columns) {
  const auto& view = data.columns();
  const bool named = view.rows > 0 && !data.sample(0).individual.empty();
  const bool families = view.rows > 0 && !data.sample(0).family.empty();
  std::string out = !named ? "row" : families ? "FID\tIID" : "IID";
  for (const std::string& name : columns.names) out.append("\t").append(name);
  out += "\n";
  std::size_t next_dropped = 0;
  for (std::uint64_t i = 0; i < view.rows; ++i) {
    if (next_dropped < view.dropped_rows.size() && view.dropped_rows[next_dropped] == i) {
      ++next_dropped;
      continue;
    }
    if (named) {
      const auto sample = data.sample(i);
      if (families) out.append(sample.family).append("\t");
      out.append(sample.individual);
    } else {
      out += std::to_string(i + 1);
    }
    for (const auto& of_model : columns.values) out.append("\t").append(exact_text(of_model[i]));
    out += "\n";
  }
  return out;
}

/// What is read: nothing is dropped, missing values stay, and a response is taken where there is one.
InputOptions input_of(const PredictOptions& options, const FittedModel& model) {
  InputOptions input = options.input;
  input.response_required = false;
  input.missing_mean = true;
  input.missing_stays = true;  // the training means take the place of NaN below
  input.covar_names = model.covariate_names;
  input.two_classes = model.is_binomial();
  input.classes = model.classes;
  const bool is_variable = std::any_of(model.variables.begin(), model.variables.end(),
                                       [&](const FittedVariable& one) { return one.id == model.response; });
  const bool in_table = !input.x.empty() && input.y.empty() && input.y_name.empty() && !is_variable;
  if (in_table) input.y_name = model.response;  // formats without names do not look at it
  return input;
}

bool names_response(const InputOptions& input) {
  return !input.y.empty() || !input.y_name.empty() || !input.pheno.empty();
}

Status check_covariates(const InputOptions& input) {
  if (input.covar.empty() == input.covar_names.empty()) return {};
  return Status::usage(input.covar.empty()
                           ? "the model has covariates (" + input.covar_names.front() + " ...), expected --covar FILE"
                           : "the model has no covariates, --covar does not go with it");
}

Status check_offset(const InputOptions& input, const FittedModel& model) {
  if (!input.offset_name.empty() && input.offset.empty()) return Status::usage("--offset-name needs --offset FILE");
  if (input.offset.empty() != model.has_offset) return {};
  return Status::usage(model.has_offset
                           ? "the model was fitted with offsets, expected --offset FILE with those of these "
                             "samples"
                           : "the model was fitted without offsets, --offset does not go with it");
}

/// Of every model, offsets added.
std::vector<std::vector<double>> predict_all(const Fitted& fitted, const Matching& matching, const Dataset& dataset) {
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
  auto fitted = read_fitted(options);
  if (!fitted.ok()) return fitted.status();
  const FittedModel& model = fitted.value().all;
  const InputOptions input = input_of(options, model);
  if (Status covariates = check_covariates(input); !covariates.ok()) return covariates;
  if (Status offset = check_offset(input, model); !offset.ok()) return offset;
  auto data = load_dataset(input);
  if (!data.ok()) return data.status();
  const Dataset& dataset = *data.value();
  const bool wanted = names_response(options.input);
  if (wanted && dataset.response().empty()) {
    return Status::usage("--y-name " + options.input.y_name + ": " + options.input.x +
                         " has no such column of numbers; lasso predict needs no response, leave it out");
  }
  auto matching = match_variables(model, dataset);
  if (!matching.ok()) return matching.status();
  say_what_differs(options, model, matching.value(), dataset);
  const auto predictions = predict_all(fitted.value(), matching.value(), dataset);
  const auto table_text = table_of(dataset, columns_of(model, fitted.value().names, predictions));
  if (Status written = write_result(options.common.out, table_text); !written.ok()) return written;
  note(options, what_was_predicted({model, matching.value(), dataset, fitted.value().names, predictions}, wanted));
  return {};
}

}  // namespace strads::lasso
