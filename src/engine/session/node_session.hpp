// The messages of a node besides those of the rounds: joining, beats, the driver's silence, goodbye. Layer: engine.
// Pure: the nodes of a cluster and of the simulator are loops around it. Times are seconds since any fixed moment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/node.hpp"
#include "engine/session/hosted_runs.hpp"
#include "engine/session/last_words.hpp"
#include "engine/session/members.hpp"
#include "engine/session/offences.hpp"

namespace strads::engine {

/// What a session asks of the loop around it, which carries it out in this order and takes it off.
struct NodeRequests {
  bool comes_in = false;              ///< the driver knows this node's own key: HELLO again, with that key
  std::optional<wire::Welcome> load;  ///< connect to the others, then read the data of the first run
  std::vector<wire::Peer> peers;      ///< connect to these as well
  std::vector<wire::Open> open;       ///< make the models of these runs, once the data are read
  std::vector<wire::Message> to_driver;
  std::vector<std::uint32_t> drop;  ///< ranks: the run has gone on without them
  std::optional<Status> end;        ///< leave with this outcome
};

/// What a node did, over all runs.
struct NodeTotals {
  std::uint64_t updates = 0, blocks = 0, repeated = 0, dropped = 0, dropped_early = 0, second_workers = 0;
  std::set<std::uint32_t> late_nodes;

  void add(const Node& node) {
    updates += node.updates_computed();
    blocks += node.blocks_computed();
    repeated += node.repeated_messages();
    dropped += node.dropped_messages();
    dropped_early += node.dropped_early();
    second_workers += node.second_workers();
    late_nodes.merge(node.late_nodes());
  }
};

/// A node from its first HELLO to its goodbye, with the runs that it hosts: the first one is that of WELCOME, each
/// further one that of an OPEN.
class NodeSession {
 public:
  /// `driver`: where it is, for people. `patience`: so long does it wait for a driver that never answers.
  NodeSession(wire::Hello hello, std::string driver, double patience);

  /// Before begin(): everybody has joined and loaded, and this is the run.
  void join(std::uint32_t rank, const Roster& roster, double lease_seconds, const EngineOptions& engine,
            std::shared_ptr<Model> model);
  void begin(double now);

  /// A message of the driver on the control channel.
  void on_control(const wire::Message& message, double now);
  /// WELCOME could not be followed.
  void on_failure(Status failure);
  /// The data of a run were read, or could not be: of the first run it says so for those data whether or not that run
  /// begins here. `engine`: what the driver's options say.
  void on_loaded(std::uint32_t number, const Status& status, const EngineOptions& engine, std::shared_ptr<Model> model,
                 std::uint64_t fingerprint);
  /// A message of the round protocol from the process of rank `from`, of the run of this number. Before its data are
  /// read nobody sends anything that matters, and after its end nobody needs anything: it is dropped. False: it was
  /// refused, and counted.
  bool on_message(std::uint32_t number, std::uint32_t from, const wire::Message& message);
  /// `from`: the process that is known to have sent it. The third such message of a node is reported to the
  /// driver, the third of the driver ends this node.
  void refuse(Refusal kind, std::optional<std::uint32_t> from);
  /// This node is asked to leave, and goes when the driver has given its roles to others, or is gone, or does not
  /// answer for a lease. May be called again and again. `ends_run`: the run is to end with it, and it goes at once.
  void leave(const std::string& reason, bool ends_run);

  /// Each run in which nothing has moved for a while, and no task is under way, repeats what is open. True: one did.
  [[nodiscard]] bool repeat(double now);
  /// Blocks that are long overdue go to a second worker as well. True: one did.
  [[nodiscard]] bool ask_second_workers(double now);
  /// Timers. True: beat() is due, also where the node leaves. `connected`: to the driver; `again`: since the last look.
  [[nodiscard]] bool look(double now, bool connected, bool again = false);
  /// `facts`: a beat with what only the loop knows. With the last words comes the goodbye.
  void beat(wire::Beat facts);
  /// After effects were carried out: how far the runs have come.
  void note_progress(double now);
  /// Before handlers, so that schedulers know when their blocks were answered.
  void note_time(double now);
  /// Around handlers, as note_time(); and whether a turn waits for its plan.
  void note_waiting(double now);

