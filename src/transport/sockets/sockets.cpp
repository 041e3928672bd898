#include "transport/sockets/sockets.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <zmq.hpp>

#include "transport/sockets/flood_guard.hpp"
#include "transport/sockets/gatekeeper.hpp"
#include "transport/sockets/handshake_limits.hpp"
#include "transport/sockets/open_socket.hpp"
#include "transport/sockets/system_limits.hpp"
#include "transport/sockets/uninterrupted.hpp"

namespace strads::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kHandshakeMilliseconds = HandshakeLimits::kHandshakeMax.count();
constexpr int kReconnectMilliseconds = 100;  ///< first pause before connecting again
constexpr int kReconnectMaxMilliseconds = 1000;
/// A chunk of a MiB of bulk and a MiB of fields, packed.
constexpr std::int64_t kMessageBytesMax = 2 * static_cast<std::int64_t>(wire::kFrameBytesMax) + 65536;
constexpr std::size_t kFramesMax = 2 + 255;  ///< header, body, bulk: what a chunk can have

void set_common_options(zmq::socket_t& socket, const std::string& endpoint) {
  socket.set(zmq::sockopt::linger, static_cast<int>(Sockets::kLinger.count()));
  socket.set(zmq::sockopt::sndhwm, Sockets::kBatchesWaitingMax);
  socket.set(zmq::sockopt::rcvhwm, Sockets::kBatchesWaitingMax);
  socket.set(zmq::sockopt::maxmsgsize, kMessageBytesMax);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMilliseconds);
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectMilliseconds);
  socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMilliseconds);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);  // else 1.2.3.4 becomes ::ffff:1.2.3.4
}

/// Only whoever is admitted at this door comes in, and everything is encrypted.
void lock(zmq::socket_t& socket, const Door& door) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, door.secret_key);
  socket.set(zmq::sockopt::zap_domain, door.name);
}

void show(zmq::socket_t& socket, const Credentials& credentials) {
  socket.set(zmq::sockopt::curve_publickey, credentials.own.public_key);
  socket.set(zmq::sockopt::curve_secretkey, credentials.own.secret_key);
  socket.set(zmq::sockopt::curve_serverkey, credentials.listener);
}

/// The key with which the sender of this part was let in.
std::string key_of(zmq::message_t& part) {
  const char* key = zmq_msg_gets(part.handle(), "User-Id");
  return key == nullptr ? "" : key;
}

/// Reads the rest of a multipart message whose first part has been received.
wire::Frames rest_of(zmq::socket_t& socket, zmq::message_t part, FloodGuard& guard, bool encrypted) {
  wire::Frames frames;
  const int connection = zmq_msg_get(part.handle(), ZMQ_SRCFD);
  for (;;) {
    guard.delivered(connection, FloodGuard::bytes_on_the_wire(part.size(), encrypted));
    if (frames.size() <= kFramesMax) {  // one too many makes the chunk invalid, more take memory for nothing
      const auto* bytes = static_cast<const std::byte*>(part.data());
      frames.emplace_back(bytes, bytes + part.size());
    }
    if (!part.more()) return frames;
    if (!receive_part(socket, part)) return frames;
  }
}

bool send_frames(zmq::socket_t& socket, const wire::Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    if (!send_part(socket, zmq::buffer(frames[i].data(), frames[i].size()), more)) return false;
  }
  return true;
}

/// Whether the handshake of a connection is over. ZeroMQ tells that there was one, not whose; but only then has
/// it been sent all of our greeting (64 bytes), of WELCOME (170, where it is encrypted) and of READY (more than 32,
/// where an ERROR has 12).
bool has_greeted(int descriptor, bool encrypted) {
  const auto bytes = TcpBytes::of(descriptor);
  return bytes.has_value() && bytes->sent > (encrypted ? 64U + 170U : 64U) + 32U;
}

/// Tells what happened to a socket's connections.
class Monitor {
 public:
  Monitor(zmq::context_t& context, zmq::socket_t& socket, const std::string& name)
      : watched_(socket), events_(context, ZMQ_PAIR) {
    const std::string endpoint = "inproc://monitor-" + name;
    constexpr int kWatched = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED |
                             ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                             ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    if (zmq_socket_monitor(socket.handle(), endpoint.c_str(), kWatched) != 0) throw zmq::error_t();
    events_.set(zmq::sockopt::linger, 0);
    events_.connect(endpoint);
  }

  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// Ends the watch before its receiver goes: ZeroMQ 4.3.4 keeps the memory of an event that it cannot send.
  ~Monitor() { zmq_socket_monitor(watched_.handle(), nullptr, 0); }

