// What `lasso path` and `lasso cv` write and show about several traits together. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>

#include "lasso/output/cv_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// One line a trait: its samples, and error and size at lambda.min and lambda.1se, of several l1 ratios of the best.
[[nodiscard]] std::string traits_table(const StudyResults& results);
[[nodiscard]] Summary traits_summary(const CvOptions& options, const StudyResults& results);
/// Of paths of one trait at several l1 ratios that nobody has compared. `run`: as path_summary().
[[nodiscard]] Summary paths_summary(const CvOptions& options, std::span<const PathResult> ratios, const RunFacts* run);
/// What was fitted, a line for each of the first traits, size, time, where the files are.
[[nodiscard]] std::string traits_closing_lines(const CvOptions& options, const StudyResults& results,
                                               const RunFacts& run, const RunDirectory& directory);

}  // namespace strads::lasso
