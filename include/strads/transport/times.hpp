// When tasks ran and messages travelled: what the loops around the engine note for --trace-times. Layer: transport.
// The engine names what happens; only the loops read clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace strads {

/// In place of a rank: the driver, or the one process of an embedded run.
inline constexpr std::uint32_t kTimesOfDriver = 0xfffffffe;

/// A task, or a message at the moment at which it was handed over or taken.
struct TimeRecord {
  std::uint32_t what = 0;    ///< name_of_time() has its words
  std::uint32_t run = 0;     ///< number of the run; of a beat 2^32 - 1
  std::uint32_t number = 0;  ///< of the round, or of the phase, or of the beat
  std::uint32_t index = 0;   ///< of the block in its round; of a SliceStatus the scheduler; of others 0
  std::uint32_t who = 0;     ///< of a task: its worker or scheduler; of a message: rank of the other process
  std::uint64_t begin = 0;   ///< nanoseconds of this process's steady clock, which begins anywhere
  std::uint64_t end = 0;     ///< of a message: begin
};

/// "push", "sent Assign", "taken Assign", "gap"; empty: there is nothing of that number.
[[nodiscard]] std::string name_of_time(std::uint32_t what);

/// Nanoseconds of the clock of TimeRecord.
[[nodiscard]] std::uint64_t time_of_clock();

/// `process`: whose records they are, a rank or kTimesOfDriver, in the order in which they ended there. `lost`: so many
/// since the last call had no room.
using TimesListener =
    std::function<void(std::uint32_t process, std::span<const TimeRecord> records, std::uint64_t lost)>;

}  // namespace strads
