// HTTP for a status page: one thread of its own that answers and streams, with limits on all that a stranger can take.
// Layer: program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "program/status/status_routes.hpp"
#include "strads/base/status.hpp"

namespace strads {

class StatusServer {
 public:
  static constexpr std::size_t kConnectionsMax = 64;  ///< the next one is closed at once
  static constexpr std::uint32_t kHeaderMax = 8192;   ///< bytes of a request
  static constexpr double kRequestSeconds = 10;       ///< for a request to arrive, and for its answer to be taken
  static constexpr double kTickSeconds = 0.5;         ///< between two events of a stream
  static constexpr double kQuietSeconds = 10;         ///< a stream without news says a word so often
  static constexpr std::size_t kPointsAtOnce = 2000;  ///< in an event
  static constexpr double kFarewellSeconds = 0.3;     ///< for the last event, at the end

  /// Listens; nobody is answered yet. Errors: usage: the address is taken, or none of this host.
  [[nodiscard]] static Result<std::unique_ptr<StatusServer>> listen(const StatusAddress& address);
  /// finish().
  ~StatusServer();
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;

  /// The port, also where 0 was asked for.
  [[nodiscard]] std::uint16_t port() const;
  /// Starts the thread. `board` is there until finish().
  void serve(const StatusBoard& board, StatusAccess access);
  /// Streams hear the last event, then all is closed and the thread has ended.
  void finish();

 private:
  struct State;
  explicit StatusServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strads
