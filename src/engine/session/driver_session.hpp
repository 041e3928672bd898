// The driver from its first newcomer to the last goodbye: who joins, when the run begins and ends, what nodes are told.
// Layer: engine. Pure: the driver of a cluster and that of the simulator are loops around it. Times are seconds since
// any fixed moment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/session/hosted_runs.hpp"
#include "engine/session/membership.hpp"
#include "engine/session/offences.hpp"
#include "engine/session/snapshot.hpp"

namespace strads::engine {

/// What a session asks of the loop around it, which carries it out in this order and takes it off.
struct DriverRequests {
  std::vector<Membership::Note> notes;
  std::vector<std::uint32_t> removed;  ///< went away before the beginning: later ranks move up, one after the other
  bool welcome = false;                ///< all are here: choose kernels, connect to all, then welcome_all()
  std::vector<std::pair<std::uint32_t, RunEnd>> ended;  ///< runs, by place, and how
  /// Of runs, by place: newer than all before.
  std::vector<std::pair<std::uint32_t, std::shared_ptr<const RunCheckpoint>>> checkpoints;
  std::vector<std::uint32_t> drop;  ///< lost: nothing of the round protocol is sent to these any more
  /// To members, by rank. Of WELCOME the driver's own part is missing.
  std::vector<std::pair<std::uint32_t, wire::Message>> to_members;
};

class DriverSession {
 public:
  /// Where it is, for people: for those who join, and for messages of the run.
  struct Endpoints {
    std::string control, data;
  };
  /// `nodes`: so many make a run. `start_seconds`: so long they may take.
  DriverSession(const EngineOptions& engine, Membership membership, std::uint32_t nodes, Endpoints endpoints,
                double start_seconds);

  // --- who joins ---

  /// A member, new or not. nullopt: there is no place; it asks again, and is told when the run has begun.
  struct Joined {
    std::uint32_t rank = 0;
    bool is_new = false;  ///< later ranks move down
    bool late = false;    ///< new, and runs have begun: the loop gives it an incarnation and connects to it
  };
  [[nodiscard]] std::optional<Joined> on_hello(const wire::Hello& hello, double now);
  /// After on_hello(), when the loop knows where the member is.
  void answer(std::uint32_t rank);
  /// Before answer(), of one that is late and has its incarnation: all others hear of it.
  void introduce(std::uint32_t rank);
  /// After requests.welcome was carried out.
  void welcome_all();

  /// Of the first run, before it begins: as open() has it of the others.
  void let_first_wait(std::function<bool()> may_judge) { runs_[kFirstRun].may_judge = std::move(may_judge); }

  // --- messages ---

  void heard(std::uint32_t rank, double now) { membership_.heard(rank, now); }
  /// Of the control channel, from a member that is not lost. REQUIRES: the run has begun.
  void on_member(std::uint32_t rank, const wire::Message& message, double now);
  /// Of the round protocol, from the member of rank `from`, of the run of this number.
  void on_message(std::uint32_t number, std::uint32_t from, wire::Message message);
  /// The driver's own data of the run of this place were read, or could not be: its model makes the judge.
  void on_model(std::uint32_t place, const Result<std::shared_ptr<Model>>& model, std::uint64_t fingerprint);
  /// `from`: the member that is known to have sent it; the third such message expels it.
  void refuse(Refusal kind, std::optional<std::uint32_t> from);
  void closed(std::uint32_t rank, double now) { membership_.closed(rank, now); }
  void on_unreached(const std::vector<std::uint32_t>& ranks, double now) { membership_.on_unreached(ranks, now); }
  /// Its process has ended.
  void on_ended_process(std::uint32_t rank, const std::string& how);
  /// All runs should end with their next commits, later ones with their first; before the first round of the only run
  /// it ends now.
  void request_finish();
  /// After effects were carried out: the coordinator of this run has ended it. A run that fails ends all.
  void end_run(std::uint32_t number, RunEnd end);
  /// All runs end now.
  void fail(Status status);
  /// request_finish() was called, by the loop or since all nodes leave: no further run should begin.
  [[nodiscard]] bool finishes() const noexcept { return finish_asked_; }
  /// The runs end since no node would be left: all were asked to go.
  [[nodiscard]] bool all_leave() const noexcept { return all_leave_; }

  // --- runs besides the first one ---

  /// Begins another run, of the same schedulers and workers: every node makes its model of `request`, the loop makes
  /// the driver's. `turn`: of its roles (roster_of_run()); without it the run's place. `may_judge`: as
  /// Coordinator::wait_for(); asked at each look() while a verdict waits. `from`: where it goes on; null: it begins.
  /// Returns its place: 1, 2 ... REQUIRES: the first run has begun, !ended().
  std::uint32_t open(const EngineOptions& engine, std::string request, std::optional<std::uint32_t> turn = {},
                     std::function<bool()> may_judge = {}, std::shared_ptr<const RunCheckpoint> from = {});
  /// The first run goes on from there (null: it begins) and is one that nodes make of `request` ("": that of WELCOME).
  /// Call before anybody has joined.
  void begin_first_from(std::shared_ptr<const RunCheckpoint> from, std::string request = {}) {
    records_[kFirstPlace].checkpoint = std::move(from);
    first_request_ = std::move(request);
  }
  /// Asked at barriers, with a run's place and its last commit: whether a checkpoint is wanted there whatever was made
  /// before. Without it they are made now and then, for losses.
  std::function<bool(std::uint32_t place, Version version)> checkpoint_due;
  /// While it is set the session waits for more runs when none is left.
  bool stays = false;
  /// Those that are not over everywhere, by number; what their coordinators ask for is to be carried out by the loop.
  [[nodiscard]] std::map<std::uint32_t, DriverRun>& runs() noexcept { return runs_; }
  /// Takes what a run's coordinator has told of its progress off, without what it told before the run went back.
  [[nodiscard]] std::vector<ProgressEvent> take_progress(DriverRun& of);
  /// All have loaded the data of the first run.
  [[nodiscard]] bool first_has_begun() const noexcept { return first_has_begun_; }
  /// Times that the runs went on elsewhere.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

