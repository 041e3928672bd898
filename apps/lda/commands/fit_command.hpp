// `lda fit` inside of another program.
#pragma once

#include "lda/output/output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lda {

/// `options`: those of `table`, settled, with a host. Errors: as run_fit(); ok or stopped: `result` has what was found.
[[nodiscard]] Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result);

}  // namespace strads::lda
