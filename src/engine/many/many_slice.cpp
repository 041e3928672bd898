#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/many/many_model.hpp"
#include "engine/planning/schedule.hpp"
#include "strads/base/random.hpp"

namespace strads::engine {

ManySlice::ManySlice(const ManyModel& model, std::vector<std::unique_ptr<Slice>> parts, std::vector<VarId> variables,
                     std::uint32_t scheduler)
    : model_(model), variables_(std::move(variables)), scheduler_(scheduler) {
  for (auto& part : parts) parts_.emplace_back(model.engine().depth).slice = std::move(part);
  phase_.jobs.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) reporting_.push_back(i);
}

void ManySlice::scan_pass(std::size_t pass, Chunks& chunks, Cost& cost) {
  Part& part = parts_[reporting_[pass]];
  part.found = part.slice->scan(chunks, cost);
}

Payload ManySlice::scan(Chunks& chunks, Cost& cost) {
  std::vector<Payload> summaries;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].found.has_value()) scan_pass(i, chunks, cost);
    summaries.push_back(*std::exchange(parts_[i].found, std::nullopt));
  }
  return pack(summaries);
}

void ManySlice::begin(const Payload& problem) {
  const auto problems = unpack(problem, parts_.size());
  STRADS_CHECK(problems.has_value(), "acceptable() has looked at the problem");
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Slice& slice = *parts_[i].slice;
    slice.begin((*problems)[i]);
    if (slice.plans_itself()) continue;
    parts_[i].sampler = std::make_unique<Sampler>(slice.variables().size(), slice.rules().sampling_scale);
  }
}

void ManySlice::refresh_pass(std::size_t pass, const State& state, Chunks& chunks, Cost& cost) {
  Part& part = parts_[reporting_[pass]];
  part.base = static_cast<const ManyState&>(state).parts[reporting_[pass]];
  // Released: only a stranger asks for it again.
  part.found = part.base == nullptr ? Payload{} : part.slice->refresh(*part.base, chunks, cost);
}

Payload ManySlice::refresh(const State& state, Chunks& chunks, Cost& cost) {
  ManyStatus status{std::vector<Payload>(parts_.size()), {}};
  for (std::size_t pass = 0; pass < reporting_.size(); ++pass) {
    Part& part = parts_[reporting_[pass]];
    if (!part.found.has_value()) refresh_pass(pass, state, chunks, cost);
    status.parts[reporting_[pass]] = *std::exchange(part.found, std::nullopt);
  }
  for (const Part& part : parts_) status.sums.push_back(part.sums);
  return status.encode();
}

void ManySlice::enter_phase(const PhasePlan& plan) {
  auto phase = ManyPhase::decode(plan.content, parts_.size(), model_.engine().schedulers);
  // Nothing to do: a verdict that goes on without jobs comes from a stranger.
  if (!phase.has_value()) {
    phase_ = ManyPhase{.first = 0, .jobs = std::vector<Job>(parts_.size())};
    return;
  }
  phase_ = std::move(*phase);
  reporting_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Job& job = phase_.jobs[i];
    Part& part = parts_[i];
    if (job.runs() || job.action == Job::Action::verify) reporting_.push_back(i);
    if (!job.runs()) {
      part.base.reset();
      continue;
    }
    part.slice->enter_phase(job.plan);
    if (part.sampler != nullptr && !job.plan.joint) weigh_all(part);
    part.tracker.begin(
        {.version = job.first - 1, .rounds_max = job.plan.rounds_max, .updates_max = job.plan.updates_max, .plan = {}});
    part.sums = {};
  }
  look_ahead();
}

void ManySlice::weigh_all(Part& part) const {
  const auto variables = part.slice->variables();
  std::vector<double> p(variables.size());
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = part.slice->define_sampling(variables[k]);
  part.sampler->assign(p);
}

double ManySlice::define_sampling(VarId j) const {
  const std::size_t part = model_.part_of(j);
  return parts_[part].slice->define_sampling(j - model_.first(part));
}

double ManySlice::define_dependency(VarId j, VarId k) const {
  const std::size_t part = model_.part_of(j);
  if (model_.part_of(k) != part) return 0;
  return parts_[part].slice->define_dependency(j - model_.first(part), k - model_.first(part));
}

double ManySlice::workload(VarId j) const {
  const std::size_t part = model_.part_of(j);
  return parts_[part].slice->workload(j - model_.first(part));
}

