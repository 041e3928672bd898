// A slice that a policy schedules: what the engine asks about p(j), d(j,k) and blocks, answered by the policy that the
// options name. Layer: policies. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

/// Kinds of blocks (Block::kind) that policies ask for. A model may have further ones of its own.
inline constexpr std::uint32_t kUpdateBestOfBlock = 0;  ///< one update, of the variable that gains most
inline constexpr std::uint32_t kSweepBlock = 1;  ///< Block::sweeps at most, until one brings less than the tolerance

/// Of a joint round; then comes a barrier, where a request to stop is heard and a certificate made.
inline constexpr std::uint32_t kJointSweepsMax = 2000;

/// What is left to a model is what its variables are: scan(), begin(), refresh() and take_commit(). It says
/// choose_policy() in its constructor.
class PolicySlice : public Slice {
 public:
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] double define_sampling(VarId j) const final;
  [[nodiscard]] double define_dependency(VarId j, VarId k) const final;
  [[nodiscard]] double workload(VarId j) const final;
  [[nodiscard]] ScheduleRules rules() const final { return policy_->rules(); }
  /// Variables in ascending order, no start values.
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  void prepare_round(Chunks& chunks) final { policy_->prepare_round(chunks); }
  void prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) final;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) final;
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override;
  [[nodiscard]] Cost take_planning_cost() final { return policy_->take_planning_cost(); }
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) final;
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) final { return policy_->ends_phase(outcome); }
  /// The policy's: all else that a slice knows is found again from the replica, the phase and the data.
  [[nodiscard]] Payload memory() const final { return policy_->memory(); }
  [[nodiscard]] bool remember(const Payload& memory) final { return policy_->remember(memory); }

 protected:
  /// Both outlive the slice, or are parts of it.
  void choose_policy(CoordinateProblem& problem, const PolicyOptions& options);
  [[nodiscard]] SlicePolicy& policy() const { return *policy_; }
  /// The position of j; SlicePositions::kNone: it is another slice's.
  [[nodiscard]] std::size_t position(VarId j) const { return positions_->of(j); }

 private:
  /// Takes a commit into what the slice knows: says which of its variables changed, and by how much. `changes.drawn` is
  /// filled.
  virtual void take_commit(const RoundOutcome& outcome, SliceChanges& changes) = 0;

  CoordinateProblem* problem_ = nullptr;
  const SlicePositions* positions_ = nullptr;  ///< of problem_: asked for every variable
  std::unique_ptr<SlicePolicy> policy_;
};

}  // namespace strads
