// What goes wrong in a simulated cluster, drawn from a seed before the run. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/random.hpp"
#include "strads/simulate.hpp"

namespace strads::sim {

/// What becomes of one message.
struct Fate {
  bool lost = false;
  bool duplicated = false;
  double delay = 0;         ///< seconds on top
  double second_delay = 0;  ///< of the duplicate
};

enum class FaultKind : std::uint8_t {
  delay,
  reorder,
  duplicate,
  loss,
  cut,
  partition,
  crash,
  restart,
  freeze,
  slow,
  scheduler_loss,
  driver_loss
};
inline constexpr std::size_t kFaultKinds = 12;
/// "delay", "reorder" ...
[[nodiscard]] const char* fault_name(FaultKind kind);

/// Something that happens to a process at a moment.
struct TimedFault {
  double at = 0;
  FaultKind kind = FaultKind::freeze;
  std::uint32_t rank = 0;
  double lasts = 0;  ///< freeze; restart: until the process is back
};

class FaultPlan {
 public:
  /// Draws everything from options.seed. Processes: options.nodes by rank, then the driver.
  explicit FaultPlan(const SimulationOptions& options);

  /// Of a message that leaves now.
  [[nodiscard]] Fate fate(std::uint32_t from, std::uint32_t to, double now);
  /// The connection was cut between two moments: what was on its way is lost.
  [[nodiscard]] bool cut_between(std::uint32_t a, std::uint32_t b, double from, double to) const;
  [[nodiscard]] bool partitioned(std::uint32_t a, std::uint32_t b, double now) const;
  [[nodiscard]] double slowdown(std::uint32_t rank) const;
  [[nodiscard]] const std::vector<TimedFault>& timed() const noexcept { return timed_; }
  /// For people, one line each.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::vector<TimedFault> timed_;
};

/// Faults that hit a round in flight.
class FaultCounts {
 public:
  void note(const Fate& fate, std::uint8_t message_type);
  void note(FaultKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::vector<Tally> tallies() const;

 private:
  std::uint64_t counts_[kFaultKinds] = {};
};

}  // namespace strads::sim
