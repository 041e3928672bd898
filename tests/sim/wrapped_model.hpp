// A model and a slice that do what another one does: a bug overrides one function.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strads/engine/model.hpp"

namespace strads::sim {

class WrappedSlice : public Slice {
 public:
  WrappedSlice(std::unique_ptr<Slice> inner, std::vector<VarId> variables)
      : inner_(std::move(inner)), variables_(std::move(variables)) {}

  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override { return inner_->scan(chunks, cost); }
  void begin(const Payload& problem) override { inner_->begin(problem); }
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override {
    return inner_->refresh(state, chunks, cost);
  }
  void enter_phase(const PhasePlan& plan) override { inner_->enter_phase(plan); }
  [[nodiscard]] double define_sampling(VarId j) const override { return inner_->define_sampling(j); }
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override { return inner_->define_dependency(j, k); }
  [[nodiscard]] double workload(VarId j) const override { return inner_->workload(j); }
  [[nodiscard]] ScheduleRules rules() const override { return inner_->rules(); }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    return inner_->make_block(std::move(variables));
  }
  void prepare_round(Chunks& chunks) override { inner_->prepare_round(chunks); }
  void prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) override { inner_->prepare_pairs(drawn, chunks); }
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override {
    return inner_->schedule(round, plan, random);
  }
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override {
    return inner_->joint_block(state, plan);
  }
  [[nodiscard]] Cost take_planning_cost() override { return inner_->take_planning_cost(); }
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override {
    inner_->committed(outcome, touched);
  }
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override { return inner_->ends_phase(outcome); }
  [[nodiscard]] Payload memory() const override { return inner_->memory(); }
  [[nodiscard]] bool remember(const Payload& memory) override { return inner_->remember(memory); }
  [[nodiscard]] std::span<const VarId> variables() const { return variables_; }

 private:
  std::unique_ptr<Slice> inner_;
  std::vector<VarId> variables_;
};

class WrappedModel : public Model {
 public:
  explicit WrappedModel(std::shared_ptr<Model> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] ModelShape shape() const override { return inner_->shape(); }
  [[nodiscard]] std::uint64_t fingerprint() const override { return inner_->fingerprint(); }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override {
    return inner_->acceptable(kind, payload);
  }
  void place(const Placement& placement) override { inner_->place(placement); }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return inner_->make_slice(std::move(variables));
  }
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override { return inner_->make_judge(); }
  void begin(const Payload& problem) override { inner_->begin(problem); }
  void enter_phase(const PhasePlan& plan) override { inner_->enter_phase(plan); }
  [[nodiscard]] std::unique_ptr<State> make_state() const override { return inner_->make_state(); }
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override {
    return inner_->restore_state(content);
  }
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override {
    return inner_->push(base, block, chunks);
  }
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override { return inner_->push_flops(block); }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override {
    return inner_->combine(deltas, chunks, cost);
  }
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas,
                          const Direction* direction) const override {
    return inner_->pull(now, deltas, direction);
  }
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override {
    inner_->apply(state, changes, step, direction, chunks, cost);
  }
  void recompute(State& state, Chunks& chunks, Cost& cost) const override { inner_->recompute(state, chunks, cost); }
  [[nodiscard]] double objective(const State& state) const override { return inner_->objective(state); }

 private:
  std::shared_ptr<Model> inner_;
};

}  // namespace strads::sim
