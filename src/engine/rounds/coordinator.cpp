#include "engine/rounds/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "engine/rounds/scheduler.hpp"

namespace strads::engine {

Coordinator::Coordinator(const EngineOptions& options, const Roster& roster, std::unique_ptr<Judge> judge)
    : options_(options), roster_(roster), judge_(std::move(judge)) {}

bool Coordinator::on_message(const wire::Message& message, Effects& effects) {
  if (const auto* resend = std::get_if<wire::Resend>(&message)) return on(*resend, effects);
  if (ended_) return true;
  if (const auto* commit = std::get_if<wire::Commit>(&message)) return on(*commit, effects);
  if (const auto* status = std::get_if<wire::SliceStatus>(&message)) return on(*status, effects);
  if (const auto* ready = std::get_if<wire::Ready>(&message)) return on(*ready, effects);
  if (const auto* kept = std::get_if<wire::Kept>(&message)) return on(*kept);
  if (const auto* memory = std::get_if<wire::Memory>(&message)) return on(*memory);
  return refuse();
}

bool Coordinator::refuse() {
  ++dropped_;
  return false;
}

bool Coordinator::on(const wire::Ready& ready, Effects& effects) {
  if (ready.scheduler >= options_.schedulers) return refuse();
  if (!ready_.emplace(ready.scheduler, ready).second) {
    ++dropped_;
    return true;
  }
  ++progress_mark_;
  if (ready_.size() == options_.schedulers) begin(effects);
  return true;
}

void Coordinator::begin(Effects& effects) {
  std::vector<Payload> summaries;
  for (const auto& [scheduler, ready] : ready_) summaries.push_back(ready.summary);
  auto problem = judge_->start(summaries);
  if (!problem.ok()) {
    end(problem.status(), "refused", effects);
    return;
  }
  problem_ = std::move(problem).value();
  resumed_ == nullptr ? announce_start(effects) : judge_again(effects);
}

void Coordinator::announce_start(Effects& effects) {
  started_ = true;
  broadcast(wire::Start{problem_}, effects);
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::started;
  effects.progress.push_back(event);
}

/// Brings the judge to where it was. Its verdicts are not announced again. What it needs of other runs it needs again,
/// and these may be behind where they were.
void Coordinator::judge_again(Effects& effects) {
  const RunCheckpoint& from = *resumed_;
  for (; judged_again_ < from.judged.size(); ++judged_again_) {
    waits_ = may_judge_ && !may_judge_();
    if (waits_) return;
    const JudgedBarrier& each = from.judged[judged_again_];
    const Judgement judgement = judge_->judge(each.barrier, each.statuses);
    certificate_ = judgement.certificate;
    if (judgement.plan.verdict == PhasePlan::Verdict::go_on) phase_again_ = judgement.plan.content;
  }
  if (from.in_phase && !(phase_again_ == from.phase.content)) {
    end(Status::input(
            "the checkpoint does not fit the data: what was decided before does not follow from it again; begin anew"),
        "refused", effects);
    return;
  }
  counted_ = from.barrier.version;
  barrier_number_ = static_cast<std::uint32_t>(from.judged.size());
  since_ = from.barrier;
  totals_ = from.totals;
  planned_early_before_ = from.totals.planned_early;
  if (from.in_phase) plan_ = from.phase;
  if (keeps_judged_) judged_ = from.judged;
  announce_start(effects);
}

void Coordinator::reconsider(Effects& effects) {
  if (!waits_) return;
  waits_ = false;
  started_ ? judge_when_complete(effects) : judge_again(effects);
}

RunCheckpoint Coordinator::checkpoint() const {
  RunCheckpoint checkpoint;
  checkpoint.judged = judged_;
  checkpoint.barrier = before_verdict_->barrier;
  checkpoint.totals = before_verdict_->totals;
  return checkpoint;
}

// --- checkpoints of nodes that are apart ---

/// Its barrier is the one that was judged just now; plan_ is still the phase before.
void Coordinator::begin_to_gather(std::uint32_t keeper) {
  gathered_ = Gathered{};
  gathered_->phase = barrier_number_;
  gathered_->version = counted_;
  gathered_->keeper = keeper;
  RunCheckpoint& checkpoint = gathered_->checkpoint;
  checkpoint = this->checkpoint();
  checkpoint.in_phase = plan_.has_value();
  if (plan_) checkpoint.phase = *plan_;
  checkpoint.memories.resize(options_.schedulers);
  checkpoint.planning_flops.resize(options_.schedulers);
}

bool Coordinator::on(const wire::Kept& kept) {
  if (kept.node >= roster_.nodes || kept.phase >= barrier_number_) return refuse();
  const bool asked = gathered_.has_value() && kept.phase == gathered_->phase;
  if (asked && kept.version != gathered_->version) return refuse();
  if (!asked || gathered_->hashes.contains(kept.node)) {
    ++dropped_;
    return true;
  }
  ++progress_mark_;
  gathered_->hashes.emplace(kept.node, kept.hash);
  if (kept.node != gathered_->keeper || gathered_->taken) return true;
  // Whatever it is made from is made from what its hash says.
  if (payload_hash(kept.replica) != kept.hash) gathered_->hashes[kept.node] = payload_hash(kept.replica);
  gathered_->checkpoint.replica = kept.replica;
  return true;
}

bool Coordinator::on(const wire::Memory& memory) {
  if (memory.scheduler >= options_.schedulers || memory.phase >= barrier_number_) return refuse();
  const bool asked = gathered_.has_value() && memory.phase == gathered_->phase && !gathered_->taken;
  if (!asked || !gathered_->schedulers.insert(memory.scheduler).second) {
    ++dropped_;
    return true;
  }
  ++progress_mark_;
  gathered_->checkpoint.memories[memory.scheduler] = memory.memory;
  gathered_->checkpoint.planning_flops[memory.scheduler] = memory.planning_flops;
  return true;
}

RunCheckpoint Coordinator::take_gathered() {
  gathered_->taken = true;
  const std::size_t schedulers = gathered_->checkpoint.memories.size();
  RunCheckpoint checkpoint = std::move(gathered_->checkpoint);
  gathered_->checkpoint = {};
  gathered_->checkpoint.memories.resize(schedulers);
  return checkpoint;
}

/// Who hears the verdict again says again what it has kept.
void Coordinator::ask_for_what_is_kept(Effects& effects) {
  if (!gathered_.has_value() || gathered_->taken) return;
  for (std::uint32_t node = 0; node < roster_.nodes; ++node) {
    bool lacks = !gathered_->hashes.contains(node);
    for (std::uint32_t s = 0; s < options_.schedulers; ++s)
      lacks = lacks || (roster_.schedulers[s] == node && !gathered_->schedulers.contains(s));
    if (!lacks) continue;
    effects.send({wire::Role::node, node}, gathering_);
    ++repeated_;
  }
}

bool Coordinator::on(const wire::Commit& commit, Effects& effects) {
  if (!started_ || commit.version < 0 || commit.scheduler != commit.version % options_.schedulers) return refuse();
  if (commit.version <= counted_ || early_.contains(commit.version)) {
    ++repeated_commits_;
    return true;
  }
  ++progress_mark_;
  if (commit.version != counted_ + 1) {
    early_.keep(commit.version, commit);
    return true;
  }
  count(commit, effects);
  while (!early_.empty() && early_.next() == counted_ + 1) count(early_.take_next(), effects);
  judge_when_complete(effects);
  return true;
}

void Coordinator::count(const wire::Commit& commit, Effects& effects) {
  ++counted_;
  if (before_verdict_) judged_.push_back({before_verdict_->barrier, std::move(before_verdict_->statuses)});
  before_verdict_.reset();
  ++since_.rounds;
  since_.predicted += commit.predicted;
  since_.realised += commit.realised;
  since_.updates += commit.updates;
  ++totals_.rounds;
  totals_.blocks += commit.blocks;
  totals_.updates += commit.updates;
  totals_.updates_path += commit.updates_path;
  totals_.flops += commit.flops;
  totals_.flops_path += commit.flops_path;
  if (commit.tally.size() <= kTallyMax) add_tally(commit.tally, totals_.tally);  // longer: a stranger's
  if (commit.blocks > 1) ++totals_.rounds_parallel;
  if (commit.step == 0) ++totals_.empty_rounds;
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::commit;
  event.version = commit.version;
  event.phase = barrier_number_;
  event.objective = commit.objective;
  event.blocks = commit.blocks;
  event.step = commit.step;
  event.certificate = certificate_;
  event.totals = totals_;
  effects.progress.push_back(event);
  // While rounds go on nothing is quiet, so that a request that was lost must be repeated here: two turns of every
  // scheduler without an end are more than one that has heard it lets pass.
  if (finish_requested_ && commit.last == 0 &&
      ++commits_since_request_ % (2 * std::uint64_t{options_.schedulers}) == 0) {
    ask_to_finish(effects);
    repeated_ += options_.schedulers;
  }
}

bool Coordinator::on(const wire::SliceStatus& status, Effects& effects) {
  // Nobody has a status or a commit before START: it is forged, and the judge knows no problem yet. Nor has anybody one
  // of a barrier that comes after one that was not judged.
  if (!started_ || status.scheduler >= options_.schedulers || status.phase > barrier_number_) return refuse();
  if (status.phase != barrier_number_ || !statuses_.emplace(status.scheduler, status).second) {
    ++dropped_;
    return true;
  }
  ++progress_mark_;
  judge_when_complete(effects);
  return true;
}

void Coordinator::judge_when_complete(Effects& effects) {
  if (ended_ || statuses_.size() != options_.schedulers || statuses_.begin()->second.version != counted_) return;
  waits_ = may_judge_ && !may_judge_();
  if (waits_) return;
  std::vector<Payload> payloads;
  const RunTotals before = totals_;
  totals_.planned_early = planned_early_before_;
  since_.limit_reached = finish_requested_;
  for (auto& [scheduler, status] : statuses_) {
    payloads.push_back(std::move(status.status));
    totals_.flops += status.flops;
    totals_.flops_path += status.flops;
    totals_.planned_early += status.planned_early;
    since_.limit_reached = since_.limit_reached || status.last != 0;
  }
  since_.phase = barrier_number_;
  since_.version = counted_;
  since_.verified = statuses_.begin()->second.verified != 0;
  const bool verified = since_.verified;
  statuses_.clear();
  const Judgement judgement = judge_->judge(since_, payloads);
  if (keeps_judged_) keep(before, payloads, judgement.plan.verdict);
  announce(judgement, verified, effects);
  if (judgement.plan.verdict == PhasePlan::Verdict::stop) {
    end({}, judgement.stop_reason, effects);
    effects.end->statuses = std::move(payloads);
  }
}

void Coordinator::keep(const RunTotals& before, const std::vector<Payload>& statuses, PhasePlan::Verdict verdict) {
  // A phase without rounds: the barrier before was none that a commit ended.
  if (before_verdict_) judged_.push_back({before_verdict_->barrier, std::move(before_verdict_->statuses)});
  before_verdict_.reset();
  if (verdict == PhasePlan::Verdict::verify) judged_.push_back({since_, statuses});
  if (verdict != PhasePlan::Verdict::go_on) return;
  before_verdict_ = BeforeVerdict{since_, before, statuses};
  before_verdict_->totals.planned_early = totals_.planned_early;
}

void Coordinator::announce(const Judgement& judgement, bool verified, Effects& effects) {
  certificate_ = judgement.certificate;
  const auto& plan = judgement.plan;
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    ++totals_.phases;
    if (plan.blocks_max > 1) ++totals_.phases_parallel;
    since_ = Barrier{};
  }
  wire::Phase verdict = message_of(plan, barrier_number_, counted_);
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    const auto keeper = keeper_ ? keeper_(counted_) : std::nullopt;
    if (keeper.has_value()) begin_to_gather(verdict.keeper = *keeper);
    if (keeper.has_value()) gathering_ = verdict;
    plan_ = plan;
  }
  broadcast(verdict, effects);
  if (!roster_.alone()) verdicts_.emplace(barrier_number_, verdict);
  ++barrier_number_;
  ++progress_mark_;
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.version = counted_;
  event.phase = barrier_number_;
  event.objective = certificate_.objective;
  event.blocks = plan.blocks_max;
  event.verified = verified;
  event.certificate = certificate_;
  event.totals = totals_;
  effects.progress.push_back(event);
}

