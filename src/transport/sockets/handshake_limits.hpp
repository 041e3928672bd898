// How many connections may be in their handshake, and how fast new ones may come. Layer: transport.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

namespace strads::transport {

/// Decides which connections of a listener are shut down before they have proved anything. It knows descriptors and
/// times alone; its owner does the rest.
///
/// An honest cluster is never held back. Each of its nodes comes to the driver twice, first with the key to join and
/// then with its own, and to each other node once: the 1,000 first connections of 1,000 nodes fit into kAtOnce, and for
/// every key that is admitted there is room for one more in its handshake and for two more to come. Where there are no
/// keys, a node comes once. Whoever is shut down all the same finds the door open later: ZeroMQ connects again by
/// itself within a second.
class HandshakeLimits {
 public:
  using Clock = std::chrono::steady_clock;

  /// ZeroMQ closes a connection that has not finished its handshake by then.
  static constexpr std::chrono::milliseconds kHandshakeMax{3000};
  /// In their handshake at once, besides members: far more than an honest listener ever has, which needs milliseconds
  /// for each. Silent unknown peers hold this many descriptors, and no more.
  static constexpr std::size_t kUnprovedMax = 256;
  /// Handshakes a second, for ever. One takes some tenths of a millisecond of the thread that carries all messages.
  static constexpr double kPerSecond = 256;
  /// Handshakes at once, when it was quiet before: a large cluster starts.
  static constexpr double kAtOnce = 1024;
  static constexpr double kComingsOfAMember = 2;

  /// Connections to shut down, by the reason.
  struct TooMany {
    std::vector<int> crowding;  ///< the oldest of too many that have not proved themselves
    std::vector<int> hurrying;  ///< came faster than handshakes may
  };

  /// So many are known by their keys, and may come.
  void expect(std::size_t members);
  void accepted(int descriptor, Clock::time_point now);
  /// It has ended, or a message has come on it: it is watched no more.
  void settled(int descriptor);
  /// To be asked when all that is known of connections was told. `greeted`: whether a connection has finished its
  /// handshake, which is asked only where it matters.
  [[nodiscard]] TooMany too_many(Clock::time_point now, const std::function<bool(int descriptor)>& greeted);

 private:
  struct Unproved {
    int descriptor = -1;
    std::uint64_t number = 0;
    Clock::time_point since;
  };
  [[nodiscard]] bool take_token(Clock::time_point now);
  [[nodiscard]] double tokens_max() const;

  std::size_t members_ = 0;
  double tokens_ = kAtOnce;
  Clock::time_point filled_;
  std::uint64_t next_number_ = 0;
  std::deque<Unproved> by_age_;                      ///< the oldest first; some are settled already
  std::unordered_map<int, std::uint64_t> unproved_;  ///< those that are not: number by descriptor
  std::set<int> hurrying_;
};

}  // namespace strads::transport
