// What one node needs of a checkpoint. Layer: engine. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/engine/checkpoint.hpp"
#include "strads/engine/phase.hpp"

namespace strads::engine {

/// A RunCheckpoint without what the coordinator alone needs.
struct NodeCheckpoint {
  std::uint32_t phases = 0;  ///< verdicts before the barrier
  Version version = -1;
  bool verified = false;
  bool in_phase = false;  ///< a phase came before
  PhasePlan phase;        ///< that phase
  Payload replica;
  std::vector<Payload> memories;              ///< by scheduler
  std::vector<std::uint64_t> planning_flops;  ///< by scheduler
  friend bool operator==(const NodeCheckpoint&, const NodeCheckpoint&) = default;
};

[[nodiscard]] inline NodeCheckpoint part_of_node(const RunCheckpoint& run) {
  return {static_cast<std::uint32_t>(run.judged.size()),
          run.barrier.version,
          run.barrier.verified,
          run.in_phase,
          run.phase,
          run.replica,
          run.memories,
          run.planning_flops};
}

}  // namespace strads::engine
