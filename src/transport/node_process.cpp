#include "transport/node_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::transport {
namespace {

using namespace std::chrono_literals;
using engine::NodeStage;

constexpr auto kNodeLooksEvery = 50ms;  ///< timers, requests to leave
constexpr auto kDispatchAtMost = 10ms;  ///< then the sockets are looked at, whatever else there is to do
constexpr auto kLastCommitsAtMost = 1s;
constexpr auto kTasksAtMost = 2s;  ///< for running computations to end, once the node has left
constexpr std::size_t kNodeMessagesAtOnce = 64;
constexpr const char* kKeysDiffer =
    "give driver and nodes the same key (--key FILE), or all of them --insecure, and check that it is the driver";
constexpr std::uint64_t kMemoryEveryBeats = 5;  ///< looking at one's own pages is not free

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

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

}  // namespace

NodeProcess::NodeProcess(const NodeOptions& options, const NodeHooks& hooks)
    : options_(options),
      hooks_(hooks),
      name_(options.name.empty() ? host_name() : options.name),
      driver_(options.join, options.start_seconds) {
  own_.sender = kNoRank;
}

void NodeProcess::say(const std::string& line) const {
  if (hooks_.say) hooks_.say(name_ + ": " + line);
}

void NodeProcess::end(Status outcome) {
  if (!outcome_.has_value()) outcome_ = std::move(outcome);
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
  driver_.heard(now());
  next_beat_ = Clock::now();
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
  if (!own_key_.has_value()) return;
  if (Status connected = connect_with(own_key_->secret_key); !connected.ok()) return end(std::move(connected));
  send_control(hello());
}

Status NodeProcess::run() {
  if (Status opened = open(); !opened.ok()) return opened;
  say("joins " + options_.join);
  while (!outcome_.has_value()) {
    step();
    if (outcome_.has_value()) break;
    sockets_.wait(*wake_, more_to_do_ ? 0ms : std::chrono::duration_cast<std::chrono::milliseconds>(kNodeLooksEvery));
    wake_->clear();
  }
  if (runner_ == nullptr) return *outcome_;
  const bool finished = runner_->finish(kTasksAtMost);
  if (!finished && hooks_.cannot_wait) hooks_.cannot_wait(*outcome_);
  while (!runner_->finish(kTasksAtMost)) {  // tasks read this object
  }
  return *outcome_;
}

void NodeProcess::step() {
  more_to_do_ = false;
  receive_control();
  if (outcome_.has_value()) return;
  look_at_loading();
  if (node_ != nullptr) {
    runner_->collect(effects_);
    receive_messages();
    dispatch();
    if (quiet_.due(node_->progress_mark(), runner_->busy(), now())) {
      node_->on_quiet(effects_);
      dispatch();
    }
    if (!mesh_->flush()) more_to_do_ = false;  // waits for the peer, not for us
  } else {
    // Nobody sends anything that matters before this node has said that it has loaded; others send what they like.
    more_to_do_ = mesh_->receive(
        kNodeMessagesAtOnce, [](std::uint32_t, const wire::Message&) {}, [this](auto kind, auto) { refuse(kind, {}); });
  }
  leave_in_order();
  beat_when_due();
  check_liveness();
}

// --- the driver's words ---

void NodeProcess::send_control(const wire::Message& message) {
  // A full connection means that the driver takes nothing: its lease will tell.
  (void)control_->send(encode_control(message, own_));
}

void NodeProcess::receive_control() {
  control_->look();
  while (auto frames = control_->receive()) {
    const auto control = decode_control(*frames);
    if (!control.ok()) {
      refuse_control(Refusal::damaged);
      if (outcome_.has_value()) return;
      continue;
    }
    on_control(control.value());
    if (outcome_.has_value()) return;
  }
}

