// A model whose schedulers take a given time for every plan; in all else it is the model that it wraps.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "strads/engine/model.hpp"

namespace strads::lasso {

class SlowSlice final : public Slice {
 public:
  SlowSlice(std::unique_ptr<Slice> slice, std::chrono::microseconds pause) : slice_(std::move(slice)), pause_(pause) {}

  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override { return slice_->scan(chunks, cost); }
  void begin(const Payload& problem) override { slice_->begin(problem); }
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override {
    return slice_->refresh(state, chunks, cost);
  }
  void enter_phase(const PhasePlan& plan) override { slice_->enter_phase(plan); }
  [[nodiscard]] double define_sampling(VarId j) const override { return slice_->define_sampling(j); }
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override { return slice_->define_dependency(j, k); }
  [[nodiscard]] double workload(VarId j) const override { return slice_->workload(j); }
  [[nodiscard]] ScheduleRules rules() const override { return slice_->rules(); }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    return slice_->make_block(std::move(variables));
  }
  void prepare_round(Chunks& chunks) override {
    std::this_thread::sleep_for(pause_);
    slice_->prepare_round(chunks);
  }
  void prepare_pairs(std::span<const VarId> drawn, Chunks& chunks) override { slice_->prepare_pairs(drawn, chunks); }
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override {
    return slice_->schedule(round, plan, random);
  }
  [[nodiscard]] Block joint_block(const State& state, const PhasePlan& plan) const override {
    return slice_->joint_block(state, plan);
  }
  [[nodiscard]] Cost take_planning_cost() override { return slice_->take_planning_cost(); }
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override {
    slice_->committed(outcome, touched);
  }
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override { return slice_->ends_phase(outcome); }

 private:
  std::unique_ptr<Slice> slice_;
  std::chrono::microseconds pause_;
};

class SlowPlanner final : public Model {
 public:
  SlowPlanner(std::shared_ptr<Model> model, std::chrono::microseconds pause)
      : model_(std::move(model)), pause_(pause) {}

  [[nodiscard]] ModelShape shape() const override { return model_->shape(); }
  [[nodiscard]] std::uint64_t fingerprint() const override { return model_->fingerprint(); }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override {
    return model_->acceptable(kind, payload);
  }
  void place(const Placement& placement) override { model_->place(placement); }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return std::make_unique<SlowSlice>(model_->make_slice(std::move(variables)), pause_);
  }
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override { return model_->make_judge(); }
  void begin(const Payload& problem) override { model_->begin(problem); }
  [[nodiscard]] std::unique_ptr<State> make_state() const override { return model_->make_state(); }
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override {
    return model_->push(base, block, chunks);
  }
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override { return model_->push_flops(block); }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override {
    return model_->combine(deltas, chunks, cost);
  }
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas,
                          const Direction* direction) const override {
    return model_->pull(now, deltas, direction);
  }
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override {
    model_->apply(state, changes, step, direction, chunks, cost);
  }
  void recompute(State& state, Chunks& chunks, Cost& cost) const override { model_->recompute(state, chunks, cost); }
  [[nodiscard]] double objective(const State& state) const override { return model_->objective(state); }

 private:
  std::shared_ptr<Model> model_;
  std::chrono::microseconds pause_;
};

}  // namespace strads::lasso
