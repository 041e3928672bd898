// What a run is at a barrier: enough to go on from there with the same bits (docs/RELIABILITY.md). Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"
#include "strads/engine/progress.hpp"

namespace strads {

/// What a judge was told at one barrier. Since a verdict is a function of these, in order, a judge that is told them
/// again is where the first one was; nothing of the judge itself is kept.
struct JudgedBarrier {
  Barrier barrier;
  std::vector<Payload> statuses;  ///< in slice order
};

/// A run at barrier number judged.size(), whose verdict was to go on: the statuses of that barrier are not kept, since
/// the slices report them again.
struct RunCheckpoint {
  std::vector<JudgedBarrier> judged;  ///< of the barriers before, in order
  Barrier barrier;                    ///< this one, as far as it is known without the statuses
  RunTotals totals;                   ///< without what the refresh at this barrier adds
  bool in_phase = false;              ///< a phase came before
  PhasePlan phase;                    ///< that phase
  Payload replica;                    ///< State::content() of replica(barrier.version)
  std::vector<Payload> memories;      ///< Slice::memory(), in slice order
  /// In slice order: work of plans that the end of a phase made useless, which the next commit will count.
  std::vector<std::uint64_t> planning_flops;
};

}  // namespace strads
