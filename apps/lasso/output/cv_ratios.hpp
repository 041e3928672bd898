// What `lasso path` and `lasso cv` write and show about several l1 ratios of one trait together. Formats:
// docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>

#include "lasso/output/cv_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

inline constexpr const char* kRatiosFile = "l1_ratios.tsv";

/// "l1_ratio_0.5".
[[nodiscard]] std::string ratio_folder(double l1_ratio);
/// "l1 ratio 0.5".
[[nodiscard]] std::string ratio_text(const PathResult& result);
/// As `options`, and no other ratio than that of the result.
[[nodiscard]] CvOptions options_at(const CvOptions& options, const PathResult& result);

/// One line a ratio: error and size at lambda.min and lambda.1se, and which ratio is the best.
[[nodiscard]] std::string ratios_table(std::span<const PathResult> ratios);
/// The curves of all ratios, the choices of the best one.
[[nodiscard]] std::string ratios_picture(std::span<const PathResult> ratios);
/// Adds all ratios as a list.
void add_ratios(Summary& summary, std::span<const PathResult> ratios);
/// What was fitted, the best ratio, a line for each of the first, size, time, where the files are.
[[nodiscard]] std::string ratios_closing_lines(const CvOptions& options, std::span<const PathResult> ratios,
                                               const RunFacts& run, const RunDirectory& directory);

/// Whether there is a choice to make: folds, or people who validate.
[[nodiscard]] bool is_watched(const PathResult& result);
/// Lambdas of the curve, or of a path that nobody watches.
[[nodiscard]] std::uint64_t lambdas_shown(const PathResult& result);
/// Columns of what is chosen, "lambda_min" ... of folds, "lambda_chosen" ... of a split; of a path that nobody watches
/// of its last solution. Each starts with a tab.
[[nodiscard]] std::string choice_columns(const PathResult& result);
/// The fields of these; NA without a solution.
[[nodiscard]] std::string choice_fields(const PathResult& result);
/// The same for people.
[[nodiscard]] std::string choices_text(const PathResult& result);
/// The same in a summary, and how many lambdas there are.
void add_choices(Summary& summary, const PathResult& result);
[[nodiscard]] double worst_relative_gap(std::span<const PathResult> results);

}  // namespace strads::lasso
