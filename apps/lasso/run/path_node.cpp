// `lasso path` on a node: from the driver's options to a model.
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "lasso/held_out/split.hpp"
#include "lasso/lasso_node.hpp"
#include "lasso/options/path_options.hpp"
#include "lasso/run/fit_memory.hpp"
#include "lasso/run/kept_dataset.hpp"
#include "lasso/solver/block_memory.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads::lasso {
namespace {

/// Options and the table that writes to them, with one life.
struct PathTable {
  PathCommandOptions options;
  OptionTable table;
  PathTable(std::string command, std::string usage)
      : table(path_option_table(options, std::move(command), std::move(usage))) {}
};

/// The hashes of a path's solutions, of a simulated run whose coordinator is in this process.
class SolvedPath {
 public:
  void put(const Solution& solution, VarId variables) {
    const std::lock_guard lock(mutex_);
    hashes_[solution.index] = beta_hash(solution, variables);
  }
  [[nodiscard]] std::vector<std::string> hashes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    all.reserve(hashes_.size());
    for (const auto& [index, hash] : hashes_) all.push_back(hash);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::size_t, std::string> hashes_;
};

Result<LoadedModel> loaded_path(const std::shared_ptr<const Dataset>& dataset, const FitOptions& options,
                                const Rehearsal& rehearsal) {
  if (Status roles = check_roles(options.engine, dataset->columns().columns); !roles.ok()) return roles;
  keep_block_memory();
  auto prepared = prepare_lasso(dataset, options.lasso);
  if (!prepared.ok()) return prepared.status();
  auto solved = std::make_shared<SolvedPath>();
  const VarId variables = dataset->columns().columns;
  const PathRecorded recorded = [solved, variables](const Solution& point) { solved->put(point, variables); };
  const auto make = [data = std::move(prepared).value(), lasso = options.lasso, recorded] {
    return make_lasso_model(data, lasso, recorded);
  };
  std::function<std::shared_ptr<Model>()> second_model = make;
  if (rehearsal.nothing_shared) {
    second_model = [dataset, lasso = options.lasso, recorded] {
      return make_lasso_model(prepare_lasso(dataset, lasso).value(), lasso, recorded);  // it went well once
    };
  }
  const auto summarise = [dataset, solved](const RunEnd&) {
    const auto hashes = solved->hashes();
    return ResultSummary{std::string(dataset->response_name()) + ": a path of " + std::to_string(hashes.size()) +
                             " lambdas over " + std::to_string(dataset->columns().columns) + " variables",
                         path_hash(hashes)};
  };
  return LoadedModel{make(),       options.engine, [dataset] { return dataset->mapped_memory(); },
                     second_model, summarise,      storage_name(dataset->columns().storage)};
}

/// The path on train and, as a further one, that on train and val.
Result<LoadedModel> loaded_split(const std::shared_ptr<const Dataset>& dataset, const PathCommandOptions& options) {
  const FitOptions& fit = options.fit;
  if (Status roles = check_roles(fit.engine, dataset->columns().columns); !roles.ok()) return roles;
  keep_block_memory();
  auto prepared = prepare_split(dataset, fit.lasso, options.error, options.refit);
  if (!prepared.ok()) return prepared.status();
  const std::size_t size = prepared.value().runs();
  const auto make = [data = std::move(prepared).value(), lasso = fit.lasso](std::size_t run) {
    return make_split_part(data, run, lasso);
  };
  LoadedModel first{make(0), fit.engine, [dataset] { return dataset->mapped_memory(); }};
  first.second_model = [make] { return make(0); };
  first.summarise = [dataset](const RunEnd& end) {
    return ResultSummary{std::string(dataset->response_name()) + ": a path on train, " + end.stop_reason, ""};
  };
  first.storage = storage_name(dataset->columns().storage);
  first.further = [make, engine = fit.engine, size](const std::string& request) -> Result<LoadedModel> {
    const auto run = place_in_list(request, size);
    if (!run.ok()) return run.status();
    return LoadedModel{make(run.value()), engine, {}};
  };
  return first;
}

Result<LoadedModel> load_path(const std::string& config, const PathRule& path, KeptData& kept) {
  PathCommandOptions options;
  OptionTable table = path_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_path_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options.fit, problem_count_of(options)); !fits.ok()) return fits;
  auto dataset = dataset_of(options.fit.input, kept);
  if (!dataset.ok()) return dataset.status();
  return options.splits() ? loaded_split(dataset.value(), options) : loaded_path(dataset.value(), options.fit, {});
}

ProgramOptions path_options_of(std::string command, std::string usage) {
  auto path = std::make_shared<PathTable>(std::move(command), std::move(usage));
  const FitOptions& options = path->options.fit;
  return {{path, &path->table}, &options.common, &options.machine, &options.cluster};
}

}  // namespace

Result<LoadedModel> path_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                            const Rehearsal& rehearsal) {
  PathCommandOptions options;
  OptionTable table = path_option_table(options);
  // The check of the input wants a source; its name is never opened.
  if (Status parsed = table.parse_config_text("options", "[input]\nx = memory\n" + config); !parsed.ok()) return parsed;
  if (Status settled = settle_path_options(options, table); !settled.ok()) return settled;
  CostModel& cost = options.fit.lasso.cost;
  if (rehearsal.rounds_cost_nothing) cost.round_seconds = cost.block_seconds = 0;
  return loaded_path(dataset, options.fit, rehearsal);
}

DaemonModel path_node() {
  return {"lasso path", load_path, path_options_of};
}

}  // namespace strads::lasso