  // --- timers ---

  /// Handles members that are missing, silent or lost, and all that is due. True: unanswered messages were repeated.
  bool look(double now);
  /// The run has ended: goodbyes, until over().
  void say_goodbye(double now);
  [[nodiscard]] bool ended() const noexcept { return end_.has_value(); }
  /// Nobody is waited for any more.
  [[nodiscard]] bool over(double now) const;

  [[nodiscard]] const Membership& membership() const noexcept { return membership_; }
  [[nodiscard]] Membership& membership() noexcept { return membership_; }
  /// Of the run of a place. nullptr: it has not begun, or is over everywhere.
  [[nodiscard]] const Coordinator* coordinator(std::uint32_t place = kFirstPlace) const;
  [[nodiscard]] const Refusals& refused() const noexcept { return refused_; }
  /// Of nodes, in what is reported: the run ended in order, or by a limit. REQUIRES: ended().
  [[nodiscard]] bool totals_count() const;
  /// Of the first run, or why all of them failed. REQUIRES: ended().
  [[nodiscard]] const RunEnd& end() const { return *end_; }

  DriverRequests requests;
  /// Said beside the reason where nodes have not come in time.
  std::string advice;

 private:
  /// What is known of the run of a place, whatever its number.
  struct Record {
    std::shared_ptr<const RunCheckpoint> checkpoint;  ///< the newest; null: it would begin anew
    double asked = 0;                                 ///< when one was asked for last
    double made = 0;                                  ///< when the newest was asked for
    double pause = 1;                                 ///< seconds between two of them, at least
    // What was told of its progress.
    bool started = false;
    Version version = -1;
    std::uint32_t phase = 0;
    std::optional<Version> differed_at;  ///< replicas did, and nobody knows whose is right
  };

  void carry_out(const Membership::Outcome& outcome);
  void hand_on(DriverRun& held, std::uint32_t from, const wire::Message& message);
  [[nodiscard]] DriverRun* run(std::uint32_t number);
  [[nodiscard]] const DriverRun* run_of(std::uint32_t place) const;
  [[nodiscard]] DriverRun* run_of(std::uint32_t place) {
    return const_cast<DriverRun*>(std::as_const(*this).run_of(place));
  }
  void end_when_no_run_is_left();
  void end_before_all_have_left();
  void tell_requests(double now);
  void let_go_of_ended_runs();
  void close_what_is_over(std::uint32_t rank, const wire::Beat& beat);
  void on_beat(std::uint32_t rank, const wire::Beat& beat, double now);
  void on_loaded(std::uint32_t rank, const wire::Loaded& loaded);
  void on_fetch(std::uint32_t rank, const wire::Fetch& fetch);
  void look_for_nodes(double now);
  void welcome_again(double now);
  void coordinate_when_all_have_loaded(DriverRun& held);
  void tell(std::uint32_t rank, wire::Message message) { requests.to_members.emplace_back(rank, std::move(message)); }

  // Checkpoints, and what they are for.
  [[nodiscard]] std::optional<std::uint32_t> keeper_at(std::uint32_t place, Version version);
  void look_at_checkpoints(DriverRun& held);
  void on_difference(DriverRun& held, const Coordinator::Gathered& gathered);
  void look_for_moves();
  [[nodiscard]] bool all_made_checkpoints() const;
  void move();
  void go_on_elsewhere(const DriverRun& old);
  void begin_from(DriverRun& opened, std::shared_ptr<const RunCheckpoint> from);
  [[nodiscard]] wire::Open request_of(const DriverRun& held, std::uint32_t replaces, std::string request) const;

  static constexpr std::uint32_t kFirstPlace = 0;

  Membership membership_;
  std::uint32_t nodes_;
  Endpoints endpoints_;
  double start_seconds_;
  double now_ = 0;
  double next_welcome_ = 0;
  Refusals refused_;
  Offences offences_;

  std::optional<Status> node_failed_;  ///< to load; the driver's own error says more, if it has one
  std::map<std::uint32_t, DriverRun> runs_;
  std::map<std::uint32_t, Record> records_;  ///< by place
  std::uint32_t next_number_ = kFirstRun + 1;
  std::uint32_t next_place_ = kFirstPlace + 1;
  bool first_has_begun_ = false;
  bool finish_asked_ = false;
  bool all_leave_ = false;
  std::string first_request_;                       ///< of the first run; "": WELCOME says what it is
  std::optional<std::uint64_t> first_fingerprint_;  ///< of the data of the first run, as the driver sees them
  bool moves_now_ = false;                          ///< a scheduler was lost
  std::optional<double> moving_since_;              ///< in order: each run makes a checkpoint at its next barrier
  std::uint64_t moved_ = 0;

  std::optional<RunEnd> first_end_;  ///< of the first run
  std::optional<RunEnd> end_;
  std::optional<double> goodbye_since_;
  double next_goodbye_ = 0;
};

}  // namespace strads::engine
