#include "engine/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "engine/scheduler.hpp"

namespace strads::engine {

Coordinator::Coordinator(const EngineOptions& options, std::uint32_t nodes, std::unique_ptr<Judge> judge)
    : options_(options), nodes_(nodes), judge_(std::move(judge)) {}

void Coordinator::on_ready(const wire::Ready& ready, Effects& effects) {
  if (ready.scheduler >= options_.schedulers || !ready_.emplace(ready.scheduler, ready).second) return;
  if (ready_.size() == options_.schedulers) begin(effects);
}

void Coordinator::begin(Effects& effects) {
  std::vector<Payload> summaries;
  for (const auto& [scheduler, ready] : ready_) {
    if (ready.fingerprint != ready_.begin()->second.fingerprint) {
      end(Status::cluster(
              "scheduler " + std::to_string(scheduler) +
              " reads other data than scheduler 0: their fingerprints differ; give every host the same files"),
          "data differ", effects);
      return;
    }
    summaries.push_back(ready.summary);
  }
  auto problem = judge_->start(summaries);
  if (!problem.ok()) {
    end(problem.status(), "refused", effects);
    return;
  }
  problem_ = std::move(problem).value();
  broadcast(wire::Start{problem_}, effects);
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::started;
  effects.progress.push_back(event);
}

void Coordinator::on_commit(const wire::Commit& commit, Effects& effects) {
  if (commit.version <= counted_) return;
  early_.emplace(commit.version, commit);
  while (!early_.empty() && early_.begin()->first == counted_ + 1) {
    count(early_.begin()->second, effects);
    early_.erase(early_.begin());
    ++counted_;
  }
  judge_when_complete(effects);
}

void Coordinator::count(const wire::Commit& commit, Effects& effects) {
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
}

void Coordinator::on_status(const wire::SliceStatus& status, Effects& effects) {
  if (status.scheduler >= options_.schedulers || status.phase != barrier_number_) return;
  statuses_.emplace(status.scheduler, status);
  judge_when_complete(effects);
}

void Coordinator::judge_when_complete(Effects& effects) {
  if (ended_ || statuses_.size() != options_.schedulers || statuses_.begin()->second.version != counted_) return;
  std::vector<Payload> payloads;
  totals_.planned_early = 0;
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
  Judgement judgement = judge_->judge(since_, payloads);
  certificate_ = judgement.certificate;

  const auto& plan = judgement.plan;
  if (plan.verdict == PhasePlan::Verdict::go_on) {
    ++totals_.phases;
    if (plan.blocks_max > 1) ++totals_.phases_parallel;
    since_ = Barrier{};
  }
  broadcast(message_of(plan, barrier_number_, counted_), effects);
  ++barrier_number_;
  statuses_.clear();
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
  if (plan.verdict == PhasePlan::Verdict::stop) {
    end({}, judgement.stop_reason, effects);
    effects.end->statuses = std::move(payloads);
  }
}

void Coordinator::request_finish(Effects& effects) {
  if (finish_requested_ || ended_) return;
  finish_requested_ = true;
  for (std::uint32_t s = 0; s < options_.schedulers; ++s) effects.send({wire::Role::scheduler, s}, wire::Finish{});
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
