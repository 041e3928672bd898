// What goes wrong in a simulated cluster, drawn from a seed before the run. Layer: sim. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/rounds/roster.hpp"
#include "strads/base/random.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {

enum class FaultKind : std::uint8_t {
  delay,           ///< some messages take longer, and what follows them on the same link with them
  reorder,         ///< links differ in their delay, so that what is sent later over another one may come earlier
  duplicate,       ///< some messages come twice
  loss,            ///< some messages never come
  cut,             ///< a connection breaks: what is on its way is lost, both ends notice, it is back after a while
  partition,       ///< some processes cannot reach the others for a while; nobody is told
  crash,           ///< kill -9 of a node
  restart,         ///< the same, and its process is started again: it joins late
  freeze,          ///< a process does nothing for a while, then handles all that came
  slow,            ///< a node computes slower
  leave,           ///< a node is asked to leave
  scheduler_loss,  ///< kill -9 of a node with a scheduler: ends the run where nobody else accepts one
  driver_loss,     ///< kill -9 of the driver: ends the run
  damage,          ///< what a node says next of its replica for a checkpoint is wrong, as after damage of its memory
  all_leave        ///< every node is asked to leave, in half of the seeds the driver as well: the run ends early
};
inline constexpr std::size_t kFaultKinds = 15;
/// "delay", "reorder" ...
[[nodiscard]] const char* fault_name(FaultKind kind);

/// "12.3 ms".
[[nodiscard]] std::string milliseconds(double seconds);

/// What becomes of one message.
struct Fate {
  bool lost = false;
  bool duplicated = false;
  double delay = 0;         ///< seconds on top
  double second_delay = 0;  ///< of the duplicate
  std::uint32_t kinds = 0;  ///< bits 1 << FaultKind: what did this
};

/// Something that happens at a moment.
struct TimedFault {
  double at = 0;
  FaultKind kind = FaultKind::freeze;
  std::uint32_t rank = 0;  ///< whom; the number of nodes is the driver; all_leave: who is the first
  std::uint32_t peer = 0;  ///< cut: the other end; all_leave: so many are asked, one after the other by rank
  double lasts = 0;        ///< freeze, cut, partition, all_leave; restart: until the process is back
};

/// What can hit the start of a run.
enum class StartHit : std::uint8_t {
  killed_joining,
  killed_loading,
  away_joining,
  away_loading,
  word_lost,
  joined_again
};
inline constexpr std::size_t kStartHits = 6;

/// Outages of processes that the runs cannot do without are shorter than the lease and apart from each other, so that
/// only losses of schedulers and of the driver can end them (lethal_at()). Those of others may also be longer than the
/// lease: they are lost then. There are always a node that accepts schedulers and one that accepts workers left.
class FaultPlan {
 public:
  /// Draws everything from options.seed. Processes: options.nodes by rank, then the driver.
  explicit FaultPlan(const SimulationOptions& options);

  /// Of a message that leaves now.
  [[nodiscard]] Fate fate(std::uint32_t from, std::uint32_t to, double now);
  /// The connection was cut between two moments: what was on its way is lost.
  [[nodiscard]] bool cut_between(std::uint32_t a, std::uint32_t b, double from, double to) const;
  [[nodiscard]] bool partitioned(std::uint32_t a, std::uint32_t b, double now) const {
    return partitioned_for(a, b, now) > 0;
  }
  /// Seconds from now until they can reach each other; 0: they can.
  [[nodiscard]] double partitioned_for(std::uint32_t a, std::uint32_t b, double now) const;
  /// A message of the start (HELLO, WELCOME, LOADED, BEAT) that is sent now never arrives. Called once for each.
  [[nodiscard]] bool loses_start_word(std::uint8_t type);
  /// A node's computing takes so many times longer.
  [[nodiscard]] double slowdown(std::uint32_t rank) const { return slowdown_[rank]; }
  /// In order of time.
  [[nodiscard]] const std::vector<TimedFault>& timed() const noexcept { return timed_; }
  /// When somebody is killed without whom the run ends; negative: nobody is.
  [[nodiscard]] double lethal_at() const noexcept { return lethal_at_; }
  /// By node: it will be lost, or leaves alone.
  [[nodiscard]] const std::vector<bool>& doomed() const noexcept { return doomed_; }
  /// A kind that this seed has; it may find nobody to hit.
  [[nodiscard]] bool has(FaultKind kind) const { return (kinds_ & (1U << static_cast<unsigned>(kind))) != 0; }
  /// For people: which kinds this seed has at all, then what was drawn, one line each. A kind may find nobody to hit.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  /// From `at` on for `lasts` seconds nothing passes between `inside` and the others.
  struct Partition {
    double at = 0;
    double lasts = 0;
    std::vector<bool> inside;  ///< by process
    bool loses = false;        ///< what is sent meanwhile is lost; else it comes when the partition is over
  };

  void draw_messages();
  void draw_crashes();
  void draw_outages();
  void draw_end();
  void draw_damage(std::uint64_t seed);
  void draw_all_leave(std::uint64_t seed);
  [[nodiscard]] double moment(double most);
  [[nodiscard]] double between(double low, double high) { return low + (high - low) * random_.unit(); }
  [[nodiscard]] double outage_seconds(bool may_be_lost);
  [[nodiscard]] std::vector<std::uint32_t> expendable() const;
  [[nodiscard]] std::uint32_t any_process() { return static_cast<std::uint32_t>(random_.below(processes_)); }
  void freeze(double at, double* lasts);
  void cut(double at, double* lasts);
  void part(double at, double* lasts);

  CounterRng random_;
  CounterRng messages_;  ///< fates, in the order of sending
  std::uint32_t processes_ = 0;
  double lease_ = 1;
  double horizon_ = 1;
  double start_ = 0;  ///< about how long joining and loading take
  bool losing_schedulers_ = false;
  engine::Roster roster_;
  std::vector<bool> works_;      ///< by node: accepts workers
  std::vector<bool> schedules_;  ///< by node: accepts schedulers
  std::vector<bool> doomed_;     ///< by node: will be lost
  std::uint32_t kinds_ = 0;      ///< bits of those that this seed has
  double lethal_at_ = -1;

  double delay_share_ = 0, delay_most_ = 0;
  double duplicate_share_ = 0;
  double loss_share_ = 0;
  double start_loss_share_ = 0;
  std::vector<double> link_delay_;  ///< [from * processes + to], seconds
  std::vector<double> slowdown_;
  std::vector<TimedFault> cuts_;
  std::vector<Partition> partitions_;
  std::vector<TimedFault> timed_;
};

/// Faults that hit a round in flight.
class FaultCounts {
 public:
  /// ASSIGN, DELTAS and COMMIT are a round in flight. `slow`: its sender computes slower.
  void count(const Fate& fate, std::uint8_t message_type, bool slow);
  void count(FaultKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::vector<Tally> tallies() const;

 private:
  std::array<std::uint64_t, kFaultKinds> counts_{};
};

/// Faults that hit the start of a run.
class StartCounts {
 public:
  void count(StartHit hit) { ++counts_[static_cast<std::size_t>(hit)]; }
  [[nodiscard]] std::vector<Tally> tallies() const;

 private:
  std::array<std::uint64_t, kStartHits> counts_{};
};

}  // namespace strads::sim
