#include "engine/session/node_session.hpp"

#include <algorithm>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/snapshot.hpp"
#include "engine/session/speaker.hpp"

namespace strads::engine {
namespace {

/// The end of the run may overtake its last commits, which come on other channels and belong into the totals.
constexpr double kLastCommitsSeconds = 1;
constexpr double kFetchEverySeconds = 0.5;  ///< a part that does not come is asked for again
/// Between two looks at what is overdue: loops turn far more often, and a late node is late by much more.
constexpr double kLateLookSeconds = 0.01;
/// A beat is due after commits of so many bytes, as on the wire: about twice as many are kept at the most.
constexpr std::uint64_t kBytesOfABeat = std::uint64_t{8} << 20;

/// Schedulers keep their commits until a beat of every node has told that it has them. Rounds of large commits would
/// gather as many of them as fit between two beats, the more the faster the machine.
std::uint64_t bytes_since_beat(const std::map<std::uint32_t, std::shared_ptr<NodeRun>>& runs) {
  std::uint64_t taken = 0;
  for (const auto& [number, run] : runs) {
    if (run->node != nullptr) taken += run->node->replica().bytes_taken() - run->bytes_told;
  }
  return taken;
}

}  // namespace

NodeSession::NodeSession(wire::Hello hello, std::string driver, double patience)
    : hello_(std::move(hello)), driver_(std::move(driver)), patience_(patience), watch_(driver_, patience) {}

void NodeSession::join(std::uint32_t rank, const Roster& roster, double lease_seconds, const EngineOptions& engine,
                       std::shared_ptr<Model> model) {
  rank_ = rank;
  roster_ = roster;
  heard_ = true;
  stage_ = NodeStage::scanning;
  watch_.set_lease(lease_seconds);
  NodeRun& run = hold(kFirstRun);
  run.roster = roster_;
  run.engine = engine;
  run.model = std::move(model);
  run.node = std::make_unique<Node>(rank_, roster_of_run(roster_, run.turn), engine, run.model);
}

NodeRun& NodeSession::hold(std::uint32_t number) {
  auto& run = runs_[number];
  if (run == nullptr) run = std::make_shared<NodeRun>();
  run->number = number;
  return *run;
}

void NodeSession::begin_run(NodeRun& run) {
  if (run.node != nullptr || run.model == nullptr || run.here < run.parts) return;
  std::shared_ptr<const NodeCheckpoint> from;
  if (run.parts > 0) {
    auto decoded = decode_snapshot(run.snapshot, run.engine.schedulers);
    run.snapshot = {};
    if (!decoded.ok()) return on_failure(decoded.status());
    from = std::make_shared<const NodeCheckpoint>(std::move(decoded).value());
  }
  if (stage_ == NodeStage::loading) stage_ = NodeStage::scanning;
  run.node = std::make_unique<Node>(rank_, roster_of_run(run.roster, run.turn), run.engine, run.model);
  if (from != nullptr) run.node->resume(std::move(from));
  run.node->start(run.effects);
}

NodeRun* NodeSession::run(std::uint32_t number) const {
  const auto held = runs_.find(number);
  return held == runs_.end() ? nullptr : held->second.get();
}

NodeRun* NodeSession::run_of(std::uint32_t place) const {
  NodeRun* newest = nullptr;
  for (const auto& [number, held] : runs_) newest = held->place == place ? held.get() : newest;
  return newest;
}

void NodeSession::begin(double now) {
  began_ = now_ = next_word_ = now;
  watch_.heard(now);
  watch_.note_connection(true, now);
  for (const auto& [number, run] : runs_) run->node->start(run->effects);
}

void NodeSession::end(Status outcome) {
  if (ended_) return;
  ended_ = true;
  requests.end = std::move(outcome);
}

void NodeSession::tell(const Status& why) {
  requests.to_driver.emplace_back(wire::Leave{static_cast<std::uint8_t>(why.code()), why.message()});
}

void NodeSession::leave(const std::string& reason, bool ends_run) {
  if (ended_ || last_words_.begun() || wish_.has_value()) return;
  tell({ends_run ? StatusCode::cluster : StatusCode::ok, reason});
  if (ends_run || stage_ == NodeStage::joining) return end(Status::cluster("left the run: " + reason));
  wish_ = reason;
  wish_since_ = now_;
}

/// It was asked to leave: others take its roles meanwhile, or the runs end, which may take longer than a lease.
void NodeSession::leave_by_wish(bool connected) {
  if (!wish_.has_value() || ended_ || leaving_.has_value()) return;
  if (!connected || (!runs_end_ && now_ - wish_since_ > watch_.liveness().lease_seconds))
    return end(Status::cluster("left the run: " + *wish_));
}

void NodeSession::on_failure(Status failure) {
  tell(failure);
  end(std::move(failure));
}

// --- messages of the driver ---

void NodeSession::on_control(const wire::Message& message, double now) {
  now_ = now;
  if (ended_) return;
  if (const auto* reject = std::get_if<wire::Reject>(&message)) {
    return end(Status::cluster("the driver at " + driver_ + " refuses this node: " + reject->reason));
  }
  watch_.heard(now);
  watch_.note_connection(true, now);
  if (const auto* answer = std::get_if<wire::Beat>(&message)) {
    if (!std::exchange(heard_, true)) {
      requests.comes_in = true;
      return;
    }
    last_words_.answered(answer->number);
    for (const auto& [number, run] : runs_) {
      const Reached all = reached_in(*answer, number);
      if (run->node != nullptr) run->node->forget(all.version, all.phases);
    }
  } else if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    if (stage_ == NodeStage::joining) on_welcome(*welcome);
  } else if (const auto* roster = std::get_if<wire::Roster>(&message)) {
    on_roster(*roster);
  } else if (const auto* open = std::get_if<wire::Open>(&message)) {
    on_open(*open);
  } else if (const auto* close = std::get_if<wire::Close>(&message)) {
    on_close(close->run);
  } else if (const auto* part = std::get_if<wire::Part>(&message)) {
    on_part(*part);
  } else if (const auto* peer = std::get_if<wire::Peer>(&message)) {
    on_peer(*peer);
  } else if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    if (leaving_.has_value()) return;
    leaving_ = *leave;
    leaving_since_ = now;
  } else if (std::holds_alternative<wire::Finish>(message) && wish_.has_value()) {
    runs_end_ = true;
  } else {
    refuse_control(Refusal::misplaced);
  }
}

