// What a node says when the run is over - its totals and goodbye - until the driver has it. Layer: engine. Pure: the
// nodes of a cluster and of the simulator run the same code.
#pragma once

#include <cstdint>
#include <optional>

namespace strads::engine {

/// A process that ends takes along what its sockets have not sent, and what was sent may be lost with a connection. So
/// a node stays until the driver has answered its last BEAT, and repeats it meanwhile. Times are seconds since any
/// fixed moment.
class LastWords {
 public:
  static constexpr double kEvery = 0.2;            ///< between two repetitions
  static constexpr double kAtMost = 2.0;           ///< the driver waits no longer either
  static constexpr double kReconnectAtMost = 0.5;  ///< a driver whose connection stays closed has ended

  [[nodiscard]] bool begun() const noexcept { return began_.has_value(); }

  /// True: say them now. The first call is the beginning.
  bool due(double now) {
    if (!began_.has_value()) began_ = now;
    if (next_.has_value() && now < *next_) return false;
    next_ = now + kEvery;
    return true;
  }
  /// They were said in the beat of this number; later beats hold the same.
  void said(std::uint64_t number) {
    if (!first_.has_value()) first_ = number;
  }
  /// The driver has answered the beat of this number.
  void answered(std::uint64_t number) { heard_ = heard_ || (first_.has_value() && number >= *first_); }

  /// Whether the node may end: the driver has its last beat, or nothing shows that it ever will. `connected`: to the
  /// driver, now. REQUIRES: begun().
  [[nodiscard]] bool over(bool connected, double now) {
    if (connected) closed_.reset();
    if (!connected && !closed_.has_value()) closed_ = now;
    return heard_ || now - *began_ > kAtMost || (closed_.has_value() && now - *closed_ > kReconnectAtMost);
  }

 private:
  std::optional<double> began_;
  std::optional<double> next_;
  std::optional<double> closed_;
  std::optional<std::uint64_t> first_;
  bool heard_ = false;
};

}  // namespace strads::engine
