#include "svm/run/fit_end.hpp"

#include "strads/program/progress_printer.hpp"
#include "svm/check/check_svm.hpp"
#include "svm/report/model_files.hpp"

namespace strads::svm {

namespace {
constexpr const char* kNoProgress = "no further progress in double precision";
}  // namespace

Status take_solution(const SvmOptions& options, const RunEnd& end, Chunks& chunks, FitResult& result) {
  const SvmData& data = *result.loaded.data;
  const Stopwatch watch;
  result.solution = solution_of(data, options, end);
  result.check = check_solution(data, options, result.solution, chunks);
  Status confirmed = confirm(result.solution, result.check, data, options);
  result.seconds_check += watch.seconds();
  if (!confirmed.ok()) return {confirmed.code(), confirmed.message() + "; nothing was written. " + kReportThis};
  const bool met = end.certificate.converged;
  result.tolerance_met = met && result.check.worst_gap <= options.tolerance;
  const bool at_floor = end.stop_reason == "rounding floor" || (met && !result.tolerance_met);
  result.stop_reason = at_floor ? kNoProgress : end.stop_reason;
  result.model_hash = model_hash(result.solution);
  return {};
}

}  // namespace strads::svm