void NodeSession::on_welcome(const wire::Welcome& welcome) {
  auto roster = roster_of(welcome, lines_of(welcome.endpoints));
  if (!roster.ok()) return on_failure(roster.status());
  heard_ = true;
  rank_ = welcome.rank;
  roster_ = std::move(roster).value();
  offences_ = {};  // until now the driver had no rank
  watch_.set_lease(welcome.lease);
  stage_ = NodeStage::loading;
  next_word_ = now_;
  waits_ = welcome.waits != 0;
  if (!waits_) hold(kFirstRun).roster = roster_;
  requests.load = welcome;
}

/// It comes until a beat has counted it.
void NodeSession::on_peer(const wire::Peer& peer) {
  if (stage_ == NodeStage::joining || peer.rank != roster_.nodes) return;
  roster_.nodes = peer.rank + 1;
  requests.peers.push_back(peer);
}

/// It comes until the driver has LOADED: what has come before is not made twice.
void NodeSession::on_open(const wire::Open& open) {
  if (stage_ == NodeStage::joining || open.run == kFirstRun || closed_.contains(open.run)) return;
  on_close(open.replaces);
  if (const NodeRun* held = run(open.run)) {
    if (held->loaded.has_value()) requests.to_driver.emplace_back(*held->loaded);
    return;
  }
  if (open.nodes > roster_.nodes) return;  // PEER is still to come
  Roster roster{open.nodes, kDriverRank, open.schedulers, open.workers};
  if (!roster.accepts(open.schedulers, static_cast<std::uint32_t>(roster_.schedulers.size())) ||
      !roster.accepts(open.workers, static_cast<std::uint32_t>(roster_.workers.size()))) {
    return refuse_control(Refusal::impossible);
  }
  if (open.roster > roster_number_) {
    roster_.schedulers = open.schedulers;
    take_roster(open.roster, open.workers);
  }
  // A newer ROSTER may have overtaken it, and does not come again.
  if (!roster.accepts(roster_.workers, static_cast<std::uint32_t>(roster_.workers.size()))) return;
  roster.workers = roster_.workers;
  NodeRun& opened = hold(open.run);
  opened.place = open.place;
  opened.turn = open.turn;
  opened.roster = std::move(roster);
  opened.parts = open.parts;
  fetch(opened);
  requests.open.push_back(open);
}

