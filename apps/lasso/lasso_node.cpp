#include "lasso/lasso_node.hpp"

#include <utility>

#include "lasso/options/fit_options.hpp"
#include "lasso/run/fit_memory.hpp"
#include "lasso/run/kept_dataset.hpp"
#include "lasso/solver/block_memory.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads::lasso {
namespace {

/// Options and the table that writes to them, with one life.
struct FitTable {
  FitOptions options;
  OptionTable table;
  FitTable(std::string command, std::string usage)
      : table(fit_option_table(options, std::move(command), std::move(usage))) {}
};

ResultSummary summary_of(const Dataset& dataset, const LassoOptions& options, const RunEnd& end) {
  const Solution solution = solution_of(end);
  const ColumnsView& view = dataset.columns();
  return {std::string(dataset.response_name()) + ": " + std::to_string(view.samples()) + " samples x " +
              std::to_string(view.columns) + " variables, lambda " + short_text(solution.lambda) + " = " +
              short_text(solution.lambda / solution.problem.lambda_max) + " lambda_max, policy " +
              policy_name(options.policy) + ", " + std::to_string(solution.variables.size()) + " nonzeros",
          beta_hash(solution, view.columns)};
}

Result<LoadedModel> loaded_fit(const std::shared_ptr<const Dataset>& dataset, const FitOptions& options) {
  if (Status roles = check_roles(options.engine, dataset->columns().columns); !roles.ok()) return roles;
  keep_block_memory();
  auto prepared = prepare_lasso(dataset, options.lasso);
  if (!prepared.ok()) return prepared.status();
  const auto make = [data = std::move(prepared).value(), lasso = options.lasso] {
    return make_lasso_model(data, lasso);
  };
  return LoadedModel{make(),
                     options.engine,
                     [dataset] { return dataset->mapped_memory(); },
                     make,
                     [dataset, lasso = options.lasso](const RunEnd& end) { return summary_of(*dataset, lasso, end); },
                     storage_name(dataset->columns().storage)};
}

Result<LoadedModel> load_fit(const std::string& config, const PathRule& path, KeptData& kept) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_fit_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options, {}); !fits.ok()) return fits;
  auto dataset = dataset_of(options.input, kept);
  if (!dataset.ok()) return dataset.status();
  return loaded_fit(dataset.value(), options);
}

ProgramOptions fit_options_of(std::string command, std::string usage) {
  auto fit = std::make_shared<FitTable>(std::move(command), std::move(usage));
  const FitOptions& options = fit->options;
  const auto settle = [fit] {
    return fit->options.trace_rounds.empty()
               ? Status()
               : Status::usage(
                     "--trace-rounds goes with lasso fit: the simulated run takes the same rounds, to the bit");
  };
  return {{fit, &fit->table}, &options.common, &options.machine, &options.cluster, settle};
}

}  // namespace

const char* storage_name(Storage storage) {
  switch (storage) {
    case Storage::genotype_2bit:
      return "genotypes";
    case Storage::dense_f32:
      return "dense f32";
    case Storage::dense_f64:
      return "dense f64";
    case Storage::dense_i8:
      return "dense i8";
    case Storage::dense_u8:
      return "dense u8";
    case Storage::dosage_u16:
      return "dosages";
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;
  }
  return "sparse";
}

Result<LoadedModel> lasso_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                             const Rehearsal& rehearsal) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  // The check of the input wants a source; its name is never opened.
  const std::string text = "[input]\nx = memory\n" + config;
  if (Status parsed = table.parse_config_text("options", text); !parsed.ok()) return parsed;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  if (rehearsal.rounds_cost_nothing) options.lasso.cost.round_seconds = options.lasso.cost.block_seconds = 0;
  auto model = loaded_fit(dataset, options);
  if (!model.ok() || !rehearsal.nothing_shared) return model;
  model.value().second_model = [dataset, lasso = options.lasso] {
    return make_lasso_model(prepare_lasso(dataset, lasso).value(), lasso);  // it went well once
  };
  return model;
}

DaemonModel lasso_node() {
  return {"lasso fit", load_fit, fit_options_of};
}

}  // namespace strads::lasso
