#include "transport/driver_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <thread>
#include <utility>

#include "strads/numerics/columns.hpp"
#include "transport/sockets/addresses.hpp"
#include "transport/sockets/system_limits.hpp"

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
      next_waiting_note_(start_ + kFirstNote) {
  own_ = {random_number(), 0, engine::kDriverRank, static_cast<std::uint32_t>(random_number())};
}

void DriverProcess::say(const std::string& line, bool important) const {
  if (hooks_.say) hooks_.say(line, important);
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
  session_ = std::make_unique<engine::DriverSession>(
      engine_options_, engine::Membership(engine_options_, options_.lease_seconds, options_.names), options_.nodes,
      engine::DriverSession::Endpoints{control_->endpoint(), mesh_->endpoint()}, options_.start_seconds);
  if (options_.resumes != nullptr || !options_.first.empty())
    session_->begin_first_from(options_.resumes, options_.first);
  if (hooks_.first_may_judge) session_->let_first_wait(hooks_.first_may_judge);
  session_->checkpoint_due = hooks_.checkpoint_due;
  return hooks_.listening ? hooks_.listening(control_->endpoint()) : Status();
}

ClusterRun DriverProcess::run() {
  if (Status opened = open(); !opened.ok()) {
    ClusterRun run;
    run.end.status = std::move(opened);
    return run;
  }
  while (!session_->over(now())) {
    step();
    if (session_->over(now())) break;
    sockets_.wait(*wake_, std::chrono::duration_cast<std::chrono::milliseconds>(kDriverLooksEvery));
    wake_->clear();
  }
  note_missing_reports();
  if (hooks_.nodes) hooks_.nodes(states_of(session_->membership(), now()));
  return report();
}

void DriverProcess::step() {
  note_ended_connections();
  receive_control();
  look_at_models();
  begin_further_runs();
  if (!session_->ended()) receive_messages();
  if (!session_->ended() && hooks_.finish_requested && hooks_.finish_requested()) session_->request_finish();
  if (!session_->ended() && hooks_.give_up && hooks_.give_up())
    session_->fail({StatusCode::stopped, "the runs were given up"});
  note_ended_processes();
  note_unreached();
  session_->advice = turned_away_text();
  session_->look(now());
  dispatch();
  if (session_->ended()) session_->say_goodbye(now());
  carry_out();
  note_waiting();
  if (!times_.empty()) times_.tell(kTimesOfDriver, hooks_.times);
  if (hooks_.nodes_wanted && hooks_.nodes_wanted()) hooks_.nodes(states_of(session_->membership(), now()));
}

void DriverProcess::carry_out() {
  engine::DriverRequests requests = std::exchange(session_->requests, {});
  for (const auto& note : requests.notes) say(note.text, note.important);
  if (hooks_.run_ended) {
    for (const auto& [run, end] : requests.ended) hooks_.run_ended(run, end);
  }
  if (hooks_.checkpoint) {
    for (const auto& [run, checkpoint] : requests.checkpoints) hooks_.checkpoint(run, checkpoint);
  }
  for (const std::uint32_t rank : requests.removed) channels_.erase(channels_.begin() + rank);
  if (requests.welcome) begin_run();
  for (const std::uint32_t rank : requests.drop) mesh_->drop(rank);
  for (auto& [rank, message] : requests.to_members) send(rank, std::move(message));
  for (const std::uint32_t rank : requests.drop) {
    if (!members()[rank].expelled) continue;
    if (admitted_.erase(members()[rank].hello.key) > 0) sockets_.admit(kControlDoor, admitted_);
  }
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
    carry_out();
  }
}

void DriverProcess::refuse_stranger(Refusal kind, int connection) {
  refused_.add(kind);
  if (++strangers_words_[connection] >= kStrangersWords) control_->shut(connection);
}

std::optional<std::uint32_t> DriverProcess::holder_of(const std::string& key) const {
  const auto at = std::find_if(members().begin(), members().end(),
                               [&](const engine::Member& each) { return each.hello.key == key; });
  if (key.empty() || at == members().end() || !session_->membership().begun()) return std::nullopt;
  return static_cast<std::uint32_t>(at - members().begin());
}

void DriverProcess::on_stranger(const Incoming& incoming, const Status& why) {
  if (const auto member = holder_of(incoming.key)) return session_->refuse(Refusal::damaged, member);
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
  if (!session_->membership().begun() || from.cluster != own_.cluster || from.sender >= members().size())
    return std::nullopt;
  const engine::Member& member = members()[from.sender];
  if (member.incarnation != from.incarnation || member.hello.key != incoming.key) return std::nullopt;
  return from.sender;
}

