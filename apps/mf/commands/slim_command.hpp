// `mf fit --solver slim`.
#pragma once

#include "mf/options/fit_options.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

/// `options`: those of `table`, settled. Errors: as run_fit().
[[nodiscard]] Status run_slim_fit(const FitOptions& options, const OptionTable& table);

}  // namespace strads::mf
