// `svm predict`: classes and decision values of other samples.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "regression/classification.hpp"
#include "regression/classifier_file.hpp"
#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "regression/predictions.hpp"
#include "regression/texts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"
#include "svm/commands/commands.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/report/model_files.hpp"

namespace strads::svm {
namespace {

void note(const PredictOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("svm", text);
}

InputOptions input_of(const PredictOptions& options, const lasso::FittedClassifier& classifier) {
  InputOptions input = lasso::input_to_predict(options.input, classifier.shape);
  input.response.any_classes = true;
  input.response.class_names = classifier.classes;
  return input;
}

/// By plane, the decision values of all rows.
using Decisions = std::vector<std::vector<double>>;

Decisions decide(const lasso::FittedClassifier& classifier, const lasso::Matching& matching, const Dataset& data) {
  Decisions decisions;
  for (std::size_t k = 0; k < classifier.planes.size(); ++k) {
    decisions.push_back(lasso::predict(classifier.at(k), matching, data));
  }
  return decisions;
}

std::vector<std::uint32_t> classes_of(const lasso::FittedClassifier& classifier, const Decisions& decisions) {
  std::vector<std::uint32_t> chosen;
  std::vector<double> row(decisions.size());
  for (std::size_t i = 0; i < decisions.front().size(); ++i) {
    for (std::size_t k = 0; k < decisions.size(); ++k) row[k] = decisions[k][i];
    chosen.push_back(lasso::class_of(classifier, row));
  }
  return chosen;
}

/// Two classes: class and decision; more: class and a decision for each.
std::vector<lasso::PredictedColumn> columns_of(const lasso::FittedClassifier& classifier, const Decisions& decisions,
                                               const std::vector<std::uint32_t>& chosen) {
  std::vector<std::string> names;
  for (const std::string& name : classifier.classes) names.push_back(lasso::field(name));
  std::vector<lasso::PredictedColumn> columns;
  columns.push_back({"class", {}, names, chosen});
  for (std::size_t k = 0; k < decisions.size(); ++k) {
    columns.push_back({classifier.has_one_plane() ? "decision" : "decision_" + names[k], decisions[k]});
  }
  return columns;
}

/// ", 0.93 of the classes right against 'y' (60 samples)", of two classes with the area under the curve; "" where no
/// sample has a response.
std::string score_text(const lasso::FittedClassifier& classifier, const Dataset& data, const Decisions& decisions,
                       const std::vector<std::uint32_t>& chosen) {
  if (data.response().empty()) return "";
  std::vector<double> scores, is_second;
  std::uint64_t right = 0;
  for (const std::uint32_t i : lasso::samples_of(data.columns())) {
    const double own = data.response()[i];
    if (std::isnan(own)) continue;
    scores.push_back(decisions.front()[i]);
    is_second.push_back(own);
    right += own == static_cast<double>(chosen[i]) ? 1 : 0;
  }
  if (scores.empty()) return "";
  const double share = static_cast<double>(right) / static_cast<double>(scores.size());
  std::string text = ", " + short_text(share, 5) + " of the classes right";
  const double area = classifier.has_one_plane() ? lasso::area_under_curve(scores, is_second, {}) : std::nan("");
  if (!std::isnan(area)) text += ", AUC " + short_text(area, 5);
  return text + " against '" + lasso::field(data.response_name()) + "' (" +
         with_unit(scores.size(), "sample", "samples") + ")";
}

}  // namespace

Status run_predict(std::span<const std::string> arguments) {
  PredictOptions options;
  OptionTable table = predict_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "svm")) return {};
  if (Status checked = check_predict_options(options); !checked.ok()) return checked;
  if (Status run = expect_run_folder(options.model, kModelFile, "svm fit"); !run.ok()) return run;
  STRADS_ASSIGN_OR_RETURN(const auto classifier, lasso::read_classifier(options.model + "/" + kModelFile));
  STRADS_ASSIGN_OR_RETURN(const auto data, load_dataset(input_of(options, classifier)));
  const Dataset& dataset = *data;
  if (Status named = lasso::expect_named_response(options.input, dataset, "svm predict"); !named.ok()) return named;
  STRADS_ASSIGN_OR_RETURN(const auto matching, lasso::match_variables(classifier.shape, dataset));
  for (const std::string& text : lasso::notes_of_prediction(classifier.shape, matching, dataset)) note(options, text);
  const Decisions decisions = decide(classifier, matching, dataset);
  const auto chosen = classes_of(classifier, decisions);
  const auto text = lasso::prediction_table(dataset, columns_of(classifier, decisions, chosen));
  if (Status written = write_result(options.common.out, text); !written.ok()) return written;
  note(options, with_unit(dataset.columns().samples(), "sample", "samples") + " predicted with " +
                    with_unit(classifier.shape.variables.size(), "variable", "variables") +
                    score_text(classifier, dataset, decisions, chosen));
  return {};
}

}  // namespace strads::svm
