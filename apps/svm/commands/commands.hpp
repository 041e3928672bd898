// The commands of `svm`. `arguments`: those after the command's name.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::svm {

/// Loads, solves, checks, writes. The status' code is the exit code: ok only if every class meets the tolerance,
/// stopped (without a message) when a limit or a signal ended the run and what was found until then is written. Errors:
/// usage, input, cluster.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);
/// Fits every cost without each fold, scores what was held out, fits the chosen cost on all samples. The status' code
/// is the exit code: ok only if every fit meets the tolerance, stopped as of run_fit(). Errors: usage, input, cluster.
[[nodiscard]] Status run_cv(std::span<const std::string> arguments);
/// Classes and decision values of other samples. Errors: usage, input.
[[nodiscard]] Status run_predict(std::span<const std::string> arguments);

}  // namespace strads::svm
