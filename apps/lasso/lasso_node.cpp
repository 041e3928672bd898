#include "lasso/lasso_node.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "lasso/options/fit_options.hpp"
#include "lasso/options/study_options.hpp"
#include "lasso/run/fit_memory.hpp"
#include "lasso/run/kept_dataset.hpp"
#include "lasso/solver/block_memory.hpp"
#include "lasso/study/study_runs.hpp"
#include "strads/engine/role_limits.hpp"
#include "strads/policies/options.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/policy_options.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads::lasso {
namespace {

/// The hashes of a path's solutions, of a simulated run whose coordinator is in this process.
class SolvedPath {
 public:
  void record_solution(const Solution& solution, VarId variables) {
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

/// What a simulated run has found.
ResultSummary summary_of(const Dataset& dataset, const LassoOptions& options, const SolvedPath& solved,
                         const RunEnd& end) {
  const ColumnsView& view = dataset.columns();
  if (options.path.wanted()) {
    const auto hashes = solved.hashes();
    return {std::string(dataset.response_name()) + ": a path of " + std::to_string(hashes.size()) + " lambdas over " +
                std::to_string(view.columns) + " variables",
            path_hash(hashes)};
  }
  const Solution solution = solution_of(end);
  return {std::string(dataset.response_name()) + ": " + std::to_string(view.samples()) + " samples x " +
              std::to_string(view.columns) + " variables, lambda " + short_text(solution.lambda) + " = " +
              short_text(solution.lambda / solution.problem.lambda_max) + " lambda_max, policy " +
              policy_name(options.policy) + ", " + std::to_string(solution.variables.size()) + " nonzeros",
          beta_hash(solution, view.columns)};
}

/// The first path of a study, and the others of them by their places.
Result<LoadedModel> loaded_study(const std::vector<std::shared_ptr<const Dataset>>& datasets,
                                 const StudyOptions& options, Shared shared) {
  const EngineOptions& engine = options.fit().engine;
  const std::shared_ptr<const Dataset>& dataset = datasets.front();  // the columns are those of all
  const VarId variables = dataset->columns().columns;
  if (Status roles = check_roles(engine, variables); !roles.ok()) return roles;
  keep_block_memory();
  const LassoOptions& lasso = options.fit().lasso;
  const auto design = design_of(options.kind, options.all);
  STRADS_ASSIGN_OR_RETURN(auto made, make_study(datasets, lasso, design));
  const std::size_t size = made.size();
  const auto solved = std::make_shared<SolvedPath>();
  const PathRecorded recorded = [solved, variables](const Solution& point) {
    solved->record_solution(point, variables);
  };
  const auto make = [study = std::move(made), lasso, recorded](std::size_t run) {
    return make_study_model(study.groups, run, lasso, recorded);
  };
  LoadedModel first{make(0), engine, [dataset] { return dataset->mapped_memory(); }};
  first.second_model = [make] { return make(0); };
  if (shared == Shared::data) {
    first.second_model = [datasets, lasso, design, recorded] {
      return make_study_model(make_study(datasets, lasso, design).value().groups, 0, lasso,
                              recorded);  // went well once
    };
  }
  first.summarise = [dataset, lasso, solved](const RunEnd& end) { return summary_of(*dataset, lasso, *solved, end); };
  first.storage = storage_name(dataset->columns().storage);
  if (size == 1) return first;
  first.further = [make, engine, size](const std::string& request) -> Result<LoadedModel> {
    STRADS_ASSIGN_OR_RETURN(const auto run, place_in_list(request, size));
    return LoadedModel{make(run), engine, {}};
  };
  return first;
}

/// From the driver's options, on a node.
Result<LoadedModel> load_study(StudyKind kind, const std::string& config, const PathRule& path, KeptData& kept) {
  StudyOptions options(kind);
  const auto names = options.paths();
  Status taken = take_options(options.table, config, names, path, [&] { return options.settle(); });
  if (!taken.ok()) return taken;
  const ProblemCount count = problem_count_of(kind, options.all);
  if (Status fits = check_node_memory(options.fit(), count); !fits.ok()) return fits;
  STRADS_ASSIGN_OR_RETURN(auto datasets, traits_of(options.all.path, kept));
  return loaded_study(datasets, options, Shared::columns);
}

DaemonModel node_of(StudyKind kind) {
  return {command_of(kind), [kind](const std::string& config, const PathRule& path, KeptData& kept) {
            return load_study(kind, config, path, kept);
          }};
}

ProgramOptions simulated_fit(std::string command, std::string usage) {
  const auto fit = std::make_shared<StudyOptions>(StudyKind::fit, std::move(command), std::move(usage));
  const FitOptions& options = fit->fit();
  const auto settle = [fit] {
    return fit->fit().trace_rounds.empty()
               ? Status()
               : Status::usage(
                     "--trace-rounds goes with lasso fit: the simulated run takes the same rounds, to the bit");
  };
  return {{fit, &fit->table}, &options.common, &options.machine, &options.cluster, settle};
}

Result<LoadedModel> study_on(StudyKind kind, const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                             const Calibration* costs, Shared shared) {
  StudyOptions options(kind);
  // The check of the input wants a source; its name is never opened.
  const std::string text = "[input]\nx = memory\n" + config;
  if (Status parsed = options.table.parse_config_text("options", text); !parsed.ok()) return parsed;
  if (Status settled = options.settle(); !settled.ok()) return settled;
  if (costs != nullptr) set_costs(*costs, options.fit().lasso.cost);
  return loaded_study({dataset}, options, shared);
}

}  // namespace

Result<LoadedModel> lasso_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                             const Calibration* costs, Shared shared) {
  return study_on(StudyKind::fit, dataset, config, costs, shared);
}

Result<LoadedModel> path_on(const std::shared_ptr<const Dataset>& dataset, const std::string& config,
                            const Calibration* costs, Shared shared) {
  return study_on(StudyKind::path, dataset, config, costs, shared);
}

DaemonModel lasso_node() {
  DaemonModel fit = node_of(StudyKind::fit);
  fit.options = simulated_fit;
  return fit;
}

DaemonModel path_node() {
  return node_of(StudyKind::path);
}

DaemonModel cv_node() {
  return node_of(StudyKind::cv);
}

}  // namespace strads::lasso
