// What `svm fit` shows and what its summary says. Formats: docs/OUTPUT.md.
#pragma once

#include <string>
#include <vector>

#include "regression/classifier_file.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "svm/check/check_svm.hpp"
#include "svm/data/loaded_samples.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// Everything about a finished fit.
struct FitResult : RunRecord {
  LoadedSamples loaded;
  SvmSolution solution;
  SvmCheck check;  ///< what is true of it, recomputed from the data
  lasso::FittedClassifier classifier;
  std::string model_hash;
  bool tolerance_met = false;  ///< by every class
};

/// "1.2 s  round 8  objective 130.5  gap / objective 0.002  310 support vectors  2e+06 updates/s".
[[nodiscard]] ProgressLine progress_line(const ProgressEvent& event, double seconds);

/// What whoever fits has to know of the data that were read, a line each: warnings, what was left out.
[[nodiscard]] std::vector<std::string> notes_of_input(const Dataset& dataset);

// Parts of the summary, for that of `svm cv`: how good the solution is; the problem's classes; the data.
void add_quality(Summary& summary, const FitOptions& options, const FitResult& result);
void add_samples(Summary& summary, const Dataset& dataset);

/// "converged: objective 12.5, gap / objective 3e-07 <= tolerance 1e-06, 0.93 of the training classes right".
[[nodiscard]] std::string quality_text(const FitOptions& options, const FitResult& result);

[[nodiscard]] Summary summary_of(const FitOptions& options, const FitResult& result);

/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string closing_lines(const FitOptions& options, const FitResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::svm
