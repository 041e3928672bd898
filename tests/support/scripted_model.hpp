// A model of a few counters that does what its script says: for stories about the protocol, not about numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "strads/engine/model.hpp"

namespace strads::support {

/// How often the model was asked, by all nodes that share the script.
struct Calls {
  int recomputed = 0;
  int combined = 0;
  int applied_in_place = 0;
};

struct Script {
  VarId variables = 6;
  std::vector<PhasePlan> phases;  ///< the judge's verdicts, one a barrier; after the last: stop
  ScheduleRules rules;
  std::function<double(VarId)> p = [](VarId) { return 1.0; };
  std::function<double(VarId, VarId)> d = [](VarId, VarId) { return 0.0; };
  std::function<double(VarId)> workload = [](VarId) { return 1.0; };
  std::set<Version> ends_phase_at;
  double step = 1;  ///< what the guard chooses
  std::uint64_t fingerprint = 7;
  /// Answers name no variables: they travel as values, and what they change as an array of floats beside them.
  bool pages = false;
  std::uint64_t push_flops = 0;                    ///< of any block; 0: as other models
  std::function<void(const Placement&)> on_place;  ///< called by place()
  Status refusal;                                  ///< not ok: the judge refuses the problem
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();
};

/// A phase of `rounds` rounds with at most `blocks` blocks each.
[[nodiscard]] PhasePlan go_on(std::uint64_t rounds, std::uint32_t blocks = 1);
[[nodiscard]] PhasePlan verify();

/// replica(v): a counter for each variable, and how many commits changed something.
class ScriptedState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<ScriptedState>(*this); }
  [[nodiscard]] Payload content() const override {
    Payload content{{}, values};
    content.values.push_back(commits);
    return content;
  }
  std::vector<double> values;
  double commits = 0;
};

/// push: every variable of the block gets the number of commits in base, plus 1: the answer shows what base it read.
/// Rules that are left at their default draw all variables of the slice into one block a bin (merge).
class ScriptedModel final : public Model {
 public:
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  [[nodiscard]] ModelShape shape() const override { return {.variables = script_.variables}; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return script_.fingerprint; }
  void place(const Placement& placement) override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override {
    return script_.push_flops != 0 ? script_.push_flops : Model::push_flops(block);
  }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const override;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& state) const override;

 private:
  Script script_;
  bool slices_made_ = false;
};

}  // namespace strads::support
