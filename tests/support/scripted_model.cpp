#include "support/scripted_model.hpp"

#include <algorithm>
#include <utility>

namespace strads::support {

namespace {

class ScriptedSlice final : public Slice {
 public:
  ScriptedSlice(Script script, std::vector<VarId> variables)
      : script_(std::move(script)), variables_(std::move(variables)) {}

  [[nodiscard]] Payload scan(Chunks&, Cost&) override { return {variables_, {}}; }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State& state, Chunks&, Cost& cost) override {
    Payload status{variables_, {}};
    for (const VarId j : variables_) status.values.push_back(static_cast<const ScriptedState&>(state).values[j]);
    cost.flops += 10;
    return status;
  }
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId j) const override { return script_.p(j); }
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override { return script_.d(j, k); }
  [[nodiscard]] double workload(VarId j) const override { return script_.workload(j); }
  [[nodiscard]] ScheduleRules rules() const override {
    ScheduleRules rules = script_.rules;
    if (rules.draws == 1 && rules.conflicts == ScheduleRules::Conflicts::ignore) {
      rules.draws = static_cast<std::uint32_t>(variables_.size());
      rules.conflicts = ScheduleRules::Conflicts::merge;
    }
    return rules;
  }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    std::sort(variables.begin(), variables.end());
    return {{std::move(variables), {}}};
  }
  [[nodiscard]] Block joint_block(const State&, const PhasePlan& plan) const override {
    return {{plan.content.ids, {}}};
  }
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override {
    for (const VarId j : outcome.drawn) {
      // A joint block holds variables of all slices.
      if (std::binary_search(variables_.begin(), variables_.end(), j)) touched.push_back(j);
    }
  }
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override {
    return script_.ends_phase_at.contains(outcome.round);
  }

 private:
  Script script_;
  std::vector<VarId> variables_;
};

class ScriptedJudge final : public Judge {
 public:
  explicit ScriptedJudge(Script script) : script_(std::move(script)) {}

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override {
    if (!script_.refusal.ok()) return script_.refusal;
    return Payload{{static_cast<VarId>(summaries.size())}, {}};
  }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload>) override {
    Judgement judgement;
    judgement.certificate.objective = barrier.realised;
    if (barrier.limit_reached || barrier.phase >= script_.phases.size()) {
      judgement.plan.verdict = PhasePlan::Verdict::stop;
      judgement.stop_reason = barrier.limit_reached ? "limit" : "script over";
    } else {
      judgement.plan = script_.phases[barrier.phase];
    }
    return judgement;
  }

 private:
  Script script_;
};

/// The same deltas without ids, as Script::pages says.
Payload as_page(const Payload& deltas) {
  Payload paged{{}, {deltas.ids.begin(), deltas.ids.end()}};
  SharedFloats& page = paged.bulk.emplace_back(deltas.values.size());
  std::transform(deltas.values.begin(), deltas.values.end(), page.writable().begin(),
                 [](double value) { return static_cast<float>(value); });
  return paged;
}

/// And back, whatever number of pages they lie in.
Payload from_pages(const Payload& paged) {
  Payload deltas;
  for (const double id : paged.values) deltas.ids.push_back(static_cast<VarId>(id));
  for (const SharedFloats& page : paged.bulk)
    deltas.values.insert(deltas.values.end(), page.view().begin(), page.view().end());
  return deltas;
}

}  // namespace

PhasePlan go_on(std::uint64_t rounds, std::uint32_t blocks) {
  PhasePlan plan;
  plan.rounds_max = rounds;
  plan.blocks_max = blocks;
  return plan;
}

PhasePlan verify() {
  PhasePlan plan;
  plan.verdict = PhasePlan::Verdict::verify;
  return plan;
}

void ScriptedModel::place(const Placement& placement) {
  STRADS_CHECK(!slices_made_, "a model is placed before its slices are made");
  if (script_.on_place) script_.on_place(placement);
}

std::unique_ptr<Slice> ScriptedModel::make_slice(std::vector<VarId> variables) {
  slices_made_ = true;
  return std::make_unique<ScriptedSlice>(script_, std::move(variables));
}

std::unique_ptr<Judge> ScriptedModel::make_judge() const {
  return std::make_unique<ScriptedJudge>(script_);
}

std::unique_ptr<State> ScriptedModel::make_state() const {
  auto state = std::make_unique<ScriptedState>();
  state->values.assign(script_.variables, 0.0);
  return state;
}

Push ScriptedModel::push(const State& base, const Block& block, Chunks&) const {
  Push push;
  push.deltas.ids = block.content.ids;
  push.deltas.values.assign(block.content.ids.size(), static_cast<const ScriptedState&>(base).commits + 1);
  push.predicted = static_cast<double>(block.content.ids.size());
  if (script_.pages) push.deltas = as_page(push.deltas);
  push.cost = {.flops = 2 * block.content.ids.size(), .bytes = 0, .updates = block.content.ids.size()};
  return push;
}

std::shared_ptr<const Direction> ScriptedModel::combine(std::span<const Payload>, Chunks&, Cost& cost) const {
  ++script_.calls->combined;
  cost.flops += 1;
  return std::make_shared<Direction>();
}

Pull ScriptedModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  Pull pull;
  pull.step = script_.step;
  for (const Payload& block : deltas) {
    pull.changes.ids.insert(pull.changes.ids.end(), block.ids.begin(), block.ids.end());
    pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
    pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
  }
  const Payload plain = script_.pages ? from_pages(pull.changes) : pull.changes;
  for (const double delta : plain.values) pull.realised += pull.step * delta;
  pull.objective = objective(now) - pull.realised;
  return pull;
}

void ScriptedModel::apply(State& state, const Payload& changes, double step, const Direction*, Chunks&, Cost&) const {
  auto& replica = static_cast<ScriptedState&>(state);
  const Payload plain = script_.pages ? from_pages(changes) : changes;
  for (std::size_t k = 0; k < plain.ids.size(); ++k) replica.values[plain.ids[k]] += step * plain.values[k];
  replica.commits += 1;
}

void ScriptedModel::recompute(State& state, Chunks&, Cost&) const {
  ++script_.calls->recomputed;
  // Visible: a block that is computed before the recomputation differs from one that is computed after it.
  static_cast<ScriptedState&>(state).commits += 100;
}

double ScriptedModel::objective(const State& state) const {
  double sum = 0;
  for (const double value : static_cast<const ScriptedState&>(state).values) sum += value;
  return 1000 - sum;
}

}  // namespace strads::support
