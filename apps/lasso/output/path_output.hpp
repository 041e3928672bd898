// What `lasso path` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lasso/options/path_options.hpp"
#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

inline constexpr const char* kPathFile = "path.tsv";
inline constexpr const char* kPathCoefficientsFile = "path_coefficients.tsv";
inline constexpr const char* kPathCovariatesFile = "path_covariates.tsv";
inline constexpr const char* kPathPicture = "path.svg";
inline constexpr const char* kPathModelFile = "path.bin";

/// All that a path may write, but for NAME.afreq and the summary.
[[nodiscard]] std::vector<std::string> files_of_path();

/// Of these solutions; NaN: there is none.
[[nodiscard]] double worst_relative_gap(std::span<const Solution> steps);
/// "largest gap / objective 1e-07"; of NaN that there is no solution.
[[nodiscard]] std::string largest_gap_text(double worst);

/// The one solution of a run that ended before the first lambda of its path was solved: where it was, with its gap.
/// Nothing where there is none, as of a run that never began.
[[nodiscard]] std::vector<Solution> unfinished(const RunEnd& end, double seconds);
/// What to say of it. `what`: "the path on train".
[[nodiscard]] std::string unfinished_text(const std::string& what);

/// Fills in what the driver makes of a solution that a judge has accepted. Cost: on a cluster a pass over its
/// variables, which nobody has looked at in this process.
void complete(const LassoData& data, const RunEnd& end, Solution& solution);

[[nodiscard]] FittedPath fitted_path(const LassoData& data, const std::vector<Solution>& steps);

/// What to do where the best of the `solved` lambdas of a path that ended with `end` is the last of them; "": there is
/// no choice between lambdas.
[[nodiscard]] std::string beyond_the_last(const LassoOptions& lasso, std::size_t solved, const RunEnd& end);

/// Indices, from 1, of the lambdas that did not meet the tolerance.
[[nodiscard]] std::vector<std::uint32_t> lambdas_unmet(const std::vector<Solution>& steps);

/// One line a lambda.
[[nodiscard]] std::string path_table(const PathResult& result);
/// One line a nonzero of each lambda.
[[nodiscard]] std::string path_coefficients(const FittedPath& model, const std::vector<Solution>& steps);
/// One line a covariate of each lambda.
[[nodiscard]] std::string path_covariates(const FittedPath& model, const std::vector<Solution>& steps);
/// Writes the files of a path: tables, picture, model; with alleles NAME.afreq of all variables that ever are nonzero,
/// with covariates their coefficients. `bfile`: PREFIX of the data.
[[nodiscard]] Status write_path_files(const PathResult& result, const FittedPath& model, const std::string& bfile,
                                      RunDirectory& directory);
/// Standardised coefficients against lambda, those of the variables that become largest.
[[nodiscard]] std::string path_picture(const FittedPath& model, const PathResult& result);

[[nodiscard]] std::string path_progress_line(const PathCommandOptions& options, const PathResult& result,
                                             const ProgressEvent& event, double seconds);
/// `run`: of this path; null: it is one of several, whose work cannot be told apart. `all`: of several l1 ratios,
/// `result` among them: how they ended is said of all together.
[[nodiscard]] Summary path_summary(const PathCommandOptions& options, const PathResult& result, const RunFacts* run,
                                   std::span<const PathResult> all = {});
/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string path_closing_lines(const PathCommandOptions& options, const PathResult& result,
                                             const RunDirectory& directory);

}  // namespace strads::lasso
