// A phase, as its judge plans it, and the barrier at its end, as its judge is told of it. Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/types.hpp"

namespace strads {

/// What a phase looks like: written by the judge, carried by PHASE to every node.
struct PhasePlan {
  enum class Verdict : std::uint8_t {
    go_on = 0,   ///< rounds until the phase ends
    verify = 1,  ///< recompute the replica from the data and refresh again at the same version
    stop = 2     ///< the run is over
  };
  enum class Mode : std::uint8_t {
    moving = 0,  ///< blocks go to all workers in turn, so that each gets its share
    joint = 1,   ///< one round, whose single block is built from `content`
    steady = 2   ///< block b of a scheduler's rounds goes to the same worker in every such phase, which keeps its data
  };
  Verdict verdict = Verdict::go_on;
  Mode mode = Mode::moving;
  std::uint32_t blocks_max = 1;   ///< effective parallelism P_eff <= P
  std::uint64_t rounds_max = 1;   ///< rounds at most
  std::uint64_t updates_max = 0;  ///< the commit that reaches so many coordinate updates ends the phase; 0: no limit
  Payload content;                ///< model-defined: candidates, thresholds
  [[nodiscard]] bool joint() const noexcept { return mode == Mode::joint; }
  friend bool operator==(const PhasePlan&, const PhasePlan&) = default;
};

/// What the coordinator knows at a barrier besides the slices' reports.
struct Barrier {
  std::uint32_t phase = 0;
  Version version = -1;
  bool verified = false;       ///< the replica was recomputed from the data at this barrier
  bool limit_reached = false;  ///< a limit or a request ended the rounds: the verdict must be verify or stop
  std::uint64_t rounds = 0;    ///< of the phase that ended here
  double predicted = 0;        ///< summed over its commits
  double realised = 0;
  std::uint64_t updates = 0;
};

/// Certificate of a barrier, for people.
struct Certificate {
  double objective = 0;
  double gap = 0;           ///< upper bound of objective - optimum; negative: the model has none
  double relative_gap = 0;  ///< gap / objective
  double dual = 0;          ///< best lower bound seen
  std::uint64_t nonzeros = 0;
  bool converged = false;
  std::vector<double> figures{};  ///< model-defined: what else a progress line shows
};

/// The verdict of a barrier.
struct Judgement {
  PhasePlan plan;
  Certificate certificate;
  std::string stop_reason;  ///< when plan.verdict is stop: "converged", "limit", "rounding floor", ...
};

}  // namespace strads
