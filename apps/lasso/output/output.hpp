// What `lasso fit` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>

#include "lasso/model/lasso.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/run/lasso_run.hpp"
#include "regression/model_file.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Everything about a finished fit.
struct FitResult : RunFacts {
  Solution solution;
  bool tolerance_met = false;  ///< the gap recomputed from the data is at most tolerance x objective
};

/// Names of the files besides summary.json and NAME.afreq.
inline constexpr const char* kCoefficientsFile = "coefficients.tsv";
inline constexpr const char* kModelFile = "model.bin";

[[nodiscard]] FittedModel fitted_model(const FitResult& result);

/// Nonzeros, one a line. PLINK: id chromosome position A1 A2 standardized coefficient column, so that
/// `plink2 --score coefficients.tsv 1 4 7 header` reads it; other formats: id standardized coefficient column.
/// `column` counts from 1; it is the id where the format has no names. Binomial: a last column odds_ratio.
///   standardized: coefficients on the solver's scale, one for each variable of the model
[[nodiscard]] std::string coefficients_table(const FittedModel& model, std::span<const double> standardized);

/// Allele frequencies of the nonzeros over the training samples in plink2's .afreq format (--read-freq): ALT is the
/// counted allele, so that a missing call is imputed with the training mean. Only for data with alleles.
[[nodiscard]] std::string frequency_table(const LassoData& data, const FittedModel& model);

/// NAME.afreq: the last part of --bfile.
[[nodiscard]] std::string frequency_file(const std::string& bfile);

[[nodiscard]] Summary summary_of(const FitOptions& options, const FitResult& result);

/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string closing_lines(const FitOptions& options, const FitResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::lasso
