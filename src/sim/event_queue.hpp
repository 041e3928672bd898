// What happens next, in virtual time. Layer: sim. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace strads::sim {

/// Virtual nanoseconds since the beginning.
using Time = std::int64_t;

[[nodiscard]] inline Time time_of(double seconds) {
  return static_cast<Time>(std::llround(seconds * 1e9));
}
[[nodiscard]] inline double seconds_of(Time time) {
  return static_cast<double>(time) * 1e-9;
}

/// Events in order of time; those of the same time in the order in which they were put in, so that a run can be
/// repeated.
class EventQueue {
 public:
  /// REQUIRES: not in the past. Cost: O(log events).
  void at(Time when, std::function<void()> what) {
    events_.push_back({std::max(when, now_), count_++, std::move(what)});
    std::push_heap(events_.begin(), events_.end(), later);
  }

  /// Lets the next event happen; false: there is none.
  bool step() {
    if (events_.empty()) return false;
    std::pop_heap(events_.begin(), events_.end(), later);
    Event event = std::move(events_.back());
    events_.pop_back();
    now_ = event.when;
    ++happened_;
    event.what();
    return true;
  }

  [[nodiscard]] Time now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t happened() const noexcept { return happened_; }

 private:
  struct Event {
    Time when = 0;
    std::uint64_t number = 0;
    std::function<void()> what;
  };
  static bool later(const Event& a, const Event& b) { return a.when != b.when ? a.when > b.when : a.number > b.number; }

  std::vector<Event> events_;  ///< a heap
  Time now_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace strads::sim
