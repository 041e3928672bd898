#include "svm/svm_node.hpp"

#include <memory>
#include <string>
#include <utility>

#include "strads/engine/progress.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"
#include "svm/options/fit_options.hpp"
#include "svm/problem/svm.hpp"
#include "svm/run/fit_data.hpp"
#include "svm/run/svm_memory.hpp"

namespace strads::svm {
namespace {

ResultSummary summary_of(const LoadedSamples& loaded, const FitOptions& options, const RunEnd& end) {
  return {std::string(loaded.dataset->response_name()) + ": " + std::to_string(loaded.data->samples()) + " samples x " +
              std::to_string(loaded.data->rows.features) + " variables, " + options.loss + ", cost " +
              short_text(options.svm.cost) + ", policy " + options.policy + ", " +
              std::to_string(end.certificate.nonzeros) + " support vectors",
          model_hash(solution_of(*loaded.data, options.svm, end))};
}

Result<LoadedModel> load_fit(const std::string& config, const PathRule& path, KeptData& kept) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_fit_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options); !fits.ok()) return fits;
  STRADS_ASSIGN_OR_RETURN(const auto loaded, load_samples(options, kept));
  const auto make = [data = loaded.data, svm = options.svm, engine = options.engine] {
    return make_svm_model(data, svm, engine);
  };
  LoadedModel model{make(), options.engine, [dataset = loaded.dataset] { return dataset->mapped_memory(); }};
  model.second_model = make;
  model.summarise = [loaded, options](const RunEnd& end) { return summary_of(loaded, options, end); };
  model.storage = "rows";
  return model;
}

/// Options and the table that writes to them, with one life.
struct SimulatedTable {
  FitOptions options;
  OptionTable table;
  SimulatedTable(std::string command, std::string usage)
      : table(fit_option_table(options, std::move(command), std::move(usage))) {}
};

ProgramOptions options_of_node(std::string command, std::string usage) {
  auto fit = std::make_shared<SimulatedTable>(std::move(command), std::move(usage));
  const FitOptions& options = fit->options;
  return {{fit, &fit->table}, &options.common, &options.machine, &options.cluster, [fit] {
            return settle_fit_options(fit->options, fit->table);
          }};
}

}  // namespace

DaemonModel svm_node() {
  return {"svm fit", load_fit, options_of_node};
}

Result<LoadedModel> svm_on(const std::shared_ptr<const SvmData>& data, const std::string& config) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  // The check of the input wants a source; its name is never opened.
  if (Status parsed = table.parse_config_text("options", "[input]\nx = memory\n" + config); !parsed.ok()) return parsed;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  if (Status roles = check_roles(options.engine, data->samples() * data->problems()); !roles.ok()) return roles;
  const auto make = [data, svm = options.svm, engine = options.engine] { return make_svm_model(data, svm, engine); };
  LoadedModel model{make(), options.engine, {}};
  model.second_model = make;
  model.summarise = [data, svm = options.svm](const RunEnd& end) {
    return ResultSummary{std::to_string(data->samples()) + " samples", model_hash(solution_of(*data, svm, end))};
  };
  model.storage = "rows";
  return model;
}

Trace::Columns curve_columns() {
  const auto row = [](const ProgressEvent& event, double seconds) -> std::string {
    if (event.kind != ProgressEvent::Kind::barrier) return {};
    const Certificate& certificate = event.certificate;
    return exact_text(seconds) + "," + std::to_string(event.totals.updates) + "," +
           std::to_string(event.totals.rounds) + "," + exact_text(certificate.objective) + "," +
           exact_text(certificate.dual) + "," + exact_text(certificate.relative_gap) + "," +
           std::to_string(certificate.nonzeros);
  };
  return {"seconds,updates,rounds,objective,dual_objective,relative_gap,support_vectors", row};
}

std::string quality_text(const Certificate& end) {
  return ", gap / objective " + short_text(end.relative_gap, 3) + ", " + std::to_string(end.nonzeros) +
         " support vectors";
}

void add_quality(Summary& summary, const Certificate& end) {
  summary.add("dual_objective", end.dual);
  summary.add("duality_gap", end.gap);
  summary.add("relative_gap", end.relative_gap);
  summary.add("support_vectors", end.nonzeros);
}

}  // namespace strads::svm
