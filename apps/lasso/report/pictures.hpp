// Every picture of `lasso path` and `lasso cv`. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>

#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {

inline constexpr const char* kPathPicture = "path.svg";
inline constexpr const char* kCvPicture = "cv.svg";
inline constexpr const char* kValidationPicture = "val.svg";

/// Standardised coefficients against lambda, those of the variables that become largest.
[[nodiscard]] std::string path_picture(const FittedPath& model, const PathResult& result);
/// The error against lambda, over the folds or on val. REQUIRES: a choice.
[[nodiscard]] std::string curve_picture(const PathResult& result);
/// The curves of all ratios, the choices of the best one. REQUIRES: folds, curves.
[[nodiscard]] std::string ratios_picture(std::span<const PathResult> ratios);

}  // namespace strads::lasso