void NodeProcess::on_control(const ControlMessage& control) {
  if (const auto* reject = std::get_if<wire::Reject>(&control.message)) {
    return end(Status::cluster("the driver at " + options_.join + " refuses this node: " + reject->reason));
  }
  if (stage_ != NodeStage::joining && control.from.run_id != own_.run_id) {
    return refuse_control(Refusal::foreign);
  }
  driver_.heard(now());
  if (const auto* answer = std::get_if<wire::Beat>(&control.message)) {
    if (!heard_) {
      heard_ = true;
      say("waits for the other nodes");
      return come_in();
    }
    last_words_.answered(answer->number);
    if (node_ != nullptr) node_->forget(answer->version, answer->phases);
  } else if (const auto* welcome = std::get_if<wire::Welcome>(&control.message)) {
    if (stage_ == NodeStage::joining) on_welcome(*welcome, control.from);
  } else if (const auto* roster = std::get_if<wire::Roster>(&control.message)) {
    const bool fits = roster->workers.size() == roster_.workers.size() &&
                      std::all_of(roster->workers.begin(), roster->workers.end(),
                                  [this](std::uint32_t rank) { return rank < roster_.nodes; });
    if (!fits) return refuse_control(Refusal::impossible);
    if (roster->number <= roster_number_) return;
    roster_number_ = roster->number;
    for (const std::uint32_t rank : roster->lost) mesh_->drop(rank);
    roster_.workers = roster->workers;
    if (node_ != nullptr) node_->on_roster(roster->workers, effects_);
  } else if (const auto* leave = std::get_if<wire::Leave>(&control.message)) {
    if (leaving_.has_value()) return;
    leaving_ = *leave;
    leaving_since_ = Clock::now();
  } else {
    refuse_control(Refusal::misplaced);
  }
}

void NodeProcess::leave_in_order() {
  if (!leaving_.has_value() || outcome_.has_value()) return;
  // The end of the run may have overtaken its last commits, which are on the other channel and belong into the totals.
  const bool complete = leaving_->code != 0 || node_ == nullptr || node_->stopped();
  if (!complete && Clock::now() - leaving_since_ < kLastCommitsAtMost) return;
  if (last_words_.due(now())) {
    send_control(beat());
    last_words_.said(beats_);
    send_control(wire::Leave{});
  }
  // Nobody adds up the totals of a run that failed.
  if (leaving_->code == 0 && !last_words_.over(control_->connected(), now())) return;
  end(leaving_->code == 0 ? Status()
                          : Status(engine::code_of(leaving_->code), "the driver ended the run: " + leaving_->reason));
}

void NodeProcess::on_welcome(const wire::Welcome& welcome, const wire::HeaderInfo& from) {
  own_ = {from.run_id, from.epoch, welcome.rank, welcome.incarnation};
  if (Status taken = take_welcome(welcome); !taken.ok()) {
    send_control(wire::Leave{static_cast<std::uint8_t>(taken.code()), taken.message()});
    return end(std::move(taken));
  }
  driver_.set_lease(welcome.lease);
  stage_ = NodeStage::loading;
  offences_ = {};  // until now the driver had no rank
  next_beat_ = Clock::now();
  say("rank " + std::to_string(welcome.rank) + " of " + std::to_string(roster_.nodes) + ": " +
      roles_text(roster_, welcome.rank));
  start_loading(welcome);
}

Status NodeProcess::take_welcome(const wire::Welcome& welcome) {
  auto endpoints = engine::lines_of(welcome.endpoints);
  auto roster = engine::roster_of(welcome, endpoints);
  if (!roster.ok()) return roster.status();
  roster_ = std::move(roster).value();
  endpoints.push_back(reachable(welcome.driver, options_.join));
  auto keys = engine::lines_of(welcome.keys);
  keys.resize(endpoints.size());
  std::vector<MeshPeer> peers;
  for (std::size_t rank = 0; rank < endpoints.size(); ++rank) {
    peers.push_back({endpoints[rank], welcome.incarnations[rank], keys[rank]});
  }
  if (Status introduced = mesh_->introduce(own_, peers); !introduced.ok()) return introduced;
  return simd_name() == welcome.simd ? Status() : choose_simd(simd_of(welcome.simd));
}

// --- the data ---

void NodeProcess::start_loading(const wire::Welcome& welcome) {
  loading_ = std::make_unique<Loading>(
      [load = hooks_.load, description = RunDescription{welcome.program, welcome.config, welcome.folder}] {
        return load(description);
      },
      [](const LoadedModel& loaded) { return loaded.model->fingerprint(); }, wake_);
}

