// `lasso cv`.
#pragma once

#include <span>
#include <string>

#include "lasso/output/cv_output.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::lasso {

/// `arguments`: what follows `lasso cv`. Writes the run directory; stdout gets the five closing lines.
/// Errors: usage, input, cluster; stopped when a limit or a signal ended the run: the curve then has the lambdas that
/// were solved for every fold.
[[nodiscard]] Status run_cv(std::span<const std::string> arguments);

/// What a cross-validation leaves.
struct CvRunResult {
  RunFacts run;
  std::vector<CvResult> traits;
};
/// The same inside of another program: as fit_in_process().
[[nodiscard]] Status cv_in_process(CvOptions& options, const OptionTable& table, CvRunResult& result);

}  // namespace strads::lasso
