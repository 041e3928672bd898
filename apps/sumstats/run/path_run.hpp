// `lasso path --sumstats` and `lasso fit --sumstats`: from options to files.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"
#include "sumstats/load/path_result.hpp"
#include "sumstats/options/path_options.hpp"

namespace strads::sumstats {

/// Exit codes: as `lasso path` and `lasso fit`.
Status run_path(std::span<const std::string> arguments);
Status run_fit(std::span<const std::string> arguments);

/// The run of a call by another program. `options` are those of `table`, settled. What it found is in `result`, also
/// when a limit or the host ended it (code stopped, no message). Errors: as run_path().
Status path_in_process(const PathOptions& options, const OptionTable& table, PathResult& result);

}  // namespace strads::sumstats
