// What `stradsd` and `strads_sim` need to know of topic models.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"
#include "strads/program/daemon_model.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"

namespace strads::lda {

/// "lda fit" for a daemon.
[[nodiscard]] DaemonModel lda_node();

/// A fit of documents in memory; `config`: options of `lda fit` as a config file without its [input]. Errors: usage,
/// input.
[[nodiscard]] Result<LoadedModel> lda_on(const std::shared_ptr<const Documents>& documents, const std::string& config);

// --- what the simulator tells of a run ---

/// The columns of trace.csv: one row a sweep.
[[nodiscard]] Trace::Columns curve_columns();
/// ", log joint per token -7.1".
[[nodiscard]] std::string quality_text(const Certificate& end);
/// Log joint, sweeps and drift.
void add_quality(Summary& summary, const Certificate& end);
/// Minus the log joint, at a barrier whose sweep was measured.
[[nodiscard]] std::optional<double> objective_of(const ProgressEvent& event);

}  // namespace strads::lda
