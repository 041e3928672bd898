// Reading the data on a thread of its own. Layer: transport.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "strads/base/status.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {

/// What was read, and its fingerprint, which takes as long as reading does.
template <class Loaded>
struct WasRead {
  Result<Loaded> loaded;
  std::uint64_t fingerprint = 0;  ///< 0: it could not be read
};

/// One reading. Whoever owns it may do other things meanwhile; its destruction waits for its end, since it uses what
/// `read` refers to.
template <class Loaded>
class Reading {
 public:
  /// `read()` gives a Result<Loaded>, `fingerprint(loaded)` its fingerprint. `wake` is woken at the end.
  template <class Read, class Fingerprint>
  Reading(Read read, Fingerprint fingerprint, std::shared_ptr<Wake> wake) {
    thread_ = std::thread([this, read = std::move(read), fingerprint, wake = std::move(wake)] {
      WasRead<Loaded> was_read{read(), 0};
      if (was_read.loaded.ok()) was_read.fingerprint = fingerprint(was_read.loaded.value());
      const std::lock_guard lock(mutex_);
      was_read_ = std::move(was_read);
      ended_ = true;
      wake->wake();
    });
  }
  ~Reading() { thread_.join(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  [[nodiscard]] bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  /// Once, when it has ended; else nothing.
  [[nodiscard]] std::optional<WasRead<Loaded>> release_result() {
    const std::lock_guard lock(mutex_);
    return std::exchange(was_read_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<WasRead<Loaded>> was_read_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace strads::transport
