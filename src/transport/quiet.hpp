// When to repeat what is open: nothing has moved for a while. Layer: transport.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace strads::transport {

/// The first repetition after kFirst without progress, the next after twice that, then at most every kMost: a lost
/// message costs little, and a long computation elsewhere causes little traffic.
class Quiet {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFirst{100};
  static constexpr std::chrono::milliseconds kMost{1000};

  /// `mark` changes with every progress; `busy`: a task runs here, so that silence means nothing.
  /// True: repeat now.
  bool due(std::uint64_t mark, bool busy, Clock::time_point now) {
    if (mark != mark_ || busy || !begun_) {
      begun_ = true;
      mark_ = mark;
      since_ = now;
      pause_ = kFirst;
      return false;
    }
    if (now - since_ < pause_) return false;
    since_ = now;
    pause_ = std::min(kMost, 2 * pause_);
    return true;
  }

 private:
  bool begun_ = false;
  std::uint64_t mark_ = 0;
  Clock::time_point since_;
  std::chrono::milliseconds pause_ = kFirst;
};

}  // namespace strads::transport
