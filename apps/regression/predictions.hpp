// What every command does that applies a fitted model to other data: which data it reads, what it says of them, the
// table of its predictions.
#pragma once

#include <string>
#include <vector>

#include "regression/match_variables.hpp"
#include "regression/model_file.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// What is read: nothing is dropped, missing values stay (the training means take their place), and a response is taken
/// where there is one. `input`: as the user gave it.
[[nodiscard]] InputOptions input_to_predict(InputOptions input, const FittedModel& model);
/// Whether the user named a response.
[[nodiscard]] bool names_response(const Response& response);
/// Errors: usage: the user named one, and `data` have no such column. `command`: "lasso predict".
[[nodiscard]] Status expect_named_response(const InputOptions& given, const Dataset& data, const std::string& command);

/// A line each: what was matched by number alone, how the variables differ, warnings of the data, samples left out.
[[nodiscard]] std::vector<std::string> notes_of_prediction(const FittedModel& model, const Matching& matching,
                                                           const Dataset& data);

/// A column of the table of predictions: a text for each row of the data.
struct PredictedColumn {
  std::string name;
  std::vector<double> values;              ///< by row, or
  std::vector<std::string> words = {};     ///< of classes, of which
  std::vector<std::uint32_t> chosen = {};  ///< says by row which one
};
/// FID IID and the columns; with one id only: id; without ids: the row's number, from 1. A line for each sample that
/// takes part.
[[nodiscard]] std::string prediction_table(const Dataset& data, const std::vector<PredictedColumn>& columns);

}  // namespace strads::lasso
