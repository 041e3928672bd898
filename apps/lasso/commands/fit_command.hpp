// `lasso fit`: loads, solves, certifies, writes.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::lasso {

/// `arguments`: those after "fit". The status' code is the exit code: ok only if the recomputed gap meets the
/// tolerance, stopped (without a message) when a limit or SIGINT ended the run and the results are written.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);

}  // namespace strads::lasso
