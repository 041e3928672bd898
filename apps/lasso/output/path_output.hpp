// What `lasso path` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "lasso/run/lasso_run.hpp"
#include "regression/model_file.hpp"

namespace strads::lasso {

/// Everything about a finished path.
struct PathResult : RunFacts {
  std::vector<PathStep> steps;  ///< solved, in order
  std::string path_hash;
  bool tolerance_met = false;  ///< by every lambda that was to be solved
  // Of a path that people who validate have watched, else empty.
  std::vector<double> validation;  ///< error by step
  const char* measure = "";        ///< its name
  std::size_t chosen = 0;          ///< the best step
  bool has_stopped = false;        ///< the path ended since the error grew no smaller
};

inline constexpr const char* kPathFile = "path.tsv";
inline constexpr const char* kPathCoefficientsFile = "path_coefficients.tsv";
inline constexpr const char* kPathCovariatesFile = "path_covariates.tsv";
inline constexpr const char* kPathPicture = "path.svg";
inline constexpr const char* kPathModelFile = "path.bin";

/// Of these solutions; NaN: there is none.
[[nodiscard]] double worst_relative_gap(std::span<const PathStep> steps);
/// "largest gap / objective 1e-07"; of NaN that there is no solution.
[[nodiscard]] std::string largest_gap_text(double worst);

/// The one solution of a run that ended before the first lambda of its path was solved: where it was, with its gap.
/// Nothing where there is none, as of a run that never began.
[[nodiscard]] std::vector<PathStep> unfinished_step(const RunEnd& end, double seconds);
/// What to say of it. `what`: "the path on train".
[[nodiscard]] std::string unfinished_text(const std::string& what);

/// Fills in all but point and seconds. `look`: called with the variables before anything is asked about them.
void complete_step(const LassoData& data, const RunEnd& end, PathStep& step,
                   const std::function<void(std::span<const VarId>)>& look);

/// lambda -> lambda in the units of y, that of glmnet where columns are scaled; of the binomial family, whose response
/// has no unit, lambda / sqrt(sum of weights), glmnet's too.
[[nodiscard]] double lambda_in_y(const LassoData& data, double lambda);

[[nodiscard]] FittedPath fitted_path(const LassoData& data, const std::vector<PathStep>& steps);

/// What to do where the best of the `solved` lambdas of a path that ended with `end` is the last of them; "": there is
/// no choice between lambdas.
[[nodiscard]] std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end);

/// ", tolerance not met" where that is so.
[[nodiscard]] std::string tolerance_note(const PathPoint& point);
/// Indices, from 1, of the lambdas that did not meet the tolerance.
[[nodiscard]] std::vector<std::uint32_t> lambdas_unmet(const std::vector<PathStep>& steps);

/// One line a lambda.
[[nodiscard]] std::string path_table(const LassoData& data, const PathResult& result);
/// One line a nonzero of each lambda.
[[nodiscard]] std::string path_coefficients(const FittedPath& model, const std::vector<PathStep>& steps);
/// One line a covariate of each lambda.
[[nodiscard]] std::string path_covariates(const FittedPath& model, const std::vector<PathStep>& steps);
/// Writes the files of a path: tables, picture, model; with alleles NAME.afreq of all variables that ever are nonzero,
/// with covariates their coefficients. `bfile`: PREFIX of the data.
[[nodiscard]] Status write_path_files(const PathResult& result, const FittedPath& model, const std::string& bfile,
                                      RunDirectory& directory);
/// Standardised coefficients against lambda, those of the variables that become largest.
[[nodiscard]] std::string path_picture(const FittedPath& model, const PathResult& result);

[[nodiscard]] std::string path_progress_line(const PathCommandOptions& options, const PathResult& result,
                                             const ProgressEvent& event, double seconds);
[[nodiscard]] Summary path_summary(const PathCommandOptions& options, const PathResult& result);
/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string path_closing_lines(const PathCommandOptions& options, const PathResult& result,
                                             const RunDirectory& directory);

}  // namespace strads::lasso
