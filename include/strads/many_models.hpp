// Many models in one schedule: the folds and grid points of a cross-validation, say. Layer: engine. Pure.
//
// Variables of different models are not coupled (d(j,k) = 0), so that rounds of different models never read each other:
// a phase of the whole is one phase of each part that still runs, and while some schedulers work for one part, others
// are at the next. Barriers, which one model alone spends waiting, are shared by all.
//
// Every part does what it would do alone: its slices are dealt from its own variables, its rounds have its own numbers
// and random streams, so that its bits are those of a run of its own. docs/ARCHITECTURE.md, "Many models in one
// schedule", tells how.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "strads/model.hpp"
#include "strads/options.hpp"
#include "strads/progress.hpp"

namespace strads {

/// Told by the judge when a part has ended, in the process that holds the coordinator: `end` is what a run of this part
/// alone would have ended with. Of its totals only rounds and phases are known. Parts that a limit or a request cut off
/// have the stop reason "limit" and have not converged.
using PartEnded = std::function<void(std::size_t part, const RunEnd& end)>;

/// A model of `parts`, whose variables follow each other.
///   ended: empty on nodes that hold no coordinator
/// Parts must plan their rounds themselves (Slice::plans_itself), and their phases must have a length that is known
/// when they begin: rounds_max a multiple of S, no updates_max, no joint rounds, and Slice::ends_phase() false. A part
/// whose rounds read each other within a phase has the bits of a run of its own only at depth 1. In its Barrier the
/// sums of commits (predicted, realised, updates) are 0: the engine adds them up over all parts. The run stops when
/// every part has; its certificate converged if all have. REQUIRES: 1 <= parts.size(); at most 2^32 - 2 variables
/// together. Memory: the states of all parts that have not ended, on every node.
[[nodiscard]] std::shared_ptr<Model> many_models(std::vector<std::shared_ptr<Model>> parts, const EngineOptions& engine,
                                                 PartEnded ended = {});

/// One part as a progress event shows it.
struct PartProgress {
  bool ended = false;
  double objective = 0;
  std::vector<double> figures;  ///< the part's own Certificate::figures
};
/// From Certificate::figures of the whole; empty before the first barrier.
[[nodiscard]] std::vector<PartProgress> parts_of(const Certificate& certificate);

}  // namespace strads
