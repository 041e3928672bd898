// What `lasso cv` writes and shows about several traits together. Formats: docs/OUTPUT.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lasso/output/cv_output.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

inline constexpr const char* kTraitsFile = "traits.tsv";

/// Files of the whole, beside the folders of the traits; without the summary.
[[nodiscard]] std::vector<std::string> files_of_traits();

/// One line a trait: its samples, and error and size at lambda.min and lambda.1se, of several l1 ratios of the best.
[[nodiscard]] std::string traits_table(const CvResults& results);
[[nodiscard]] Summary traits_summary(const CvOptions& options, const CvResults& results, const RunFacts& run);
/// What was fitted, a line for each of the first traits, size, time, where the files are.
[[nodiscard]] std::string traits_closing_lines(const CvOptions& options, const CvResults& results, const RunFacts& run,
                                               const RunDirectory& directory);

}  // namespace strads::lasso
