// `lasso fit`, `lasso path`, `lasso cv`: each runs a study and writes it down.
#pragma once

#include <span>
#include <string>

#include "lasso/options/study_options.hpp"
#include "lasso/study/study_result.hpp"
#include "strads/base/status.hpp"

namespace strads::lasso {

/// `arguments`: those after "fit". Writes the run directory; stdout gets the closing lines. The status' code is the
/// exit code: ok only if all solutions are there and meet the tolerance, stopped (without a message) when a limit or a
/// signal ended the run and what was found until then is written. Errors: usage, input, cluster.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);
[[nodiscard]] Status run_path(std::span<const std::string> arguments);
[[nodiscard]] Status run_cv(std::span<const std::string> arguments);

/// The same inside of another program: `options` are settled, with a host. Errors: as run_fit(); ok or stopped:
/// `results` has what was found.
[[nodiscard]] Status study_in_process(StudyOptions& options, StudyResults& results);

}  // namespace strads::lasso
