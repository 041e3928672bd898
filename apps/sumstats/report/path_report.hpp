// What `lasso path --sumstats` and `lasso fit --sumstats` show and what their summaries say. Formats: docs/OUTPUT.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strads/engine/progress.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "sumstats/load/path_result.hpp"
#include "sumstats/options/path_options.hpp"

namespace strads::sumstats {

/// "1.2 s  block 120 of 1703  round 8  2e+06 updates/s": so many are solved.
[[nodiscard]] ProgressLine progress_line(const ProgressEvent& event, double seconds);
/// The columns of trace.csv: one row a barrier.
[[nodiscard]] Trace::Columns trace_columns();

/// "1463 of 1604 rows are variants of the panel": counts that whoever fits has to know, a line each.
[[nodiscard]] std::vector<std::string> notes_of_study(const LoadedSummary& loaded);

/// Where the chosen s or lambda stands on the edge of the grid: which, and what to try next; "" where neither does.
[[nodiscard]] std::string edge_of_grid(const PathOptions& options, const Grid& grid, std::size_t point);

[[nodiscard]] Summary summary_of(const PathOptions& options, const PathResult& result);
[[nodiscard]] std::string closing_lines(const PathOptions& options, const PathResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::sumstats
