#include "transport/driver_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "engine/rounds/acceptable.hpp"
#include "engine/session/speaker.hpp"
#include "strads/numerics/columns.hpp"
#include "transport/sockets/addresses.hpp"

namespace strads::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstNote = 2s;
constexpr auto kNoteEvery = 10s;
constexpr std::size_t kDriverMessagesAtOnce = 256;
constexpr std::size_t kNewcomersMax = 4096;   ///< keys that may come in without being members yet
constexpr std::uint32_t kStrangersWords = 3;  ///< a connection that takes no part ends with so many messages
constexpr std::array<const char*, 3> kSimdLevels{"sse4", "avx2", "avx512"};

std::uint64_t random_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::size_t level_of(const std::string& simd) {
  return static_cast<std::size_t>(std::find(kSimdLevels.begin(), kSimdLevels.end(), simd) - kSimdLevels.begin());
}

/// The driver's own data endpoint, beside that of its control channel.
std::string data_endpoint(const std::string& control) {
  if (is_ipc(control)) return control + "-data";
  const auto parsed = parse_tcp(control);
  return "tcp://" + (parsed.ok() ? parsed.value().host : std::string("0.0.0.0")) + ":0";
}

}  // namespace

DriverProcess::DriverProcess(MakeModel make_model, const EngineOptions& engine, const DriverOptions& options,
                             const DriverHooks& hooks)
    : make_model_(std::move(make_model)),
      engine_options_(engine),
      options_(options),
      hooks_(hooks),
      next_waiting_note_(start_ + kFirstNote),
      membership_(engine, options.lease_seconds, options.names) {
  own_ = {random_number(), 0, options.nodes, static_cast<std::uint32_t>(random_number())};
}

void DriverProcess::say(const std::string& line, bool important) const {
  if (hooks_.say) hooks_.say(line, important);
}

void DriverProcess::fail(Status status) {
  if (end_.has_value()) return;
  end_ = RunEnd{};
  end_->status = std::move(status);
}

Status DriverProcess::make_own_key() {
  if (!options_.key.has_value()) return {};
  STRADS_CHECK(is_key(options_.key->driver_secret), "the driver has the driver's key");
  auto own = make_key_pair();
  if (!own.ok()) return own.status();
  own_key_ = std::move(own).value();
  auto join = pair_of(options_.key->join_secret);
  if (!join.ok()) return join.status();
  join_key_ = join.value().public_key;
  admitted_ = {join_key_};
  return {};
}

Status DriverProcess::open() {
  if (Status made = make_own_key(); !made.ok()) return made;
  std::optional<Door> door;
  if (own_key_.has_value()) door = Door{kControlDoor, options_.key->driver_secret};
  auto control = sockets_.listen(options_.endpoint, door);
  if (!control.ok()) return control.status();
  control_ = std::move(control).value();
  if (own_key_.has_value()) sockets_.admit(kControlDoor, admitted_);
  auto mesh = Mesh::open(sockets_, data_endpoint(control_->endpoint()), own_key_);
  if (!mesh.ok()) return mesh.status();
  mesh_ = std::move(mesh).value();
  return hooks_.listening ? hooks_.listening(control_->endpoint()) : Status();
}

ClusterRun DriverProcess::run() {
  if (Status opened = open(); !opened.ok()) fail(opened);
  while (!end_.has_value()) {
    step();
    if (end_.has_value()) break;
    sockets_.wait(*wake_, std::chrono::duration_cast<std::chrono::milliseconds>(kDriverLooksEvery));
    wake_->clear();
  }
  say_goodbye();
  return report();
}

void DriverProcess::step() {
  note_ended_connections();
  receive_control();
  if (end_.has_value()) return;
  begin_when_all_are_here();
  look_at_model();
  start_when_all_have_loaded();
  receive_messages();
  if (coordinator_ != nullptr) {
    const bool wanted = hooks_.finish_requested && hooks_.finish_requested();
    if (wanted && !finish_asked_) {
      finish_asked_ = true;
      coordinator_->request_finish(effects_);
    }
    if (quiet_.due(coordinator_->progress_mark(), false, now())) {
      coordinator_->on_quiet(effects_);
      carry_out(membership_.on_quiet());
    }
    dispatch();
  } else {
    check_start();
  }
  check_liveness();
}

