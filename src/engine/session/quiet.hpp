// When to repeat what is open: nothing has moved for a while. Layer: engine. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace strads::engine {

/// The first repetition after kFirst without progress, the next after twice that, then at most every kMost: a lost
/// message costs little, and a long computation elsewhere causes little traffic.
class Quiet {
 public:
  static constexpr double kFirst = 0.1;  ///< seconds
  static constexpr double kMost = 1.0;   ///< seconds

  /// `mark` changes with every progress; `busy`: a task runs here, so that silence means nothing; `now`: seconds since
  /// any fixed moment. True: repeat now.
  bool due(std::uint64_t mark, bool busy, double now) {
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
  double since_ = 0;
  double pause_ = kFirst;
};

}  // namespace strads::engine
