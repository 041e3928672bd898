// Every table of `lasso fit`, `lasso path` and `lasso cv`. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {

inline constexpr const char* kCoefficientsFile = "coefficients.tsv";
inline constexpr const char* kPathFile = "path.tsv";
inline constexpr const char* kPathCoefficientsFile = "path_coefficients.tsv";
inline constexpr const char* kPathCovariatesFile = "path_covariates.tsv";
inline constexpr const char* kCvFile = "cv.tsv";
inline constexpr const char* kCvPathsFile = "cv_paths.tsv";
inline constexpr const char* kFoldsFile = "folds.tsv";
inline constexpr const char* kFoldPredictionsFile = "predictions.tsv";
inline constexpr const char* kRatiosFile = "l1_ratios.tsv";

/// Nonzeros, one a line. PLINK: id chromosome position A1 A2 standardized coefficient column, so that
/// `plink2 --score coefficients.tsv 1 4 7 header` reads it; other formats: id standardized coefficient column.
/// `column` counts from 1; it is the id where the format has no names. Binomial: a last column odds_ratio.
///   standardized: coefficients on the solver's scale, one for each variable of the model
[[nodiscard]] std::string coefficients_table(const FittedModel& model, std::span<const double> standardized);
/// The same lines for each lambda, its index in front.
[[nodiscard]] std::string path_coefficients(const FittedPath& model, const std::vector<Solution>& steps);
/// One line a covariate of each lambda.
[[nodiscard]] std::string path_covariates(const FittedPath& model, const std::vector<Solution>& steps);
/// Allele frequencies of the nonzeros over the training samples in plink2's .afreq format (--read-freq): ALT is the
/// counted allele, so that a missing call is imputed with the training mean. Only for data with alleles.
[[nodiscard]] std::string frequency_table(const LassoData& data, const FittedModel& model);

/// One line a lambda.
[[nodiscard]] std::string path_table(const PathResult& result);
/// One line a lambda: mean and standard error, the error of each fold, which is lambda.min and lambda.1se; binomial: of
/// which measure.
[[nodiscard]] std::string cv_table(const PathResult& result);
/// One line a fold and lambda: certificate, error and hash.
[[nodiscard]] std::string cv_paths_table(const PathResult& result);
/// One line a sample: its names (its row, where it has none), fold, response, and what the paths without its fold say
/// of it at lambda.min and at lambda.1se; binomial: probabilities and log-odds. Offsets are added. REQUIRES: a curve.
[[nodiscard]] std::string fold_predictions_table(const PathResult& result);

/// One line a ratio: error and size at what was chosen, and which ratio is the best.
[[nodiscard]] std::string ratios_table(std::span<const PathResult> ratios);
/// One line a trait: its samples, and error and size at what was chosen, of several l1 ratios of the best.
[[nodiscard]] std::string traits_table(const StudyResults& results);
/// Of each trait at its best ratio; where nobody has compared ratios, all.
[[nodiscard]] std::vector<const PathResult*> shown_of_traits(const StudyResults& results);

}  // namespace strads::lasso
