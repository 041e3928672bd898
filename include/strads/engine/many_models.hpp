// Many models in one schedule: the folds and grid points of a cross-validation, say. Layer: engine. Pure.
//
// Variables of different models are not coupled (d(j,k) = 0), so that rounds of different models never read each other.
// A phase of the whole is one phase of each part that still runs, and a round of the whole is a round of each: the
// blocks of one part and the passes and plans of the others share the threads and the workers. Barriers, which one
// model alone spends waiting, are shared by all.
//
// Every part does what it would do alone: its slices are dealt from its own variables, its rounds have its own numbers
// and random streams, its phases end when they would, so that its bits are those of a run of its own.
// docs/ARCHITECTURE.md, "Many models in one schedule", tells how.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"

namespace strads {

/// Told by the judge when a part has ended, in the process that holds the coordinator: `end` is what a run of this part
/// alone would have ended with. Of its totals all are known but updates_path, flops, flops_path and planned_early.
/// Parts that a limit or a request cut off have the stop reason "limit" and have not converged.
using PartEnded = std::function<void(std::size_t part, const RunEnd& end)>;

/// A model of `parts`, whose variables follow each other.
///   ended: empty on nodes that hold no coordinator
/// Parts may be any models: drawn by their slices' weights or planned by the slices themselves, in ordinary rounds or
/// joint ones, in phases that end early or do not. Each has the bits of a run of its own with the same `engine`, but
/// for rounds_max, which counts the rounds of the whole. The run stops when every part has; its certificate converged
/// if all have. REQUIRES: 1 <= parts.size(); at most 2^32 - 2 variables together. Memory: the states of all parts that
/// have not ended, on every node; for each variable what its slice and a run alone keep.
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
