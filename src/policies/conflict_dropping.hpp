// What `static`, `paper` and `theorem1` have in common: steps 2 and 3 of Algorithm 1 (Lee et al., section 2).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/policies/slice_policy.hpp"

namespace strads {

/// P' variables are drawn; one whose |coupling| with one kept before it is above rho is dropped; at most P are kept,
/// each a block of its own.
class ConflictDropping : public SlicePolicy {
 public:
  explicit ConflictDropping(const SliceSetting& setting);

  [[nodiscard]] double dependency(std::size_t i, std::size_t k) const override;
  [[nodiscard]] ScheduleRules rules() const override;
  void prepare_pairs(std::span<const std::uint32_t> drawn, Chunks& chunks) override;
  [[nodiscard]] Cost take_planning_cost() override;

 private:
  CoordinateProblem& problem_;
  const PolicyOptions& options_;
  mutable std::atomic<std::uint64_t> pair_flops_ = 0;  ///< of couplings that were asked for
  Cost planning_;                                      ///< the rest
};

/// What each variable of a slice did when it was last drawn.
class DeltaMemory {
 public:
  explicit DeltaMemory(std::size_t variables) : last_delta_(variables, 0.0), visited_(variables, 0) {}

  [[nodiscard]] bool visited(std::size_t i) const { return visited_[i] != 0; }
  /// Committed, not proposed: a round that the guard rejected must not raise the importance of what it drew.
  [[nodiscard]] double last_delta(std::size_t i) const { return last_delta_[i]; }

  void learn(const SliceChanges& changes) {
    changes.write_deltas(last_delta_);
    for (const std::uint32_t i : changes.drawn) visited_[i] = 1;
  }

  /// ids: the positions visited, ascending; values: the last delta of each. Those of the others are 0.
  [[nodiscard]] Payload content() const;
  /// What content() was. False: it is none for so many variables, and nothing was taken.
  [[nodiscard]] bool remember(const Payload& content);

 private:
  std::vector<double> last_delta_;
  std::vector<std::uint8_t> visited_;
};

/// `paper` and `theorem1`: p(j) is made of what variable j did when it was last drawn.
class ByLastDelta : public ConflictDropping {
 public:
  explicit ByLastDelta(const SliceSetting& setting)
      : ConflictDropping(setting), memory_(setting.problem.variables().size()), eta_(setting.options.eta) {}

  [[nodiscard]] bool learn(const SliceChanges& changes) override {
    memory_.learn(changes);
    return true;
  }
  [[nodiscard]] Payload memory() const override { return memory_.content(); }
  [[nodiscard]] bool remember(const Payload& memory) override { return memory_.remember(memory); }

 protected:
  DeltaMemory memory_;
  double eta_;
};

}  // namespace strads