/// Of the draws of all parts the work of a plan is foretold, which grows with their square.
ScheduleRules ManySlice::rules() const {
  double squares = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Job& job = phase_.jobs[i];
    if (!job.runs() || job.plan.joint || parts_[i].sampler == nullptr) continue;
    const double draws = parts_[i].slice->rules().draws;
    squares += draws * draws;
  }
  ScheduleRules rules;
  rules.draws = static_cast<std::uint32_t>(std::clamp(std::sqrt(squares), 1.0, 65536.0));
  return rules;
}

Block ManySlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

/// Before a plan is begun: what it may know. Those of the same round begin after the same commit on every node.
void ManySlice::look_ahead() {
  for (Part& part : parts_) part.last_to_plan = part.tracker.last_round();
}

std::optional<std::vector<Block>> ManySlice::schedule(Round round, const PhasePlan&, CounterRng&) {
  std::vector<Block> blocks;
  planned_.clear();
  if (phase_.keeps_house() && round == phase_.first) {
    // Any variable: a block without one is not sent.
    Block& block = blocks.emplace_back();
    block.content = {.ids = {variables_.empty() ? 0 : variables_[0]}, .values = housekeeping_of(phase_)};
    block.content.values.push_back(static_cast<double>(parts_.size()));
    return blocks;
  }
  for (const PartRound& at : phase_.parts_in(round)) {
    if (at.round > parts_[at.part].last_to_plan) continue;
    plan_part(at, blocks);
    planned_.push_back(at.part);
  }
  return blocks;
}

void ManySlice::plan_part(const PartRound& at, std::vector<Block>& blocks) {
  auto own = blocks_of(at);
  std::erase_if(own, [](const Block& block) { return block.content.ids.empty(); });
  for (Block& block : own) {
    for (VarId& j : block.content.ids) j += model_.first(at.part);
    block.content.values.push_back(static_cast<double>(at.part));
    blocks.push_back(std::move(block));
  }
}

std::vector<Block> ManySlice::blocks_of(const PartRound& at) {
  const PhasePlan& plan = phase_.jobs[at.part].plan;
  Part& part = parts_[at.part];
  STRADS_CHECK(chunks_ != nullptr, "prepare_round() comes before schedule(), in the same task");
  if (plan.joint) {
    STRADS_CHECK(part.base != nullptr, "a part that runs was refreshed before");
    std::vector<Block> single{part.slice->joint_block(*part.base, plan)};
    // From phase to phase at the same worker, which remembers products.
    single[0].place = static_cast<std::uint32_t>(at.part);
    return single;
  }
  // The stream that the part would have in a run of its own.
  CounterRng random(model_.engine().seed, Purpose::sampling, scheduler_, static_cast<std::uint64_t>(at.round));
  part.slice->prepare_round(*chunks_);
  if (auto own = part.slice->schedule(at.round, plan, random)) return std::move(*own);
  STRADS_CHECK(part.sampler != nullptr, "a slice that plans itself always does");
  return plan_round(*part.slice, *part.sampler, random, plan.blocks_max, *chunks_).blocks;
}

Cost ManySlice::take_planning_cost() {
  Cost cost;
  for (const std::size_t i : planned_) cost += parts_[i].slice->take_planning_cost();
  return cost;
}

void ManySlice::withdraw(Round round, std::vector<Block>& blocks) {
  turns_.clear();
  for (const PartRound& at : phase_.parts_in(round)) {
    if (at.round <= parts_[at.part].tracker.last_round()) turns_.push_back({at.part, at.round, {}, 0});
  }
  std::erase_if(blocks, [this](const Block& block) {
    const auto part = static_cast<std::size_t>(block.content.values.back());
    return part < parts_.size() && turn_of(part) == nullptr;
  });
  for (const Block& block : blocks) {
    for (Turn& turn : turns_) {
      if (static_cast<double>(turn.part) != block.content.values.back()) continue;
      ++turn.blocks;
      for (const VarId j : block.content.ids) turn.drawn.push_back(j - model_.first(turn.part));
    }
  }
}

const ManySlice::Turn* ManySlice::turn_of(std::size_t part) const {
  const auto found = std::find_if(turns_.begin(), turns_.end(), [part](const Turn& turn) { return turn.part == part; });
  return found == turns_.end() ? nullptr : &*found;
}