// --- who joins ---

void DriverProcess::receive_control() {
  while (auto incoming = control_->receive()) {
    const auto control = decode_control(incoming->frames);
    if (control.ok()) {
      on_control(*incoming, control.value());
    } else {
      on_stranger(*incoming, control.status());
    }
    if (end_.has_value()) return;
  }
}

void DriverProcess::refuse(Refusal kind, std::optional<std::uint32_t> from) {
  refused_.add(kind);
  if (from.has_value() && offences_.note(*from, kind)) carry_out(membership_.expel(*from, "the driver", kind));
}

void DriverProcess::refuse_stranger(Refusal kind, int connection) {
  refused_.add(kind);
  if (++strangers_words_[connection] >= kStrangersWords) control_->shut(connection);
}

std::optional<std::uint32_t> DriverProcess::holder_of(const std::string& key) const {
  const auto& members = membership_.members();
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const engine::Member& each) { return each.hello.key == key; });
  if (key.empty() || at == members.end() || !membership_.begun()) return std::nullopt;
  return static_cast<std::uint32_t>(at - members.begin());
}

void DriverProcess::on_stranger(const Incoming& incoming, const Status& why) {
  if (const auto member = holder_of(incoming.key)) return refuse(Refusal::damaged, member);
  refuse_stranger(Refusal::damaged, incoming.connection);
  // An answer only to who speaks some version of the protocol: others would not understand it.
  constexpr std::array<std::byte, 4> kMagic{std::byte{'S'}, std::byte{'T'}, std::byte{'R'}, std::byte{'D'}};
  if (incoming.frames.empty() || incoming.frames.front().size() < kMagic.size()) return;
  if (std::equal(kMagic.begin(), kMagic.end(), incoming.frames.front().begin())) reject(incoming.from, why.message());
}

void DriverProcess::reject(const std::string& to, const std::string& reason) {
  (void)control_->send(to, encode_control(wire::Reject{reason}, own_));
}

std::optional<std::uint32_t> DriverProcess::sender_of(const Incoming& incoming, const ControlMessage& control) {
  const auto& from = control.from;
  if (!membership_.begun() || from.run_id != own_.run_id || from.sender >= membership_.size()) return std::nullopt;
  const engine::Member& member = membership_.members()[from.sender];
  if (member.incarnation != from.incarnation || member.hello.key != incoming.key) return std::nullopt;
  return from.sender;
}

void DriverProcess::on_control(const Incoming& incoming, const ControlMessage& control) {
  if (const auto* hello = std::get_if<wire::Hello>(&control.message)) return on_hello(incoming, *hello);
  const auto rank = sender_of(incoming, control);
  if (!rank.has_value()) {
    if (const auto member = holder_of(incoming.key)) {
      refuse(Refusal::foreign, member);
    } else {
      refuse_stranger(Refusal::foreign, incoming.connection);
    }
    return reject(incoming.from, "the driver here began another run; this node belongs to one that is over");
  }
  if (membership_.members()[*rank].lost) {
    (void)control_->send(incoming.from, encode_control(membership_.too_late(*rank), own_));
    return;
  }
  heard(*rank, incoming);
  on_member(*rank, control.message);
}

void DriverProcess::heard(std::uint32_t rank, const Incoming& incoming) {
  // What was still on its way when its connection ended is no sign of life.
  if (channels_[rank].ended && channels_[rank].identity == incoming.from) return;
  channels_[rank] = {incoming.from, incoming.connection};
  membership_.heard(rank, now());
}

