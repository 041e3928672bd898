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
  const std::vector<std::string>& names;                ///< of the models' columns: "prediction", of several "..._3"
  const std::vector<std::vector<double>>& predictions;  ///< for each of them, one number a row: links
};

/// "probability_3" for "prediction_3". `what`: FamilyFacts::mean_column, "link".
[[nodiscard]] std::string column_in_place(const char* what, const std::string& prediction);

struct Score {
  double r2 = 0;
  std::uint64_t samples = 0;
};

/// 1 - sum (y - prediction)^2 / sum (y - ybar)^2 over the samples that have a response; nothing with fewer than two, or
/// where these do not differ.
[[nodiscard]] std::optional<Score> score_of(const Dataset& data, std::span<const double> predictions);

struct ClassScore {
  double deviance = 0;  ///< mean over the samples of deviance_of(); no probability is cut, so that it may be large
  double area = 0;      ///< area_under_curve(); NaN where all samples are of one class
  double right = 0;     ///< share of the samples whose class has a probability above 0.5
  std::uint64_t samples = 0;
};

/// The same of log-odds for a response of 0 and 1; nothing without a sample that has one.
[[nodiscard]] std::optional<ClassScore> class_score_of(const Dataset& data, std::span<const double> links);

/// "60 samples predicted with 12 of the model's 12 variables, R2 0.53 against 'y' (60 samples)"; of classes
/// "..., deviance 0.91 a sample, AUC 0.84, 0.75 of the classes right against 'y' (60 samples)". The score is said where
/// the response is that of the model, or `wanted`; of several predictions the best one, by R2 or deviance.
[[nodiscard]] std::string what_was_predicted(const Predicted& done, bool wanted);

}  // namespace strads::lasso
