// `lasso path`.
#pragma once

#include <span>
#include <string>

#include "lasso/output/path_output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// `arguments`: what follows `lasso path`. Writes the run directory; stdout gets the five closing lines.
/// Errors: usage, input, cluster; stopped when a limit or a signal ended the path before its last lambda: what is
/// certified until then is written.
[[nodiscard]] Status run_path(std::span<const std::string> arguments);

/// The same inside of another program, without --split: as fit_in_process().
[[nodiscard]] Status path_in_process(const PathCommandOptions& options, const OptionTable& table, PathResult& result);

}  // namespace strads::lasso