void NodeProcess::look_at_loading() {
  auto was_read = loading_ == nullptr ? std::nullopt : loading_->take();
  if (!was_read.has_value()) return;
  loading_.reset();
  loaded_.fingerprint = was_read->fingerprint;
  Result<LoadedModel>& result = was_read->loaded;
  Status status = result.status();
  if (result.ok() && (result.value().engine.schedulers != roster_.schedulers.size() ||
                      result.value().engine.workers != roster_.workers.size())) {
    status = Status::cluster("the options sent by the driver give other numbers of roles than its roster");
  }
  if (!status.ok()) {
    loaded_.code = static_cast<std::uint8_t>(status.code());
    loaded_.error = status.message();
    send_control(loaded_);
    return;  // the driver ends the run, naming this host
  }
  begin_run(std::move(result).value());
  send_control(loaded_);
}

void NodeProcess::begin_run(LoadedModel loaded) {
  stage_ = NodeStage::scanning;
  data_memory_ = std::move(loaded.data_memory);
  model_ = loaded.model;
  const unsigned threads = options_.threads != 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  runner_ = std::make_unique<TaskRunner>(threads, *wake_);
  node_ = std::make_unique<engine::Node>(own_.sender, roster_, loaded.engine, std::move(loaded.model));
  node_->start(effects_);
  dispatch();
}

// --- the round protocol ---

void NodeProcess::receive_messages() {
  more_to_do_ = mesh_->receive(
      kNodeMessagesAtOnce, [this](std::uint32_t from, const wire::Message& message) { take(from, message); },
      [this](auto kind, auto from) { refuse(kind, from); });
}

void NodeProcess::take(std::uint32_t from, const wire::Message& message) {
  if (!engine::may_say(from, message, roster_)) return refuse(Refusal::misplaced, from);
  if (!engine::acceptable(*model_, message)) return refuse(Refusal::unacceptable, from);
  if (!node_->on_message(from, message, effects_)) refuse(Refusal::impossible, from);
}

void NodeProcess::refuse(Refusal kind, std::optional<std::uint32_t> from) {
  refused_.add(kind);
  if (!from.has_value() || !offences_.note(*from, kind)) return;
  if (*from != roster_.coordinator) {
    next_beat_ = Clock::now();  // which accuses it
    return;
  }
  Status broken = Status::cluster("the driver at " + options_.join +
                                  " is no driver of this run: " + engine::expulsion_text("this node", kind));
  send_control(wire::Leave{static_cast<std::uint8_t>(broken.code()), broken.message()});
  end(std::move(broken));
}

void NodeProcess::deliver(wire::Envelope& envelope) {
  const std::uint32_t rank = node_->roster().node_of(envelope.to);
  if (rank == own_.sender) {
    node_->on_message(envelope.message, effects_);
  } else {
    mesh_->send(rank, envelope.message);
  }
}

void NodeProcess::dispatch() {
  const auto begin = Clock::now();
  while (!effects_.messages.empty() || !effects_.tasks.empty()) {
    note_waiting();
    runner_->take(effects_);
    note_waiting();
    std::vector<wire::Envelope> batch;
    batch.swap(effects_.messages);
    for (wire::Envelope& envelope : batch) deliver(envelope);
    if (Clock::now() - begin > kDispatchAtMost) break;
  }
  note_waiting();
  more_to_do_ = more_to_do_ || !effects_.messages.empty() || !effects_.tasks.empty();
  if (node_->started() && stage_ == NodeStage::scanning) {
    stage_ = NodeStage::running;
    running_since_ = Clock::now();
  }
  if (node_->stopped() && stage_ == NodeStage::running) {
    stage_ = NodeStage::stopped;
    seconds_running_ = seconds_between(running_since_, Clock::now());
  }
}

void NodeProcess::note_waiting() {
  const auto now = Clock::now();
  if (waiting_) seconds_waiting_ += seconds_between(waiting_since_, now);
  waiting_ = node_->waiting_for_plan();
  waiting_since_ = now;
}

// --- liveness ---

wire::Hello NodeProcess::hello() const {
  wire::Hello hello;
  hello.build = options_.build;
  hello.name = name_;
  hello.process = static_cast<std::uint64_t>(::getpid());
  hello.endpoint = mesh_->endpoint();
  hello.roles = static_cast<std::uint8_t>((options_.roles.scheduler ? wire::kAcceptsScheduler : 0) |
                                          (options_.roles.worker ? wire::kAcceptsWorker : 0));
  hello.simd = simd_name();
  hello.threads = options_.threads != 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  hello.memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  hello.key = own_key_.value_or(KeyPair{}).public_key;
  return hello;
}

