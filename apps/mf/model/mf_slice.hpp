// A scheduler's view of its rows and columns. Private to apps/mf.
#pragma once

#include <vector>

#include "mf/model/mf_model.hpp"

namespace strads::mf {

/// p(j) is uniform and d(j,k) = 0 inside a phase: every variable of the side is updated once, in blocks of like weight
/// that stay the same from sweep to sweep.
class MfSlice final : public Slice {
 public:
  MfSlice(const MfModel& model, std::vector<VarId> variables);

  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override;
  void begin(const Payload& problem) override;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] double define_sampling(VarId j) const override;
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override;
  [[nodiscard]] double workload(VarId j) const override;
  [[nodiscard]] ScheduleRules rules() const override { return {.plans_itself = true}; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override;
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override;

 private:
  [[nodiscard]] Block block_of(Side side, std::uint32_t page, const PhasePlan& plan, double part) const;
  [[nodiscard]] VarId variable(Side side, std::uint32_t row) const;

  const MfModel& model_;
  std::vector<VarId> variables_;
  std::uint32_t index_ = 0;  ///< s
};

}  // namespace strads::mf