  [[nodiscard]] const wire::Hello& hello() const noexcept { return hello_; }
  [[nodiscard]] NodeStage stage() const noexcept { return stage_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] const Roster& roster() const noexcept { return roster_; }
  /// Those that it holds, by number; what their nodes ask for is to be carried out by the loop.
  [[nodiscard]] const std::map<std::uint32_t, std::shared_ptr<NodeRun>>& runs() const noexcept { return runs_; }
  /// nullptr: it does not hold such a run.
  [[nodiscard]] NodeRun* run(std::uint32_t number) const;
  /// Of a run. nullptr: it has not loaded.
  [[nodiscard]] Node* node(std::uint32_t number = kFirstRun) const {
    const NodeRun* held = run(number);
    return held == nullptr ? nullptr : held->node.get();
  }
  /// Of the run of this place, under the newest number.
  [[nodiscard]] NodeRun* run_of(std::uint32_t place) const;
  [[nodiscard]] NodeTotals totals() const;
  [[nodiscard]] bool leaving() const noexcept { return leaving_.has_value(); }
  [[nodiscard]] bool says_last_words() const noexcept { return last_words_.begun(); }
  [[nodiscard]] std::uint64_t beats() const noexcept { return beats_; }
  [[nodiscard]] double seconds_waiting() const noexcept { return seconds_waiting_; }
  /// The driver has never answered.
  [[nodiscard]] bool unanswered() const noexcept { return !heard_ && stage_ == NodeStage::joining; }

  NodeRequests requests;
  /// Said beside the reason where the driver never answered: what to look at.
  std::string advice;
  bool stays = false;  ///< a driver that never answers is waited for without limit

 private:
  void on_welcome(const wire::Welcome& welcome);
  void on_roster(const wire::Roster& roster);
  void take_roster(std::uint64_t number, const std::vector<std::uint32_t>& workers);
  void on_peer(const wire::Peer& peer);
  void on_open(const wire::Open& open);
  void on_part(const wire::Part& part);
  void on_close(std::uint32_t number);
  void fetch(NodeRun& run);
  NodeRun& hold(std::uint32_t number);
  /// Once its model and its snapshot are here.
  void begin_run(NodeRun& run);
  void note_failed_runs();
  void leave_by_wish(bool connected);
  template <class Is>
  [[nodiscard]] bool any_node(const Is& is) const;
  void leave_in_order(bool connected);
  [[nodiscard]] bool word_is_due(bool again);
  void check_driver(bool connected);
  void refuse_control(Refusal kind) { refuse(kind, roster_.coordinator); }
  void tell(const Status& why);
  void end(Status outcome);

  wire::Hello hello_;
  std::string driver_;
  double patience_;
  double began_ = 0;
  double now_ = 0;
  NodeStage stage_ = NodeStage::joining;
  bool heard_ = false;  ///< the driver has answered
  bool ended_ = false;
  DriverWatch watch_;
  double next_word_ = 0;  ///< HELLO or BEAT
  double next_late_look_ = 0;
  std::uint64_t beats_ = 0;
  bool says_totals_ = false;  ///< the beat that is due has the last words

  std::uint32_t rank_ = 0;
  Roster roster_;
  std::uint64_t roster_number_ = 0;
  std::map<std::uint32_t, std::shared_ptr<NodeRun>> runs_;
  std::set<std::uint32_t> closed_;  ///< numbers of runs that were let go: an OPEN that comes late begins none again
  NodeTotals closed_totals_;
  bool waits_ = false;                  ///< no run has begun with WELCOME
  std::optional<wire::Loaded> mapped_;  ///< what is told of its data meanwhile
  std::optional<std::string> wish_;     ///< to leave, and why
  double wish_since_ = 0;
  bool runs_end_ = false;  ///< the driver has said that it ends them, so that this node may go
  Refusals refused_;
  Offences offences_;

  bool waiting_ = false;
  double waiting_since_ = 0, seconds_waiting_ = 0;
  double running_since_ = 0, seconds_running_ = 0;

  std::optional<wire::Leave> leaving_;  ///< the driver has ended the run
  double leaving_since_ = 0;
  LastWords last_words_;
};

}  // namespace strads::engine