std::optional<std::string> DriverProcess::reason_to_refuse(const wire::Hello& hello) const {
  if (hello.build != options_.build) {
    return "its build is " + hello.build + ", the driver's " + options_.build +
           "; install the same build on all hosts, or the bits might differ";
  }
  if ((hello.roles & (wire::kAcceptsScheduler | wire::kAcceptsWorker)) == 0) return "it accepts no role";
  if (hello.endpoint.find('\n') != std::string::npos || hello.endpoint.empty()) return "it names no endpoint";
  const bool fixed = options_.simd != "auto";
  if (fixed && level_of(options_.simd) < kSimdLevels.size() && level_of(hello.simd) < level_of(options_.simd)) {
    return "its processor has " + hello.simd + " at best, but --simd asks for " + options_.simd;
  }
  return membership_.refusal();
}

void DriverProcess::refuse(const Incoming& incoming, const wire::Hello& hello, const std::string& reason) {
  refuse_stranger(Refusal::foreign, incoming.connection);
  say("refused " + hello.name + " (process " + std::to_string(hello.process) + "): " + reason, true);
  reject(incoming.from, reason);
}

/// It has the key of the run and says which one it made for itself: with that one it may come again, and then join.
void DriverProcess::on_newcomer(const Incoming& incoming, const wire::Hello& hello) {
  if (!is_key(hello.key)) return refuse(incoming, hello, "it names no key of its own");
  if (!membership_.find(hello).has_value()) {
    if (const auto reason = reason_to_refuse(hello)) return refuse(incoming, hello, *reason);
  }
  if (!admitted_.contains(hello.key)) {
    if (admitted_.size() > kNewcomersMax) return refuse(incoming, hello, "too many have asked to join this run");
    admitted_.insert(hello.key);
    sockets_.admit(kControlDoor, admitted_);
  }
  (void)control_->send(incoming.from, encode_control(wire::Beat{}, own_));
}

void DriverProcess::on_hello(const Incoming& incoming, const wire::Hello& hello) {
  if (own_key_.has_value() && incoming.key == join_key_) return on_newcomer(incoming, hello);
  if (hello.key != incoming.key) return refuse(incoming, hello, "it names another key than its own");
  auto rank = membership_.find(hello);
  if (!rank.has_value()) {
    if (const auto reason = reason_to_refuse(hello)) return refuse(incoming, hello, *reason);
    if (membership_.size() == options_.nodes) return;  // it asks again, and is told when the run has begun
    rank = membership_.join(hello, now());
    channels_.emplace(channels_.begin() + static_cast<std::ptrdiff_t>(*rank));
    say(hello.name + " (process " + std::to_string(hello.process) + ") joined: " + std::to_string(membership_.size()) +
            " of " + std::to_string(options_.nodes),
        false);
  }
  heard(*rank, incoming);
  if (membership_.begun()) return send_welcome(*rank);
  send(*rank, wire::Beat{});
}

void DriverProcess::on_member(std::uint32_t rank, const wire::Message& message) {
  if (const auto* beat = std::get_if<wire::Beat>(&message)) {
    const bool counts = coordinator_ != nullptr;
    const auto answer = membership_.on_beat(
        rank, *beat, counts ? std::optional<Version>(coordinator_->counted()) : std::nullopt, now());
    if (counts) coordinator_->forget(answer.phases);
    send(rank, answer);
    for (std::size_t i = 0; i < std::min(beat->accused.size(), beat->grounds.size()); ++i) {
      carry_out(membership_.expel(beat->accused[i], engine::member_text(rank, membership_.members()[rank]),
                                  static_cast<Refusal>(beat->grounds[i])));
    }
  } else if (const auto* loaded = std::get_if<wire::Loaded>(&message)) {
    on_loaded(rank, *loaded);
  } else if (const auto* leave = std::get_if<wire::Leave>(&message)) {
    carry_out(membership_.on_leave(rank, *leave, !end_.has_value()));
  } else {
    refuse(Refusal::misplaced, rank);
  }
}

