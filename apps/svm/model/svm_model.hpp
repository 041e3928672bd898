// A support vector machine as a model of the engine. Private to apps/svm.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "strads/engine/model.hpp"
#include "svm/model/svm_problems.hpp"
#include "svm/model/svm_state.hpp"
#include "svm/problem/payloads.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// So many problems of several are solved at a time.
inline constexpr std::size_t kSideBySide = 8;

class SvmModel final : public Model {
 public:
  SvmModel(std::shared_ptr<const SvmData> data, const SvmOptions& options, const EngineOptions& engine);

  [[nodiscard]] ModelShape shape() const override;
  [[nodiscard]] std::uint64_t fingerprint() const override { return problems_.data().fingerprint; }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override {
    return well_formed(kind, payload, problems_.shape());
  }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload& problem) override {
    if (!problem.values.empty()) problems_.set_cost(problem.values.front());
  }
  void enter_phase(const PhasePlan& plan) override { phase_ = plan.content; }
  [[nodiscard]] std::unique_ptr<State> make_state() const override {
    return std::make_unique<SvmState>(problems_.shape());
  }
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;

  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] Pull pull(const State& state, std::span<const Payload> deltas, const Direction*) const override;
  void apply(State& state, const Payload& changes, double step, const Direction*, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  /// f, which only falls: minus the dual objective.
  [[nodiscard]] double objective(const State& state) const override {
    return static_cast<const SvmState&>(state).objective;
  }

 private:
  struct Attempt;
  void solve_one(const SvmState& base, const BlockWords& words, Attempt& attempt, Chunks& chunks) const;
  [[nodiscard]] Push solve_problems(const SvmState& base, const Block& block, Chunks& chunks) const;
  [[nodiscard]] Push best_update(const SvmState& base, const Block& block) const;
  [[nodiscard]] Push sweep_block(const SvmState& base, const Block& block) const;
  [[nodiscard]] Pull pull_problems(const SvmState& now, std::span<const Payload> deltas) const;
  void append_head(double realised, std::vector<double>& values) const;
  /// w of a problem from its alpha, in an order that alpha fixes.
  void renew(SvmState& state, std::size_t problem, Chunks& chunks, Cost& cost) const;

  SvmProblems problems_;
  std::uint64_t seed_;
  Payload phase_;  ///< content of the last plan
};

}  // namespace strads::svm
