// Which files `lasso fit`, `lasso path` and `lasso cv` write, and where: of one trait in DIR, of several in DIR/TRAIT;
// of several l1 ratios each one in a folder there, and the one that was chosen beside these. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "lasso/options/study_options.hpp"
#include "lasso/study/study_result.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// The effective configurations of what is in a folder, for it alone.
struct StudyConfigs {
  std::vector<std::string> traits;  ///< empty: one trait
  std::vector<std::string> ratios;  ///< by trait and ratio; empty: one ratio
};
[[nodiscard]] StudyConfigs configs_of_study(StudyOptions& all);

/// All that may be written, without the summary of the whole and the models without a fold.
[[nodiscard]] std::vector<std::string> files_of_study(StudyKind kind, const CvOptions& options);

/// Writes all of them but trace and log, and returns the summary of the whole. A cross-validation without a curve has
/// the path on all samples alone.
[[nodiscard]] Result<Summary> write_study(StudyKind kind, const CvOptions& options, const StudyResults& results,
                                          const StudyConfigs& configs, RunDirectory& directory);

}  // namespace strads::lasso
