#include <algorithm>

#include "engine/many_model.hpp"
#include "strads/random.hpp"

namespace strads::engine {

ManySlice::ManySlice(const ManyModel& model, std::vector<std::unique_ptr<Slice>> parts, std::vector<VarId> variables,
                     std::uint32_t scheduler)
    : model_(model),
      parts_(std::move(parts)),
      variables_(std::move(variables)),
      scheduler_(scheduler),
      reports_(parts_.size(), true) {
  phase_.jobs.resize(parts_.size());
  for (const auto& part : parts_) {
    STRADS_CHECK(part->plans_itself(), "many_models() takes models that plan their rounds themselves");
  }
}

Payload ManySlice::scan(Chunks& chunks, Cost& cost) {
  std::vector<Payload> summaries;
  for (const auto& part : parts_) summaries.push_back(part->scan(chunks, cost));
  return pack(summaries);
}

void ManySlice::begin(const Payload& problem) {
  const auto problems = unpack(problem, parts_.size());
  STRADS_CHECK(problems.has_value(), "acceptable() has looked at the problem");
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->begin((*problems)[i]);
}

Payload ManySlice::refresh(const State& state, Chunks& chunks, Cost& cost) {
  const auto& states = static_cast<const ManyState&>(state).parts;
  std::vector<Payload> statuses(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (reports_[i] && states[i] != nullptr) statuses[i] = parts_[i]->refresh(*states[i], chunks, cost);
  }
  return pack(statuses);
}

void ManySlice::enter_phase(const PhasePlan& plan) {
  auto phase = ManyPhase::decode(plan.content, parts_.size(), model_.engine().schedulers);
  // Nothing to do: a verdict that goes on without jobs comes from a stranger.
  if (!phase.has_value()) {
    phase_ = ManyPhase{.first = 0, .jobs = std::vector<Job>(parts_.size())};
    return;
  }
  phase_ = std::move(*phase);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Job& job = phase_.jobs[i];
    reports_[i] = job.action == Job::Action::run || job.action == Job::Action::verify;
    if (job.action == Job::Action::run) parts_[i]->enter_phase(job.plan);
  }
}

double ManySlice::define_sampling(VarId j) const {
  const std::size_t part = model_.part_of(j);
  return parts_[part]->define_sampling(j - model_.first(part));
}

double ManySlice::define_dependency(VarId j, VarId k) const {
  const std::size_t part = model_.part_of(j);
  if (model_.part_of(k) != part) return 0;
  return parts_[part]->define_dependency(j - model_.first(part), k - model_.first(part));
}

double ManySlice::workload(VarId j) const {
  const std::size_t part = model_.part_of(j);
  return parts_[part]->workload(j - model_.first(part));
}

Block ManySlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

std::optional<std::vector<Block>> ManySlice::schedule(Round round, const PhasePlan&, CounterRng&) {
  const std::uint32_t schedulers = model_.engine().schedulers;
  std::vector<Block> blocks;
  if (phase_.keeps_house() && round == phase_.first) {
    // Any variable: a block without one is not sent.
    Block& block = blocks.emplace_back();
    block.content = {.ids = {variables_.empty() ? 0 : variables_[0]}, .values = housekeeping_of(phase_)};
    block.content.values.push_back(static_cast<double>(parts_.size()));
    return blocks;
  }
  const auto at = phase_.find(round, schedulers);
  if (!at.has_value()) return blocks;
  // The stream that the part would have in a run of its own.
  CounterRng random(model_.engine().seed, Purpose::sampling, scheduler_, static_cast<std::uint64_t>(at->round));
  Slice& part = *parts_[at->part];
  STRADS_CHECK(chunks_ != nullptr, "prepare_round() comes before schedule(), in the same task");
  part.prepare_round(*chunks_);
  auto own = part.schedule(at->round, phase_.jobs[at->part].plan, random);
  STRADS_CHECK(own.has_value(), "many_models() takes models that plan their rounds themselves");
  for (Block& block : *own) {
    for (VarId& j : block.content.ids) j += model_.first(at->part);
    block.content.values.push_back(static_cast<double>(at->part));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Cost ManySlice::take_planning_cost() {
  Cost cost;
  for (const auto& part : parts_) cost += part->take_planning_cost();
  return cost;
}

void ManySlice::to_part(const RoundOutcome& outcome, const PartRound& at, PartOutcome& out) const {
  out.part = at.part;
  out.outcome = outcome;
  out.outcome.round = at.round;
  for (const VarId j : outcome.drawn) out.drawn.push_back(j - model_.first(at.part));
  out.outcome.drawn = out.drawn;
  if (outcome.changes != nullptr && outcome.changes->values.size() >= 2) {
    out.changes = *outcome.changes;
    out.changes.values.resize(out.changes.values.size() - 2);
  }
  out.outcome.changes = &out.changes;
}

void ManySlice::committed(const RoundOutcome& outcome, std::vector<VarId>&) {
  const auto at = phase_.find(outcome.round, model_.engine().schedulers);
  if (!at.has_value()) return;
  PartOutcome own;
  to_part(outcome, *at, own);
  // Plans do not come from weights: nobody asks which of them changed.
  std::vector<VarId> touched;
  parts_[own.part]->committed(own.outcome, touched);
}

bool ManySlice::ends_phase(const RoundOutcome& outcome) {
  const auto at = phase_.find(outcome.round, model_.engine().schedulers);
  if (!at.has_value()) return false;
  PartOutcome own;
  to_part(outcome, *at, own);
  STRADS_CHECK(!parts_[own.part]->ends_phase(own.outcome),
               "many_models() takes models whose phases have a fixed length");
  return false;
}

}  // namespace strads::engine
