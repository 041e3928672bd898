// Who takes part in a run, as the driver sees it: time goes in, verdicts come out. Layer: transport. No sockets here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/roster.hpp"
#include "strads/cluster.hpp"
#include "strads/options.hpp"
#include "wire/messages.hpp"

namespace strads::transport {

using Moment = std::chrono::steady_clock::time_point;

/// One node that has joined.
struct Member {
  wire::Hello hello;
  std::string identity;  ///< name of its control connection now
  int connection = -1;   ///< descriptor of that connection
  std::uint32_t incarnation = 0;
  Moment last_word;
  std::optional<Moment> broken_since;  ///< its connection has ended and no word came since
  bool silent = false;                 ///< has not been heard for a while: others do its work meanwhile
  bool lost = false;                   ///< for good
  bool left = false;                   ///< said goodbye
  std::optional<wire::Loaded> loaded;
  wire::Beat beat;  ///< the last one
};

/// "rank 1 (node2, process 4711)".
[[nodiscard]] std::string member_text(std::uint32_t rank, const Member& member);

/// " 0 2": the roles that `ranks` gives to this rank; empty when there is none.
[[nodiscard]] std::string roles_on(const std::vector<std::uint32_t>& ranks, std::uint32_t rank);

/// Deals the roles in rank order: scheduler s and worker w go to the nodes that accept such roles, in turn.
/// Errors: cluster: no node accepts a role that is needed.
[[nodiscard]] Result<engine::Roster> deal_roles(const std::vector<Member>& members, const EngineOptions& engine);

/// The same deal while some nodes are silent or lost: their workers go to the others, those with the fewest first.
/// nullopt: nobody is left.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> deal_workers(const std::vector<Member>& members,
                                                                     const std::vector<std::uint32_t>& at_start);

/// How long a node has been away, and what that means.
struct Liveness {
  double lease_seconds = 15;

  /// So long without a word, and others do a node's work until it is back: three beats.
  [[nodiscard]] double silence_seconds() const { return lease_seconds / 5; }
  /// So long without a new connection after the old one ended, and a process is gone.
  [[nodiscard]] double broken_seconds() const { return lease_seconds / 3; }

  [[nodiscard]] bool silent(const Member& member, Moment now) const;
  /// Set: the node is lost, for this cause.
  [[nodiscard]] std::optional<std::string> lost(const Member& member, Moment now) const;
};

/// "node3, node4 and 1 more": which of the expected names have not joined.
[[nodiscard]] std::string missing_text(const std::vector<Member>& members, const DriverOptions& options);

/// "4.5 s".
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace strads::transport
