// Runs that are cut at a barrier and go on from its checkpoint, in a new model.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "strads/transport/embedded_runs.hpp"

namespace strads::support {

/// A run and what it said at each barrier after which it went on.
struct Recorded {
  RunEnd end;
  std::vector<RunCheckpoint> checkpoints;
};

using MakeModel = std::function<std::shared_ptr<Model>()>;

/// From `from`, or from the beginning. With `keep`, every checkpoint is kept.
inline Recorded run_from(const MakeModel& make, const EngineOptions& engine, const RunCheckpoint* from,
                         unsigned threads, bool keep) {
  Recorded recorded;
  RunRequest request{engine, [&make] { return Result<std::shared_ptr<Model>>(make()); }};
  if (from != nullptr) request.resumes = std::make_shared<RunCheckpoint>(*from);
  RunsHooks hooks;
  hooks.ended = [&](std::size_t, RunEnd end) { recorded.end = std::move(end); };
  if (keep) {
    hooks.checkpoint_due = [](std::size_t, Version) { return true; };
    hooks.checkpoint = [&](std::size_t, RunCheckpoint checkpoint) {
      recorded.checkpoints.push_back(std::move(checkpoint));
    };
  }
  const EmbeddedRuns done = run_embedded(std::span(&request, 1), 1, {.threads = threads}, hooks);
  if (!done.status.ok()) recorded.end.status = done.status;
  return recorded;
}

}  // namespace strads::support
