// From the end of a run to what is true of its solution.
#pragma once

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/progress.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/report/fit_report.hpp"

namespace strads::svm {

/// Fills solution, check, model_hash, tolerance_met and stop_reason (of a limit still that of the engine) of `result`,
/// whose `loaded` has the samples; the time of the check is added to its seconds_check. A gap that rounding has left
/// above the tolerance, where the run took it for met, is told as it is. Errors: internal: what the run says of its
/// solution is not true.
[[nodiscard]] Status take_solution(const SvmOptions& options, const RunEnd& end, Chunks& chunks, FitResult& result);

}  // namespace strads::svm
