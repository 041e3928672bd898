// How far the runs of a cluster have come, as BEAT says it. Layer: engine. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "strads/base/types.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// The run that begins with WELCOME. Later ones count up; no number is given twice.
inline constexpr std::uint32_t kFirstRun = 0;

/// How far a process has come in one run. The default is that of a run which it does not hold yet.
struct Reached {
  Version version = -1;      ///< of its replica
  std::uint32_t phases = 0;  ///< verdicts taken
  friend bool operator==(const Reached&, const Reached&) = default;
};

inline void add_run(wire::Beat& beat, std::uint32_t run, const Reached& reached) {
  beat.runs.push_back(run);
  beat.versions.push_back(reached.version);
  beat.phases.push_back(reached.phases);
}

/// Of a run that the beat does not name, nothing. The lists may be of any lengths.
[[nodiscard]] inline Reached reached_in(const wire::Beat& beat, std::uint32_t run) {
  const auto at = static_cast<std::size_t>(std::find(beat.runs.begin(), beat.runs.end(), run) - beat.runs.begin());
  if (at >= std::min({beat.runs.size(), beat.versions.size(), beat.phases.size()})) return {};
  return {beat.versions[at], beat.phases[at]};
}

}  // namespace strads::engine
