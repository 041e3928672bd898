// A scheduler's view of its items. Private to apps/mf.
#pragma once

#include <optional>
#include <vector>

#include "mf/slim/slim_model.hpp"

namespace strads::mf {

/// p(j) is uniform and d(j,k) = 0: no item reads another one's weights. Each is solved once, in blocks of like work.
class SlimSlice final : public Slice {
 public:
  /// `variables`: ascending. The model outlives the slice.
  SlimSlice(const SlimModel& model, std::vector<VarId> variables);

  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 1; }
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] double workload(VarId j) const override { return static_cast<double>(model_.work()[j]); }
  [[nodiscard]] ScheduleRules rules() const override { return {.plans_itself = true}; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override;
  void committed(const RoundOutcome&, std::vector<VarId>&) override {}

 private:
  const SlimModel& model_;
  std::vector<VarId> variables_;
  std::vector<std::vector<VarId>> blocks_;
};

}  // namespace strads::mf
