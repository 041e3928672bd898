// One line an event, and a hash of all of them. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "sim/event_queue.hpp"
#include "strads/base/hash.hpp"

namespace strads::sim {

/// "12.345678 ms".
[[nodiscard]] inline std::string time_text(Time time) {
  std::string fraction = std::to_string(time % 1'000'000);
  return std::to_string(time / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction + " ms";
}

class Trace {
 public:
  explicit Trace(std::function<void(const std::string&)> listener) : listener_(std::move(listener)) {}

  /// Lines are made only for a listener: `line` is called then. `place` and `content` go into the hash always.
  template <class Line>
  void record_event(Time time, std::uint64_t place, std::span<const std::byte> content, Line&& line) {
    hash_.update_u64(static_cast<std::uint64_t>(time));
    hash_.update_u64(place);
    hash_.update(content);
    if (listener_) listener_(time_text(time) + "  " + line());
  }

  [[nodiscard]] std::uint64_t hash() const { return hash_.digest(); }

 private:
  std::function<void(const std::string&)> listener_;
  Hash64 hash_;
};

}  // namespace strads::sim
