// A scheduler alone, as a node holds it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/scheduler.hpp"
#include "support/cluster.hpp"
#include "support/scripted_model.hpp"
#include "wire/print.hpp"

namespace strads::engine {

using support::Script;
using support::ScriptedModel;
using support::texts_of;

/// One scheduler with its replica and phase, as a node holds them; commits of others come in by hand.
/// It owns variables 0, 1 and 2 of 6; a round is one block a worker.
class SchedulerStory : public testing::Test {
 protected:
  struct Shape {
    std::uint32_t index = 0, schedulers = 1, workers = 1, depth = 1, nodes = 1;
    std::uint64_t rounds_max = 0;
  };

  void begin(const Shape& shape, Script script = {}) {
    EngineOptions options;
    options.schedulers = shape.schedulers;
    options.workers = shape.workers;
    options.depth = shape.depth;
    options.rounds_max = shape.rounds_max;
    roster_ = Roster::round_robin(shape.nodes, options);
    model_ = std::make_unique<ScriptedModel>(std::move(script));
    phase_ = std::make_unique<PhaseTracker>(shape.depth);
    replica_ = std::make_unique<Replica>(
        *model_, shape.depth, [this](const wire::Commit& commit, Effects& out) { on_advanced(commit, out); });
    scheduler_ = std::make_unique<Scheduler>(shape.index, options, roster_, *model_, *replica_, *phase_,
                                             std::vector<VarId>{0, 1, 2});
    replica_->start();
    scheduler_->begin({}, effects_);
    settle();
    effects_.messages.clear();
  }
  /// As Node does.
  void on_advanced(const wire::Commit& commit, Effects& out) {
    phase_->record_commit(commit);
    scheduler_->on_applied(commit);
    if (commit.version == phase_->last_round()) {
      phase_->end();
      replica_->pause();
      scheduler_->refresh(false, out);
      return;
    }
    scheduler_->advance(out);
  }
  void enter(Version barrier, std::uint64_t rounds_max, std::uint32_t blocks_max = 1) {
    wire::Phase phase;
    phase.version = barrier;
    phase.rounds_max = rounds_max;
    phase.blocks_max = blocks_max;
    enter(phase);
  }
  void enter(const wire::Phase& phase) {
    phase_->begin(phase);
    scheduler_->enter_phase(phase, effects_);
    replica_->resume(effects_);
  }
  void settle() { support::run_tasks(effects_); }
  /// What went out since the last look.
  std::vector<std::string> out() {
    auto texts = texts_of(effects_);
    effects_.messages.clear();
    return texts;
  }
  void commit_of_another(Version version) {
    wire::Commit commit;
    commit.version = version;
    commit.step = 1;
    commit.changes = {{5}, {1.0}};
    replica_->on_commit(commit, effects_);
    settle();
  }
  void deltas(Round round, std::uint32_t index, std::vector<VarId> ids, double value = 1) {
    wire::Deltas message;
    message.round = round;
    message.index = index;
    message.predicted = 0.25;
    message.flops = 100;
    message.updates = ids.size();
    message.deltas.values.assign(ids.size(), value);
    message.deltas.ids = std::move(ids);
    scheduler_->on_deltas(kItself, message, effects_);
    settle();
  }
  /// Commits that the scheduler sent come back to its own replica.
  void loop_back() {
    std::vector<wire::Envelope> messages;
    messages.swap(effects_.messages);
    for (const auto& envelope : messages) {
      if (const auto* commit = std::get_if<wire::Commit>(&envelope.message)) replica_->on_commit(*commit, effects_);
    }
    settle();
  }

  /// Longest first: with three workers variable b is block b.
  static Script one_variable_a_block() {
    Script script;
    script.workload = [](VarId j) { return 3.0 - j; };
    return script;
  }

  Roster roster_;
  std::unique_ptr<ScriptedModel> model_;
  std::unique_ptr<PhaseTracker> phase_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Scheduler> scheduler_;
  Effects effects_;
};

}  // namespace strads::engine
