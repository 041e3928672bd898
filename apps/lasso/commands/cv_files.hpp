// The files of `lasso cv`: of one trait in DIR, of several in DIR/TRAIT; of several l1 ratios the best one there and
// each one in a folder beside it. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "lasso/output/cv_output.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// The effective configurations of what is in a folder, for it alone.
struct CvConfigs {
  std::vector<std::string> traits;  ///< empty: one trait
  std::vector<std::string> ratios;  ///< by trait and ratio; empty: one ratio
};
[[nodiscard]] CvConfigs configs_of_cv(CvOptions& options, const OptionTable& table);

/// All that may be written, without the summary of the whole.
[[nodiscard]] std::vector<std::string> files_of_cv(const CvOptions& options);

/// Writes all of them but trace and log, and returns the summary of the whole. Results without a curve have the path on
/// all samples alone.
[[nodiscard]] Result<Summary> write_cv(const CvOptions& options, const CvResults& results, const CvConfigs& configs,
                                       const RunFacts& run, RunDirectory& directory);

}  // namespace strads::lasso
