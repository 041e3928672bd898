// Connections that send without end. Layer: transport.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "transport/sockets/open_socket.hpp"

namespace strads::transport {

/// ZeroMQ hands over a message when its last part is there and has no limit for those before: whoever sends parts
/// without end fills the memory before a byte can be looked at. What the kernel has received on a connection less what
/// was handed over is what ZeroMQ holds; a connection where that grows beyond a bound is shut down, which frees it.
/// Connections without TCP (ipc, in a folder of this user's own) are not looked at.
class FloodGuard {
 public:
  using Clock = std::chrono::steady_clock;

  /// A batch has two MiB at most, and the kernel may hold some more that ZeroMQ has not read: enough for one connection
  /// when nothing that is complete waits to be taken.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{32} << 20;
  /// When much waits to be taken: all of it, the batches that ZeroMQ lets wait included (Sockets::kBatchesWaitingMax).
  static constexpr std::uint64_t kBytesMaxBusy = std::uint64_t{640} << 20;
  /// Of all connections together, when nothing waits to be taken: then the largest goes first.
  static constexpr std::uint64_t kBytesMaxTogether = std::uint64_t{128} << 20;
  /// Between two looks at all connections; each costs a call of the system per connection.
  static constexpr std::chrono::milliseconds kLookEvery{20};

  /// Bytes of one part of a message on the wire (ZMTP 3): flags, length, body. CURVE puts a name (8 bytes), a nonce
  /// (8), a check (16) and flags (1) before the body.
  [[nodiscard]] static std::uint64_t bytes_on_the_wire(std::size_t part, bool encrypted) {
    const std::uint64_t body = part + (encrypted ? 33 : 0);
    return body + (body > 255 ? 9 : 2);
  }

  /// False: it is no TCP connection, or has ended already.
  bool opened(int descriptor);
  void closed(int descriptor);
  void delivered(int descriptor, std::uint64_t bytes);
  /// Shuts down who has sent too much. `drained`: nothing that is complete waits to be taken.
  void look(bool drained, Clock::time_point now = Clock::now());
  /// Connections shut down so far.
  [[nodiscard]] std::uint64_t shut_down() const noexcept { return shut_down_; }
  /// Bytes received on all open connections and not handed over.
  [[nodiscard]] std::uint64_t undelivered();

 private:
  struct Connection {
    OpenSocket socket;
    std::uint64_t delivered = 0;
  };
  struct Held {
    std::uint64_t bytes = 0;
    OpenSocket socket;
  };
  [[nodiscard]] std::vector<Held> held();
  void shut(const OpenSocket& socket);

  std::map<int, Connection> connections_;       ///< by descriptor
  std::array<Clock::time_point, 2> next_look_;  ///< by `drained`: one kind may not keep the other from its turn
  std::uint64_t shut_down_ = 0;
};

}  // namespace strads::transport
