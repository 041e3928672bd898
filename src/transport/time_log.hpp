// What one process notes of its tasks and messages, until somebody takes it. Layer: transport.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/rounds/effects.hpp"
#include "strads/transport/times.hpp"
#include "wire/messages.hpp"

namespace strads::transport {

/// Which way a message goes.
enum class Way : std::uint8_t { sent, taken };

/// Of one thread: that of the loop. What a task's own thread measures comes with the task.
///
/// A record costs some 0.25 us until it is in the file. Runs whose rounds take less than a hundred of these would feel
/// it, so that so many are noted in a row, then none for a while: whoever draws has rounds without a gap, and the run
/// loses half a percent.
class TimeLog {
 public:
  /// So many records wait at the most, some 10 MB: a node tells its own every second.
  static constexpr std::size_t kRecordsMax = std::size_t{1} << 18;
  static constexpr std::uint64_t kInARow = 10'000;
  static constexpr std::uint64_t kASecond = 20'000;

  /// Now, or 0 while nothing is noted. Thread-safe.
  [[nodiscard]] std::uint64_t time() const { return notes_.load(std::memory_order_relaxed) ? time_of_clock() : 0; }
  /// `begin`, `end`: as time() gave them.
  void note(const engine::Task& task, std::uint32_t run, std::uint64_t begin, std::uint64_t end);
  /// `other`: rank of the process that it goes to or came from. Messages that are not of a round, a phase or a beat are
  /// not noted.
  void note(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other);

  [[nodiscard]] bool empty() const { return records_.empty() && lost_ == 0; }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Tells `listener` what there is, as of `process`, and forgets it.
  void tell(std::uint32_t process, const TimesListener& listener);
  /// The same as messages of the control channel, each of a size that it takes.
  [[nodiscard]] std::vector<wire::Times> release_messages();

 private:
  void add(const TimeRecord& record);
  void leave_out();
  void end_gap(std::uint64_t now);

  std::vector<TimeRecord> records_;
  std::uint64_t lost_ = 0;  ///< had no room
  std::atomic<bool> notes_ = true;
  std::uint64_t left_ = kInARow;  ///< may be noted
  std::uint64_t since_ = 0;       ///< when the gap began
  std::uint64_t left_out_ = 0;    ///< in it
};

/// The other way round. False: its lists are not of one length, or name what there is not.
[[nodiscard]] bool read_times(const wire::Times& times, std::vector<TimeRecord>& records);

}  // namespace strads::transport
