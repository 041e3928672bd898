// A fit inside of another program.
#pragma once

#include "strads/program/option_table.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/report/fit_report.hpp"

namespace strads::svm {

/// `options` are settled, with a host. Errors: as run_fit(); ok or stopped: `result` has what was found.
[[nodiscard]] Status fit_in_process(const FitOptions& options, const OptionTable& table, FitResult& result);

}  // namespace strads::svm
