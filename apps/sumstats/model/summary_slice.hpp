// A scheduler's view of its LD blocks. Private to apps/sumstats.
#pragma once

#include <optional>
#include <vector>

#include "sumstats/model/summary_model.hpp"

namespace strads::sumstats {

/// p(block) is its certified gap, 0 once it is solved: it is never drawn again. d(j,k) = 0: variants of two blocks have
/// no correlation in this problem. A turn has the open blocks of the largest gaps, dealt to the workers by their work.
/// Blocks that a turn has begun and not ended come before all others.
class SummarySlice final : public Slice {
 public:
  /// `variables`: ascending. The model outlives the slice.
  SummarySlice(const SummaryModel& model, std::vector<VarId> variables);

  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override;
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId j) const override { return is_open_[j] ? model_.gap_at_zero_of(j) : 0; }
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] double workload(VarId j) const override { return static_cast<double>(model_.work_of(j)); }
  [[nodiscard]] ScheduleRules rules() const override { return {.plans_itself = true}; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override;
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override;

 private:
  [[nodiscard]] bool is_open(const SummaryState& state, VarId j) const {
    return (state.records[j] == nullptr || state.records[j]->head.going > 0) && model_.gap_at_zero_of(j) > 0;
  }

  const SummaryModel& model_;
  std::vector<VarId> variables_;
  std::vector<bool> is_open_;   ///< by block, all of them
  std::vector<bool> is_begun_;  ///< of those that are open
};

}  // namespace strads::sumstats
