// `mf fit --solver slim`.
#pragma once

#include "mf/options/fit_options.hpp"
#include "mf/output/slim_output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// `options`: those of `table`, settled. Errors: as run_fit().
[[nodiscard]] Status run_slim_fit(const FitOptions& options, const OptionTable& table);
/// The same inside of another program: `options` have a host. Errors: as there; ok or stopped: `result` has what was
/// found.
[[nodiscard]] Status slim_in_process(const FitOptions& options, const OptionTable& table, SlimResult& result);

}  // namespace strads::mf
