#include "regression/predictions.hpp"

#include <algorithm>

#include "regression/people.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {

InputOptions input_to_predict(InputOptions input, const FittedModel& model) {
  Response& response = input.response;
  response.required = false;
  input.source.missing_mean = true;
  input.source.missing_stays = true;
  response.covar_names = model.covariate_names;
  const bool is_variable = std::any_of(model.variables.begin(), model.variables.end(),
                                       [&](const FittedVariable& one) { return one.id == model.response; });
  const bool in_table = !input.source.x.empty() && response.y.empty() && response.y_name.empty() && !is_variable;
  if (in_table) response.y_name = model.response;  // formats without names do not look at it
  return input;
}

bool names_response(const Response& response) {
  return !response.y.empty() || !response.y_name.empty() || !response.pheno.empty();
}

Status expect_named_response(const InputOptions& given, const Dataset& data, const std::string& command) {
  if (!names_response(given.response) || !data.response().empty()) return {};
  return Status::usage("--y-name " + given.response.y_name + ": " + given.source.x +
                       " has no such column of numbers; " + command + " needs no response, leave it out");
}

std::vector<std::string> notes_of_prediction(const FittedModel& model, const Matching& matching, const Dataset& data) {
  std::vector<std::string> notes;
  if (matching.by_position && !matching.names_differ)
    notes.emplace_back("columns without names: matched by column number");
  for (auto& text : matching_notes(model, matching)) notes.push_back(std::move(text));
  for (const auto& warning : data.warnings()) notes.push_back(warning);
  for (const auto& dropped : data.dropped_samples()) {
    if (dropped.count > 0) notes.push_back(std::to_string(dropped.count) + " samples left out: " + dropped.reason);
  }
  return notes;
}

std::string prediction_table(const Dataset& data, const std::vector<PredictedColumn>& columns) {
  std::string out = id_columns(data);
  for (const PredictedColumn& column : columns) out.append("\t").append(column.name);
  out += "\n";
  for (const std::uint32_t i : samples_of(data.columns())) {
    out += id_or_row(data, i);
    for (const PredictedColumn& column : columns) {
      out.append("\t").append(column.words.empty() ? exact_text(column.values[i]) : column.words[column.chosen[i]]);
    }
    out += "\n";
  }
  return out;
}

}  // namespace strads::lasso
