// Several runs in this process: one loop and one pool of threads for all. Layer: transport.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "strads/engine/checkpoint.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/engine/rounds.hpp"
#include "strads/transport/embedded.hpp"
#include "strads/transport/times.hpp"

namespace strads {

class Model;  // strads/engine/model.hpp

/// One of several runs (docs/ARCHITECTURE.md, "Several runs beside each other"). Nothing of it is shared with the
/// others but threads and what their models share, so that it has the bits that it has alone.
struct RunRequest {
  EngineOptions engine;
  /// Called when the run begins, and not before; the model goes with its end.
  std::function<Result<std::shared_ptr<Model>>()> make_model;
  /// Whether what make_model() needs of the runs before it is there; empty: it needs nothing.
  std::function<bool()> may_begin = {};
  /// Asked before each verdict: whether what its judge needs of the runs before it is there; false: the run waits until
  /// they have come further. Empty: it needs nothing.
  std::function<bool()> may_judge = {};
  /// A run before it whose model its own shares what a node holds with: on a cluster their roles live on the same
  /// nodes. Without it: where that is best for all.
  std::optional<std::uint32_t> placed_as = {};
  /// Where the run goes on; null: it begins. In one process only.
  std::shared_ptr<const RunCheckpoint> resumes = {};
  std::string name = {};  ///< for people: "fold 3"; "": there is no other
};

/// What the caller of several runs hears and says, on its own thread; all optional. `run`: its place in the list.
struct RunsHooks {
  /// As in run_embedded(); true ends all runs.
  std::function<bool(std::size_t run, const ProgressEvent& event)> observe;
  /// The run is over; nothing is computed for it any more, and its model goes.
  std::function<void(std::size_t run, RunEnd end)> ended;
  std::function<bool()> finish_requested;
  /// Asked whenever something has happened; true: all runs are given up at once, and the status is `stopped`.
  std::function<bool()> give_up = {};
  /// Told of each committed round, before `observe` hears of it; costs a copy of its blocks. Empty: nobody is.
  RoundListener rounds;
  /// Told now and then when tasks ran. Empty: no clock is read for it.
  TimesListener times = {};
  /// Asked at each barrier after which the run goes on: whether checkpoint() is to be told of it. `version`: of the
  /// last commit. Empty: there are no checkpoints, and nothing is kept for them.
  std::function<bool(std::size_t run, Version version)> checkpoint_due;
  std::function<void(std::size_t run, RunCheckpoint checkpoint)> checkpoint;
};

struct EmbeddedRuns {
  Status status;  ///< not ok: of the first run that could not be done; the others were given up
  MessageTotals traffic;
  double worker_wait_share = 0;  ///< share of the time in which the turn of a run had come and its plan was not ready
  std::size_t begun = 0;         ///< runs; fewer than there are where they were to finish
};

/// Runs all of `requests`, `at_once` of them at a time, in their order: those that came first have the threads first.
/// Which runs are there at the same time changes no result, only memory and time. A request to finish ends those that
/// have begun as in run_embedded(), and those that have not are never begun: ended() is not called for them.
/// REQUIRES: what a run waits for is done by runs before it, without further condition; at_once >= 1.
[[nodiscard]] EmbeddedRuns run_embedded(std::span<const RunRequest> requests, std::size_t at_once,
                                        const EmbeddedOptions& options, const RunsHooks& hooks);

}  // namespace strads
