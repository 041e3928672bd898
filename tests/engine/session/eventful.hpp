// A script with every kind of verdict, and what all nodes must agree on when it was run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/cluster.hpp"
#include "support/scripted_model.hpp"
#include "wire/print.hpp"

namespace strads::engine {

/// What every node must agree on: the commits as text, the end and the replicas.
inline std::vector<std::string> outcome(const support::ClusterRun& run) {
  std::vector<std::string> lines;
  std::map<Version, std::string> commits;
  for (const auto& commit : run.all<wire::Commit>()) commits[commit.version] = wire::to_text(commit);
  for (const auto& [version, text] : commits) lines.push_back(text);
  lines.push_back(run.ended ? run.end.stop_reason : "did not end");
  for (const auto& state : run.states) {
    if (state == nullptr) {
      lines.push_back("a node that never started");
      continue;
    }
    const auto& replica = static_cast<const support::ScriptedState&>(*state);
    std::string text = "replica " + std::to_string(replica.commits);
    for (const double value : replica.values) text += ' ' + std::to_string(value);
    if (lines.back() != text) lines.push_back(text);
  }
  return lines;
}

/// Many short phases with every kind of verdict.
inline support::Script eventful() {
  using support::go_on;
  using support::verify;
  support::Script script;
  script.variables = 11;
  script.calls = std::make_shared<support::Calls>();
  PhasePlan joint = go_on(1);
  joint.mode = PhasePlan::Mode::joint;
  joint.content.ids = {0, 3, 5, 9};
  PhasePlan counted = go_on(100, 3);
  counted.updates_max = 17;
  script.phases = {go_on(3, 2), verify(), go_on(1, 1), joint,   go_on(40, 4),
                   verify(),    verify(), joint,       counted, verify()};
  script.ends_phase_at = {9, 15};
  return script;
}

}  // namespace strads::engine
