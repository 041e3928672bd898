// Which roles live where. Layer: engine. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "strads/engine/options.hpp"
#include "wire/address.hpp"

namespace strads::engine {

/// In place of a rank: a message that never left this process.
inline constexpr std::uint32_t kItself = 0xffffffff;

/// Rank of the driver of a cluster. Nodes that join late get the ranks after those that are there.
inline constexpr std::uint32_t kDriverRank = 0xfffffffe;

/// Nodes (processes with a replica) have ranks 0 ... nodes - 1. The coordinator lives on one of them, or, when its rank
/// is `nodes` or more, in a process of its own that needs no replica (the driver of a cluster: kDriverRank).
struct Roster {
  std::uint32_t nodes = 1;
  std::uint32_t coordinator = 0;
  std::vector<std::uint32_t> schedulers;  ///< rank of the node of scheduler s; fixed for a number of a run
  std::vector<std::uint32_t> workers;     ///< rank of the node of worker w; dealt anew when a node goes silent

  /// Scheduler s on node s mod nodes, worker w on node w mod nodes, the coordinator on node 0.
  [[nodiscard]] static Roster round_robin(std::uint32_t nodes, const EngineOptions& options) {
    Roster roster;
    roster.nodes = nodes;
    for (std::uint32_t s = 0; s < options.schedulers; ++s) roster.schedulers.push_back(s % nodes);
    for (std::uint32_t w = 0; w < options.workers; ++w) roster.workers.push_back(w % nodes);
    return roster;
  }

  /// REQUIRES: the role exists.
  [[nodiscard]] std::uint32_t node_of(const wire::Address& address) const {
    switch (address.role) {
      case wire::Role::coordinator:
        return coordinator;
      case wire::Role::scheduler:
        return schedulers[address.index];
      case wire::Role::worker:
        return workers[address.index];
      case wire::Role::node:
        break;
    }
    return address.index;
  }

  /// The coordinator has no replica: it gets commits without their changes.
  [[nodiscard]] bool coordinator_apart() const noexcept { return coordinator >= nodes; }
  /// One process holds everything: nothing can be lost, and nothing need be kept to be sent again.
  [[nodiscard]] bool alone() const noexcept { return nodes == 1 && !coordinator_apart(); }

  /// Whether `dealt` could be the workers of a run of `count` workers: one existing node each.
  [[nodiscard]] bool accepts(const std::vector<std::uint32_t>& dealt, std::uint32_t count) const {
    return dealt.size() == count && std::all_of(dealt.begin(), dealt.end(), [this](auto n) { return n < nodes; });
  }

  /// Every node that holds a scheduler, ascending.
  [[nodiscard]] std::vector<std::uint32_t> scheduler_nodes() const {
    std::vector<std::uint32_t> holders = schedulers;
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    return holders;
  }
};

}  // namespace strads::engine
