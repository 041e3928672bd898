// The one writer of summary.json: of a fit, a path, a cross-validation, of several l1 ratios or traits of these, and of
// a model that was chosen. Formats: docs/OUTPUT.md.
#pragma once

#include <span>

#include "lasso/options/study_options.hpp"
#include "lasso/report/model_files.hpp"
#include "lasso/study/study_result.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Of one trait at one l1 ratio, or at several: the best one, with a list of all, where somebody compares them.
/// `run`: the run of this alone; null: it is one of several, whose work cannot be told apart.
[[nodiscard]] Summary summary_of(StudyKind kind, const CvOptions& options, std::span<const PathResult> ratios,
                                 const RunFacts* run);
/// Of several traits.
[[nodiscard]] Summary summary_of_traits(StudyKind kind, const CvOptions& options, const StudyResults& results);
/// Of the whole of a study.
[[nodiscard]] Summary summary_of_study(StudyKind kind, const CvOptions& options, const StudyResults& results);
/// Of the folder of a model.
[[nodiscard]] Summary summary_of_model(StudyKind kind, const CvOptions& options, const PathResult& result,
                                       const ChosenModel& model);

}  // namespace strads::lasso
