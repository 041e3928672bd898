#include "svm/library/svm_library.hpp"

#include <utility>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "svm/commands/fit_command.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/report/fit_report.hpp"

namespace strads::svm {
namespace {

void hand_over(FitResult& result, SvmFitCall& out) {
  out.converged = result.tolerance_met;
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
  options.host = host_with_notes(call.host, out.notes);
  options.input.source.in_memory = call.data;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  FitResult result;
  Status ran = fit_in_process(options, table, result);
  if (!has_results(ran)) return ran;
  note_outcome(result, table, out);
  hand_over(result, out);
  return out;
}

std::vector<OptionFacts> options_of_fit() {
  FitOptions options;
  return embeddable_options(fit_option_table(options));
}

}  // namespace strads::svm
