// What a cross-validation predicts for people whom it held out.
#pragma once

#include <string>

#include "lasso/output/cv_output.hpp"

namespace strads::lasso {

inline constexpr const char* kFoldPredictionsFile = "predictions.tsv";

/// One line a sample: its names (its row, where it has none), fold, response, and what the paths without its fold say
/// of it at lambda.min and at lambda.1se; binomial: probabilities and log-odds. Offsets are added. REQUIRES: a curve.
[[nodiscard]] std::string fold_predictions_table(const PathResult& result);

}  // namespace strads::lasso
