// A run inside of another program, for example of Python or R: what takes the place of a terminal. Layer: program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "strads/engine/progress.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

/// Who hears of a run that is part of another program, and may end it. The run then prints nothing, writes no file and
/// leaves signals alone. All are called on the thread that called the run, while it computes; all may be empty. They
/// do not throw.
struct RunHost {
  /// Notes, which a program prints on stderr.
  std::function<void(const std::string& text)> note;
  /// Progress; of several runs that are one command, totals and phase are those of all together. `seconds`: of solving.
  /// True: the run ends in order, as after Ctrl-C.
  std::function<bool(const ProgressEvent& event, double seconds)> progress;
  /// Asked between rounds, so it has to be fast. True: as above; it stays true.
  std::function<bool()> finish_requested;
  /// Of a run on nodes that the host has started: those that have ended since the last call.
  std::function<std::vector<EndedProcess>()> ended_processes;
};

/// A callback of the host's language is told of a commit only after so many seconds without a word.
inline constexpr double kHostToldSeconds = 0.1;
/// So long between two looks for an interrupt of that language.
inline constexpr std::int64_t kHostLookNanoseconds = 20'000'000;

/// "started", "round", "certificate": what a callback is told.
[[nodiscard]] constexpr const char* event_name(ProgressEvent::Kind kind) {
  if (kind == ProgressEvent::Kind::started) return "started";
  return kind == ProgressEvent::Kind::commit ? "round" : "certificate";
}

/// That of the certificate, where there is a new one.
[[nodiscard]] inline double objective_of(const ProgressEvent& event) {
  return event.kind == ProgressEvent::Kind::barrier ? event.certificate.objective : event.objective;
}

}  // namespace strads
