// What `lasso cv` writes and shows about several l1 ratios of one trait together. Formats: docs/OUTPUT.md.
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
[[nodiscard]] std::string ratio_text(const CvResult& result);
/// As `options`, and no other ratio than that of the result.
[[nodiscard]] CvOptions options_at(const CvOptions& options, const CvResult& result);

/// One line a ratio: error and size at lambda.min and lambda.1se, and which ratio is the best.
[[nodiscard]] std::string ratios_table(std::span<const CvResult> ratios);
/// The curves of all ratios, the choices of the best one.
[[nodiscard]] std::string ratios_picture(std::span<const CvResult> ratios);
/// Adds all ratios as a list.
void add_ratios(Summary& summary, std::span<const CvResult> ratios);
/// What was fitted, the best ratio, a line for each of the first, size, time, where the files are.
[[nodiscard]] std::string ratios_closing_lines(const CvOptions& options, std::span<const CvResult> ratios,
                                               const RunFacts& run, const RunDirectory& directory);

/// Columns of a choice on the curve, in order: "lambda_", ...; one starts with a tab.
[[nodiscard]] std::string choice_columns(const std::string& choice);
/// Those of point `k`; all NA without a curve.
[[nodiscard]] std::string choice_fields(const CvResult& result, std::size_t k);
/// "lambda.min ..., lambda.1se ...", for people.
[[nodiscard]] std::string choices_text(const CvResult& result);
[[nodiscard]] double worst_relative_gap(std::span<const CvResult> results);

}  // namespace strads::lasso
