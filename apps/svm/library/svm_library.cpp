#include "svm/library/svm_library.hpp"

#include <utility>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "svm/commands/fit_command.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/report/fit_report.hpp"

namespace strads::svm {
namespace {

void hand_over(FitResult& result, SvmFitCall& out) {
  const RunTotals& totals = result.run.end.totals;
  out.stop_reason = result.stop_reason;
  out.converged = result.tolerance_met;
  out.rounds = totals.rounds;
  out.phases = totals.phases;
  out.updates = totals.updates;
  out.seconds_load = result.seconds_load;
  out.seconds_solve = result.seconds_solve;
  out.seconds_check = result.seconds_check;
  out.samples = result.loaded.data->samples();
  out.columns = result.loaded.data->rows.features;
  out.weights = std::move(result.solution.weights);
  out.offsets = std::move(result.solution.bias);
  out.primal = std::move(result.check.primal);
  out.dual = std::move(result.check.dual);
  out.gap = std::move(result.check.gap);
  out.relative_gap = result.check.worst_gap;
  out.support_vectors = result.check.support;
  out.model_hash = std::move(result.model_hash);
  out.means = std::move(result.loaded.means);
  out.model = std::move(result.classifier);
}

}  // namespace

Result<SvmFitCall> call_fit(const SvmCall& call) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (!call.cluster.empty() && call.data != nullptr) {
    return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into files");
  }
  if (Status taken = take_values(table, call.options, call.cluster); !taken.ok()) return taken;
  SvmFitCall out;
  auto host = std::make_shared<RunHost>(call.host);
  host->note = [&out, note = call.host.note](const std::string& text) {
    out.notes.push_back(text);
    if (note) note(text);
  };
  options.host = std::move(host);
  options.input.source.in_memory = call.data;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  FitResult result;
  Status ran = fit_in_process(options, table, result);
  const bool was_cut_off = ran.code() == StatusCode::stopped && ran.message().empty();
  if (!ran.ok() && !was_cut_off) return ran;
  hand_over(result, out);
  out.config = table.config(kExecutionSections);
  return out;
}

std::vector<OptionFacts> options_of_fit() {
  FitOptions options;
  return embeddable_options(fit_option_table(options));
}

}  // namespace strads::svm
