// `lasso cv` on a node: from the driver's options to a model.
#include <map>
#include <mutex>
#include <utility>

#include "lasso/lasso_node.hpp"
#include "lasso/options/cv_options.hpp"
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
struct CvTable {
  CvOptions options;
  OptionTable table;
  CvTable(std::string command, std::string usage)
      : table(cv_option_table(options, std::move(command), std::move(usage))) {}
};

Result<LoadedModel> load_cv(const std::string& config, const PathRule& path, KeptData& kept) {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_cv_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options.path.fit, problem_count_of(options)); !fits.ok()) return fits;
  auto loaded = traits_of(options, kept);
  if (!loaded.ok()) return loaded.status();
  const EngineOptions& engine = options.path.fit.engine;
  const VarId variables = loaded.value().front()->columns().columns;
  if (Status roles = check_roles(engine, variables); !roles.ok()) return roles;
  keep_block_memory();
  auto traits = prepare_traits(loaded.value(), options.path.fit.lasso, options.folds, engine.seed, options.stratify,
                               options.l1_ratios);
  if (!traits.ok()) return traits.status();
  const std::shared_ptr<const Dataset> dataset = loaded.value().front();  // the columns are those of all
  std::size_t size = 0;
  for (const CvData& trait : traits.value()) size += trait.parts.size();
  const auto make = [data = std::move(traits).value(), lasso = options.path.fit.lasso](std::size_t run) {
    return make_cv_part(data, run, lasso);
  };
  std::string names;
  for (const auto& one : loaded.value()) names += (names.empty() ? "" : ", ") + std::string(one->response_name());
  const auto summarise = [names](const RunEnd& end) {
    return ResultSummary{names + ": cross-validation, " + end.stop_reason, ""};
  };
  LoadedModel first{make(0), engine, [dataset] { return dataset->mapped_memory(); }};
  first.summarise = summarise;
  first.second_model = [make] { return make(0); };
  first.storage = storage_name(dataset->columns().storage);
  first.further = [make, engine, size](const std::string& request) -> Result<LoadedModel> {
    const auto run = place_in_list(request, size);
    if (!run.ok()) return run.status();
    return LoadedModel{make(run.value()), engine, {}};
  };
  return first;
}

ProgramOptions cv_options_of(std::string command, std::string usage) {
  auto cv = std::make_shared<CvTable>(std::move(command), std::move(usage));
  const FitOptions& options = cv->options.path.fit;
  return {{cv, &cv->table}, &options.common, &options.machine, &options.cluster};
}

}  // namespace

DaemonModel cv_node() {
  return {"lasso cv", load_cv, cv_options_of};
}

}  // namespace strads::lasso
