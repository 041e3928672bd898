#include "engine/rounds/node.hpp"

#include <algorithm>
#include <utility>

#include "engine/planning/slices.hpp"
#include "strads/base/status.hpp"

namespace strads::engine {

Node::Node(std::uint32_t index, const Roster& roster, const EngineOptions& options, std::shared_ptr<Model> model)
    : index_(index), roster_(roster), options_(options), model_(std::move(model)), phase_(options.depth) {
  STRADS_CHECK(options_.depth >= 1 && options_.depth <= options_.schedulers, "1 <= D <= S is checked with the options");
  STRADS_CHECK(roster_.accepts(roster_.schedulers, options_.schedulers), "every scheduler is on an existing node");
  STRADS_CHECK(roster_.accepts(roster_.workers, options_.workers), "every worker is on an existing node");
  const ModelShape shape = model_->shape();
  auto slices = deal_slices(options_.seed, shape.variables, options_.schedulers, shape.stripe);
  place(slices);
  replica_ = std::make_unique<Replica>(
      *model_, options_.depth, [this](const wire::Commit& commit, Effects& effects) { on_advanced(commit, effects); });
  worker_ = std::make_unique<Worker>(options_, *model_, *replica_);
  if (index_ == roster_.coordinator) {
    coordinator_ = std::make_unique<Coordinator>(options_, roster_, model_->make_judge());
  }
  for (std::uint32_t s = 0; s < options_.schedulers; ++s) {
    if (roster_.schedulers[s] != index_) continue;
    schedulers_.emplace(
        s, std::make_unique<Scheduler>(s, options_, roster_, *model_, *replica_, phase_, std::move(slices[s])));
  }
}

void Node::place(const std::vector<std::vector<VarId>>& slices) {
  std::vector<std::uint32_t> here;
  for (std::uint32_t w = 0; w < options_.workers; ++w) {
    if (roster_.workers[w] == index_) here.push_back(w);
  }
  model_->place({slices, options_.workers, here});
}

void Node::trace_rounds() {
  for (auto& [s, scheduler] : schedulers_) scheduler->trace_rounds();
}

void Node::start(Effects& effects) {
  for (auto& [s, scheduler] : schedulers_) scheduler->scan(effects);
}

Scheduler* Node::scheduler(std::uint32_t index) {
  const auto found = schedulers_.find(index);
  return found == schedulers_.end() ? nullptr : found->second.get();
}

const Scheduler* Node::scheduler(std::uint32_t number) const {
  const auto found = schedulers_.find(number);
  return found == schedulers_.end() ? nullptr : found->second.get();
}

bool Node::on_message(std::uint32_t from, const wire::Message& message, Effects& effects) {
  // Another node may still lack the last commits or the last verdict.
  if (stopped_ && !std::holds_alternative<wire::Resend>(message)) return true;
  return std::visit([&](const auto& held) { return on(from, held, effects); }, message);
}

bool Node::refuse() {
  ++unexpected_;
  return false;
}

bool Node::to_coordinator(const wire::Message& message, Effects& effects) {
  return coordinator_ == nullptr ? refuse() : coordinator_->on_message(message, effects);
}

bool Node::on(std::uint32_t, const wire::Assign& assign, Effects& effects) {
  return worker_->on_assign(assign, effects);
}

bool Node::on(std::uint32_t from, const wire::Deltas& deltas, Effects& effects) {
  Scheduler* role =
      deltas.round < 0 ? nullptr : scheduler(static_cast<std::uint32_t>(deltas.round % options_.schedulers));
  return role == nullptr ? refuse() : role->on_deltas(from, deltas, effects);
}

bool Node::on(std::uint32_t, const wire::Finish& finish, Effects&) {
  Scheduler* role = scheduler(finish.scheduler);
  if (role == nullptr) return refuse();
  role->finish();
  return true;
}

bool Node::on(std::uint32_t, const wire::Commit& commit, Effects& effects) {
  if (commit.version < 0 || commit.scheduler != commit.version % options_.schedulers) return refuse();
  if (coordinator_ != nullptr) coordinator_->on_message(commit, effects);
  replica_->on_commit(commit, effects);
  return true;
}

bool Node::on(std::uint32_t, const wire::Start& start_message, Effects& effects) {
  if (problem_known_) {
    ++unexpected_;
    return true;
  }
  // The coordinator needs the READY of every scheduler for it, and what a scan still writes nobody may read.
  if (!std::ranges::all_of(schedulers_, [](const auto& each) { return each.second->scanned(); })) return refuse();
  problem_known_ = true;
  ++progress_mark_;
  model_->begin(start_message.problem);
  resumed_ == nullptr ? begin(start_message, effects) : begin_from(start_message, effects);
  take_verdicts(effects);
  return true;
}

void Node::begin(const wire::Start& start, Effects& effects) {
  replica_->start();
  for (auto& [s, scheduler] : schedulers_) scheduler->begin(start, effects);
}

void Node::resume(const std::shared_ptr<const RunCheckpoint>& from) {
  STRADS_CHECK(coordinator_ != nullptr && schedulers_.size() == options_.schedulers, "the node of all roles resumes");
  resumed_ = std::make_shared<const NodeCheckpoint>(part_of_node(*from));
  coordinator_->resume(from);
}

/// The barrier of the checkpoint again: its statuses are reported as they were, and the verdict follows.
void Node::begin_from(const wire::Start& start, Effects& effects) {
  const NodeCheckpoint& from = *resumed_;
  if (from.in_phase) {
    last_phase_ = from.phase;
    model_->enter_phase(from.phase);
  }
  auto state = model_->restore_state(from.replica);
  bool fits = state != nullptr;
  if (fits) {
    replica_->start_from(std::move(state), from.version);
    phases_seen_ = from.phases;
    for (auto& [s, scheduler] : schedulers_) fits = fits && scheduler->begin_from(start, from, effects);
  }
  resumed_.reset();
  if (fits) return;
  stopped_ = true;
  effects.end = RunEnd{};
  effects.end->status =
      Status::input("the checkpoint does not fit the model: it has other numbers of rows or variables; begin anew");
}

/// At a barrier, before its phase begins.
void Node::keep(const wire::Phase& phase, Effects& effects) {
  kept_ = wire::Kept{index_, phase.phase, phase.version, 0, replica_->current()->content()};
  kept_->hash = payload_hash(kept_->replica);
  if (phase.keeper != index_) kept_->replica = {};
  for (const auto& [s, scheduler] : schedulers_)
    kept_memories_.push_back({s, phase.phase, scheduler->planning_flops(), scheduler->slice().memory()});
  tell_kept(effects);
}

void Node::tell_kept(Effects& effects) const {
  effects.send({wire::Role::coordinator, 0}, *kept_);
  for (const wire::Memory& memory : kept_memories_) effects.send({wire::Role::coordinator, 0}, memory);
}

RunCheckpoint Node::checkpoint() const {
  RunCheckpoint checkpoint = coordinator_->checkpoint();
  checkpoint.in_phase = last_phase_.has_value();
  if (last_phase_) checkpoint.phase = *last_phase_;
  checkpoint.replica = replica_->current()->content();
  for (const auto& [s, scheduler] : schedulers_) {
    checkpoint.memories.push_back(scheduler->slice().memory());
    checkpoint.planning_flops.push_back(scheduler->planning_flops());
  }
  return checkpoint;
}

bool Node::on(std::uint32_t, const wire::Phase& phase, Effects& effects) {
  const bool known = phase.verdict <= static_cast<std::uint8_t>(PhasePlan::Verdict::stop) && phase.blocks_max >= 1 &&
                     phase.mode <= static_cast<std::uint8_t>(PhasePlan::Mode::steady);
  // A verdict follows from the statuses of all schedulers: before those from here it would begin a phase on slices that
  // are still being refreshed.
  const bool due =
      std::ranges::all_of(schedulers_, [&phase](const auto& each) { return phase.phase < each.second->reports(); });
  if (!known || !due) return refuse();
  if (phase.phase < phases_seen_ || verdicts_.contains(phase.phase)) {
    ++unexpected_;
    // The coordinator lacks what this node has told, or the verdict came twice.
    if (phase.keeper != wire::kNobody && kept_.has_value() && kept_->phase == phase.phase) tell_kept(effects);
    return true;
  }
  ++progress_mark_;
  verdicts_.keep(phase.phase, phase);
  take_verdicts(effects);
  return true;
}

void Node::take_verdicts(Effects& effects) {
  // A node without schedulers reports nothing at a barrier, so that nobody waits for it: verdicts may reach it before
  // the start, the commits of the phase that they end, or the end of a recomputation.
  while (!stopped_ && !recomputing_ && replica_->started() && !phase_.active() && !verdicts_.empty()) {
    if (verdicts_.next() != phases_seen_) return;
    const wire::Phase phase = verdicts_.take_next();
    if (phase.version != replica_->version()) {
      ++unexpected_;  // not the verdict of this barrier
      return;
    }
    ++phases_seen_;
    ++progress_mark_;
    take_verdict(phase, effects);
  }
}

void Node::take_verdict(const wire::Phase& phase, Effects& effects) {
  const PhasePlan plan = plan_of(phase);
  kept_.reset();
  kept_memories_.clear();
  switch (plan.verdict) {
    case PhasePlan::Verdict::stop:
      stopped_ = true;
      return;
    case PhasePlan::Verdict::verify:
      recomputing_ = true;
      replica_->recompute(
          [this](Effects& out) {
            recomputing_ = false;
            ++progress_mark_;
            barrier(true, out);
            take_verdicts(out);
          },
          effects);
      return;
    case PhasePlan::Verdict::go_on:
      break;
  }
  if (phase.keeper != wire::kNobody) keep(phase, effects);
  phase_.begin(phase);
  last_phase_ = plan;
  model_->enter_phase(plan);
  for (auto& [s, scheduler] : schedulers_) scheduler->enter_phase(phase, effects);
  replica_->resume(effects);
  worker_->on_advanced(effects);
}

void Node::on_advanced(const wire::Commit& commit, Effects& effects) {
  phase_.record_commit(commit);
  worker_->note_committed(commit.version);
  for (auto& [s, scheduler] : schedulers_) scheduler->on_applied(commit);
  if (commit.version == phase_.last_round()) {
    phase_.end();
    replica_->pause();
    barrier(false, effects);
    take_verdicts(effects);
    return;
  }
  worker_->on_advanced(effects);
  for (auto& [s, scheduler] : schedulers_) scheduler->advance(effects);
}

void Node::barrier(bool verified, Effects& effects) {
  for (auto& [s, scheduler] : schedulers_) scheduler->refresh(verified, effects);
}

void Node::request_finish(Effects& effects) {
  if (coordinator_ != nullptr) coordinator_->request_finish(effects);
}

void Node::on_roster(const std::vector<std::uint32_t>& workers, Effects& effects) {
  if (!roster_.accepts(workers, options_.workers)) {
    ++unexpected_;
    return;
  }
  std::vector<bool> moved;
  for (std::uint32_t w = 0; w < options_.workers; ++w) moved.push_back(workers[w] != roster_.workers[w]);
  roster_.workers = workers;
  if (stopped_) return;
  for (auto& [s, scheduler] : schedulers_) scheduler->on_roster(moved, effects);
}

wire::Resend Node::missing() const {
  // Verdicts that wait for commits are here already.
  std::uint32_t phases = phases_seen_;
  while (verdicts_.contains(phases)) ++phases;
  return {index_, static_cast<std::uint8_t>(problem_known_ ? 1 : 0), replica_->version(), phases};
}

void Node::on_quiet(Effects& effects) {
  if (stopped_) return;
  for (auto& [s, scheduler] : schedulers_) scheduler->on_quiet(effects);
  if (coordinator_ != nullptr) coordinator_->on_quiet(effects);
  // One request a node serves all roles there, this node's own included: what one sends oneself may be lost as well.
  bool coordinator_asked = false;
  for (const std::uint32_t node : roster_.scheduler_nodes()) {
    effects.send({wire::Role::node, node}, missing());
    coordinator_asked = coordinator_asked || node == roster_.coordinator;
  }
  if (!coordinator_asked) effects.send({wire::Role::coordinator, 0}, missing());
}

void Node::note_time(double now) {
  for (auto& [s, scheduler] : schedulers_) scheduler->note_time(now);
}

bool Node::ask_second_workers(Effects& effects) {
  if (stopped_) return false;
  bool any = false;
  for (auto& [s, scheduler] : schedulers_) any = scheduler->ask_second_workers(effects) || any;
  return any;
}

bool Node::on(std::uint32_t, const wire::Resend& resend, Effects& effects) {
  const bool known = resend.node < roster_.nodes || resend.node == roster_.coordinator;
  if (!known || (schedulers_.empty() && coordinator_ == nullptr)) return refuse();
  for (auto& [s, scheduler] : schedulers_) scheduler->on_resend(resend, effects);
  if (coordinator_ != nullptr) coordinator_->on_message(resend, effects);
  return true;
}

void Node::forget(Version version, std::uint32_t phases) {
  for (auto& [s, scheduler] : schedulers_) scheduler->forget(version);
  if (coordinator_ != nullptr) coordinator_->forget(phases);
}

bool Node::waiting_for_plan() const {
  if (stopped_ || !phase_.active()) return false;
  // Asked after every message and task: only the next D rounds may have their turn, whatever the number of schedulers.
  const Version version = replica_->version();
  for (Round round = version + 1; round <= version + options_.depth; ++round) {
    const auto found = schedulers_.find(static_cast<std::uint32_t>(round % options_.schedulers));
    if (found != schedulers_.end() && found->second->waiting_for_plan()) return true;
  }
  return false;
}

std::uint64_t Node::repeated_messages() const {
  std::uint64_t count = worker_->repeated_answers();
  for (const auto& [s, scheduler] : schedulers_) count += scheduler->repeated_messages();
  if (coordinator_ != nullptr) count += coordinator_->repeated_messages();
  return count;
}

std::uint64_t Node::second_workers() const {
  std::uint64_t count = 0;
  for (const auto& [s, scheduler] : schedulers_) count += scheduler->second_workers();
  return count;
}

std::set<std::uint32_t> Node::late_nodes() const {
  std::set<std::uint32_t> ranks;
  for (const auto& [s, scheduler] : schedulers_) ranks.merge(std::set(scheduler->late_nodes()));
  return ranks;
}

std::uint64_t Node::dropped_early() const {
  return replica_->dropped_early() + worker_->dropped_early() + verdicts_.dropped() +
         (coordinator_ == nullptr ? 0 : coordinator_->dropped_early());
}

std::uint64_t Node::dropped_messages() const {
  std::uint64_t count = unexpected_ + replica_->repeated_commits();
  for (const auto& [s, scheduler] : schedulers_) count += scheduler->late_deltas() + scheduler->wrong_deltas();
  // Commits that came again are the replica's, and counted there.
  if (coordinator_ != nullptr) count += coordinator_->dropped_messages();
  return count + worker_->repeated_assigns() + worker_->stale_assigns() + worker_->wrong_assigns();
}

std::uint64_t Node::progress_mark() const {
  // Counters that only rise: the sum changes iff one of them does.
  std::uint64_t mark = progress_mark_ + replica_->progress_mark() + worker_->progress_mark();
  for (const auto& [s, scheduler] : schedulers_) mark += scheduler->progress_mark();
  return coordinator_ == nullptr ? mark : mark + coordinator_->progress_mark();
}

}  // namespace strads::engine
