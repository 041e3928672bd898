// How much memory a run takes, told before it begins, and compared with what there is. Layer: program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/data_shape.hpp"

namespace strads {

/// What one thing in a process takes, in bytes.
struct MemoryPart {
  std::string what;
  std::uint64_t mapped = 0;     ///< pages of files, which the system takes back when it needs them
  std::uint64_t anonymous = 0;  ///< what it cannot take back
};

/// One process of a run, or several alike.
struct ProcessMemory {
  std::string who;            ///< "this process", "node with schedulers"
  std::uint64_t count = 1;    ///< so many of them
  bool on_this_host = true;   ///< they share memory with the caller
  std::uint64_t reading = 0;  ///< anonymous, at the most while data are read, all in all
  std::vector<MemoryPart> parts;
  /// Of the parts, what depends on the data and not on their shape: it may be less or several times as much.
  std::uint64_t guessed = 0;

  [[nodiscard]] std::uint64_t mapped() const;
  /// Of all parts, or while data are read, whichever is more.
  [[nodiscard]] std::uint64_t anonymous() const;
  /// The same without what is guessed.
  [[nodiscard]] std::uint64_t certain() const;
};

struct MemoryPlan {
  std::string shape;  ///< "463 samples x 508999 variables, genotypes"
  std::vector<ProcessMemory> processes;
  std::string work = {};  ///< whole lines for people: what is computed and for how long; empty: not known

  /// Adds processes alike, with what each takes before it does anything. `memory`: what its work takes.
  ///   threads: of each; 0: as many as this host has cores
  void add(ProcessMemory memory, std::string who, std::uint64_t count, bool on_this_host, unsigned threads);
};

/// Anonymous memory of a process that does nothing yet: libraries, stacks and buffers of so many threads.
[[nodiscard]] std::uint64_t process_memory(unsigned threads);

/// The plan as a table for people, with what expect_to_fit() compares. `left`: bytes that this host has for it; all
/// ones: unknown.
[[nodiscard]] std::string memory_table(const MemoryPlan& plan, std::uint64_t left);

/// How each message of expect_to_fit() begins. Nothing in one was read from data but their size, so that a node tells
/// it to its driver as it stands.
inline constexpr const char* kNotEnoughMemory = "not enough memory: ";

/// Whether what is certain of the processes on this host can be had. Mapped pages do not count: files larger than
/// memory are read again and again, which is slow and works.
///   left: as in memory_table()
/// Errors: input: both figures and what to do.
[[nodiscard]] Status expect_to_fit(const MemoryPlan& plan, std::uint64_t left);

/// expect_to_fit() with what machine and control groups have left. Data whose size cannot be told are no error: their
/// reader says what is wrong.
///   wanted: false: --memory-check off
[[nodiscard]] Status check_memory(const Result<MemoryPlan>& plan, bool wanted);

}  // namespace strads
