// From files to a problem.
#pragma once

#include <memory>
#include <vector>

#include "strads/data/summary_statistics.hpp"
#include "strads/program/memory_plan.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// What the driver and each node know of the data.
struct LoadedSummary {
  std::shared_ptr<const SummaryData> study;
  std::shared_ptr<const SummaryProblem> problem;
  std::vector<double> panel_sd;  ///< of each variant of the problem, of copies of the counted allele
  double lambda_max = 0;
};

/// Reads panel and statistics. Errors: as load_dataset() and read_summary(); input: nothing is left.
[[nodiscard]] Result<std::shared_ptr<const LoadedSummary>> load_summary(const PathOptions& options, Chunks& threads);

/// A problem of statistics that are read already, beside a panel. `weigh_n`: see PathOptions.
[[nodiscard]] std::shared_ptr<const SummaryProblem> problem_of(std::shared_ptr<const Dataset> panel,
                                                               std::shared_ptr<const StandardizedColumns> columns,
                                                               const SummaryData& study, bool weigh_n);

/// Lambdas of the options, or a grid from lambda_max down.
[[nodiscard]] Grid grid_of(const PathOptions& options, double lambda_max);

/// What the processes of a run take.
[[nodiscard]] Result<MemoryPlan> plan_summary(const PathOptions& options, Look look);
/// Errors: input: this node's memory cannot hold its part.
[[nodiscard]] Status check_node_memory(const PathOptions& options);

}  // namespace strads::sumstats