/// Asks for the next part of its snapshot.
void NodeSession::fetch(NodeRun& run) {
  if (run.here >= run.parts) return;
  requests.to_driver.emplace_back(wire::Fetch{run.number, run.here});
  run.next_fetch = now_ + kFetchEverySeconds;
}

void NodeSession::on_part(const wire::Part& part) {
  NodeRun* held = run(part.run);
  if (held == nullptr || part.part != held->here || held->here >= held->parts) return;
  held->snapshot += part.bytes;
  ++held->here;
  fetch(*held);
  begin_run(*held);
}

/// Every node has taken the run's end: nobody asks for anything of it any more.
void NodeSession::on_close(std::uint32_t number) {
  const auto held = runs_.find(number);
  if (held == runs_.end()) return;
  if (const Node* node = held->second->node.get()) closed_totals_.add(*node);
  closed_.insert(number);
  runs_.erase(held);
}

void NodeSession::on_roster(const wire::Roster& roster) {
  if (stage_ == NodeStage::joining) return;  // WELCOME was lost, and is asked for again
  Roster possible = roster_;
  possible.nodes = kMembersMax;
  if (!possible.accepts(roster.workers, static_cast<std::uint32_t>(roster_.workers.size())))
    return refuse_control(Refusal::impossible);
  requests.drop.insert(requests.drop.end(), roster.lost.begin(), roster.lost.end());
  const bool all_known = roster_.accepts(roster.workers, static_cast<std::uint32_t>(roster_.workers.size()));
  if (all_known && roster.number > roster_number_) take_roster(roster.number, roster.workers);  // else PEER is to come
}

/// A run that began before a worker's node was there is about to be replaced, and keeps what it has.
void NodeSession::take_roster(std::uint64_t number, const std::vector<std::uint32_t>& workers) {
  roster_number_ = number;
  roster_.workers = workers;
  for (const auto& [each, run] : runs_) {
    if (!run->roster.accepts(workers, static_cast<std::uint32_t>(workers.size()))) continue;
    run->roster.workers = workers;
    if (run->node != nullptr) run->node->on_roster(roles_of_run(workers, run->turn), run->effects);
  }
}

// --- the run ---

void NodeSession::on_loaded(std::uint32_t number, const Status& status, const EngineOptions& engine,
                            std::shared_ptr<Model> model, std::uint64_t fingerprint) {
  NodeRun* held = run(number);
  if (held == nullptr && (number != kFirstRun || !waits_)) return;  // let go meanwhile
  wire::Loaded loaded;
  loaded.run = number;
  loaded.fingerprint = fingerprint;
  Status outcome = status;
  if (outcome.ok() && (engine.schedulers != roster_.schedulers.size() || engine.workers != roster_.workers.size())) {
    outcome = Status::cluster("the options sent by the driver give other numbers of roles than its roster");
  }
  if (!outcome.ok()) {
    loaded.code = static_cast<std::uint8_t>(outcome.code());
    loaded.error = outcome.message();  // the driver ends the run, naming this host
  }
  requests.to_driver.emplace_back(loaded);
  if (held == nullptr) {
    mapped_ = std::move(loaded);
    return;
  }
  held->loaded = std::move(loaded);
  if (!outcome.ok()) return;
  held->engine = engine;
  held->model = std::move(model);
  begin_run(*held);
}

