// What programs that hold every model need of this one.
#pragma once

#include <memory>
#include <string>

#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "strads/program/daemon_model.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {
struct Certificate;  // strads/engine/phase.hpp
}  // namespace strads

namespace strads::sumstats {

struct Grid;            // sumstats/problem/sumstats.hpp
struct SummaryProblem;  // the same
struct TurnSize;        // the same

/// "lasso path --sumstats" and "lasso fit --sumstats" for a daemon.
[[nodiscard]] DaemonModel sumstats_node();
[[nodiscard]] DaemonModel sumstats_fit_node();

/// A path on a problem in memory. Errors: usage: more schedulers than blocks.
[[nodiscard]] Result<LoadedModel> sumstats_on(const std::shared_ptr<const SummaryProblem>& problem, const Grid& grid,
                                              const EngineOptions& engine, const TurnSize& turn);

// --- what the simulator tells of a run ---

/// A row for each barrier: blocks that are solved and certified, objective and gap of all points together.
[[nodiscard]] Trace::Columns curve_columns();
/// ", 25 of 25 blocks certified at every point, largest gap / |objective| of a block 5e-07".
[[nodiscard]] std::string quality_text(const Certificate& end);
void add_quality(Summary& summary, const Certificate& end);

}  // namespace strads::sumstats