void DriverProcess::on_control(const Incoming& incoming, const ControlMessage& control) {
  if (const auto* hello = std::get_if<wire::Hello>(&control.message)) return on_hello(incoming, *hello);
  const auto rank = sender_of(incoming, control);
  if (!rank.has_value()) {
    if (const auto member = holder_of(incoming.key)) {
      session_->refuse(Refusal::foreign, member);
    } else {
      refuse_stranger(Refusal::foreign, incoming.connection);
    }
    return reject(incoming.from, "the driver here began another run; this node belongs to one that is over");
  }
  const engine::Member& member = members()[*rank];
  if (member.lost && !member.leaving) {
    (void)control_->send(incoming.from, encode_control(session_->membership().too_late(*rank), own_));
    return;
  }
  heard(*rank, incoming);
  if (const auto* times = std::get_if<wire::Times>(&control.message)) return take_times(*rank, *times);
  note_time(Way::taken, control.message, wire::kNoRun, *rank);
  session_->on_member(*rank, control.message, now());
}

void DriverProcess::heard(std::uint32_t rank, const Incoming& incoming) {
  // What was still on its way when its connection ended is no sign of life.
  if (channels_[rank].ended && channels_[rank].identity == incoming.from) return;
  channels_[rank] = {incoming.from, incoming.connection};
  session_->heard(rank, now());
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
  if (!simd_.empty() && level_of(hello.simd) < level_of(simd_)) {
    return "its processor has " + hello.simd + " at best, but the run that goes on uses " + simd_;
  }
  return session_->membership().refusal();
}

void DriverProcess::refuse(const Incoming& incoming, const wire::Hello& hello, const std::string& reason) {
  refuse_stranger(Refusal::foreign, incoming.connection);
  const std::string line = "refused " + hello.name + " (process " + std::to_string(hello.process) + "): " + reason;
  if (refusals_said_.insert(line).second) say(line, true);  // a node that stays asks again and again
  reject(incoming.from, reason);
}

