// What `lasso cv` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lasso/options/cv_options.hpp"
#include "lasso/output/path_output.hpp"
#include "lasso/output/unseen.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

inline constexpr const char* kCvFile = "cv.tsv";
inline constexpr const char* kCvPathsFile = "cv_paths.tsv";
inline constexpr const char* kFoldsFile = "folds.tsv";
inline constexpr const char* kCvPicture = "cv.svg";
/// "fold_3.bin": the path without that fold; `fold` from 0.
[[nodiscard]] std::string fold_model_file(std::size_t fold);

/// One line a lambda: mean and standard error, the error of each fold, which is lambda.min and lambda.1se; binomial: of
/// which measure.
[[nodiscard]] std::string cv_table(const PathResult& result);
/// One line a fold and lambda: certificate, error and hash.
[[nodiscard]] std::string cv_paths_table(const PathResult& result);
[[nodiscard]] std::string cv_picture(const PathResult& result);

[[nodiscard]] std::string cv_progress_line(const StudyResults& results, const ProgressEvent& event, double seconds);
inline constexpr const char* kCvTraceHeader =
    "seconds,event,round,phase,solutions,updates,updates_path,flops,flops_path,blocks";
/// A barrier as a line of trace.csv, "" of other events. Objectives of solutions at different lambdas have no sum that
/// means anything, so that it says how many solutions there are.
[[nodiscard]] std::string cv_trace_row(const StudyResults& results, const ProgressEvent& event, double seconds);
/// 1 - error / variance of the response at point `k` of the curve; covariates count among what explains. NaN where
/// errors are no squares of numbers.
[[nodiscard]] double held_out_r2(const PathResult& result, std::size_t k);
/// Adds lambda, error and size at point `k` of the curve.
void add_choice(Summary& summary, const PathResult& result, std::size_t k);
/// The same as an object.
[[nodiscard]] Summary chosen(const PathResult& result, std::size_t k);
/// The same for people.
[[nodiscard]] std::string chosen_text(const PathResult& result, const char* name, std::size_t k);
[[nodiscard]] double worst_relative_gap(const PathResult& result);
/// What --stop-after has left out.
[[nodiscard]] std::optional<Unseen> unseen_of(const PathResult& result);
/// A closing line of several, "" where none was stopped.
[[nodiscard]] std::string unseen_line(std::span<const PathResult> results);
/// Those that took part; those of the data where nothing was solved.
[[nodiscard]] std::uint64_t variables_of(const PathResult& result);
/// Solutions of the path on all samples and of those without a fold that did not meet the tolerance.
[[nodiscard]] std::uint64_t solutions_unmet(const PathResult& result);
/// How several of them ended.
struct EndOfAll {
  std::string stop_reason = "converged";  ///< of the first that has not converged
  bool tolerance_met = true;
  std::uint64_t unmet = 0;  ///< solutions
  double worst_gap;         ///< NaN: there is no solution

  explicit EndOfAll(std::span<const PathResult> results);
};
/// `run`: the run of this trait alone; null: it is one of several, whose work cannot be told apart. `all`: of several
/// l1 ratios, `result` among them: how they ended is said of all together.
[[nodiscard]] Summary cv_summary(const CvOptions& options, const PathResult& result, const RunFacts* run,
                                 std::span<const PathResult> all = {});
/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string cv_closing_lines(const CvOptions& options, const PathResult& result, const RunFacts& run,
                                           const RunDirectory& directory);

}  // namespace strads::lasso
