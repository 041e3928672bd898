#include "transport/node_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "strads/numerics/columns.hpp"
#include "strads/transport/threads.hpp"
#include "transport/sockets/system_limits.hpp"

namespace strads::transport {
namespace {

using namespace std::chrono_literals;
using engine::NodeStage;

constexpr auto kNodeLooksEvery = 50ms;  ///< timers, requests to leave
constexpr auto kPatience = 1ms;         ///< commits reach the driver so late: it only notes them
constexpr auto kDispatchAtMost = 10ms;  ///< then the sockets are looked at, whatever else there is to do
constexpr auto kTasksAtMost = 2s;       ///< for running computations to end, once the node has left
constexpr auto kAsksEvery = 100ms;      ///< whether to wait on for those that take longer
constexpr std::size_t kNodeMessagesAtOnce = 64;
constexpr const char* kKeysDiffer =
    "give driver and nodes the same key (--key FILE), or all of them --insecure, and check that it is the driver";
constexpr std::uint64_t kMemoryEveryBeats = 5;  ///< looking at one's own pages is not free

Simd simd_of(const std::string& name) {
  if (name == "sse4") return Simd::sse4;
  if (name == "avx2") return Simd::avx2;
  if (name == "avx512") return Simd::avx512;
  return Simd::automatic;
}

std::string roles_text(const engine::Roster& roster, std::uint32_t rank) {
  const std::string schedulers = engine::roles_on(roster.schedulers, rank);
  const std::string workers = engine::roles_on(roster.workers, rank);
  if (schedulers.empty() && workers.empty()) return "no role";
  return (schedulers.empty() ? "" : "schedulers" + schedulers) + (schedulers.empty() || workers.empty() ? "" : ", ") +
         (workers.empty() ? "" : "workers" + workers);
}

NodeState state_of(std::uint32_t rank, const std::string& name, const wire::Beat& beat) {
  NodeState state;
  NodeReport& report = state.report;
  report.rank = rank;
  report.name = name;
  report.process = static_cast<std::uint64_t>(::getpid());
  report.updates = beat.updates;
  report.blocks = beat.blocks;
  report.messages = beat.messages;
  report.bytes = beat.bytes;
  report.seconds_running = beat.seconds_running;
  report.seconds_waiting = beat.seconds_waiting;
  report.seconds_busy = beat.seconds_busy;
  report.memory_peak = beat.memory_peak;
  state.stage = engine::stage_name(beat.stage);
  return state;
}

}  // namespace

NodeProcess::NodeProcess(const NodeOptions& options, const NodeHooks& hooks)
    : options_(options), hooks_(hooks), name_(options.name.empty() ? host_name() : options.name) {
  own_.sender = kNoRank;
}

void NodeProcess::say(const std::string& line) const {
  if (hooks_.say) hooks_.say(name_ + ": " + line);
}

Status NodeProcess::open() {
  const auto endpoint = own_endpoint(options_.join, options_.address);
  if (!endpoint.ok()) return endpoint.status();
  if (options_.key.has_value()) {
    auto own = make_key_pair();
    if (!own.ok()) return own.status();
    own_key_ = std::move(own).value();
  }
  auto mesh = Mesh::open(sockets_, endpoint.value(), own_key_);
  if (!mesh.ok()) return mesh.status();
  mesh_ = std::move(mesh).value();
  if (Status connected = connect_with(options_.key.value_or(RunKey{}).join_secret); !connected.ok()) return connected;
  session_ = std::make_unique<engine::NodeSession>(hello(), options_.join, options_.start_seconds);
  session_->advice = "start it with --listen, or check the address and the firewall";
  session_->stays = options_.stays;
  session_->begin(now());
  return {};
}

Status NodeProcess::connect_with(const std::string& secret_key) {
  std::optional<Credentials> credentials;
  if (own_key_.has_value()) {
    auto own = pair_of(secret_key);
    if (!own.ok()) return own.status();
    credentials = Credentials{std::move(own).value(), options_.key->driver_public};
  }
  auto control = sockets_.connect(options_.join, credentials);
  if (!control.ok()) return control.status();
  control_ = std::move(control).value();
  established_ = 0;
  return {};
}

/// The driver knows this node's own key now: from here on it speaks with that alone.
void NodeProcess::come_in() {
  say("waits for the other nodes");
  if (!own_key_.has_value()) return;
  if (Status connected = connect_with(own_key_->secret_key); !connected.ok()) {
    outcome_ = std::move(connected);
    return;
  }
  send_control(session_->hello());
}

Status NodeProcess::run() {
  if (Status opened = open(); !opened.ok()) return opened;
  say((options_.stays ? "waits for a driver at " : "joins ") + options_.join);
  while (!outcome_.has_value()) {
    step();
    if (outcome_.has_value()) break;
    const std::chrono::milliseconds limit = mesh_->is_patient() ? kPatience : kNodeLooksEvery;
    sockets_.wait(*wake_, more_to_do_ ? 0ms : limit);
    wake_->clear();
  }
  if (runner_ != nullptr && !runner_->finish(kTasksAtMost)) wait_for_tasks();
  return *outcome_;
}

/// They refer to this object. Sockets that nobody looks at any more are closed before.
void NodeProcess::wait_for_tasks() {
  mesh_.reset();
  control_.reset();
  do {
    if (hooks_.cannot_wait) hooks_.cannot_wait(*outcome_);
  } while (!runner_->finish(kAsksEvery));
}

void NodeProcess::step() {
  more_to_do_ = false;
  session_->note_time(now());
  receive_control();
  if (outcome_.has_value()) return;
  while (auto made = models_.next_made()) on_made(std::move(*made));
  if (runner_ != nullptr) runner_->collect();
  receive_messages();
  if (runner_ != nullptr) {
    dispatch();
    if (session_->repeat(now())) dispatch();
    if (session_->ask_second_workers(now())) dispatch();
    if (!send_gathered()) more_to_do_ = false;  // waits for the peer, not for us
  }
  look_at_timers();
}

void NodeProcess::carry_out() {
  engine::NodeRequests requests = std::exchange(session_->requests, {});
  if (requests.comes_in) come_in();
  if (requests.load.has_value()) begin_loading(*requests.load);
  for (const wire::Peer& peer : requests.peers) meet(peer);
  waiting_.insert(waiting_.end(), requests.open.begin(), requests.open.end());
  if (!waiting_.empty() && models_.data_looked_at()) begin_making();
  for (const wire::Message& message : requests.to_driver) {
    const auto* beat = std::get_if<wire::Beat>(&message);
    if (beat != nullptr && hooks_.beat) hooks_.beat(state_of(own_.sender, name_, *beat));
    send_control(message);
  }
  for (const std::uint32_t rank : requests.drop) mesh_->drop(rank);
  if (requests.end.has_value() && !outcome_.has_value()) outcome_ = std::move(requests.end);
}

// --- the driver's words ---

void NodeProcess::send_control(const wire::Message& message) {
  // HELLO is said again once there is a connection: those of hours of waiting need not come with it.
  if (options_.stays && session_->unanswered() && !control_->connected()) return;
  note_time(Way::sent, message, wire::kNoRun, engine::kDriverRank);
  // A full connection means that the driver takes nothing: its lease will tell.
  (void)control_->send(encode_control(message, own_));
}

void NodeProcess::note_time(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other) {
  if (times_ != nullptr) times_->note(way, message, run, other);
}

void NodeProcess::tell_times() {
  if (times_ == nullptr || times_->empty()) return;
  for (const wire::Times& times : times_->release_messages()) send_control(times);
}

void NodeProcess::receive_control() {
  while (!outcome_.has_value()) {
    const auto frames = control_->receive();
    if (!frames.has_value()) return;
    const auto control = decode_control(*frames);
    if (control.ok()) {
      on_control(control.value());
    } else {
      session_->refuse(Refusal::damaged, session_->roster().coordinator);
    }
    carry_out();
  }
}

void NodeProcess::on_control(const ControlMessage& control) {
  const bool joining = session_->stage() == NodeStage::joining;
  const bool is_reject = std::holds_alternative<wire::Reject>(control.message);
  if (!joining && !is_reject && control.from.cluster != own_.cluster) {
    return session_->refuse(Refusal::foreign, session_->roster().coordinator);
  }
  if (const auto* welcome = std::get_if<wire::Welcome>(&control.message); welcome != nullptr && joining) {
    own_ = {control.from.cluster, control.from.epoch, welcome->rank, welcome->incarnation};
  }
  if (std::holds_alternative<wire::Times>(control.message) && !joining) {
    if (times_ == nullptr && runner_ == nullptr) times_ = std::make_unique<TimeLog>();
    return;
  }
  note_time(Way::taken, control.message, wire::kNoRun, engine::kDriverRank);
  session_->on_control(control.message, now());
}

void NodeProcess::begin_loading(const wire::Welcome& welcome) {
  if (Status introduced = introduce(welcome); !introduced.ok()) {
    session_->on_failure(std::move(introduced));
    return carry_out();
  }
  roles_said_ = roles_text(session_->roster(), welcome.rank);
  say("rank " + std::to_string(welcome.rank) + " of " + std::to_string(session_->roster().nodes) + ": " + roles_said_);
  models_.load_first([load = hooks_.load, description = RunDescription{welcome.program, welcome.config,
                                                                       welcome.folder}] { return load(description); });
}

void NodeProcess::begin_making() {
  if (std::string roles = roles_text(session_->roster(), own_.sender); roles != roles_said_) {
    say("from now on: " + roles);
    roles_said_ = std::move(roles);
  }
  for (const wire::Open& open : std::exchange(waiting_, {})) {
    if (Status begun = models_.make(open.run, open.request); !begun.ok()) {
      session_->on_loaded(open.run, begun, {}, nullptr, 0);
    }
  }
}

void NodeProcess::meet(const wire::Peer& peer) {
  say("rank " + std::to_string(peer.rank) + " joins");
  Status met = expect_of_system("a node that reaches one more process", needs_for_others(1));
  if (met.ok()) met = mesh_->introduce(peer.rank, {peer.endpoint, peer.incarnation, peer.key});
  if (!met.ok()) {
    session_->on_failure(std::move(met));
    carry_out();
  }
}

Status NodeProcess::introduce(const wire::Welcome& welcome) {
  auto endpoints = engine::lines_of(welcome.endpoints);
  endpoints.push_back(reachable(welcome.driver, options_.join));
  auto keys = engine::lines_of(welcome.keys);
  keys.resize(endpoints.size());
  std::map<std::uint32_t, MeshPeer> peers;
  for (std::uint32_t place = 0; place < endpoints.size(); ++place) {
    const bool is_driver = place + 1 == endpoints.size();
    peers[is_driver ? engine::kDriverRank : place] = {endpoints[place], welcome.incarnations[place], keys[place]};
  }
  const std::size_t others = peers.size() - 1;
  const std::string who = "a node that reaches " + std::to_string(others) + " other processes";
  if (Status enough = expect_of_system(who, needs_for_others(others)); !enough.ok()) return enough;
  if (Status introduced = mesh_->introduce(own_, peers); !introduced.ok()) return introduced;
  return simd_name() == welcome.simd ? Status() : choose_simd(simd_of(welcome.simd));
}

// --- the run ---

void NodeProcess::on_made(NodeModels::Made made) {
  session_->on_loaded(made.run, made.status, made.engine, made.model, made.fingerprint);
  if (!made.status.ok()) return carry_out();
  const unsigned threads = threads_wanted(options_.threads);
  if (runner_ == nullptr) {
    runner_ = std::make_unique<TaskRunner>(threads, *wake_);
    runner_->note_times(times_.get());
  }
  if (made.run == engine::kFirstRun && session_->run(made.run) == nullptr) models_.keep_spare(std::move(made.model));
  dispatch();
  carry_out();
}

void NodeProcess::receive_messages() {
  const bool reads_data = runner_ == nullptr;
  more_to_do_ = mesh_->receive(
      kNodeMessagesAtOnce,
      [this](const wire::HeaderInfo& from, const wire::Message& message) {
        note_time(Way::taken, message, from.run, from.sender);
        (void)session_->on_message(from.run, from.sender, message);
      },
      // While nobody listens yet others send what they like.
      [&](Refusal kind, auto from) { session_->refuse(kind, reads_data ? std::nullopt : from); });
}

void NodeProcess::deliver(engine::NodeRun& run, wire::Envelope& envelope) {
  const std::uint32_t rank = run.node->roster().node_of(envelope.to);
  if (rank == own_.sender) {
    if (std::holds_alternative<wire::Assign>(envelope.message)) {
      note_time(Way::taken, envelope.message, run.number, rank);
    }
    run.node->on_message(envelope.message, run.effects);
  } else {
    note_time(Way::sent, envelope.message, run.number, rank);
    const bool to_driver = rank == run.node->roster().coordinator;
    const bool only_noted = to_driver && std::holds_alternative<wire::Commit>(envelope.message);
    mesh_->send(rank, std::move(envelope.message), run.number, only_noted ? Haste::patience : Haste::soon);
  }
}

/// False: a peer takes no more for now.
bool NodeProcess::send_gathered() {
  const auto now = Clock::now();
  if (now < next_flush_) return mesh_->flush_hasty();
  next_flush_ = now + kPatience;
  return mesh_->flush();
}

void NodeProcess::dispatch() {
  for (const auto& [number, run] : session_->runs()) {
    if (run->node != nullptr) dispatch(run);
  }
  session_->note_progress(now());
}

void NodeProcess::dispatch(const std::shared_ptr<engine::NodeRun>& run) {
  const auto begin = Clock::now();
  engine::Effects& effects = run->effects;
  while (!effects.messages.empty() || !effects.tasks.empty()) {
    session_->note_waiting(now());
    std::vector<wire::Envelope> batch;
    batch.swap(effects.messages);
    for (wire::Envelope& envelope : batch) deliver(*run, envelope);
    if (TaskRunner::flops_here(effects) >= kLongFlops) send_gathered();
    runner_->start_tasks(run);
    if (Clock::now() - begin > kDispatchAtMost) break;
  }
  session_->note_waiting(now());
  more_to_do_ = more_to_do_ || !effects.messages.empty() || !effects.tasks.empty();
}

// --- timers ---

void NodeProcess::look_at_timers() {
  if (Clock::now() >= next_look_ && !session_->says_last_words()) {
    next_look_ = Clock::now() + kNodeLooksEvery;
    unreachable_ = mesh_->unreachable([this](auto kind, auto from) { session_->refuse(kind, from); });
  }
  if (hooks_.leave_requested) {
    if (const auto request = hooks_.leave_requested()) leave(*request);
  }
  if (!turned_away_noted_ && control_->turned_away()) {
    turned_away_noted_ = true;
    session_->advice = kKeysDiffer;
    const std::string refused =
        "whoever listens at " + options_.join + " does not take this node's connection; " + kKeysDiffer;
    // It would be tried again at once, many times a second: whoever stays makes longer pauses.
    if (options_.stays && session_->stage() == NodeStage::joining) {
      session_->on_failure(Status::cluster(refused));
      return carry_out();
    }
    say(refused);
  }
  const bool again = control_->established() != established_;
  established_ = control_->established();
  if (session_->look(now(), control_->connected(), again)) {
    tell_times();
    session_->beat(facts());
  }
  carry_out();
}

void NodeProcess::leave(const LeaveRequest& request) {
  const bool in_run = session_->stage() != NodeStage::joining;
  if (!request.spares_run || !in_run) return session_->leave(request.reason, request.ends_run);
  if (std::exchange(spared_noted_, true)) return;
  say(request.reason + "; it stays in the run as long as the driver is there");
}

wire::Hello NodeProcess::hello() const {
  wire::Hello hello;
  hello.build = options_.build;
  hello.name = name_;
  hello.process = static_cast<std::uint64_t>(::getpid());
  hello.endpoint = mesh_->endpoint();
  hello.roles = static_cast<std::uint8_t>((options_.roles.scheduler ? wire::kAcceptsScheduler : 0) |
                                          (options_.roles.worker ? wire::kAcceptsWorker : 0));
  hello.simd = simd_name();
  hello.threads = threads_wanted(options_.threads);
  hello.memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  hello.key = own_key_.value_or(KeyPair{}).public_key;
  return hello;
}

wire::Beat NodeProcess::facts() const {
  wire::Beat beat;
  Refusals refused;
  add_turned_away(mesh_->turned_away(), refused);
  beat.refused = refused.list();
  beat.messages = mesh_->counters().messages;
  beat.bytes = mesh_->counters().bytes;
  if (runner_ != nullptr) beat.seconds_busy = runner_->busy_seconds();
  beat.unreachable = unreachable_;
  if (session_->says_last_words() || session_->beats() % kMemoryEveryBeats == 0) {
    if (hooks_.memory_peak) beat.memory_peak = hooks_.memory_peak();
    std::tie(beat.data_mapped, beat.data_resident) = models_.data_memory();
  }
  return beat;
}

}  // namespace strads::transport

namespace strads {

Status run_node(const NodeOptions& options, const NodeHooks& hooks) {
  if (Status enough = transport::expect_of_system("a node", transport::needs_of_node()); !enough.ok()) return enough;
  auto node = std::make_unique<transport::NodeProcess>(options, hooks);
  Status outcome = node->run();
  const auto loadings = node->release_loadings();
  node.reset();  // its last words are sent
  const auto reads = [&loadings] {
    return std::any_of(loadings.begin(), loadings.end(), [](const auto& each) { return !each.second->ended(); });
  };
  while (hooks.cannot_wait && reads()) {
    hooks.cannot_wait(outcome);
    std::this_thread::sleep_for(transport::kAsksEvery);
  }
  return outcome;
}

}  // namespace strads