/// It has the key of the run and says which one it made for itself: with that one it may come again, and then join.
void DriverProcess::on_newcomer(const Incoming& incoming, const wire::Hello& hello) {
  if (!is_key(hello.key)) return refuse(incoming, hello, "it names no key of its own");
  if (!session_->membership().find(hello).has_value()) {
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
  if (!session_->membership().find(hello).has_value()) {
    if (const auto reason = reason_to_refuse(hello)) return refuse(incoming, hello, *reason);
  }
  const auto joined = session_->on_hello(hello, now());
  if (!joined.has_value()) return;
  if (joined->is_new) channels_.emplace(channels_.begin() + joined->rank);
  heard(joined->rank, incoming);
  if (joined->late) {
    if (Status met = meet(joined->rank); !met.ok()) return session_->fail(std::move(met));
  }
  session_->answer(joined->rank);
}

/// It comes while runs go on.
Status DriverProcess::meet(std::uint32_t rank) {
  const auto peer = peer_of(rank);
  if (Status met = mesh_->introduce(rank, peer); !met.ok()) return met;
  session_->introduce(rank);
  return {};
}

MeshPeer DriverProcess::peer_of(std::uint32_t rank) {
  const auto incarnation = static_cast<std::uint32_t>(random_number());
  session_->membership().set_incarnation(rank, incarnation);
  const wire::Hello& hello = members()[rank].hello;
  return {hello.endpoint, incarnation, hello.key};
}

// --- the beginning ---

void DriverProcess::note_waiting() {
  const engine::Membership& membership = session_->membership();
  if (membership.begun() || session_->ended() || Clock::now() < next_waiting_note_) return;
  next_waiting_note_ = Clock::now() + kNoteEvery;
  const double waited = now();
  say("waiting at " + control_->endpoint() + ": " + std::to_string(membership.present(waited).size()) + " of " +
          std::to_string(options_.nodes) + " nodes are here, missing: " + membership.missing(options_.nodes, waited) +
          "; " + engine::seconds_text(options_.start_seconds - waited) + " left" + turned_away_text(),
      true);
}

std::string DriverProcess::turned_away_text() const {
  const auto count = control_->strangers();
  if (count == 0) return {};
  return "; connections turned away: " + std::to_string(count) + ", of strangers or of nodes with another key";
}

void DriverProcess::begin_run() {
  if (Status simd = choose_simd_for_all(); !simd.ok()) return session_->fail(std::move(simd));
  if (Status connected = connect_to_all(); !connected.ok()) return session_->fail(std::move(connected));
  session_->welcome_all();
  begin_making(0, make_model_);
  carry_out();
}

void DriverProcess::begin_making(std::uint32_t place, MakeModel make_model) {
  makings_[place] = std::make_unique<Making>(
      std::move(make_model), [](const std::shared_ptr<Model>& model) { return model->fingerprint(); }, wake_);
}

void DriverProcess::begin_further_runs() {
  if (session_->ended() || !session_->first_has_begun()) return;
  session_->stays = !session_->finishes() && hooks_.more_to_come && hooks_.more_to_come();
  if (!hooks_.more_runs || session_->finishes()) return;
  for (FurtherRunRequest& request : hooks_.more_runs()) {
    const std::uint32_t place = session_->open(request.engine, std::move(request.request), request.placed_as,
                                               std::move(request.may_judge), std::move(request.resumes));
    begin_making(place, std::move(request.make_model));
  }
}

Status DriverProcess::choose_simd_for_all() {
  simd_ = options_.simd;
  if (simd_ == "auto") {
    simd_ = simd_name();
    for (const engine::Member& member : members()) {
      if (level_of(member.hello.simd) < level_of(simd_)) simd_ = member.hello.simd;
    }
  }
  const std::array<Simd, 3> levels{Simd::sse4, Simd::avx2, Simd::avx512};
  const std::size_t level = level_of(simd_);
  if (simd_ == simd_name() || level >= levels.size()) return {};
  return choose_simd(levels[level]);
}

Status DriverProcess::connect_to_all() {
  std::map<std::uint32_t, MeshPeer> peers;
  for (std::uint32_t rank = 0; rank < members().size(); ++rank) peers[rank] = peer_of(rank);
  peers[own_.sender] = {mesh_->endpoint(), own_.incarnation, own_key_.value_or(KeyPair{}).public_key};
  return mesh_->introduce(own_, peers);
}

void DriverProcess::complete(wire::Welcome& welcome) const {
  welcome.simd = simd_;
  welcome.program = options_.program;
  welcome.config = options_.config;
  welcome.folder = options_.folder;
  welcome.driver = mesh_->endpoint();
  welcome.incarnations.push_back(own_.incarnation);
  if (own_key_.has_value()) welcome.keys += own_key_->public_key + "\n";
}

void DriverProcess::send(std::uint32_t rank, wire::Message message) {
  if (auto* welcome = std::get_if<wire::Welcome>(&message)) complete(*welcome);
  note_time(Way::sent, message, wire::kNoRun, rank);
  (void)control_->send(channels_[rank].identity, encode_control(message, own_));
  if (hooks_.times && std::holds_alternative<wire::Welcome>(message)) {
    (void)control_->send(channels_[rank].identity, encode_control(wire::Times{}, own_));
  }
}

void DriverProcess::note_time(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other) {
  if (hooks_.times) times_.note(way, message, run, other);
}

void DriverProcess::take_times(std::uint32_t rank, const wire::Times& times) {
  std::vector<TimeRecord> records;
  if (!hooks_.times || !read_times(times, records)) return session_->refuse(Refusal::misplaced, rank);
  hooks_.times(rank, records, times.lost);
}

void DriverProcess::look_at_models() {
  for (auto making = makings_.begin(); making != makings_.end();) {
    auto made = making->second->release_result();
    if (made.has_value()) session_->on_model(making->first, made->loaded, made->fingerprint);
    making = made.has_value() ? makings_.erase(making) : std::next(making);
  }
}

// --- the run ---

void DriverProcess::receive_messages() {
  const auto take = [this](const wire::HeaderInfo& from, wire::Message message) {
    note_time(Way::taken, message, from.run, from.sender);
    session_->on_message(from.run, from.sender, std::move(message));
  };
  while (mesh_->receive(kDriverMessagesAtOnce, take, [this](auto kind, auto from) { session_->refuse(kind, from); })) {
    dispatch();
    if (session_->ended()) return;
  }
}

void DriverProcess::dispatch() {
  for (auto& [number, run] : session_->runs()) {
    tell_progress(run);
    std::vector<wire::Envelope> batch;
    batch.swap(run.effects.messages);
    const engine::Roster roster = engine::roster_of_run(run.roster, run.turn);
    for (wire::Envelope& envelope : batch) {
      const std::uint32_t rank = roster.node_of(envelope.to);
      note_time(Way::sent, envelope.message, number, rank);
      mesh_->send(rank, std::move(envelope.message), number);
    }
    if (run.effects.end.has_value())
      session_->end_run(number, std::move(*std::exchange(run.effects.end, std::nullopt)));
  }
  mesh_->flush();
}

void DriverProcess::tell_progress(engine::DriverRun& run) {
  for (const ProgressEvent& event : session_->take_progress(run)) {
    const bool finish = run.place == 0 ? hooks_.observe && hooks_.observe(event)
                                       : hooks_.observe_run && hooks_.observe_run(run.place, event);
    if (finish) session_->request_finish();
  }
}

}  // namespace strads::transport

namespace strads {

ClusterRun run_driver(const std::function<Result<std::shared_ptr<Model>>()>& make_model, const EngineOptions& engine,
                      const DriverOptions& options, const DriverHooks& hooks) {
  const bool local = static_cast<bool>(hooks.ended_processes);
  const std::string who = "a driver of " + std::to_string(options.nodes) + (options.nodes == 1 ? " node" : " nodes");
  if (Status enough = transport::expect_of_system(who, transport::needs_of_driver(options.nodes, local));
      !enough.ok()) {
    ClusterRun none;
    none.end.status = std::move(enough);
    return none;
  }
  auto driver = std::make_unique<transport::DriverProcess>(make_model, engine, options, hooks);
  ClusterRun run = driver->run();
  auto makings = driver->take_makings();
  driver.reset();  // its last words are sent
  std::erase_if(makings, [](const auto& each) { return each.second->ended(); });
  if (!makings.empty()) run.reading = std::make_shared<decltype(makings)>(std::move(makings));
  return run;
}

}  // namespace strads
