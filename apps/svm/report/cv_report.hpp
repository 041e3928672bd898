// What `svm cv` finds, shows and writes. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "regression/cv_folds.hpp"
#include "strads/data/dataset.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "svm/options/cv_options.hpp"
#include "svm/report/cv_scores.hpp"
#include "svm/report/fit_report.hpp"

namespace strads::svm {

inline constexpr const char* kCvFile = "cv.tsv";
inline constexpr const char* kFoldsFile = "folds.tsv";

/// Everything about a cross-validation.
struct CvResult : RunRecord {
  std::shared_ptr<const Dataset> dataset;
  lasso::Folds folds;
  CvPlan plan;
  std::vector<CvFit> fits;         ///< in the order of the plan
  std::optional<FitResult> refit;  ///< on all samples, once it has ended
  FitOptions refit_options;        ///< those of a fit of its cost
  bool finished = false;           ///< every fit has ended, and met the tolerance
};

/// "fold 2, cost 0.1".
[[nodiscard]] std::string name_of(const CvOptions& options, const CvResult& result, std::size_t fit);

/// cv.tsv: one row a cost.
[[nodiscard]] std::string cv_table(const CvOptions& options, const CvResult& result);
[[nodiscard]] Summary summary_of(const CvOptions& options, const CvResult& result);

/// "12.3 s  fit 27 of 51  one at gap / objective 0.002  best so far cost 1: error 0.02": so many have ended.
/// `event`: of one that runs.
[[nodiscard]] ProgressLine cv_progress_line(const CvOptions& options, const CvResult& result, std::size_t ended,
                                            const ProgressEvent& event, double seconds);

/// Where the best cost is at an end of those that were tried: the costs beyond it. "" where it is not.
[[nodiscard]] std::string edge_of_costs(const CvOptions& options, double best);

/// The table for people, the choice, the fit on all samples, time and files.
[[nodiscard]] std::string closing_lines(const CvOptions& options, const CvResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::svm