/// A node that cannot load quotes nothing of what it has read. The driver reads the same files and may: what it finds
/// is waited for.
void DriverProcess::on_loaded(std::uint32_t rank, const wire::Loaded& loaded) {
  auto outcome = membership_.on_loaded(rank, loaded);
  if (outcome.end.has_value() && model_ == nullptr) {
    if (!node_failed_.has_value()) node_failed_ = std::move(outcome.end);
    outcome.end.reset();
  }
  carry_out(outcome);
}

// --- the beginning ---

void DriverProcess::check_start() {
  if (hooks_.finish_requested && hooks_.finish_requested()) {
    return fail(Status(StatusCode::stopped, "interrupted before the first round: there are no results to write"));
  }
  if (membership_.begun()) return;
  // Whoever went away before the beginning makes room for another.
  for (const auto& [rank, cause] : membership_.gone(now())) {
    say(membership_.members()[rank].hello.name + " went away while others were missing: " + cause, true);
    membership_.remove(rank);
    channels_.erase(channels_.begin() + static_cast<std::ptrdiff_t>(rank));
  }
  const double waited = now();
  const std::string& endpoint = control_->endpoint();
  if (auto end = membership_.overdue(options_.nodes, endpoint, options_.start_seconds, waited)) {
    return fail(Status(end->code(), end->message() + turned_away_text()));
  }
  if (Clock::now() < next_waiting_note_) return;
  next_waiting_note_ = Clock::now() + kNoteEvery;
  say("waiting at " + endpoint + ": " + std::to_string(membership_.present(waited).size()) + " of " +
          std::to_string(options_.nodes) + " nodes are here, missing: " + membership_.missing(options_.nodes, waited) +
          "; " + engine::seconds_text(options_.start_seconds - waited) + " left" + turned_away_text(),
      true);
}

std::string DriverProcess::turned_away_text() const {
  const auto count = control_->strangers();
  if (count == 0) return {};
  return "; connections turned away: " + std::to_string(count) + ", of strangers or of nodes with another key";
}

void DriverProcess::begin_when_all_are_here() {
  if (membership_.begun() || !membership_.complete(options_.nodes, now())) return;
  if (Status dealt = membership_.begin(mesh_->endpoint()); !dealt.ok()) return fail(std::move(dealt));
  if (Status simd = choose_simd_for_all(); !simd.ok()) return fail(std::move(simd));
  if (Status welcomed = welcome_all(); !welcomed.ok()) return fail(std::move(welcomed));
  start_making();
}

Status DriverProcess::choose_simd_for_all() {
  simd_ = options_.simd;
  if (simd_ == "auto") {
    simd_ = simd_name();
    for (const engine::Member& member : membership_.members()) {
      if (level_of(member.hello.simd) < level_of(simd_)) simd_ = member.hello.simd;
    }
  }
  const std::array<Simd, 3> levels{Simd::sse4, Simd::avx2, Simd::avx512};
  const std::size_t level = level_of(simd_);
  if (simd_ == simd_name() || level >= levels.size()) return {};
  return choose_simd(levels[level]);
}

Status DriverProcess::welcome_all() {
  std::vector<MeshPeer> peers;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const auto incarnation = static_cast<std::uint32_t>(random_number());
    membership_.set_incarnation(rank, incarnation);
    const wire::Hello& hello = membership_.members()[rank].hello;
    peers.push_back({hello.endpoint, incarnation, hello.key});
  }
  peers.push_back({mesh_->endpoint(), own_.incarnation, own_key_.value_or(KeyPair{}).public_key});
  if (Status introduced = mesh_->introduce(own_, peers); !introduced.ok()) return introduced;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    const auto schedulers = engine::roles_on(membership_.roster().schedulers, rank);
    const auto workers = engine::roles_on(membership_.roster().workers, rank);
    say(engine::member_text(rank, membership_.members()[rank]) + ": schedulers" +
            (schedulers.empty() ? " none" : schedulers) + "; workers" + (workers.empty() ? " none" : workers),
        false);
    send_welcome(rank);
  }
  return {};
}

