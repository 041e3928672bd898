// A command that is run inside of another program, for example by a package of Python or R: who hears of it, and how it
// went. Layer: program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_host.hpp"

namespace strads {

struct RunRecord;  // strads/program/program_run.hpp

/// How such a run went, of every model.
struct HostedOutcome {
  std::string stop_reason;  ///< "converged", "max_rounds", "signal" (the host asked) ...
  std::uint64_t rounds = 0, phases = 0, updates = 0;
  double seconds_load = 0, seconds_solve = 0, seconds_check = 0;
  std::vector<std::string> notes;  ///< what a program says on stderr
  std::string config;              ///< the effective options, as a config file
};

/// The host, whose notes are kept in `notes` as well. `notes` outlives it.
[[nodiscard]] std::shared_ptr<const RunHost> host_with_notes(const RunHost& host, std::vector<std::string>& notes);

/// What is known of every run, but for its notes. `table`: its options, settled.
void note_outcome(const RunRecord& record, const OptionTable& table, HostedOutcome& out);

/// Whether a run has results: it is done, or a limit or the host ended it.
[[nodiscard]] inline bool has_results(const Status& ended) {
  return ended.ok() || (ended.code() == StatusCode::stopped && ended.message().empty());
}

/// Runs a command and takes its result out of it. Errors: the command's; see has_results().
template <class Command, class CommandResult>
[[nodiscard]] Status run_hosted(Command command, CommandResult& result) {
  Status ended = command.run();
  result = std::move(command.result());
  return ended;
}

}  // namespace strads
