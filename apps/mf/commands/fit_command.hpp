// `mf fit` inside of another program.
#pragma once

#include "mf/output/output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// `options`: those of `table`, settled, with a host. Errors: as run_fit(); ok or stopped: `result` has what was found.
[[nodiscard]] Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result);

}  // namespace strads::mf