bool NodeSession::on_message(std::uint32_t number, std::uint32_t from, const wire::Message& message) {
  NodeRun* held = run(number);
  if (held == nullptr || held->node == nullptr) return true;
  std::optional<Refusal> refusal;
  if (!may_say(from, message, held->node->roster())) {
    refusal = Refusal::misplaced;
  } else if (!acceptable(*held->model, message)) {
    refusal = Refusal::unacceptable;
  } else if (!held->node->on_message(from, message, held->effects)) {
    refusal = Refusal::impossible;
  }
  if (refusal.has_value()) refuse(*refusal, from);
  return !refusal.has_value();
}

void NodeSession::refuse(Refusal kind, std::optional<std::uint32_t> from) {
  refused_.add(kind);
  if (!from.has_value() || !offences_.count_offence(*from, kind)) return;
  if (*from != roster_.coordinator) {
    next_word_ = now_;  // a beat, which accuses it
    return;
  }
  on_failure(
      Status::cluster("the driver at " + driver_ + " is no driver of this run: " + expulsion_text("this node", kind)));
}

/// A checkpoint that the model cannot take.
void NodeSession::note_failed_runs() {
  for (const auto& [number, run] : runs_) {
    if (run->node == nullptr || !run->effects.end.has_value() || run->effects.end->status.ok()) continue;
    return on_failure(run->effects.end->status);
  }
}

void NodeSession::note_progress(double now) {
  if (!ended_ && !roster_.alone()) note_failed_runs();
  const auto is_running = [](const Node& node) { return node.started() && !node.stopped(); };
  if (any_node(is_running)) {
    if (stage_ != NodeStage::running) running_since_ = now;
    stage_ = NodeStage::running;
  } else if (stage_ == NodeStage::running) {
    stage_ = NodeStage::stopped;
    seconds_running_ += now - running_since_;
  }
}

template <class Is>
bool NodeSession::any_node(const Is& is) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const auto& held) { return held.second->node != nullptr && is(*held.second->node); });
}

void NodeSession::note_time(double now) {
  now_ = now;
  for (const auto& [number, run] : runs_) {
    if (run->node != nullptr) run->node->note_time(now);
  }
}

void NodeSession::note_waiting(double now) {
  note_time(now);
  if (waiting_) seconds_waiting_ += now - waiting_since_;
  waiting_ = any_node([](const Node& node) { return node.waiting_for_plan(); });
  waiting_since_ = now;
}

// --- timers ---

bool NodeSession::repeat(double now) {
  now_ = now;
  bool any = false;
  for (const auto& [number, run] : runs_) {
    if (run->node == nullptr || !run->quiet.due(run->node->progress_mark(), run->tasks > 0, now)) continue;
    run->node->on_quiet(run->effects);
    any = true;
  }
  return any;
}

bool NodeSession::ask_second_workers(double now) {
  if (now < next_late_look_) return false;
  next_late_look_ = now + kLateLookSeconds;
  note_time(now);
  bool any = false;
  for (const auto& [number, run] : runs_) {
    any = (run->node != nullptr && run->node->ask_second_workers(run->effects)) || any;
  }
  return any;
}

bool NodeSession::look(double now, bool connected, bool again) {
  now_ = now;
  leave_by_wish(connected);
  leave_in_order(connected);
  for (const auto& [number, run] : runs_) {
    if (run->here < run->parts && now >= run->next_fetch) fetch(*run);
  }
  const bool due = says_totals_ || word_is_due(again);
  check_driver(connected);
  if (due && stage_ == NodeStage::joining) {
    requests.to_driver.emplace_back(hello_);
    return false;
  }
  return due;
}

