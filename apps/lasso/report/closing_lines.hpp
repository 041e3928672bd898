// What people read on the screen of `lasso fit`, `lasso path` and `lasso cv`: progress, and the lines at the end.
#pragma once

#include <string>

#include "lasso/options/study_options.hpp"
#include "lasso/study/study_result.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lasso {

/// What was fitted, quality, what was chosen and how good it is on others, what was left out, size, time, where the
/// files are.
[[nodiscard]] std::string closing_lines(StudyKind kind, const CvOptions& options, const StudyResults& results,
                                        const RunDirectory& directory);

/// Of one path.
[[nodiscard]] ProgressLine path_progress_line(const PathCommandOptions& options, const PathResult& result,
                                              const ProgressEvent& event, double seconds);
/// Of several beside each other.
[[nodiscard]] ProgressLine paths_progress_line(const CvOptions& options, const StudyResults& results,
                                               const ProgressEvent& event, double seconds);
inline constexpr const char* kPathsTraceHeader =
    "seconds,event,round,phase,solutions,updates,updates_path,flops,flops_path,blocks";
/// A barrier as a line of trace.csv, "" of other events. Objectives of solutions at different lambdas have no sum that
/// means anything, so that it says how many solutions there are.
[[nodiscard]] std::string paths_trace_row(const StudyResults& results, const ProgressEvent& event, double seconds);

/// "train 800, val 100, test 100": samples.
[[nodiscard]] std::string split_text(const PathGroup& group);

}  // namespace strads::lasso
