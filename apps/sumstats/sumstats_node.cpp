#include "sumstats/sumstats_node.hpp"

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
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/model/summary_judge.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/problem/sumstats.hpp"
#include "sumstats/report/path_report.hpp"

namespace strads::sumstats {
namespace {

LoadedModel loaded_model(const std::shared_ptr<const SummaryProblem>& problem, const Grid& grid,
                         const EngineOptions& engine, const TurnSize& turn) {
  const auto make = [problem, grid, engine, turn] { return make_summary_model(problem, grid, engine, turn); };
  LoadedModel model{make(), engine, [problem] { return problem->panel->mapped_memory(); }};
  model.second_model = make;
  model.summarise = [problem, grid](const RunEnd& end) {
    const SummarySolution solution = summary_solution_of(*problem, grid, end);
    return ResultSummary{std::to_string(problem->variants.size()) + " variants in " +
                             std::to_string(problem->blocks()) + " blocks, " + std::to_string(grid.size()) +
                             " solutions",
                         solution_hash(*problem, grid, solution)};
  };
  model.storage = "columns";
  return model;
}

Result<LoadedModel> load_summary_node(bool single, const std::string& config, const PathRule& path) {
  PathOptions options;
  options.single = single;
  OptionTable table = option_table_of(options);
  // Names of several files are known once the options are read.
  Status taken = take_options(table, config, {}, path, [&] {
    for (std::string* name : paths_of(options)) *name = name->empty() ? *name : path(*name);
    // The driver alone looks at the people who choose.
    options.validation = {};
    return settle_path_options(options, table);
  });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options); !fits.ok()) return fits;
  const auto threads = make_threads(0);
  STRADS_ASSIGN_OR_RETURN(const auto loaded, load_summary(options, *threads));
  if (Status roles = check_roles(options.engine, loaded->problem->blocks()); !roles.ok()) return roles;
  return loaded_model(loaded->problem, grid_of(options, loaded->lambda_max), options.engine, {});
}

/// Options and the table that writes to them, with one life.
struct NodeTable {
  PathOptions options;
  OptionTable table;
  NodeTable(std::string command, std::string usage)
      : table(path_option_table(options, std::move(command), std::move(usage))) {}
};

ProgramOptions options_of_sumstats(std::string command, std::string usage) {
  auto path = std::make_shared<NodeTable>(std::move(command), std::move(usage));
  const PathOptions& options = path->options;
  return {{path, &path->table}, &options.common, &options.machine, &options.cluster, [path] {
            return settle_path_options(path->options, path->table);
          }};
}

}  // namespace

DaemonModel sumstats_node() {
  const auto load = [](const std::string& config, const PathRule& path, KeptData&) {
    return load_summary_node(false, config, path);
  };
  return {kPathCommand, load, options_of_sumstats};
}

DaemonModel sumstats_fit_node() {
  const auto load = [](const std::string& config, const PathRule& path, KeptData&) {
    return load_summary_node(true, config, path);
  };
  return {kFitCommand, load};
}

Result<LoadedModel> sumstats_on(const std::shared_ptr<const SummaryProblem>& problem, const Grid& grid,
                                const EngineOptions& engine, const TurnSize& turn) {
  if (Status roles = check_roles(engine, problem->blocks()); !roles.ok()) return roles;
  return loaded_model(problem, grid, engine, turn);
}

Trace::Columns curve_columns() {
  return trace_columns();
}

std::string quality_text(const Certificate& end) {
  if (end.figures.size() < kFigures) return {};
  const auto whole = [&](SummaryFigure figure) {
    return std::to_string(static_cast<std::uint64_t>(end.figures[figure]));
  };
  return ", " + whole(kFigureCertified) + " of " + whole(kFigureBlocks) +
         " blocks certified at every point, largest gap / |objective| of a block " +
         short_text(end.figures[kFigureWorst], 3);
}

void add_quality(Summary& summary, const Certificate& end) {
  summary.add("duality_gap", end.gap);
  summary.add("nonzeros", end.nonzeros);
  if (end.figures.size() < kFigures) return;
  summary.add("blocks", end.figures[kFigureBlocks]);
  summary.add("blocks_solved", end.figures[kFigureSolved]);
  summary.add("blocks_certified", end.figures[kFigureCertified]);
  summary.add("worst_gap", end.figures[kFigureWorst]);
}

}  // namespace strads::sumstats