wire::Beat NodeProcess::beat() {
  wire::Beat beat;
  const bool looks_at_memory = last_words_.begun() || beats_ % kMemoryEveryBeats == 0;
  beat.number = ++beats_;
  beat.stage = static_cast<std::uint8_t>(last_words_.begun() ? NodeStage::leaving : stage_);
  Refusals refused = refused_;
  add_turned_away(mesh_->turned_away(), refused);
  if (node_ != nullptr) refused.add(Refusal::early, node_->dropped_early());
  beat.refused = refused.list();
  for (const auto& accused : offences_.accused()) {
    beat.accused.push_back(accused.rank);
    beat.grounds.push_back(static_cast<std::uint32_t>(accused.last));
  }
  beat.messages = mesh_->counters().messages;
  beat.bytes = mesh_->counters().bytes;
  if (node_ != nullptr) {
    beat.version = node_->replica().version();
    beat.phases = node_->phases_seen();
    beat.updates = node_->updates_computed();
    beat.blocks = node_->blocks_computed();
    beat.repeated = node_->repeated_messages();
    beat.seconds_running =
        stage_ == NodeStage::running ? seconds_between(running_since_, Clock::now()) : seconds_running_;
    beat.seconds_waiting = seconds_waiting_;
    beat.seconds_busy = runner_->busy_seconds();
  }
  beat.unreachable = unreachable_;
  if (looks_at_memory) {
    if (hooks_.memory_peak) beat.memory_peak = hooks_.memory_peak();
    if (data_memory_) std::tie(beat.data_mapped, beat.data_resident) = data_memory_();
  }
  return beat;
}

void NodeProcess::beat_when_due() {
  if (last_words_.begun()) return;
  const auto now = Clock::now();
  if (now >= next_look_) {
    next_look_ = now + kNodeLooksEvery;
    unreachable_ = mesh_->unreachable([this](auto kind, auto from) { refuse(kind, from); });
  }
  const bool reconnected = control_->established() != established_;
  if (now < next_beat_ && !reconnected) return;
  established_ = control_->established();
  const bool joining = stage_ == NodeStage::joining;
  const double pause = joining ? engine::kHelloSeconds : driver_.liveness().beat_seconds();
  next_beat_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(pause));
  if (joining) return send_control(hello());
  send_control(beat());
  if (stage_ == NodeStage::scanning || !loaded_.error.empty()) send_control(loaded_);
}

void NodeProcess::check_liveness() {
  // The run is over, and last words take two seconds at most: whatever is asked now comes too late to change the end.
  if (outcome_.has_value() || last_words_.begun()) return;
  if (hooks_.leave_requested) {
    if (const auto request = hooks_.leave_requested()) {
      const auto code = request->ends_run ? StatusCode::cluster : StatusCode::ok;
      send_control(wire::Leave{static_cast<std::uint8_t>(code), request->reason});
      return end(Status::cluster("left the run: " + request->reason));
    }
  }
  if (!turned_away_noted_ && control_->turned_away()) {
    turned_away_noted_ = true;
    say("whoever listens at " + options_.join + " does not take this node's connection; " + kKeysDiffer);
  }
  if (!heard_ && stage_ == NodeStage::joining) {
    if (now() <= options_.start_seconds) return;
    const std::string what =
        turned_away_noted_ ? kKeysDiffer : "start it with --listen, or check the address and the firewall";
    return end(Status::cluster("no driver answered at " + options_.join + " within " +
                               engine::seconds_text(options_.start_seconds) + "; " + what));
  }
  driver_.note_connection(control_->connected(), now());
  if (auto cause = driver_.lost(now())) end(Status::cluster(std::move(*cause)));
}

}  // namespace strads::transport

namespace strads {

Status run_node(const NodeOptions& options, const NodeHooks& hooks) {
  auto node = std::make_unique<transport::NodeProcess>(options, hooks);
  const Status outcome = node->run();
  const auto loading = node->take_loading();
  node.reset();  // its last words are sent
  if (loading != nullptr && !loading->ended() && hooks.cannot_wait) hooks.cannot_wait(outcome);
  return outcome;
}

}  // namespace strads
