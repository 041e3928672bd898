#include "engine/node.hpp"

#include <utility>

#include "engine/slices.hpp"
#include "strads/status.hpp"

namespace strads::engine {

Node::Node(std::uint32_t index, const Roster& roster, const EngineOptions& options, std::shared_ptr<Model> model)
    : index_(index), roster_(roster), options_(options), model_(std::move(model)), phase_(options.depth) {
  STRADS_CHECK(options_.depth >= 1 && options_.depth <= options_.schedulers, "1 <= D <= S is checked with the options");
  replica_ = std::make_unique<Replica>(
      *model_, options_.depth, [this](const wire::Commit& commit, Effects& effects) { on_advanced(commit, effects); });
  if (index_ == 0) coordinator_ = std::make_unique<Coordinator>(options_, roster_.nodes, model_->make_judge());
  auto slices = deal_slices(options_.seed, model_->variables(), options_.schedulers, model_->stripe());
  for (std::uint32_t s = index_; s < options_.schedulers; s += roster_.nodes) {
    schedulers_.push_back(
        std::make_unique<Scheduler>(s, options_, roster_.nodes, *model_, *replica_, phase_, std::move(slices[s])));
  }
  for (std::uint32_t w = index_; w < options_.workers; w += roster_.nodes) {
    workers_.push_back(std::make_unique<Worker>(options_.schedulers, *model_, *replica_));
  }
}

void Node::start(Effects& effects) {
  for (auto& scheduler : schedulers_) scheduler->scan(effects);
}

Scheduler* Node::scheduler(std::uint32_t index) {
  if (index >= options_.schedulers || index % roster_.nodes != index_) return nullptr;
  return schedulers_[index / roster_.nodes].get();
}

Worker* Node::worker(std::uint32_t index) {
  if (index >= options_.workers || index % roster_.nodes != index_) return nullptr;
  return workers_[index / roster_.nodes].get();
}

void Node::on_message(const wire::Address& to, const wire::Message& message, Effects& effects) {
  if (stopped_) return;
  switch (to.role) {
    case wire::Role::node:
      on_node_message(message, effects);
      return;
    case wire::Role::coordinator:
      if (coordinator_ == nullptr) break;
      if (const auto* ready = std::get_if<wire::Ready>(&message)) return coordinator_->on_ready(*ready, effects);
      if (const auto* status = std::get_if<wire::SliceStatus>(&message))
        return coordinator_->on_status(*status, effects);
      break;
    case wire::Role::scheduler:
      if (Scheduler* role = scheduler(to.index)) {
        if (const auto* deltas = std::get_if<wire::Deltas>(&message)) return role->on_deltas(*deltas, effects);
        if (std::get_if<wire::Finish>(&message) != nullptr) return role->finish();
      }
      break;
    case wire::Role::worker:
      if (Worker* role = worker(to.index)) {
        if (const auto* assign = std::get_if<wire::Assign>(&message)) return role->on_assign(*assign, effects);
      }
      break;
  }
  ++unexpected_;  // a role that is not here, or a message that this role never gets
}

void Node::on_node_message(const wire::Message& message, Effects& effects) {
  if (const auto* start_message = std::get_if<wire::Start>(&message)) return on_start(*start_message, effects);
  if (const auto* phase = std::get_if<wire::Phase>(&message)) return on_phase(*phase, effects);
  if (const auto* commit = std::get_if<wire::Commit>(&message)) {
    if (coordinator_ != nullptr) coordinator_->on_commit(*commit, effects);
    replica_->on_commit(*commit, effects);
    return;
  }
  ++unexpected_;
}

void Node::on_start(const wire::Start& start_message, Effects& effects) {
  if (problem_known_) {
    ++unexpected_;
    return;
  }
  problem_known_ = true;
  model_->begin(start_message.problem);
  replica_->start();
  for (auto& scheduler : schedulers_) scheduler->begin(start_message, effects);
  take_verdicts(effects);
}

void Node::on_phase(const wire::Phase& phase, Effects& effects) {
  if (phase.phase < phases_seen_ || !verdicts_.emplace(phase.phase, phase).second) {
    ++unexpected_;
    return;
  }
  take_verdicts(effects);
}

void Node::take_verdicts(Effects& effects) {
  // A node without schedulers reports nothing at a barrier, so that nobody waits for it: verdicts may reach it before
  // the start, the commits of the phase that they end, or the end of a recomputation.
  while (!stopped_ && !recomputing_ && replica_->started() && !phase_.active() && !verdicts_.empty()) {
    const wire::Phase phase = verdicts_.begin()->second;
    if (phase.phase != phases_seen_) return;
    verdicts_.erase(verdicts_.begin());
    ++phases_seen_;
    take_verdict(phase, effects);
  }
}

void Node::take_verdict(const wire::Phase& phase, Effects& effects) {
  const PhasePlan plan = plan_of(phase);
  switch (plan.verdict) {
    case PhasePlan::Verdict::stop:
      stopped_ = true;
      return;
    case PhasePlan::Verdict::verify:
      recomputing_ = true;
      replica_->recompute(
          [this](Effects& out) {
            recomputing_ = false;
            barrier(true, out);
            take_verdicts(out);
          },
          effects);
      return;
    case PhasePlan::Verdict::go_on:
      break;
  }
  phase_.begin(phase);
  for (auto& scheduler : schedulers_) scheduler->enter_phase(phase, effects);
  replica_->resume(effects);
  for (auto& worker : workers_) worker->on_advanced(effects);
}

void Node::on_advanced(const wire::Commit& commit, Effects& effects) {
  phase_.note(commit);
  for (auto& scheduler : schedulers_) scheduler->on_applied(commit);
  if (commit.version == phase_.last_round()) {
    phase_.end();
    replica_->pause();
    barrier(false, effects);
    take_verdicts(effects);
    return;
  }
  for (auto& worker : workers_) worker->on_advanced(effects);
  for (auto& scheduler : schedulers_) scheduler->advance(effects);
}

void Node::barrier(bool verified, Effects& effects) {
  for (auto& scheduler : schedulers_) scheduler->refresh(verified, effects);
}

void Node::request_finish(Effects& effects) {
  if (coordinator_ != nullptr) coordinator_->request_finish(effects);
}

std::uint64_t Node::dropped_messages() const {
  std::uint64_t count = unexpected_ + replica_->repeated_commits();
  for (const auto& scheduler : schedulers_) count += scheduler->late_deltas() + scheduler->wrong_deltas();
  for (const auto& worker : workers_) count += worker->repeated_assigns() + worker->stale_assigns();
  return count;
}

}  // namespace strads::engine
