// The options of `lasso fit`, `lasso path` or `lasso cv`, whoever takes them: the command line, a node, the simulator,
// a library, a run that is solved anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lasso/options/cv_options.hpp"
#include "lasso/study/study.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

enum class StudyKind : std::uint8_t { fit, path, cv };

/// "lasso fit".
[[nodiscard]] std::string command_of(StudyKind kind);

/// Options and the table that writes to them, with one life.
struct StudyOptions {
  StudyKind kind;
  CvOptions all;  ///< those of a path are among them, and among these those of a fit
  OptionTable table;

  explicit StudyOptions(StudyKind of);
  /// The same options of another command (`strads_sim run`).
  StudyOptions(StudyKind of, std::string command, std::string usage);
  StudyOptions(const StudyOptions&) = delete;
  StudyOptions& operator=(const StudyOptions&) = delete;

  [[nodiscard]] FitOptions& fit() { return all.path.fit; }
  [[nodiscard]] const FitOptions& fit() const { return all.path.fit; }
  /// As settle_fit_options(), settle_path_options() or settle_cv_options().
  [[nodiscard]] Status settle();
  /// Those that name files.
  [[nodiscard]] std::vector<std::string*> paths();
};

/// What they ask of each response. It may point into `options`. REQUIRES: they are settled, as below.
[[nodiscard]] StudyDesign design_of(StudyKind kind, const CvOptions& options);
/// Paths of such a run.
[[nodiscard]] ProblemCount problem_count_of(StudyKind kind, const CvOptions& options);

}  // namespace strads::lasso
