// The models of an earlier run, for the commands that use them.
#pragma once

#include <string>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {

/// What was fitted: one model, or those of a path that were asked for.
struct FittedSolutions {
  FittedModel all;                               ///< every variable that one of the models has, once
  std::vector<FittedModel> models;               ///< to predict with
  std::vector<std::string> names;                ///< of their columns
  std::vector<std::vector<std::size_t>> places;  ///< of each model's variables in `all`
  std::vector<std::string> notes;                ///< what a user should know of the choice
};

/// Reads model.bin of a fit or path.bin of a path or a cross-validation. Errors: usage: a choice that the run does not
/// have; input: no run, damaged.
[[nodiscard]] Result<FittedSolutions> read_fitted(const SolutionChoice& choice);
/// The same where one model is needed; notes are added to `notes`. Errors: usage also: a path of which no solution was
/// chosen.
[[nodiscard]] Result<FittedModel> read_one_fitted(const SolutionChoice& choice, std::vector<std::string>& notes);

}  // namespace strads::lasso
