// What can be seen of a program at a moment, for the page, for metrics and for probes: plain values. Layer: program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/status/point_history.hpp"

namespace strads {

/// What does not change while the program runs.
struct StatusFacts {
  std::string command;  ///< "lasso fit", "stradsd"
  std::string version, build;
  std::string host;
  std::uint64_t process = 0;
  double started = 0;    ///< seconds since 1970
  std::string instance;  ///< drawn at the start: another one is another process, whose numbers begin anew
};

/// One run of a list.
struct StatusRun {
  std::size_t place = 0;
  std::string name;   ///< "fold 3"; "": the only run
  std::string state;  ///< "waiting", "running", or why it ended
  StatusPoint now;
  std::vector<StatusPoint> points;  ///< those that are new
};

/// One process that takes part.
struct StatusNode {
  std::uint32_t rank = 0;
  std::string name, roles, stage;
  std::string state;  ///< "ok", "slow", "silent", "lost", "left"
  std::uint64_t process = 0;
  double last_word = 0;  ///< seconds since
  std::uint64_t updates = 0, blocks = 0, messages = 0, bytes = 0;
  double seconds_running = 0, seconds_busy = 0, seconds_waiting = 0;
  std::uint64_t memory_peak = 0;
};

struct StatusMessage {
  std::uint64_t number = 0;
  double time = 0;  ///< seconds since 1970
  std::string level, text;
};

struct StatusEnd {
  int code = 0;  ///< exit code
  std::string reason;
};

/// What the kernel says of this process.
struct StatusMemory {
  std::uint64_t resident = 0, peak = 0;
  double cpu_seconds = 0;
};

struct StatusView {
  StatusFacts facts;
  std::uint64_t number = 0;  ///< of the last change that is in it
  bool whole = true;         ///< false: runs, points, messages and nodes that did not change are left out
  double elapsed = 0;        ///< seconds since the start
  double solving = 0;        ///< seconds of solving, of the last event
  std::string stage;         ///< "reading", "solving", ...
  bool ready = false;
  std::string line;                                          ///< that of the terminal
  std::vector<std::pair<std::string, std::string>> figures;  ///< the last row of the trace, by column
  std::size_t runs_total = 0, runs_ended = 0;
  std::uint64_t updates = 0, rounds = 0, phases = 0;  ///< of all runs
  std::vector<StatusRun> runs;
  bool has_nodes = false;  ///< `nodes` is all of them; false: they did not change
  std::vector<StatusNode> nodes;
  std::vector<StatusMessage> messages;
  StatusMemory memory;
  std::optional<StatusEnd> end;
};

}  // namespace strads
