#include "strads/program/hosted_run.hpp"

#include "strads/program/execution_options.hpp"
#include "strads/program/program_run.hpp"

namespace strads {

std::shared_ptr<const RunHost> host_with_notes(const RunHost& host, std::vector<std::string>& notes) {
  auto own = std::make_shared<RunHost>(host);
  own->note = [&notes, note = host.note](const std::string& text) {
    notes.push_back(text);
    if (note) note(text);
  };
  return own;
}

void note_outcome(const RunRecord& record, const OptionTable& table, HostedOutcome& out) {
  const RunTotals& totals = record.run.end.totals;
  out.stop_reason = record.stop_reason;
  out.rounds = totals.rounds;
  out.phases = totals.phases;
  out.updates = totals.updates;
  out.seconds_load = record.seconds_load;
  out.seconds_solve = record.seconds_solve;
  out.seconds_check = record.seconds_check;
  out.config = table.config(kExecutionSections);
}

}  // namespace strads
