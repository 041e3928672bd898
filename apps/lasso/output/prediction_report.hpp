// What `lasso predict` says when it has done its work.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regression/match_variables.hpp"

namespace strads::lasso {

/// Predictions of one or several models for one data set.
struct Predicted {
  const FittedModel& model;  ///< every variable that one of the models has
  const Matching& matching;
  const Dataset& data;
  const std::vector<std::string>& names;                ///< of the columns written
  const std::vector<std::vector<double>>& predictions;  ///< for each of them, one number a row
};

struct Score {
  double r2 = 0;
  std::uint64_t samples = 0;
};

/// 1 - sum (y - prediction)^2 / sum (y - ybar)^2 over the samples that have a response; nothing with fewer than two, or
/// where these do not differ.
[[nodiscard]] std::optional<Score> score_of(const Dataset& data, std::span<const double> predictions);

/// "60 samples predicted with 12 of the model's 12 variables, R2 0.53 against 'y' (60 samples)". The R2 is said where
/// the response is that of the model, or `wanted`; of several predictions the best one.
[[nodiscard]] std::string what_was_predicted(const Predicted& done, bool wanted);

}  // namespace strads::lasso