bool Coordinator::on(const wire::Resend& resend, Effects& effects) {
  if (resend.node >= roster_.nodes) return refuse();
  const wire::Address to{wire::Role::node, resend.node};
  if (started_ && resend.started == 0) {
    effects.send(to, wire::Start{problem_});
    ++repeated_;
  }
  for (auto verdict = verdicts_.lower_bound(resend.phases); verdict != verdicts_.end(); ++verdict) {
    effects.send(to, verdict->second);
    ++repeated_;
  }
  return true;
}

void Coordinator::on_quiet(Effects& effects) {
  if (ended_) return;
  ask_for_what_is_kept(effects);
  if (finish_requested_) {
    ask_to_finish(effects);
    repeated_ += options_.schedulers;
  }
  // On a node the replica asks, and what comes serves both.
  if (!roster_.coordinator_apart() || !started_) return;
  const wire::Resend missing{roster_.coordinator, 1, counted_, barrier_number_};
  for (const std::uint32_t node : roster_.scheduler_nodes()) effects.send({wire::Role::node, node}, missing);
}

void Coordinator::forget(std::uint32_t phases) {
  verdicts_.erase(verdicts_.begin(), verdicts_.lower_bound(phases));
}

void Coordinator::request_finish(Effects& effects) {
  if (finish_requested_ || ended_) return;
  finish_requested_ = true;
  ask_to_finish(effects);
}

void Coordinator::ask_to_finish(Effects& effects) const {
  for (std::uint32_t s = 0; s < options_.schedulers; ++s) effects.send({wire::Role::scheduler, s}, wire::Finish{s, 0});
}

void Coordinator::end(Status status, std::string reason, Effects& effects) {
  ended_ = true;
  RunEnd run_end;
  run_end.status = std::move(status);
  run_end.stop_reason = std::move(reason);
  run_end.certificate = certificate_;
  run_end.totals = totals_;
  run_end.problem = problem_;
  effects.end = std::move(run_end);
}

}  // namespace strads::engine
