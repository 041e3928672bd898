#include "engine/rounds/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "strads/base/status.hpp"

namespace strads::engine {
namespace {

constexpr std::uint64_t kWholePass = 1U << 30;  ///< flops of a task that reads all columns of a slice: not a small one

}  // namespace

PhasePlan plan_of(const wire::Phase& phase) {
  return {static_cast<PhasePlan::Verdict>(phase.verdict),
          static_cast<PhasePlan::Mode>(phase.mode),
          phase.blocks_max,
          phase.rounds_max,
          phase.updates_max,
          phase.plan};
}

wire::Phase message_of(const PhasePlan& plan, std::uint32_t number, Version version) {
  const auto verdict = static_cast<std::uint8_t>(plan.verdict);
  const auto mode = static_cast<std::uint8_t>(plan.mode);
  return {number,          version,          verdict,      mode,         plan.blocks_max,
          plan.rounds_max, plan.updates_max, plan.content, wire::kNobody};
}

Scheduler::Scheduler(std::uint32_t index, const EngineOptions& options, const Roster& roster, Model& model,
                     Replica& replica, const PhaseTracker& phase, std::vector<VarId> variables)
    : index_(index),
      options_(options),
      roster_(roster),
      model_(model),
      replica_(replica),
      phase_(phase),
      variables_(std::move(variables)),
      slice_(model.make_slice(variables_)) {}

void Scheduler::scan(Effects& effects) {
  auto summary = std::make_shared<Payload>();
  effects.tasks.push_back({.kind = TaskKind::scan,
                           .run =
                               [this, summary](Chunks& chunks) {
                                 Cost cost;
                                 *summary = slice_->scan(chunks, cost);
                                 return cost;
                               },
                           .done =
                               [this, summary](Effects& out) {
                                 ++progress_mark_;
                                 ready_ = wire::Ready{index_, std::move(*summary)};
                                 out.send({wire::Role::coordinator, 0}, *ready_);
                               },
                           .flops = kWholePass,
                           .name = {0, 0, index_}});
}

void Scheduler::begin(const wire::Start& start, Effects& effects) {
  begin_slice(start);
  refresh(false, effects);
}

void Scheduler::begin_slice(const wire::Start& start) {
  ready_.reset();
  slice_->begin(start.problem);
  const ScheduleRules rules = slice_->rules();
  sampler_ = std::make_unique<Sampler>(rules.plans_itself ? 0 : variables_.size(), rules.sampling_scale);
}

bool Scheduler::begin_from(const wire::Start& start, const NodeCheckpoint& from, Effects& effects) {
  begin_slice(start);
  if (from.in_phase) {
    phase_plan_ = from.phase;
    slice_->enter_phase(phase_plan_);
  }
  const bool complete =
      from.memories.size() == options_.schedulers && from.planning_flops.size() == options_.schedulers;
  if (!complete || !slice_->remember(from.memories[index_])) return false;
  planning_flops_ = from.planning_flops[index_];
  phase_number_ = from.phases;
  last_own_ = from.version;
  last_dispatched_ = from.version;
  refresh(from.verified, effects);
  return true;
}

void Scheduler::weigh_all() {
  // A joint round draws nothing; the next phase weighs afresh.
  if (slice_->rules().plans_itself || phase_plan_.joint()) return;
  std::vector<double> p(variables_.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = slice_->define_sampling(variables_[i]);
  sampler_->assign(p);
}

Round Scheduler::next_own_round() const {
  const Round after = std::max<Round>(phase_.barrier(), last_own_);
  const Round period = options_.schedulers;
  const Round offset = ((static_cast<Round>(index_) - (after + 1)) % period + period) % period;
  return after + 1 + offset;
}

void Scheduler::enter_phase(const wire::Phase& phase, Effects& effects) {
  status_.reset();
  phase_plan_ = plan_of(phase);
  slice_->enter_phase(phase_plan_);
  weigh_all();
  turn_ = Turn{};
  last_own_ = std::max<Round>(last_own_, phase.version);
  advance(effects);
}

void Scheduler::start_plan(Effects& effects) {
  const Round round = next_own_round();
  if (round > phase_.last_round()) return;
  turn_ = Turn{};
  turn_.round = round;
  turn_.stage = Stage::planning;
  planning_ = true;
  auto plan = std::make_shared<Plan>();
  // Joint rounds read replica(c); ordinary plans read the slice alone, and must not keep a version from being reused.
  const std::shared_ptr<const State> base = phase_plan_.joint() ? replica_.current() : nullptr;
  effects.tasks.push_back(
      {.kind = TaskKind::plan,
       .run =
           [this, plan, round, base](Chunks& chunks) {
             CounterRng rng(options_.seed, Purpose::sampling, index_, static_cast<std::uint64_t>(round));
             if (!phase_plan_.joint()) slice_->prepare_round(chunks);
             if (phase_plan_.joint()) {
               plan->blocks.push_back(slice_->joint_block(*base, phase_plan_));
             } else if (auto own = slice_->schedule(round, phase_plan_, rng)) {
               plan->blocks = std::move(*own);
             } else {
               *plan = plan_round(*slice_, variables_, *sampler_, rng, phase_plan_.blocks_max, chunks);
             }
             std::erase_if(plan->blocks, [](const Block& block) { return block.content.ids.empty(); });
             plan->cost = slice_->take_planning_cost();
             return plan->cost;
           },
       .done = [this, plan](Effects& out) { on_planned(plan, out); },
       .flops = std::uint64_t{slice_->rules().draws} * slice_->rules().draws * 256,
       .name = {round, 0, index_}});
}

void Scheduler::on_planned(const std::shared_ptr<Plan>& plan, Effects& effects) {
  planning_ = false;
  ++progress_mark_;
  planning_flops_ += plan->cost.flops;
  if (refresh_waits_) {
    refresh_waits_ = false;
    turn_ = Turn{};  // the phase ended meanwhile: the plan is of no use
    run_refresh(effects);
    return;
  }
  STRADS_CHECK(turn_.stage == Stage::planning, "a plan belongs to the turn that asked for it");
  turn_.plan = std::move(*plan);
  turn_.stage = Stage::planned;
  turn_.planned_early = replica_.version() < phase_.base(turn_.round);
  advance(effects);
}

void Scheduler::advance(Effects& effects) {
  if (!phase_.active()) return;
  if (turn_.stage == Stage::idle) start_plan(effects);
  if (turn_.stage == Stage::planned && turn_.round <= phase_.last_round() &&
      replica_.version() >= phase_.base(turn_.round)) {
    dispatch(effects);
  }
  if (turn_.stage == Stage::combined && replica_.version() == turn_.round - 1) pull(effects);
}

void Scheduler::dispatch(Effects& effects) {
  const auto count = static_cast<std::uint32_t>(turn_.plan.blocks.size());
  last_dispatched_ = turn_.round;
  turn_.received.assign(count, false);
  turn_.asked.assign(count, {});
  turn_.further_workers.assign(count, {});
  turn_.deltas.assign(count, Payload{});
  turn_.predicted.assign(count, 0);
  turn_.missing = count;
  turn_.commit = wire::Commit{};
  turn_.commit.version = turn_.round;
  turn_.commit.scheduler = index_;
  turn_.commit.blocks = count;
  turn_.commit.flops = std::exchange(planning_flops_, 0);
  lateness_.begin_turn(turn_.round);
  for (std::uint32_t b = 0; b < count; ++b) {
    assign(b, worker_of(b), effects);
    if (lateness_.knows_time()) lateness_.ask(turn_.asked[b].front(), flops_of(b));
  }
  turn_.stage = count == 0 ? Stage::combined : Stage::collecting;
  assign_late_blocks_twice(effects);
}

std::uint32_t Scheduler::worker_of(std::uint32_t index) const {
  // Blocks come heaviest first. Within a phase a block of the same place goes to the same worker, which remembers its
  // products; from phase to phase and from scheduler to scheduler the places move on, so that all get their share. A
  // joint round builds on what the one before computed, and stays where it is; so do all blocks of steady phases.
  std::uint32_t shift = index_ + phase_number_ - 1;
  if (phase_plan_.joint()) shift = 0;
  if (phase_plan_.mode == PhasePlan::Mode::steady) shift = index_;
  return (index + shift) % options_.workers;
}

void Scheduler::assign(std::uint32_t index, std::uint32_t worker, Effects& effects) {
  const Block& block = turn_.plan.blocks[index];
  const std::uint32_t node = roster_.workers[worker];
  if (!was_asked(node, index)) turn_.asked[index].push_back(node);
  effects.send({wire::Role::worker, worker}, wire::Assign{turn_.round, index, worker, phase_.base(turn_.round),
                                                          block.kind, block.sweeps, block.tolerance, block.content});
}

bool Scheduler::was_asked(std::uint32_t from, std::uint32_t index) const {
  const auto& asked = turn_.asked[index];
  return from == kItself || std::find(asked.begin(), asked.end(), from) != asked.end();
}

bool Scheduler::matches(const wire::Deltas& deltas) const {
  if (deltas.tally.size() > kTallyMax) return false;
  // Those that name no variables are the model's own form, which Model::acceptable() has judged.
  if (deltas.deltas.ids.empty()) return true;
  if (deltas.deltas.values.size() != deltas.deltas.ids.size()) return false;
  // Deltas name variables of their block in the block's order.
  const auto& block = turn_.plan.blocks[deltas.index].content.ids;
  auto at = block.begin();
  for (const VarId j : deltas.deltas.ids) {
    at = std::find(at, block.end(), j);
    if (at == block.end()) return false;
    ++at;
  }
  return true;
}

bool Scheduler::on_deltas(std::uint32_t from, const wire::Deltas& deltas, Effects& effects) {
  const bool asks = turn_.stage == Stage::collecting && deltas.round == turn_.round;
  const bool given =
      asks ? deltas.index < turn_.received.size() && was_asked(from, deltas.index) : deltas.round <= last_dispatched_;
  if (!given) {
    ++wrong_deltas_;
    return false;
  }
  if (!asks || turn_.received[deltas.index]) {
    // An answer that came twice, or for a round that is over. Counting it again would commit its deltas twice.
    ++late_deltas_;
    lateness_.answered_after_another(deltas.round, rank_of(from));
    return true;
  }
  if (!matches(deltas)) {
    ++wrong_deltas_;
    return false;
  }
  ++progress_mark_;
  const std::uint32_t first = turn_.asked[deltas.index].front();
  lateness_.answered(first, first == rank_of(from));
  turn_.received[deltas.index] = true;
  turn_.deltas[deltas.index] = deltas.deltas;
  wire::Commit& commit = turn_.commit;
  commit.flops += deltas.flops;
  commit.flops_path = std::max(commit.flops_path, deltas.flops);
  commit.updates += deltas.updates;
  commit.updates_path = std::max(commit.updates_path, deltas.updates);
  add_tally(deltas.tally, commit.tally);
  turn_.predicted[deltas.index] = deltas.predicted;
  if (--turn_.missing == 0) combine(effects);
  return true;
}

void Scheduler::combine(Effects& effects) {
  for (const double predicted : turn_.predicted) turn_.commit.predicted += predicted;
  turn_.stage = Stage::combining;
  struct Work {
    std::vector<Payload> deltas;
    std::shared_ptr<const Direction> direction;
    Cost cost;
  };
  auto work = std::make_shared<Work>();
  work->deltas = turn_.deltas;
  effects.tasks.push_back({.kind = TaskKind::combine,
                           .run =
                               [this, work](Chunks& chunks) {
                                 work->direction = model_.combine(work->deltas, chunks, work->cost);
                                 return work->cost;
                               },
                           .done =
                               [this, work, round = turn_.round](Effects& out) {
                                 ++progress_mark_;
                                 if (turn_.round != round || turn_.stage != Stage::combining) return;  // the run ended
                                 turn_.direction = work->direction;
                                 turn_.commit.flops += work->cost.flops;
                                 turn_.stage = Stage::combined;
                                 advance(out);
                               },
                           .flops = turn_.commit.flops_path,
                           .name = {turn_.round, 0, index_}});
}

void Scheduler::pull(Effects& effects) {
  turn_.stage = Stage::pulling;
  struct Work {
    std::shared_ptr<const State> now;
    std::vector<Payload> deltas;
    std::shared_ptr<const Direction> direction;
    Pull result;
  };
  auto work = std::make_shared<Work>();
  work->now = replica_.current();
  work->deltas = turn_.deltas;
  work->direction = turn_.direction;
  effects.tasks.push_back({.kind = TaskKind::pull,
                           .run =
                               [this, work](Chunks&) {
                                 if (work->deltas.empty()) {
                                   work->result.step = 0;
                                   work->result.objective = model_.objective(*work->now);
                                 } else {
                                   work->result = model_.pull(*work->now, work->deltas, work->direction.get());
                                 }
                                 return Cost{};  // vectors of the length of the deltas: a handler's work
                               },
                           .done =
                               [this, work](Effects& out) {
                                 work->now.reset();
                                 on_pulled(work->result, out);
                               },
                           .flops = 0,
                           .name = {turn_.round, 0, index_}});
}

void Scheduler::on_pulled(const Pull& pulled, Effects& effects) {
  wire::Commit& commit = turn_.commit;
  commit.step = pulled.step;
  commit.objective = pulled.objective;
  commit.realised = pulled.realised;
  if (pulled.step != 0) {
    commit.changes = pulled.changes;
    replica_.offer_direction(turn_.round, turn_.direction);
  }
  const auto drawn = turn_.plan.variables();
  const RoundOutcome outcome{turn_.round,     true,  commit.blocks,  commit.step, commit.predicted,
                             commit.realised, drawn, &commit.changes};
  commit.ends_phase = slice_->ends_phase(outcome) ? 1 : 0;
  const bool limit = options_.rounds_max != 0 && static_cast<std::uint64_t>(turn_.round) + 1 >= options_.rounds_max;
  commit.last = (limit || finish_requested_) ? 1 : 0;
  turn_.stage = Stage::committed;
  ++progress_mark_;
  if (traces_rounds_) effects.rounds.push_back(record_of_turn());
  announce(commit, effects);
}

RoundRecord Scheduler::record_of_turn() const {
  RoundRecord record{turn_.round, index_, turn_.commit.step, turn_.plan.draws, {}};
  for (std::uint32_t b = 0; b < turn_.commit.blocks; ++b) {
    record.blocks.push_back({worker_of(b), turn_.plan.blocks[b].content.ids, turn_.deltas[b]});
  }
  return record;
}

namespace {

/// What the coordinator of a driver needs to know of a commit.
wire::Commit without_changes(const wire::Commit& commit) {
  wire::Commit light = commit;
  light.changes = {};
  return light;
}

}  // namespace

void Scheduler::announce(const wire::Commit& commit, Effects& effects) {
  for (std::uint32_t node = 0; node < roster_.nodes; ++node) effects.send({wire::Role::node, node}, commit);
  // A coordinator that lives on a node counts the commits of that node's replica.
  if (roster_.coordinator_apart()) effects.send({wire::Role::coordinator, 0}, without_changes(commit));
  if (!roster_.alone()) commits_.emplace(commit.version, commit);
}

void Scheduler::on_applied(const wire::Commit& commit) {
  const bool own = commit.version % options_.schedulers == index_;
  if (own) {
    ++own_rounds_;
    if (turn_.planned_early) ++planned_early_;
    last_own_ = commit.version;
  }
  if (!own && !phase_.joint()) return;
  const auto drawn = own ? turn_.plan.variables() : std::vector<VarId>{};
  std::vector<VarId> touched;
  slice_->committed(
      {commit.version, own, commit.blocks, commit.step, commit.predicted, commit.realised, drawn, &commit.changes},
      touched);
  for (const VarId j : touched) {
    const auto at = std::lower_bound(variables_.begin(), variables_.end(), j);
    STRADS_CHECK(at != variables_.end() && *at == j, "a slice touches its own variables only");
    sampler_->set(static_cast<std::size_t>(at - variables_.begin()), slice_->define_sampling(j));
  }
  if (own) turn_ = Turn{};
}

void Scheduler::refresh(bool verified, Effects& effects) {
  status_.reset();
  verified_ = verified;
  if (planning_) {
    refresh_waits_ = true;
    return;
  }
  turn_ = Turn{};
  run_refresh(effects);
}

void Scheduler::run_refresh(Effects& effects) {
  struct Work {
    std::shared_ptr<const State> state;
    Payload status;
    Cost cost;
  };
  auto work = std::make_shared<Work>();
  work->state = replica_.current();
  effects.tasks.push_back({.kind = TaskKind::refresh,
                           .run =
                               [this, work](Chunks& chunks) {
                                 work->status = slice_->refresh(*work->state, chunks, work->cost);
                                 return work->cost;
                               },
                           .done =
                               [this, work](Effects& out) {
                                 work->state.reset();
                                 report(std::move(work->status), work->cost, out);
                               },
                           .flops = kWholePass,
                           .name = {phase_number_, 0, index_}});
}

void Scheduler::report(Payload status, const Cost& cost, Effects& effects) {
  wire::SliceStatus message;
  message.scheduler = index_;
  message.phase = phase_number_;
  message.version = replica_.version();
  message.verified = verified_ ? 1 : 0;
  message.last = phase_.limit_reached() ? 1 : 0;
  message.flops = cost.flops;
  message.planned_early = planned_early_;
  message.rounds = own_rounds_;
  message.status = std::move(status);
  ++phase_number_;
  ++progress_mark_;
  if (!roster_.alone()) status_ = message;
  effects.send({wire::Role::coordinator, 0}, std::move(message));
}

void Scheduler::on_quiet(Effects& effects) {
  if (ready_.has_value()) {
    effects.send({wire::Role::coordinator, 0}, *ready_);
    ++repeated_;
  }
  if (status_.has_value()) {
    effects.send({wire::Role::coordinator, 0}, *status_);
    ++repeated_;
  }
  if (turn_.stage != Stage::collecting) return;
  for (std::uint32_t b = 0; b < turn_.received.size(); ++b) assign_again(b, effects);
}

void Scheduler::on_roster(const std::vector<bool>& moved, Effects& effects) {
  if (turn_.stage != Stage::collecting) return;
  for (std::uint32_t b = 0; b < turn_.received.size(); ++b) {
    const auto& further = turn_.further_workers[b];
    const bool any = std::any_of(further.begin(), further.end(), [&moved](std::uint32_t w) { return moved[w]; });
    if (any || moved[worker_of(b)]) assign_again(b, effects);
  }
}

void Scheduler::assign_again(std::uint32_t index, Effects& effects) {
  if (turn_.received[index]) return;
  assign(index, worker_of(index), effects);
  for (const std::uint32_t worker : turn_.further_workers[index]) assign(index, worker, effects);
  repeated_ += 1 + turn_.further_workers[index].size();
}

void Scheduler::on_resend(const wire::Resend& resend, Effects& effects) {
  const bool to_driver = roster_.coordinator_apart() && resend.node == roster_.coordinator;
  for (auto commit = commits_.upper_bound(resend.version); commit != commits_.end(); ++commit) {
    if (to_driver) {
      effects.send({wire::Role::coordinator, 0}, without_changes(commit->second));
    } else {
      effects.send({wire::Role::node, resend.node}, commit->second);
    }
    ++repeated_;
  }
}

void Scheduler::forget(Version version) {
  commits_.erase(commits_.begin(), commits_.upper_bound(version));
}

bool Scheduler::waiting_for_plan() const {
  return phase_.active() && turn_.stage == Stage::planning && turn_.round <= phase_.last_round() &&
         replica_.version() >= phase_.base(turn_.round);
}

}  // namespace strads::engine