void DriverProcess::send_welcome(std::uint32_t rank) {
  auto welcome = membership_.welcome(rank);
  if (!welcome.has_value()) return send(rank, membership_.too_late(rank));
  welcome->simd = simd_;
  welcome->program = options_.program;
  welcome->config = options_.config;
  welcome->folder = options_.folder;
  welcome->driver = mesh_->endpoint();
  welcome->incarnations.push_back(own_.incarnation);
  if (own_key_.has_value()) welcome->keys += own_key_->public_key + "\n";
  send(rank, *welcome);
}

void DriverProcess::start_making() {
  making_ = std::make_unique<Making>(
      make_model_, [](const std::shared_ptr<Model>& model) { return model->fingerprint(); }, wake_);
}

void DriverProcess::look_at_model() {
  auto made = making_ == nullptr ? std::nullopt : making_->take();
  if (!made.has_value()) return;
  if (!made->loaded.ok()) return fail(made->loaded.status());
  model_ = std::move(made->loaded).value();
  fingerprint_ = made->fingerprint;
  if (node_failed_.has_value()) fail(*node_failed_);
}

void DriverProcess::start_when_all_have_loaded() {
  if (coordinator_ != nullptr || model_ == nullptr || end_.has_value() || !membership_.all_loaded()) return;
  if (const auto difference = membership_.different_data(fingerprint_)) return fail(Status::cluster(*difference));
  coordinator_ = std::make_unique<engine::Coordinator>(engine_options_, membership_.roster(), model_->make_judge());
  for (const auto& [scheduler, early] : early_) take(early.first, early.second);
  early_.clear();
}

// --- the run ---

void DriverProcess::take(std::uint32_t from, const wire::Message& message) {
  if (!engine::acceptable(*model_, message)) return refuse(Refusal::unacceptable, from);
  if (!coordinator_->on_message(message, effects_)) refuse(Refusal::impossible, from);
}

void DriverProcess::receive_messages() {
  const auto take_or_keep = [this](std::uint32_t from, wire::Message message) {
    if (!engine::may_say(from, message, membership_.roster())) return refuse(Refusal::misplaced, from);
    if (coordinator_ != nullptr) return take(from, message);
    if (!engine::may_precede_start(message)) return refuse(Refusal::impossible, from);
    const auto* ready = std::get_if<wire::Ready>(&message);
    if (ready == nullptr) return;  // it asks again
    const std::uint32_t scheduler = ready->scheduler;
    early_.try_emplace(scheduler, from, std::move(message));
  };
  while (mesh_->receive(kDriverMessagesAtOnce, take_or_keep, [this](auto kind, auto from) { refuse(kind, from); })) {
    dispatch();
    if (end_.has_value()) return;
  }
}

void DriverProcess::dispatch() {
  if (coordinator_ == nullptr) return;
  tell_progress();
  std::vector<wire::Envelope> batch;
  batch.swap(effects_.messages);
  for (const wire::Envelope& envelope : batch) mesh_->send(membership_.roster().node_of(envelope.to), envelope.message);
  mesh_->flush();
  if (effects_.end.has_value() && !end_.has_value()) end_ = std::move(effects_.end);
}

void DriverProcess::tell_progress() {
  std::vector<ProgressEvent> events;
  events.swap(effects_.progress);
  if (!hooks_.observe) return;
  for (const ProgressEvent& event : events) {
    if (hooks_.observe(event) && !finish_asked_) {
      finish_asked_ = true;
      coordinator_->request_finish(effects_);
    }
  }
}

}  // namespace strads::transport

namespace strads {

ClusterRun run_driver(const std::function<Result<std::shared_ptr<Model>>()>& make_model, const EngineOptions& engine,
                      const DriverOptions& options, const DriverHooks& hooks) {
  auto driver = std::make_unique<transport::DriverProcess>(make_model, engine, options, hooks);
  ClusterRun run = driver->run();
  auto making = driver->take_making();
  driver.reset();  // its last words are sent
  if (making != nullptr && !making->ended()) run.reading = std::move(making);
  return run;
}

}  // namespace strads
