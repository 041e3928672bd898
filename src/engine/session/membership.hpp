// Who takes part in a run: messages and times in, changes of membership out. Layer: engine. Pure: the driver of a
// cluster and the simulator run the same code. Times are seconds since any fixed moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/roster.hpp"
#include "engine/session/members.hpp"
#include "engine/session/offences.hpp"
#include "engine/session/reachability.hpp"
#include "engine/session/reached.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// The driver's side. A rank is a place in members(): it is final from begin() on, and given to nobody else.
class Membership {
 public:
  /// For people.
  struct Note {
    std::string text;
    bool important = false;
  };

  /// What follows from an event.
  struct Outcome {
    std::vector<Note> notes;
    std::optional<wire::Roster> roster;     ///< to be told to every member that is not lost
    std::vector<std::uint32_t> newly_lost;  ///< nothing is sent to these any more
    bool moves = false;                     ///< a scheduler's node is gone: runs go on elsewhere, by move()
    std::optional<Status> end;              ///< the runs cannot go on
  };

  /// `names`: those that are expected; may be empty.
  Membership(const EngineOptions& options, double lease_seconds, std::vector<std::string> names = {})
      : options_(options), liveness_{lease_seconds}, names_(std::move(names)) {}

  // --- before the run ---

  /// The rank of this process, if it has joined already.
  [[nodiscard]] std::optional<std::uint32_t> find(const wire::Hello& hello) const;
  /// Returns the rank; later ranks move down. Ranks are those of the expected names, so that who gets which roles does
  /// not depend on who was first; others follow in the order of joining.
  std::uint32_t join(const wire::Hello& hello, double now);
  /// Who has gone away again, and why; ranks descending, so that each can be removed in turn.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::string>> gone(double now) const;
  /// REQUIRES: begin() was not called. Later ranks move up.
  void remove(std::uint32_t rank);
  /// So many have joined, and none of them has gone silent meanwhile: it may be dead, and would be waited for.
  [[nodiscard]] bool complete(std::uint32_t nodes, double now) const;
  /// Set: not all of `nodes` have joined `endpoint` in time, and the run ends.
  [[nodiscard]] std::optional<Status> overdue(std::uint32_t nodes, const std::string& endpoint, double start_seconds,
                                              double now) const;
  /// Those that have joined and are not silent, for people who wait.
  [[nodiscard]] std::vector<Member> present(double now) const;
  /// "node3 and 1 more": who of `nodes` is not present.
  [[nodiscard]] std::string missing(std::uint32_t nodes, double now) const {
    return missing_text(present(now), names_, nodes);
  }
  /// All are here: deals the roles. `driver`: where it receives messages of the run, for people. Errors: cluster: no
  /// node accepts a role that is needed.
  [[nodiscard]] Status begin(const std::string& driver = {});
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  /// Set: nobody is admitted any more; a message for people.
  [[nodiscard]] std::optional<std::string> refusal() const;
  /// Joins runs that have begun: gets the next rank, and takes part from the next move() on that finds its data mapped.
  /// REQUIRES: begun(), !refusal().
  std::uint32_t join_late(const wire::Hello& hello, double now);
  /// Whether all members that are here know of this one: before that one that is late is not welcomed, since who does
  /// not know it would send it away.
  [[nodiscard]] bool others_know(std::uint32_t rank) const;
  /// What those that joined before are told of a member. REQUIRES: it has an incarnation.
  [[nodiscard]] wire::Peer peer(std::uint32_t rank) const;
  void set_incarnation(std::uint32_t rank, std::uint32_t incarnation) { members_[rank].incarnation = incarnation; }
  /// What this member is told when the run begins, as far as it follows from here: nothing of the driver's own. Of a
  /// member that is lost: nullopt, it gets too_late(). REQUIRES: begun().
  [[nodiscard]] std::optional<wire::Welcome> welcome(std::uint32_t rank) const;

  // --- messages ---

  /// Any message of a member.
  void heard(std::uint32_t rank, double now);
  /// A member's connection has ended.
  void closed(std::uint32_t rank, double now);
  /// Processes may take so long to reach each other, at least kReachSeconds: a busy machine is slow to start.
  void let_reach_within(double seconds) { reach_seconds_ = std::max(kReachSeconds, seconds); }
  static constexpr double kReachSeconds = 15;
  /// The driver itself has not reached the data endpoints of these ranks yet; to be told many times a second.
  void on_unreached(const std::vector<std::uint32_t>& ranks, double now) {
    reachability_.says(kDriverRank, ranks, now);
  }
  /// How far the coordinator of a run has come, and how many nodes the run has.
  struct Counted {
    Version version = -1;
    std::uint32_t nodes = 0;
  };
  /// `counted`: by run. Returns the answer: how far every living node and the coordinator have come in each of these,
  /// so that nobody keeps more than somebody may still lack.
  [[nodiscard]] wire::Beat on_beat(std::uint32_t rank, const wire::Beat& beat,
                                   const std::map<std::uint32_t, Counted>& counted, double now);
  /// Schedulers say that others compute blocks of these ranks as well; people are told once.
  [[nodiscard]] Outcome on_late(const std::vector<std::uint32_t>& ranks);
  [[nodiscard]] Outcome on_loaded(std::uint32_t rank, const wire::Loaded& loaded);
  /// `running`: the runs have not ended. A member that asks to go (code 0) goes when others have its roles: leave().
  [[nodiscard]] Outcome on_leave(std::uint32_t rank, const wire::Leave& leave, bool running);
  /// Those that asked to go and hold no role any more: they are told so, and are gone.
  [[nodiscard]] std::vector<std::uint32_t> let_go();
  /// All that accept a role have asked to go, and neither a newcomer nor one that is silent may take it: the runs
  /// should end as long as they are here. Empty: it is not so; else who they are and what they said, for people.
  [[nodiscard]] std::string all_leave() const;
  /// The runs end with their next commits: who asks to go from now on stays until then, and nobody is taken in.
  void end_in_order() { ends_ = true; }
  /// What a lost member is told when it speaks after all.
  [[nodiscard]] wire::Leave too_late(std::uint32_t rank) const;

