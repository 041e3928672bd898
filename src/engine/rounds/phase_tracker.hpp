// Which rounds belong to the current phase: a pure function of PHASE and the commits, computed by every node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "strads/base/types.hpp"
#include "strads/engine/phase.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// A decision from commit e takes effect with round e + D: the first that cannot be dispatched before that commit.
class PhaseTracker {
 public:
  explicit PhaseTracker(std::uint32_t depth) : depth_(depth) {}

  void begin(const wire::Phase& phase) {
    active_ = true;
    limit_reached_ = false;
    barrier_ = phase.version;
    joint_ = static_cast<PhasePlan::Mode>(phase.mode) == PhasePlan::Mode::joint;
    updates_ = 0;
    updates_max_ = phase.updates_max == 0 ? std::numeric_limits<std::uint64_t>::max() : phase.updates_max;
    last_round_ = barrier_ + static_cast<Round>(std::clamp<std::uint64_t>(phase.rounds_max, 1, kRoundsMax));
  }

  /// Commits in order of their versions.
  void record_commit(const wire::Commit& commit) {
    updates_ += commit.updates;
    if (commit.ends_phase != 0 || updates_ >= updates_max_)
      last_round_ = std::min(last_round_, commit.version + depth_ - 1);
    if (commit.last != 0) {
      // The end of the run: rounds that are dispatched already are dropped.
      last_round_ = commit.version;
      limit_reached_ = true;
    }
  }

  void end() { active_ = false; }

  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] bool joint() const noexcept { return joint_; }
  [[nodiscard]] bool limit_reached() const noexcept { return limit_reached_; }
  [[nodiscard]] Version barrier() const noexcept { return barrier_; }
  [[nodiscard]] Round last_round() const noexcept { return last_round_; }
  /// The version on which round t is computed.
  [[nodiscard]] Version base(Round t) const noexcept { return std::max<Version>(t - depth_, barrier_); }

 private:
  static constexpr std::uint64_t kRoundsMax = std::uint64_t{1} << 62;  ///< so that a version plus it is a version

  Round depth_;
  bool active_ = false;
  bool joint_ = false;
  bool limit_reached_ = false;
  Version barrier_ = -1;
  Round last_round_ = -1;
  std::uint64_t updates_ = 0;
  std::uint64_t updates_max_ = 0;
};

}  // namespace strads::engine
