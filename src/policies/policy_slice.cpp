#include "strads/policies/policy_slice.hpp"

#include <algorithm>
#include <utility>

#include "strads/policies/phases.hpp"

namespace strads {

void PolicySlice::choose_policy(CoordinateProblem& problem, const PolicyOptions& options) {
  problem_ = &problem;
  positions_ = &problem.positions();
  policy_ = entry_of(options.policy).for_slice({problem, options});
}

void PolicySlice::enter_phase(const PhasePlan& plan) {
  policy_->enter_phase(policy_phase_of(plan));
}

double PolicySlice::define_sampling(VarId j) const {
  const std::size_t i = positions_->of(j);
  return problem_->takes_part(i) ? policy_->sampling(i) : 0.0;
}

double PolicySlice::define_dependency(VarId j, VarId k) const {
  return policy_->dependency(positions_->of(j), positions_->of(k));
}

double PolicySlice::workload(VarId j) const {
  return static_cast<double>(problem_->work(positions_->of(j)));
}

Block PolicySlice::make_block(std::vector<VarId> variables) const {
  const BlockTreatment treatment = policy_->treatment();
  // In ascending order columns are read in the order of the file.
  std::sort(variables.begin(), variables.end());
  return {.content = {std::move(variables), {}},
          .kind = treatment.solve ? kSweepBlock : kUpdateBestOfBlock,
          .sweeps = treatment.sweeps,
          .tolerance = treatment.tolerance};
}

void PolicySlice::prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) {
  std::vector<std::uint32_t> places;
  places.reserve(drawn.size());
  for (const VarId j : drawn) places.push_back(static_cast<std::uint32_t>(positions_->of(j)));
  policy_->prepare_pairs(places, chunks);
}

std::optional<std::vector<Block>> PolicySlice::schedule(Round, const PhasePlan& plan, CounterRng& random) {
  auto chosen = policy_->choose_blocks(plan.blocks_max, random);
  if (!chosen.has_value()) return std::nullopt;
  std::vector<Block> blocks;
  for (std::vector<VarId>& variables : *chosen) blocks.push_back(make_block(std::move(variables)));
  return blocks;
}

Block PolicySlice::joint_block(const State&, const PhasePlan& plan) const {
  return {.content = {plan.content.ids, {}},
          .kind = kSweepBlock,
          .sweeps = kJointSweepsMax,
          .tolerance = policy_phase_of(plan).inner_gap};
}

void PolicySlice::committed(const RoundOutcome& outcome, std::vector<VarId>& touched) {
  SliceChanges changes;
  changes.drawn.reserve(outcome.drawn.size());
  for (const VarId j : outcome.drawn) {
    const std::size_t i = positions_->of(j);
    if (i == SlicePositions::kNone) continue;  // a joint block holds variables of all slices
    changes.drawn.push_back(static_cast<std::uint32_t>(i));
  }
  take_commit(outcome, changes);
  if (!policy_->learn(changes)) return;
  for (const std::uint32_t i : changes.drawn) touched.push_back(problem_->variables()[i]);
}

}  // namespace strads
