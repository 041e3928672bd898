// A scheduler's view of its documents and words: blocks are fixed for the run.
#pragma once

#include <optional>
#include <vector>

#include "lda/problem/payloads.hpp"
#include "strads/engine/model.hpp"

namespace strads::lda {

class LdaModel;

class LdaSlice final : public Slice {
 public:
  LdaSlice(const LdaModel& model, std::vector<VarId> variables);

  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State& of_run, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 1; }
  /// Documents are coupled by their words, words by their documents: a phase has either, or cells that share neither.
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] double workload(VarId j) const override;
  [[nodiscard]] ScheduleRules rules() const override { return {.plans_itself = true}; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& phase,
                                                           CounterRng& random) override;
  void committed(const RoundOutcome&, std::vector<VarId>&) override {}

 private:
  const LdaModel& model_;
  std::vector<VarId> variables_;
};

}  // namespace strads::lda
