// One process among others: what the driver knows about it, and which roles it gets. Layer: engine. Pure.
// Times are seconds since any fixed moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/roster.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// Between two HELLOs of a node that has not been welcomed.
inline constexpr double kHelloSeconds = 0.25;
/// In the life of a driver: each one costs every other a connection.
inline constexpr std::uint32_t kMembersMax = 4096;

/// How far a node has come; travels in BEAT.
enum class NodeStage : std::uint8_t { joining = 0, loading = 1, scanning = 2, running = 3, stopped = 4, leaving = 5 };

/// "joined", "loading the data" ...: for people who wait.
[[nodiscard]] const char* stage_name(std::uint8_t stage);

/// One node that has joined.
struct Member {
  wire::Hello hello;
  std::uint32_t incarnation = 0;
  double last_word = 0;                          ///< when it was heard last
  std::optional<double> broken_since;            ///< its connection has ended and no word came since
  bool silent = false;                           ///< has not been heard for a while: others do its work meanwhile
  bool lost = false;                             ///< for good
  bool expelled = false;                         ///< lost since it sent, or holds, what no process of a run does
  std::string why_expelled{};                    ///< for people
  bool late = false;                             ///< others were asked for its blocks as well, at some time
  bool left = false;                             ///< said goodbye
  bool reported = false;                         ///< its totals are final: the run was over when it told them
  bool takes_part = true;                        ///< false: it joined late, and no roster has it yet
  bool leaving = false;                          ///< asked to go: it goes when others have its roles, or runs end
  std::map<std::uint32_t, wire::Loaded> loaded;  ///< by run
  wire::Beat beat;                               ///< the last one
};

/// "rank 1 (node2, process 4711)".
[[nodiscard]] std::string member_text(std::uint32_t rank, const Member& member);

/// " 0 2": the roles that `ranks` gives to this rank; empty when there is none.
[[nodiscard]] std::string roles_on(const std::vector<std::uint32_t>& ranks, std::uint32_t rank);

/// What WELCOME says about who has which role, the driver being a process of its own. Errors: cluster: it contradicts
/// itself. `endpoints`: of the nodes, by rank.
[[nodiscard]] Result<Roster> roster_of(const wire::Welcome& welcome, const std::vector<std::string>& endpoints);

/// The lines of a text: WELCOME has the endpoints of all nodes like that.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// Deals the roles in rank order: scheduler s and worker w go to the nodes that take part and accept such roles, in
/// turn; not to nodes that are lost, nor, while there are others, to those that leave. Errors: cluster: no node accepts
/// a role that is needed.
[[nodiscard]] Result<Roster> deal_roles(const std::vector<Member>& members, const EngineOptions& engine);

/// The same deal while some nodes are silent, lost or leave: their workers go to the others, those with the fewest
/// first. Where all others leave, these keep theirs. nullopt: nobody is left.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> deal_workers(const std::vector<Member>& members,
                                                                     const std::vector<std::uint32_t>& at_start);

/// How long a process has been away, and what that means.
struct Liveness {
  double lease_seconds = 15;

  /// Between two BEATs of a node.
  [[nodiscard]] double beat_seconds() const { return lease_seconds / 15; }
  /// After so long without a message from it, a node's work goes to others until it is heard again: three beats.
  [[nodiscard]] double silence_seconds() const { return lease_seconds / 5; }
  /// So long without a new connection after the old one ended, and a process is gone.
  [[nodiscard]] double broken_seconds() const { return lease_seconds / 3; }

  [[nodiscard]] bool silent(const Member& member, double now) const;
  /// Set: the node is lost, for this cause.
  [[nodiscard]] std::optional<std::string> lost(const Member& member, double now) const;
};

/// The other direction: whether a node still has its driver.
class DriverWatch {
 public:
  /// `driver`: its endpoint, for people.
  DriverWatch(std::string driver, double lease_seconds) : driver_(std::move(driver)), liveness_{lease_seconds} {}

  /// The driver has said how long its lease is.
  void set_lease(double seconds) { liveness_.lease_seconds = seconds; }
  [[nodiscard]] const Liveness& liveness() const noexcept { return liveness_; }
  /// A message from the driver has arrived.
  void heard(double now) { last_word_ = now; }
  /// Whether there is a connection to it now; to be told now and then.
  void note_connection(bool connected, double now);
  /// Set: the driver is gone and the node ends, for this cause.
  [[nodiscard]] std::optional<std::string> lost(double now) const;

 private:
  std::string driver_;
  Liveness liveness_;
  double last_word_ = 0;
  std::optional<double> broken_since_;
};

/// "node3, node4 and 1 more": which of the expected `names` have not joined. `nodes`: how many are to come in all.
[[nodiscard]] std::string missing_text(const std::vector<Member>& members, std::vector<std::string> names,
                                       std::uint32_t nodes);

/// An exit code that came over the wire; what is none of ours counts as cluster.
[[nodiscard]] StatusCode code_of(std::uint8_t code);

/// "4.5 s".
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace strads::engine
