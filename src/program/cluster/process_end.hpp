// How a process ended, in words. Layer: program.
#pragma once

#include <cstdint>
#include <string>

#include "data/files/memory_limit.hpp"

namespace strads {

/// What is known of a child that has ended.
struct ProcessEnd {
  int status = 0;                ///< as wait() gives it
  std::uint64_t peak_bytes = 0;  ///< most memory that it held, mapped pages included; 0: unknown
};

/// Tells deaths by the kernel, for lack of memory, from other ones by SIGKILL: nothing but the kernel's own counts of
/// them can. One count explains one death.
class KilledForMemory {
 public:
  /// `root`: as of data::memory_limit(); for tests. Construct it before the processes are started.
  explicit KilledForMemory(std::string root = "");

  /// "exit code 4", "signal 15 (Terminated)", "signal 9 (Killed): by the kernel, ..." of a process that has just ended.
  [[nodiscard]] std::string how_it_ended(const ProcessEnd& end);

 private:
  std::string root_;
  data::OomKills seen_;  ///< those that explain earlier deaths, or were before
};

}  // namespace strads