void NodeSession::leave_in_order(bool connected) {
  if (!leaving_.has_value() || ended_) return;
  const bool complete =
      leaving_->code != 0 || wish_.has_value() || !any_node([](const Node& node) { return !node.stopped(); });
  if (!complete && now_ - leaving_since_ < kLastCommitsSeconds) return;
  says_totals_ = last_words_.due(now_);
  // Nobody adds up the totals of a run that failed. One that was stopped since all were asked to go did not.
  const bool as_wished = wish_.has_value() && code_of(leaving_->code) == StatusCode::stopped;
  if (leaving_->code != 0 && !as_wished) {
    end({code_of(leaving_->code), "the driver ended the run: " + leaving_->reason});
  } else if (last_words_.over(connected, now_)) {
    end({});
  }
}

bool NodeSession::word_is_due(bool again) {
  if (ended_ || last_words_.begun()) return false;
  if (now_ < next_word_ && !again && bytes_since_beat(runs_) < kBytesOfABeat) return false;
  next_word_ = now_ + (stage_ == NodeStage::joining ? kHelloSeconds : watch_.liveness().beat_seconds());
  return true;
}

/// The run is over, and last words take two seconds at most: whatever is asked now comes too late to change the end.
void NodeSession::check_driver(bool connected) {
  if (ended_ || last_words_.begun()) return;
  if (unanswered()) {
    if (stays || now_ - began_ <= patience_) return;
    return end(Status::cluster("no driver answered at " + driver_ + " within " + seconds_text(patience_) +
                               (advice.empty() ? "" : "; " + advice)));
  }
  watch_.note_connection(connected, now_);
  if (auto cause = watch_.lost(now_)) end(Status::cluster(std::move(*cause)));
}

void NodeSession::beat(wire::Beat facts) {
  wire::Beat beat = std::move(facts);
  beat.number = ++beats_;
  beat.stage = static_cast<std::uint8_t>(last_words_.begun() ? NodeStage::leaving : stage_);
  Refusals refused(beat.refused);
  refused.add(refused_);
  const NodeTotals all = totals();
  refused.add(Refusal::early, all.dropped_early);
  beat.updates = all.updates;
  beat.blocks = all.blocks;
  beat.repeated = all.repeated;
  beat.second_workers = all.second_workers;
  beat.late.assign(all.late_nodes.begin(), all.late_nodes.end());
  beat.seconds_running = seconds_running_ + (stage_ == NodeStage::running ? now_ - running_since_ : 0);
  beat.seconds_waiting = seconds_waiting_;
  for (const auto& [number, run] : runs_) {
    if (run->node == nullptr) continue;
    add_run(beat, number, {run->node->replica().version(), run->node->phases_seen()});
    run->bytes_told = run->node->replica().bytes_taken();
  }
  beat.refused = refused.list();
  beat.peers = roster_.nodes;
  for (const auto& accused : offences_.accused()) {
    beat.accused.push_back(accused.rank);
    beat.grounds.push_back(static_cast<std::uint32_t>(accused.last));
  }
  requests.to_driver.emplace_back(std::move(beat));
  if (std::exchange(says_totals_, false)) {
    last_words_.said(beats_);
    requests.to_driver.emplace_back(wire::Leave{});
    return;
  }
  if (mapped_.has_value() && runs_.empty()) requests.to_driver.emplace_back(*mapped_);
  if (wish_.has_value()) tell({StatusCode::ok, *wish_});
  for (const auto& [number, run] : runs_) {
    if (run->loaded.has_value() && (run->node == nullptr || !run->node->started()))
      requests.to_driver.emplace_back(*run->loaded);
  }
}

NodeTotals NodeSession::totals() const {
  NodeTotals all = closed_totals_;
  for (const auto& [number, run] : runs_) {
    if (run->node != nullptr) all.add(*run->node);
  }
  return all;
}

}  // namespace strads::engine
