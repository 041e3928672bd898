// --deadline: when a program has to have ended, by the clock on the wall, and whether a run gets to its next barrier
// before that. Layer: program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// Seconds since the beginning of 1970, by the system's clock.
[[nodiscard]] double wall_seconds();
/// "2026-11-24T18:00:00", local time.
[[nodiscard]] std::string local_time(double wall);

/// The moment that `text` names: 2026-11-24T18:00 (local time; with seconds and an offset, or Z, where wanted),
/// @SECONDS since 1970, or after `now` +2h30m (days d, hours h, minutes m, seconds s). Errors: usage: it is none of
/// these, or has passed.
[[nodiscard]] Result<double> parse_deadline(const std::string& text, double now);

/// Decides from the times that are told to it. Barriers are as far apart as they were, at worst; a checkpoint takes as
/// long as it took; half of that again is room for what was not seen yet.
class Deadline {
 public:
  /// For so many runs beside each other.
  Deadline(double at, std::size_t runs) : at_(at), since_(runs, -1) {}

  /// A run computes from now on.
  void note_begin(std::size_t run, double now) { since_[run] = now; }
  void note_barrier(std::size_t run, double now);
  /// A checkpoint was written.
  void note_writing(double seconds);
  /// Whether a barrier after this one, and writing its checkpoint, may come too late.
  [[nodiscard]] bool next_is_late(double now) const;
  /// Whether there is time for nothing but writing a checkpoint.
  [[nodiscard]] bool is_up(double now) const;
  [[nodiscard]] double at() const { return at_; }

 private:
  double at_;
  std::vector<double> since_;  ///< by run: its last barrier, or its beginning; negative: it has none
  double between_ = 0;         ///< the longest time from one barrier of a run to its next
  double writing_ = 0;         ///< the longest
};

}  // namespace strads
