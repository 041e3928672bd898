// Progress events of a run, without clocks: the receiver adds the time. Layer: engine.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/status.hpp"
#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"
#include "strads/engine/tally.hpp"

namespace strads {

/// Totals over the commits so far.
struct RunTotals {
  std::uint64_t rounds = 0;            ///< commits
  std::uint64_t phases = 0;            ///< barriers that went on
  std::uint64_t blocks = 0;            ///< blocks computed
  std::uint64_t updates = 0;           ///< coordinate updates
  std::uint64_t updates_path = 0;      ///< coordinate updates on the critical path: the largest block of each round
  std::uint64_t flops = 0;             ///< counted work of tasks and refreshes
  std::uint64_t flops_path = 0;        ///< refreshes and the costliest block of each round
  std::uint64_t rounds_parallel = 0;   ///< rounds of more than one block
  std::uint64_t phases_parallel = 0;   ///< phases with effective parallelism above one
  std::uint64_t planned_early = 0;     ///< rounds whose plan was ready before their turn
  std::uint64_t empty_rounds = 0;      ///< rounds that the guard or an empty plan committed without change
  std::vector<std::uint64_t> tally{};  ///< of the committed blocks: see Push::tally

  /// Of several runs together.
  RunTotals& operator+=(const RunTotals& other) {
    rounds += other.rounds;
    phases += other.phases;
    blocks += other.blocks;
    updates += other.updates;
    updates_path += other.updates_path;
    flops += other.flops;
    flops_path += other.flops_path;
    rounds_parallel += other.rounds_parallel;
    phases_parallel += other.phases_parallel;
    planned_early += other.planned_early;
    empty_rounds += other.empty_rounds;
    add_tally(other.tally, tally);
    return *this;
  }
};

/// Something happened that a progress line or the trace shows.
struct ProgressEvent {
  enum class Kind : std::uint8_t {
    started,  ///< all slices scanned, the problem is fixed
    commit,   ///< a round was committed: objective is current, certificate is the last barrier's
    barrier   ///< a certificate was computed
  };
  Kind kind = Kind::commit;
  Version version = -1;
  std::uint32_t phase = 0;
  double objective = 0;
  std::uint32_t blocks = 0;  ///< commit: of this round; barrier: P_eff of the phase that begins
  double step = 1;
  bool verified = false;
  Certificate certificate;
  RunTotals totals;
};

/// RunEnd::stop_reason of a run that a limit or a request cut off.
inline constexpr const char* kStopLimit = "limit";

/// How a run ended.
struct RunEnd {
  Status status;  ///< not ok: the run could not be done (e.g. judge refused the problem)
  std::string stop_reason;
  Certificate certificate;  ///< of the last barrier, verified
  RunTotals totals;
  Payload problem;                ///< START's payload
  std::vector<Payload> statuses;  ///< the last SLICE STATUS payloads, in slice order: they hold the solution
};

}  // namespace strads
