// A small model that plans its rounds itself: every update halves the distance of a variable to its number.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/engine/model.hpp"

namespace strads::engine {

struct HalvingOptions {
  VarId variables = 10;
  std::uint32_t phases = 3;  ///< then the replica is verified and the run stops
  std::uint32_t turns = 1;   ///< of a phase
  bool refuses = false;      ///< the problem
};

class HalvingState final : public State {
 public:
  explicit HalvingState(VarId variables) : x(variables) {}
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<HalvingState>(*this); }
  [[nodiscard]] Payload content() const override {
    Payload all{.ids = {}, .values = x};
    all.values.push_back(verified);
    return all;
  }
  std::vector<double> x;
  double verified = 0;  ///< times
};

/// The numbers are drawn by round: another stream, other bits.
class HalvingSlice final : public Slice {
 public:
  explicit HalvingSlice(std::vector<VarId> variables) : variables_(std::move(variables)) {}
  [[nodiscard]] Payload scan(Chunks&, Cost&) override {
    return {.ids = {}, .values = {static_cast<double>(variables_.size())}};
  }
  void begin(const Payload& problem) override { problem_ = problem.values.at(0); }
  [[nodiscard]] Payload refresh(const State& state, Chunks&, Cost&) override {
    const auto& x = static_cast<const HalvingState&>(state).x;
    Payload status;
    for (const VarId j : variables_) {
      status.ids.push_back(j);
      status.values.push_back(x[j]);
    }
    status.values.push_back(commits_);
    return status;
  }
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 1; }
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] ScheduleRules rules() const override { return {.plans_itself = true}; }
  [[nodiscard]] Block make_block(std::vector<VarId>) const override { return {}; }
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan&, CounterRng& random) override {
    std::vector<Block> blocks;
    for (const VarId j : variables_) {
      if (random.below(3) == 0) continue;
      Block& block = blocks.emplace_back();
      block.content = {.ids = {j}, .values = {problem_ + static_cast<double>(round)}};
    }
    return blocks;
  }
  void committed(const RoundOutcome& outcome, std::vector<VarId>&) override {
    commits_ += static_cast<double>(outcome.drawn.size()) + 100 * static_cast<double>(outcome.round);
  }
  [[nodiscard]] Payload memory() const override { return {.ids = {}, .values = {commits_}}; }
  [[nodiscard]] bool remember(const Payload& memory) override {
    if (memory.values.size() != 1) return false;
    commits_ = memory.values[0];
    return true;
  }

 private:
  std::vector<VarId> variables_;
  double problem_ = 0, commits_ = 0;
};

class HalvingJudge final : public Judge {
 public:
  HalvingJudge(const HalvingOptions& options, std::uint32_t schedulers) : options_(options), schedulers_(schedulers) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override {
    if (options_.refuses) return Status::input("refused");
    double sum = 0;
    for (const Payload& summary : summaries) sum += summary.values.at(0);
    return Payload{.ids = {}, .values = {sum}};
  }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override {
    Judgement judgement;
    for (const Payload& status : statuses) {
      for (const double x : status.values) judgement.certificate.objective += x;
    }
    judgement.certificate.figures = {static_cast<double>(barrier.phase), static_cast<double>(barrier.version),
                                     static_cast<double>(barrier.rounds)};
    judgement.certificate.converged = barrier.phase >= options_.phases;
    if (barrier.verified) {
      judgement.plan.verdict = PhasePlan::Verdict::stop;
      judgement.stop_reason = judgement.certificate.converged ? "phases" : "limit";
    } else if (barrier.phase == options_.phases || barrier.limit_reached) {
      judgement.plan.verdict = PhasePlan::Verdict::verify;
    } else {
      judgement.plan.rounds_max = std::uint64_t{schedulers_} * options_.turns;
      judgement.plan.content.values = {1};
    }
    return judgement;
  }

 private:
  HalvingOptions options_;
  std::uint32_t schedulers_;
};

class HalvingModel final : public Model {
 public:
  HalvingModel(const HalvingOptions& options, std::uint32_t schedulers) : options_(options), schedulers_(schedulers) {}
  [[nodiscard]] ModelShape shape() const override { return {.variables = options_.variables}; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return options_.variables; }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override {
    const bool known =
        std::all_of(payload.ids.begin(), payload.ids.end(), [&](VarId j) { return j < options_.variables; });
    return known && (kind != PayloadKind::block || payload.values.size() == 1) &&
           (kind != PayloadKind::status || !payload.values.empty());
  }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return std::make_unique<HalvingSlice>(std::move(variables));
  }
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override {
    return std::make_unique<HalvingJudge>(options_, schedulers_);
  }
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override {
    return std::make_unique<HalvingState>(options_.variables);
  }
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override {
    if (content.values.size() != std::size_t{options_.variables} + 1) return nullptr;
    auto state = std::make_unique<HalvingState>(options_.variables);
    state->x.assign(content.values.begin(), content.values.end() - 1);
    state->verified = content.values.back();
    return state;
  }
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks&) const override {
    const VarId j = block.content.ids.at(0);
    const double x = static_cast<const HalvingState&>(base).x[j];
    Push push;
    push.deltas = {.ids = {j}, .values = {(j + block.content.values.at(0) - x) / 2}};
    push.cost.updates = 1;
    return push;
  }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction*) const override {
    Pull pull;
    for (const Payload& delta : deltas) {
      pull.changes.ids.insert(pull.changes.ids.end(), delta.ids.begin(), delta.ids.end());
      pull.changes.values.insert(pull.changes.values.end(), delta.values.begin(), delta.values.end());
    }
    HalvingState next(static_cast<const HalvingState&>(now));
    fold(next, pull.changes);
    pull.objective = objective(next);
    return pull;
  }
  void apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const override {
    fold(static_cast<HalvingState&>(state), changes);
  }
  void recompute(State& state, Chunks&, Cost&) const override { ++static_cast<HalvingState&>(state).verified; }
  [[nodiscard]] double objective(const State& state) const override {
    double sum = 0;
    for (const double x : static_cast<const HalvingState&>(state).x) sum += x;
    return sum;
  }

 private:
  static void fold(HalvingState& state, const Payload& changes) {
    for (std::size_t k = 0; k < changes.ids.size(); ++k) state.x[changes.ids[k]] += changes.values[k];
  }
  HalvingOptions options_;
  std::uint32_t schedulers_;
};

}  // namespace strads::engine
