// `lasso fit`: loads, solves, certifies, writes.
#pragma once

#include <span>
#include <string>

#include "lasso/output/output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// `arguments`: those after "fit". The status' code is the exit code: ok only if the recomputed gap meets the
/// tolerance, stopped (without a message) when a limit or SIGINT ended the run and the results are written.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);

/// The same inside of another program: `options` are those of `table`, settled, with a host. Errors: as run_fit(); ok
/// or stopped: `result` has what was found.
[[nodiscard]] Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result);

}  // namespace strads::lasso