  // --- changes ---

  /// Who is silent, who is back, who is lost, who cannot reach whom; to be asked many times a second. REQUIRES:
  /// begun().
  [[nodiscard]] Outcome look(double now);
  /// A member is known to be gone. Says nothing about one that is lost already.
  [[nodiscard]] Outcome lose(std::uint32_t rank, const std::string& cause);
  /// A member has sent what no process of a run sends, too often (engine/offences.hpp): it is lost like one that died.
  /// `by`: who found it, for people. A rank that is none of a member changes nothing.
  [[nodiscard]] Outcome expel(std::uint32_t rank, const std::string& by, Refusal last);
  /// As expel(), for another reason.
  [[nodiscard]] Outcome expel(std::uint32_t rank, const std::string& why);
  /// The run is over: whether a goodbye of this member may still come.
  [[nodiscard]] bool awaited(std::uint32_t rank, double now) const;
  /// No goodbye will come: its process has ended.
  void note_ended(std::uint32_t rank) { members_[rank].left = true; }
  /// Nothing has moved for a while: the last roster once more, if there was one. Who has it already drops it; whoever
  /// missed it would wait for a worker that is gone, for ever.
  [[nodiscard]] Outcome on_quiet() const;
  /// A member has joined and mapped its data, or asks to go and holds a scheduler: the next move() is due, in order.
  [[nodiscard]] bool wants_move() const;
  /// Somebody is here who computes. Without anybody no run comes to its next barrier.
  [[nodiscard]] bool works() const;
  /// Deals all roles anew among those that are here. Errors: cluster: nobody is left who accepts a role that is needed.
  [[nodiscard]] Status move();
  /// Every member of the run, which has so many, has mapped its data, but for those that are lost, or silent: they may
  /// come later.
  [[nodiscard]] bool all_loaded(std::uint32_t run, std::uint32_t nodes) const;
  /// Every member of it that is not lost has taken so many verdicts.
  [[nodiscard]] bool all_have(std::uint32_t run, std::uint32_t nodes, std::uint32_t phases) const;
  /// It is over everywhere.
  void forget_run(std::uint32_t run);
  /// Set: a node of the run has read other data than those of this fingerprint; a message for people.
  [[nodiscard]] std::optional<std::string> different_data(std::uint64_t fingerprint, std::uint32_t run,
                                                          std::uint32_t nodes) const;
  /// The same of one that joined late: it is lost, and the runs go on. `fingerprint`: of the first run's data.
  [[nodiscard]] Outcome compare_late(std::uint32_t rank, std::uint64_t fingerprint);

  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  /// As it was dealt last; workers move in between.
  [[nodiscard]] const Roster& roster() const noexcept { return roster_; }
  [[nodiscard]] std::uint64_t roster_number() const noexcept { return roster_number_; }
  [[nodiscard]] wire::Roster last_roster() const;
  /// Rank of the node of worker w now.
  [[nodiscard]] const std::vector<std::uint32_t>& workers_now() const noexcept { return workers_now_; }
  /// Times that workers moved.
  [[nodiscard]] std::uint64_t reassigned() const noexcept { return reassigned_; }
  [[nodiscard]] const Liveness& liveness() const noexcept { return liveness_; }

 private:
  /// Who was lost or asked to go, in order, for people.
  struct Departure {
    std::uint32_t rank = 0;
    std::string text;
  };

  void take_away(std::uint32_t rank, const std::string& cause, Outcome& outcome);
  void deal_again(Outcome& outcome);
  void check_reachable(Outcome& outcome);
  [[nodiscard]] bool holds_a_scheduler(std::uint32_t rank) const;
  [[nodiscard]] bool holds_a_role(std::uint32_t rank) const;
  /// Somebody accepts schedulers who is here, or could be taken in, and does not leave.
  [[nodiscard]] bool others_accept_schedulers() const;
  /// The last departures of nodes that accepted the role, with their causes.
  [[nodiscard]] std::string departures_of(std::uint8_t role) const;

  EngineOptions options_;
  Liveness liveness_;
  std::vector<std::string> names_;
  Reachability reachability_;
  double reach_seconds_ = kReachSeconds;
  std::vector<Member> members_;  ///< by rank
  std::string driver_;
  bool begun_ = false;
  bool ends_ = false;
  Roster roster_;
  std::vector<std::uint32_t> workers_now_;
  std::uint64_t roster_number_ = 0;
  std::uint64_t reassigned_ = 0;
  std::vector<Departure> departures_;
};

}  // namespace strads::engine
