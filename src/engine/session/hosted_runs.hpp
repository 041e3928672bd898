// The runs that a process of a cluster hosts, each by itself: nothing of one is shared with another but the roles'
// nodes. Layer: engine. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/rounds/effects.hpp"
#include "engine/rounds/node.hpp"
#include "engine/rounds/roster.hpp"
#include "engine/session/quiet.hpp"
#include "engine/session/reached.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"

namespace strads::engine {

/// One run on a node. The ends of its tasks hold it, so that they have somewhere to go when it was let go meanwhile.
struct NodeRun {
  std::uint32_t number = kFirstRun;
  std::uint32_t place = 0;  ///< which run of the program it is
  std::uint32_t turn = 0;   ///< of its roles, for roster_of_run()
  Roster roster;            ///< of the cluster when it was opened
  std::shared_ptr<Model> model;
  std::unique_ptr<Node> node;  ///< nullptr: its data or its snapshot are not here yet, or could not be read
  Effects effects;             ///< what its node asked for, to be carried out by the loop
  std::uint32_t tasks = 0;     ///< of it that the loop has under way: while there are any, silence means nothing
  std::optional<wire::Loaded> loaded;
  EngineOptions engine;          ///< once it has loaded
  std::uint64_t bytes_told = 0;  ///< of commits, when a beat last told the version
  Quiet quiet;

  std::uint32_t parts = 0;  ///< of its snapshot; 0: it begins anew
  std::uint32_t here = 0;   ///< of them
  std::string snapshot;     ///< those that are here
  double next_fetch = 0;
};

/// One run at the driver, from its request until every node has taken its end.
struct DriverRun {
  std::uint32_t number = kFirstRun;
  std::uint32_t place = 0;  ///< which run of the program it is: it keeps it when it goes on under another number
  std::uint32_t turn = 0;   ///< of its roles, for roster_of_run()
  EngineOptions engine;
  Roster roster;                 ///< of the cluster when it was opened
  std::shared_ptr<Model> model;  ///< nullptr: the driver's own data are being read
  std::uint64_t fingerprint = 0;
  std::unique_ptr<Coordinator> coordinator;  ///< nullptr: not all have loaded
  Effects effects;                           ///< what the coordinator asked for
  /// For the coordinator, which is made when all data are known to agree; by scheduler.
  std::map<std::uint32_t, std::pair<std::uint32_t, wire::Message>> early;
  Quiet quiet;
  std::optional<wire::Open> request;  ///< what nodes are told until they have loaded; the first run has WELCOME
  double next_request = 0;
  std::function<bool()> may_judge;            ///< for the coordinator; empty: always
  std::shared_ptr<const RunCheckpoint> from;  ///< where it goes on; null: it begins anew
  std::string snapshot;                       ///< the same for nodes
  std::optional<double> differs_since;        ///< replicas do
  std::optional<RunEnd> end;
};

/// Where the roles of a run live: those of the cluster, `turn` further, so that what falls to worker 0 of every run (a
/// joint block) falls to other nodes for other runs. Runs that share what their nodes hold have the same turn. No bit
/// depends on it.
[[nodiscard]] inline std::vector<std::uint32_t> roles_of_run(std::vector<std::uint32_t> ranks, std::uint32_t turn) {
  if (ranks.empty()) return ranks;
  const auto first = static_cast<std::ptrdiff_t>(turn % ranks.size());
  std::rotate(ranks.begin(), ranks.begin() + first, ranks.end());
  return ranks;
}
[[nodiscard]] inline Roster roster_of_run(const Roster& cluster, std::uint32_t turn) {
  Roster roster = cluster;
  roster.schedulers = roles_of_run(cluster.schedulers, turn);
  roster.workers = roles_of_run(cluster.workers, turn);
  return roster;
}

}  // namespace strads::engine
