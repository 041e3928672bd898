// ZeroMQ as this project uses it: bounded, never blocking, one thread. Layer: transport. The only header through which
// the rest of the layer sees sockets; zmq itself is included by sockets.cpp, gatekeeper.cpp and keys.cpp alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "transport/sockets/keys.hpp"
#include "wire/framing.hpp"

namespace strads::transport {

/// Wakes a loop that waits for sockets. wake() is thread-safe and cheap; many wakes before a look count once.
class Wake {
 public:
  Wake();
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  void wake() const;
  /// Called by the loop after it was woken.
  void clear() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// One multipart message as it came in: a chunk, or a batch of them (wire/batch.hpp) in one frame.
struct Incoming {
  std::string from;     ///< the connection's name, to answer it
  int connection = -1;  ///< the connection's descriptor, to recognise its end
  std::string key;      ///< public key of who is on the connection, proved; empty: it is not encrypted
  wire::Frames frames;
};

/// Connections of a listener that led to nothing, each counted once, by the reason.
struct TurnedAway {
  std::uint64_t strangers =
      0;  ///< accepted, and never got as far as a message: port scanners, other protocols, other keys
  std::uint64_t flooding = 0;  ///< shut down: sent without end
  std::uint64_t crowding = 0;  ///< shut down: too many had not proved themselves
  std::uint64_t hurrying = 0;  ///< shut down: too many came within a second

  [[nodiscard]] std::uint64_t total() const noexcept { return strangers + flooding + crowding + hurrying; }
};

/// What an encrypted listener proves itself with, and whom it lets in: those of Sockets::admit() for this name.
struct Door {
  std::string name;
  std::string secret_key;
};

/// What an encrypted connection proves itself with, and the public key of the listener that it expects.
struct Credentials {
  KeyPair own;
  std::string listener;
};

/// A context and everything that is open in it. Not thread-safe: one loop owns it. Its destruction waits for what is
/// still to be sent for at most kLinger.
class Sockets {
 public:
  static constexpr std::chrono::milliseconds kLinger{500};
  /// Between two looks of Connection::receive(): even one that finds nothing is a call of the system.
  static constexpr std::chrono::milliseconds kLookEvery{1};
  /// Batches that wait in one connection, each way. With frames of 2 MiB it bounds the memory of a connection.
  static constexpr int kBatchesWaitingMax = 256;

  Sockets();
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// A bound socket: receives from anybody, answers whoever has written.
  class Listener;
  /// A connected socket: connects again by itself as often as needed.
  class Connection;

  // A socket tells what happens to its connections in a queue of its own, and when that is full ZeroMQ waits: each must
  // be received from, or looked at, again and again. Meanwhile connections that send without end are shut down
  // (transport/flood_guard.hpp), and those that come in too great a number (transport/handshake_limits.hpp).

  /// `endpoint`: tcp://ADDRESS:PORT (PORT may be 0), ipc://PATH. Without a door everybody may come in, and nothing is
  /// encrypted. Errors: cluster, with the system's reason.
  [[nodiscard]] Result<std::shared_ptr<Listener>> listen(const std::string& endpoint,
                                                         const std::optional<Door>& door = {});
  /// Errors: cluster, for what is no endpoint. That nobody listens there is no error.
  [[nodiscard]] Result<std::shared_ptr<Connection>> connect(const std::string& endpoint,
                                                            const std::optional<Credentials>& credentials = {});
  /// Holders of these public keys may come in at this door from now on, nobody else. Until the first call whoever comes
  /// waits outside.
  void admit(const std::string& door, std::set<std::string> keys);

  /// Waits until something can be received from an open socket, `wake` was woken, or `limit` has passed. May return
  /// without any of these.
  void wait(const Wake& wake, std::chrono::milliseconds limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Sockets::Listener {
 public:
  struct State;
  explicit Listener(std::unique_ptr<State> state);
  ~Listener();
  /// As bound: with the port that was found.
  [[nodiscard]] const std::string& endpoint() const;
  /// The next message, if one is there. Frames beyond those that a chunk can have are dropped, which makes it invalid.
  [[nodiscard]] std::optional<Incoming> receive();
  /// False: that connection is gone or takes no more.
  bool send(const std::string& to, const wire::Frames& frames);
  /// Connections that have ended since this was last asked.
  [[nodiscard]] std::vector<int> ended_connections();
  /// Ends this connection (Incoming::connection). Where it has ended, other sockets that got its number are let be; a
  /// later connection of this listener is not known from it, and comes again by itself.
  void shut(int connection);
  [[nodiscard]] const TurnedAway& turned_away() const;
  /// All of them.
  [[nodiscard]] std::uint64_t strangers() const { return turned_away().total(); }
  /// Received by the system over TCP and part of no message that was taken.
  [[nodiscard]] std::uint64_t undelivered_bytes();

 private:
  friend class Sockets;
  std::unique_ptr<State> state_;
};

class Sockets::Connection {
 public:
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  ~Connection();
  [[nodiscard]] std::optional<wire::Frames> receive();
  /// As one multipart message. False: as much waits already as may wait.
  bool send(const wire::Frames& frames);
  /// What is not sent when this is destroyed is dropped, instead of being waited for.
  void drop_unsent_at_the_end();
  /// Nobody answers on it: Sockets::wait() does not wait for it.
  void expect_nothing();
  /// Looks at what happened to the connection since it was last asked, for those below.
  void look();
  [[nodiscard]] bool connected() const;
  /// Whoever has that address has taken a connection, by its system alone: it may be too busy to say anything yet.
  [[nodiscard]] bool reached() const;
  /// Times that it was established.
  [[nodiscard]] std::uint64_t established() const;
  /// Whoever listens has turned it away, or the listener could not prove itself: other keys, or encryption at one end
  /// alone. Since it was last established.
  [[nodiscard]] bool turned_away() const;

 private:
  friend class Sockets;
  std::unique_ptr<State> state_;
};

}  // namespace strads::transport
