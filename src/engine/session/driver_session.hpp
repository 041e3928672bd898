// The driver from its first newcomer to the last goodbye: who joins, when the run begins and ends, what nodes are told.
// Layer: engine. Pure: the driver of a cluster and that of the simulator are loops around it. Times are seconds since
// any fixed moment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/coordinator.hpp"
#include "engine/session/membership.hpp"
#include "engine/session/offences.hpp"
#include "engine/session/quiet.hpp"
#include "engine/session/reached.hpp"

namespace strads::engine {

/// What a session asks of the loop around it, which carries it out in this order and takes it off.
struct DriverRequests {
  std::vector<Membership::Note> notes;
  std::vector<std::uint32_t> removed;  ///< went away before the beginning: later ranks move up, one after the other
  bool welcome = false;                ///< all are here: choose kernels, connect to all, then welcome_all()
  std::vector<std::uint32_t> drop;     ///< lost: nothing of the round protocol is sent to these any more
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
  };
  [[nodiscard]] std::optional<Joined> on_hello(const wire::Hello& hello, double now);
  /// After on_hello(), when the loop knows where the member is.
  void answer(std::uint32_t rank);
  /// After requests.welcome was carried out.
  void welcome_all();

  // --- words ---

  void heard(std::uint32_t rank, double now) { membership_.heard(rank, now); }
  /// Of the control channel, from a member that is not lost. REQUIRES: the run has begun.
  void on_member(std::uint32_t rank, const wire::Message& message, double now);
  /// Of the round protocol, from the member of rank `from`, of a run of the cluster.
  void on_message(std::uint32_t run, std::uint32_t from, wire::Message message);
  /// The driver's own data were read, or could not be: its model makes the judge.
  void on_model(const Result<std::shared_ptr<Model>>& model, std::uint64_t fingerprint);
  /// `from`: the member that is known to have sent it; the third such message expels it.
  void refuse(Refusal kind, std::optional<std::uint32_t> from);
  void closed(std::uint32_t rank, double now) { membership_.closed(rank, now); }
  void on_unreached(const std::vector<std::uint32_t>& ranks, double now) { membership_.on_unreached(ranks, now); }
  /// Its process has ended.
  void on_ended_process(std::uint32_t rank, const std::string& how);
  /// The run should end with the next commit; before the first round it ends now.
  void request_finish();
  /// After effects were carried out. `end`: the coordinator's, where there is one.
  void end_run(RunEnd end);
  void fail(Status status);

  // --- timers ---

  /// Whoever is missing, silent or lost; all that is due. True: what was open was repeated.
  bool look(double now);
  /// The run has ended: goodbyes, until over().
  void say_goodbye(double now);
  [[nodiscard]] bool ended() const noexcept { return end_.has_value(); }
  /// Nobody is waited for any more.
  [[nodiscard]] bool over(double now) const;

  [[nodiscard]] const Membership& membership() const noexcept { return membership_; }
  [[nodiscard]] Membership& membership() noexcept { return membership_; }
  /// nullptr: the run has not begun.
  [[nodiscard]] const Coordinator* coordinator() const noexcept { return coordinator_.get(); }
  [[nodiscard]] const Refusals& refused() const noexcept { return refused_; }
  /// Of nodes, in what is reported: the run ended in order, or by a limit. REQUIRES: ended().
  [[nodiscard]] bool totals_count() const;
  /// REQUIRES: ended().
  [[nodiscard]] const RunEnd& end() const { return *end_; }

  DriverRequests requests;
  /// What the coordinator asked for.
  Effects effects;
  /// Said beside the reason where nodes have not come in time.
  std::string advice;

 private:
  void take(const Membership::Outcome& outcome);
  void take(std::uint32_t from, const wire::Message& message);
  void on_beat(std::uint32_t rank, const wire::Beat& beat, double now);
  void on_loaded(std::uint32_t rank, const wire::Loaded& loaded);
  void look_for_nodes(double now);
  void coordinate_when_all_have_loaded();
  void tell(std::uint32_t rank, wire::Message message) { requests.to_members.emplace_back(rank, std::move(message)); }

  EngineOptions engine_;
  Membership membership_;
  std::uint32_t nodes_;
  Endpoints endpoints_;
  double start_seconds_;
  Refusals refused_;
  Offences offences_;

  std::optional<Status> node_failed_;  ///< to load; the driver's own error says more, if it has one
  std::shared_ptr<Model> model_;
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<Coordinator> coordinator_;
  /// For the coordinator, which is made when all data are known to agree; by scheduler.
  std::map<std::uint32_t, std::pair<std::uint32_t, wire::Message>> early_;
  Quiet quiet_;
  bool finish_asked_ = false;

  std::optional<RunEnd> end_;
  std::optional<double> goodbye_since_;
  double next_goodbye_ = 0;
};

}  // namespace strads::engine