RoundOutcome ManySlice::part_outcome(const ManyCommit::Remark& remark, const ManyCommit::Change* change, Round round,
                                     const Turn* turn) const {
  static const Payload kNothing;
  RoundOutcome outcome;
  outcome.round = round;
  outcome.own = turn != nullptr;
  outcome.blocks = remark.blocks;
  outcome.step = change == nullptr ? 0 : change->step;
  outcome.predicted = remark.predicted;
  outcome.realised = change == nullptr ? 0 : change->realised;
  if (turn != nullptr) outcome.drawn = turn->drawn;
  outcome.changes = change == nullptr ? &kNothing : &change->own;
  return outcome;
}

void ManySlice::remark(const RoundOutcome& outcome, Payload& changes) {
  auto commit = ManyCommit::decode(changes, parts_.size());
  STRADS_CHECK(commit.has_value(), "pull() has made the changes");
  std::size_t block = 0;
  remarks_.clear();
  for (const Turn& turn : turns_) {
    ManyCommit::Remark& remark = remarks_.emplace_back();
    remark.part = turn.part;
    remark.blocks = turn.blocks;
    for (std::uint32_t b = 0; b < turn.blocks; ++b, ++block) {
      remark.predicted += outcome.by_block[block].predicted;
      remark.updates += outcome.by_block[block].updates;
    }
    remark.ends_phase =
        parts_[turn.part].slice->ends_phase(part_outcome(remark, commit->change_of(turn.part), turn.round, &turn));
  }
  commit->remarks = remarks_;
  changes = commit->encode();
}

namespace {

wire::Commit for_tracker(const ManyCommit::Remark& remark, Round round) {
  wire::Commit commit;
  commit.version = round;
  commit.updates = remark.updates;
  commit.ends_phase = remark.ends_phase ? 1 : 0;
  return commit;
}

}  // namespace

/// The phase of the whole has done its work when that of every part has.
bool ManySlice::ends_phase(const RoundOutcome& outcome) {
  const Round last = outcome.round + static_cast<Round>(model_.engine().depth) - 1;
  const Round planned = phase_.first + static_cast<Round>(phase_.rounds()) - 1;
  if (last >= planned) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Job& job = phase_.jobs[i];
    if (!job.runs()) continue;
    PhaseTracker tracker = parts_[i].tracker;
    for (const auto& remark : remarks_) {
      if (remark.part == i) tracker.note(for_tracker(remark, job.first + outcome.round - job.start));
    }
    if (job.start + tracker.last_round() - job.first > last) return false;
  }
  return true;
}

void ManySlice::committed(const RoundOutcome& outcome, std::vector<VarId>&) {
  // A commit of another process was looked at by acceptable().
  const auto commit = ManyCommit::decode(*outcome.changes, parts_.size());
  if (!commit.has_value()) return;
  for (const auto& remark : commit->remarks) note(outcome, *commit, remark);
  if (outcome.own) look_ahead();
}

void ManySlice::note(const RoundOutcome& outcome, const ManyCommit& commit, const ManyCommit::Remark& remark) {
  const Job& job = phase_.jobs[remark.part];
  if (!job.runs() || outcome.round < job.start) return;  // a stranger's
  Part& part = parts_[remark.part];
  const Round round = job.first + outcome.round - job.start;
  const Turn* turn = outcome.own ? turn_of(remark.part) : nullptr;
  const RoundOutcome own = part_outcome(remark, commit.change_of(remark.part), round, turn);
  part.tracker.note(for_tracker(remark, round));
  ++part.sums.rounds;
  part.sums.parallel_rounds += own.blocks > 1 ? 1 : 0;
  part.sums.empty_rounds += own.step == 0 ? 1 : 0;
  part.sums.blocks += own.blocks;
  part.sums.updates += remark.updates;
  part.sums.predicted += own.predicted;
  part.sums.realised += own.realised;
  part.sums.ended = part.tracker.last_round() <= round;
  if (turn == nullptr && !job.plan.joint) return;
  std::vector<VarId> touched;
  part.slice->committed(own, touched);
  if (part.sampler == nullptr) return;
  const auto variables = part.slice->variables();
  for (const VarId j : touched) {
    const auto at = std::lower_bound(variables.begin(), variables.end(), j);
    STRADS_CHECK(at != variables.end() && *at == j, "a slice touches its own variables only");
    part.sampler->set(static_cast<std::size_t>(at - variables.begin()), part.slice->define_sampling(j));
  }
}

}  // namespace strads::engine
