// A model that computes nothing: what is left of a run is the engine itself. Layer: program.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "strads/engine/model.hpp"

namespace strads {

/// Every round draws `blocks` variables and commits a change of each; the judge ends the run at the first limit.
class IdleModel final : public Model {
 public:
  IdleModel(VarId variables, std::uint32_t blocks) : variables_(variables), blocks_(blocks) {}

  [[nodiscard]] ModelShape shape() const override { return {.variables = variables_}; }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return std::make_unique<IdleSlice>(std::move(variables), blocks_);
  }
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override { return std::make_unique<IdleJudge>(blocks_); }
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override { return std::make_unique<IdleState>(); }

  [[nodiscard]] Push push(const State&, const Block& block, Chunks&) const override {
    return {{block.content.ids, std::vector<double>(block.content.ids.size(), 1.0)}, 1.0, {.flops = 1, .updates = 1}};
  }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] Pull pull(const State&, std::span<const Payload> deltas, const Direction*) const override {
    Pull pull;
    pull.realised = 1;
    for (const Payload& block : deltas) {
      pull.changes.ids.insert(pull.changes.ids.end(), block.ids.begin(), block.ids.end());
      pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
    }
    return pull;
  }
  void apply(State&, const Payload&, double, const Direction*, Chunks&, Cost&) const override {}
  void recompute(State&, Chunks&, Cost&) const override {}
  [[nodiscard]] double objective(const State&) const override { return 1; }

 private:
  struct IdleState final : State {
    [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<IdleState>(*this); }
    [[nodiscard]] Payload content() const override { return {}; }
  };

  class IdleSlice final : public Slice {
   public:
    IdleSlice(std::vector<VarId> variables, std::uint32_t blocks) : variables_(std::move(variables)), blocks_(blocks) {}
    [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {}; }
    void begin(const Payload&) override {}
    [[nodiscard]] Payload refresh(const State&, Chunks&, Cost&) override { return {}; }
    void enter_phase(const PhasePlan&) override {}
    [[nodiscard]] double define_sampling(VarId) const override { return 1; }
    [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
    [[nodiscard]] ScheduleRules rules() const override { return {.draws = blocks_}; }
    [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
      return {.content = {std::move(variables), {}}};
    }
    void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override {
      touched.assign(outcome.drawn.begin(), outcome.drawn.end());
    }

   private:
    std::vector<VarId> variables_;
    std::uint32_t blocks_;
  };

  class IdleJudge final : public Judge {
   public:
    explicit IdleJudge(std::uint32_t blocks) : blocks_(blocks) {}
    [[nodiscard]] Result<Payload> start(std::span<const Payload>) override { return Payload{}; }
    [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload>) override {
      Judgement judgement;
      judgement.plan.blocks_max = blocks_;
      judgement.plan.rounds_max = ~std::uint64_t{0} >> 1;
      if (!barrier.limit_reached) return judgement;
      judgement.plan.verdict = barrier.verified ? PhasePlan::Verdict::stop : PhasePlan::Verdict::verify;
      judgement.stop_reason = kStopLimit;
      return judgement;
    }

   private:
    std::uint32_t blocks_;
  };

  VarId variables_;
  std::uint32_t blocks_;
};

}  // namespace strads