  /// Calls event(number, descriptor) for each event that has not been seen.
  template <class Event>
  void look(Event&& event) {
    zmq::message_t part;
    while (receive_part(events_, part)) {
      std::uint16_t number = 0;
      std::uint32_t value = 0;
      if (part.size() >= sizeof number + sizeof value) {
        std::memcpy(&number, part.data(), sizeof number);
        std::memcpy(&value, static_cast<const char*>(part.data()) + sizeof number, sizeof value);
      }
      while (part.more()) {
        if (!receive_part(events_, part)) break;
      }
      event(static_cast<int>(number), static_cast<int>(value));
    }
  }

 private:
  zmq::socket_ref watched_;
  zmq::socket_t events_;
};

Status refused(const std::string& what, const std::string& endpoint, const zmq::error_t& error) {
  return Status::cluster(what + " " + endpoint + ": " + error.what() +
                         "; expected tcp://ADDRESS:PORT or ipc://PATH that is free and of this machine");
}

}  // namespace

// --- Wake ---

Wake::Wake() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  STRADS_CHECK(descriptor_ >= 0, "the system has a descriptor for this process");
}

Wake::~Wake() {
  ::close(descriptor_);
}

void Wake::wake() const {
  const std::uint64_t one = 1;
  while (::write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Wake::clear() const {
  std::uint64_t count = 0;
  while (::read(descriptor_, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

// --- states ---

struct Sockets::Listener::State {
  State(zmq::context_t& context, const std::string& wanted, const std::optional<Door>& door, const std::string& name)
      : socket(context, ZMQ_ROUTER), monitor(context, socket, name), door_name(door.has_value() ? door->name : "") {
    set_common_options(socket, wanted);
    if (door.has_value()) lock(socket, *door);
    socket.set(zmq::sockopt::router_mandatory, true);
    socket.set(zmq::sockopt::backlog, 1024);
    socket.bind(wanted);
    endpoint = socket.get(zmq::sockopt::last_endpoint);
  }
  [[nodiscard]] bool encrypted() const { return !door_name.empty(); }
  /// At what happened to the connections.
  void look(Clock::time_point now = Clock::now());
  void opened(int descriptor, Clock::time_point now);
  void closed(int descriptor);
  void shut_those_too_many(Clock::time_point now);
  /// How many of these have been shut down.
  [[nodiscard]] std::uint64_t shut(const std::vector<int>& descriptors) const;

  zmq::socket_t socket;
  Monitor monitor;
  FloodGuard guard;
  HandshakeLimits handshakes;
  std::string door_name;           ///< empty: everybody may come in
  std::map<int, OpenSocket> open;  ///< connections, by descriptor
  std::vector<int> ended;
  std::string endpoint;
  std::uint64_t accepted = 0;
  std::uint64_t greeted = 0;
  TurnedAway turned_away;
  bool drained = false;  ///< the last call found nothing to receive
};

void Sockets::Listener::State::look(Clock::time_point now) {
  monitor.look([&](int event, int descriptor) {
    if (event == ZMQ_EVENT_ACCEPTED) opened(descriptor, now);
    if (event == ZMQ_EVENT_DISCONNECTED) closed(descriptor);
    if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) ++greeted;
  });
  // Not before all events were seen: a number whose end is among them may be another's by now.
  shut_those_too_many(now);
}

void Sockets::Listener::State::opened(int descriptor, Clock::time_point now) {
  ++accepted;
  if (const auto connection = OpenSocket::with(descriptor)) open[descriptor] = *connection;
  if (guard.opened(descriptor)) handshakes.accepted(descriptor, now);
}

void Sockets::Listener::State::closed(int descriptor) {
  ended.push_back(descriptor);
  open.erase(descriptor);
  guard.closed(descriptor);
  handshakes.settled(descriptor);
}

std::uint64_t Sockets::Listener::State::shut(const std::vector<int>& descriptors) const {
  return static_cast<std::uint64_t>(std::count_if(descriptors.begin(), descriptors.end(), [this](int descriptor) {
    const auto at = open.find(descriptor);
    return at != open.end() && at->second.shut();
  }));
}

void Sockets::Listener::State::shut_those_too_many(Clock::time_point now) {
  const auto too_many =
      handshakes.too_many(now, [this](int descriptor) { return has_greeted(descriptor, encrypted()); });
  turned_away.crowding += shut(too_many.crowding);
  turned_away.hurrying += shut(too_many.hurrying);
}

struct Sockets::Connection::State {
  State(zmq::context_t& context, const std::string& endpoint, const std::optional<Credentials>& credentials,
        const std::string& name)
      : socket(context, ZMQ_DEALER), monitor(context, socket, name), encrypted(credentials.has_value()) {
    set_common_options(socket, endpoint);
    if (credentials.has_value()) show(socket, *credentials);
    socket.connect(endpoint);
  }
  zmq::socket_t socket;
  Monitor monitor;
  FloodGuard guard;
  bool encrypted;
  bool answers = true;
  bool connected = false;
  bool reached = false;
  bool turned_away = false;
  std::uint64_t established = 0;
  Clock::time_point next_look;
  bool drained = false;  ///< the last call found nothing to receive
};

struct Sockets::State {
  zmq::context_t context{1};
  std::unique_ptr<Gatekeeper> gatekeeper;  ///< while there are doors
  std::uint64_t opened = 0;
  std::vector<std::weak_ptr<Listener>> listeners;
  std::vector<std::weak_ptr<Connection>> connections;
};

// --- Sockets ---

Sockets::Sockets() {
  const AbortsOfLibzmq aborts;
  state_ = std::make_unique<State>();
}

Sockets::~Sockets() = default;

Result<std::shared_ptr<Sockets::Listener>> Sockets::listen(const std::string& endpoint,
                                                           const std::optional<Door>& door) {
  const AbortsOfLibzmq aborts;
  try {
    if (door.has_value() && state_->gatekeeper == nullptr)
      state_->gatekeeper = std::make_unique<Gatekeeper>(state_->context);
    auto state = std::make_unique<Listener::State>(state_->context, endpoint, door, std::to_string(state_->opened++));
    auto listener = std::make_shared<Listener>(std::move(state));
    state_->listeners.push_back(listener);
    return listener;
  } catch (const zmq::error_t& error) {
    return refused("cannot listen at", endpoint, error);
  }
}

Result<std::shared_ptr<Sockets::Connection>> Sockets::connect(const std::string& endpoint,
                                                              const std::optional<Credentials>& credentials) {
  const AbortsOfLibzmq aborts;
  try {
    auto state =
        std::make_unique<Connection::State>(state_->context, endpoint, credentials, std::to_string(state_->opened++));
    auto connection = std::make_shared<Connection>(std::move(state));
    state_->connections.push_back(connection);
    return connection;
  } catch (const zmq::error_t& error) {
    return refused("cannot connect to", endpoint, error);
  }
}

void Sockets::admit(const std::string& door, std::set<std::string> keys) {
  STRADS_CHECK(state_->gatekeeper != nullptr, "somebody listens behind this door");
  for (const auto& weak : state_->listeners) {
    const auto listener = weak.lock();
    if (listener != nullptr && listener->state_->door_name == door) listener->state_->handshakes.expect(keys.size());
  }
  state_->gatekeeper->admit(door, std::move(keys));
}

/// zmq_poll() would ask each socket three times: before a look, after it, and after the wait.
void Sockets::wait(const Wake& wake, std::chrono::milliseconds limit) {
  std::vector<pollfd> descriptors{{wake.descriptor(), POLLIN, 0}};
  bool ready = limit.count() <= 0;
  const auto add = [&](auto& state) {
    // The descriptor tells only what comes after the last call: one that found nothing is as good as a look.
    ready = ready || (!state.drained && (events_of(state.socket) & ZMQ_POLLIN) != 0);
    descriptors.push_back({state.socket.get(zmq::sockopt::fd), POLLIN, 0});
  };
  std::erase_if(state_->listeners, [](const auto& weak) { return weak.expired(); });
  std::erase_if(state_->connections, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : state_->listeners) add(*weak.lock()->state_);
  for (const auto& weak : state_->connections) {
    const auto connection = weak.lock();
    if (connection->state_->answers) add(*connection->state_);
  }
  // A signal ends the wait early, which is what its handler's listeners want.
  if (!ready) (void)::poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
}

// --- Listener ---

Sockets::Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sockets::Listener::~Listener() = default;

const std::string& Sockets::Listener::endpoint() const {
  return state_->endpoint;
}

std::optional<Incoming> Sockets::Listener::receive() {
  const auto now = Clock::now();
  state_->look(now);  // a number is another connection's once its end was seen: no message may come before that
  zmq::message_t part;
  state_->drained = !receive_part(state_->socket, part).has_value();
  state_->guard.look(state_->drained, now);
  if (state_->drained) return std::nullopt;
  Incoming incoming;
  incoming.from = part.to_string();
  if (!part.more() || !receive_part(state_->socket, part)) return incoming;
  incoming.connection = zmq_msg_get(part.handle(), ZMQ_SRCFD);
  incoming.key = key_of(part);
  state_->handshakes.settled(incoming.connection);
  incoming.frames = rest_of(state_->socket, std::move(part), state_->guard, state_->encrypted());
  // ZeroMQ lets everybody in where nobody answers for a door: then nobody is believed.
  if (state_->encrypted() && incoming.key.empty()) incoming.frames.clear();
  return incoming;
}

bool Sockets::Listener::send(const std::string& to, const wire::Frames& frames) {
  state_->drained = false;
  try {
    const auto sent = send_part(state_->socket, zmq::buffer(to), zmq::send_flags::sndmore);
    return sent.has_value() && send_frames(state_->socket, frames);
  } catch (const zmq::error_t&) {
    return false;  // EHOSTUNREACH: the connection is gone; whoever was behind it connects again and asks again
  }
}

std::vector<int> Sockets::Listener::ended_connections() {
  state_->look();
  return std::exchange(state_->ended, {});
}

std::uint64_t Sockets::Listener::undelivered_bytes() {
  state_->look();
  return state_->guard.undelivered();
}

void Sockets::Listener::shut(int connection) {
  state_->look();
  (void)state_->shut({connection});
}

const TurnedAway& Sockets::Listener::turned_away() const {
  TurnedAway& count = state_->turned_away;
  count.flooding = state_->guard.shut_down();
  // Whoever floods has been greeted: nobody gets as far as a message before. Who is in its handshake counts until it is
  // through.
  const std::uint64_t heard_or_shut = state_->greeted + count.crowding + count.hurrying;
  count.strangers = state_->accepted - std::min(state_->accepted, heard_or_shut);
  return count;
}

// --- Connection ---

Sockets::Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sockets::Connection::~Connection() = default;

std::optional<wire::Frames> Sockets::Connection::receive() {
  const auto now = Clock::now();
  if (now >= state_->next_look) look();
  zmq::message_t part;
  state_->drained = !receive_part(state_->socket, part).has_value();
  state_->guard.look(state_->drained, now);
  if (state_->drained) return std::nullopt;
  return rest_of(state_->socket, std::move(part), state_->guard, state_->encrypted);
}

bool Sockets::Connection::send(const wire::Frames& frames) {
  state_->drained = false;
  return send_frames(state_->socket, frames);
}

void Sockets::Connection::drop_unsent_at_the_end() {
  state_->socket.set(zmq::sockopt::linger, 0);
}

void Sockets::Connection::expect_nothing() {
  state_->answers = false;
}

void Sockets::Connection::look() {
  state_->next_look = Clock::now() + kLookEvery;
  state_->monitor.look([this](int event, int descriptor) {
    if (event == ZMQ_EVENT_CONNECTED) {
      state_->guard.opened(descriptor);
      state_->reached = true;
    }
    if (event == ZMQ_EVENT_DISCONNECTED) state_->guard.closed(descriptor);
    state_->connected = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    if (state_->connected) ++state_->established;
    const bool failed = event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL || event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
                        event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    state_->turned_away = (state_->turned_away || failed) && !state_->connected;
  });
}

bool Sockets::Connection::connected() const {
  return state_->connected;
}

bool Sockets::Connection::reached() const {
  return state_->reached;
}

std::uint64_t Sockets::Connection::established() const {
  return state_->established;
}

bool Sockets::Connection::turned_away() const {
  return state_->turned_away;
}

}  // namespace strads::transport
