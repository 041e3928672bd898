#include "engine/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "support/cluster.hpp"
#include "support/scripted_model.hpp"
#include "wire/print.hpp"

namespace strads::engine {
namespace {

using support::Script;
using support::ScriptedModel;
using support::texts_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

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
    phase_->note(commit);
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
    scheduler_->on_deltas(message, effects_);
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

constexpr const char* kAssignZero =
    "worker 0 <- Assign round=0 index=0 worker=0 base=-1 kind=0 sweeps=1 tolerance=0 block.ids=[0 1 2] block.values=[]";

TEST_F(SchedulerStory, ReportsReadyAfterTheScan) {
  begin({.index = 0, .schedulers = 1});
  scheduler_->scan(effects_);
  EXPECT_THAT(effects_.messages, IsEmpty());
  settle();
  EXPECT_THAT(out(), ElementsAre("coordinator 0 <- Ready scheduler=0 summary.ids=[0 1 2] summary.values=[]"));
}

TEST_F(SchedulerStory, DispatchesItsBlockAndNothingElse) {
  begin({});
  enter(-1, 10);
  settle();
  EXPECT_THAT(out(), ElementsAre(kAssignZero));
}

TEST_F(SchedulerStory, GivesEachWorkerABlock) {
  begin({.workers = 3});
  enter(-1, 10, 3);
  settle();
  EXPECT_THAT(out(), ElementsAre(StartsWith("worker 0 <- Assign round=0 index=0"),
                                 StartsWith("worker 1 <- Assign round=0 index=1"),
                                 StartsWith("worker 2 <- Assign round=0 index=2")));
}

TEST_F(SchedulerStory, CommitsOnceAllDeltasAreIn) {
  begin({.workers = 3, .nodes = 2}, one_variable_a_block());
  enter(-1, 10, 3);
  settle();
  out();
  deltas(0, 2, {2});
  deltas(0, 0, {0});
  EXPECT_THAT(out(), IsEmpty());
  deltas(0, 1, {1});
  const char* commit =
      "Commit version=0 scheduler=0 blocks=3 ends_phase=0 last=0 step=1 objective=997 predicted=0.75 realised=3 "
      "flops=301 flops_path=100 updates=3 updates_path=1 changes.ids=[0 1 2] changes.values=[1 1 1] tally=[]";
  EXPECT_THAT(out(), ElementsAre(std::string("node 0 <- ") + commit, std::string("node 1 <- ") + commit));
}

TEST_F(SchedulerStory, TheOrderOfArrivalDoesNotChangeTheCommit) {
  std::vector<std::string> commits;
  for (const auto& order : {std::vector<std::uint32_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    effects_ = {};
    begin({.workers = 3}, one_variable_a_block());
    enter(-1, 10, 3);
    settle();
    out();
    for (const std::uint32_t index : order) deltas(0, index, {index}, 0.1 * (index + 1));
    commits.push_back(out().at(0));
  }
  EXPECT_EQ(commits[0], commits[1]);
  EXPECT_EQ(commits[0], commits[2]);
}

TEST_F(SchedulerStory, DeltasMayLeaveVariablesOut) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0, 2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("changes.ids=[0 2]")));
}

TEST_F(SchedulerStory, DeltasThatNameNoVariablesMayCarryAnyNumberOfValues) {
  Script script;
  script.pages = true;
  begin({}, script);
  enter(-1, 10);
  settle();
  out();
  wire::Deltas message;
  message.deltas.values = {0, 2};
  message.deltas.bulk = {SharedFloats(2)};
  std::ranges::fill(message.deltas.bulk[0].writable(), 3.0F);
  scheduler_->on_deltas(message, effects_);
  settle();
  EXPECT_EQ(scheduler_->wrong_deltas(), 0u);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("realised=6 flops=1 flops_path=0 updates=0 updates_path=0 changes.ids=[] "
                                           "changes.values=[0 2] changes.bulk_sizes=[2]")));
}

TEST_F(SchedulerStory, TalliesOfTheBlocksAreAddedUpCountByCount) {
  begin({.workers = 2}, one_variable_a_block());
  enter(-1, 10, 2);
  settle();
  out();
  const auto answer = [this](std::uint32_t index, std::vector<std::uint64_t> tally) {
    wire::Deltas message;
    message.index = index;
    message.deltas = {{index}, {1}};
    message.tally = std::move(tally);
    scheduler_->on_deltas(message, effects_);
    settle();
  };
  answer(1, std::vector<std::uint64_t>(kTallyMax + 1));
  EXPECT_EQ(scheduler_->wrong_deltas(), 1u) << "more than a model may count";
  answer(1, {5, 0, 7});
  answer(0, {1, 2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("tally=[6 2 7]")));
}

TEST_F(SchedulerStory, ArraysOfFloatsAreSentOnWithoutACopy) {
  Script script;
  script.pages = true;
  begin({.nodes = 3}, script);
  enter(-1, 10);
  settle();
  out();
  wire::Deltas message;
  message.deltas.values = {1};
  message.deltas.bulk = {SharedFloats(1)};
  message.deltas.bulk[0].writable()[0] = 1;
  scheduler_->on_deltas(message, effects_);
  settle();
  ASSERT_THAT(effects_.messages, SizeIs(3));
  for (const auto& envelope : effects_.messages) {
    const auto& commit = std::get<wire::Commit>(envelope.message);
    EXPECT_EQ(commit.changes.bulk.at(0).data(), message.deltas.bulk[0].data());
  }
}

TEST_F(SchedulerStory, BlocksOfSteadyPhasesStayWithTheirWorkers) {
  for (const std::uint32_t scheduler : {0U, 1U, 2U}) {
    effects_ = {};
    begin({.index = scheduler, .schedulers = 3, .workers = 4}, one_variable_a_block());
    Version barrier = -1;
    std::vector<std::vector<std::uint32_t>> workers;
    for (std::uint32_t number = 0; number < 3; ++number) {
      wire::Phase phase;
      phase.phase = number;
      phase.version = barrier;
      phase.joint = wire::Phase::kSteady;
      phase.rounds_max = 3;
      phase.blocks_max = 3;
      enter(phase);
      settle();
      auto& asked = workers.emplace_back();
      for (std::uint32_t turn = 0; turn < 3; ++turn, ++barrier) {
        if (turn != scheduler) {
          commit_of_another(barrier + 1);
          continue;
        }
        for (const auto& envelope : effects_.messages) {
          if (const auto* assign = std::get_if<wire::Assign>(&envelope.message)) asked.push_back(assign->worker);
        }
        for (const std::uint32_t b : {0U, 1U, 2U}) deltas(barrier + 1, b, {b});
        loop_back();
      }
      out();
    }
    const std::vector<std::uint32_t> expected{scheduler, scheduler + 1, (scheduler + 2) % 4};
    EXPECT_THAT(workers, ElementsAre(expected, expected, expected));
  }
}

TEST_F(SchedulerStory, RepeatedDeltasAreCountedAndDropped) {
  begin({.workers = 3}, one_variable_a_block());
  enter(-1, 10, 3);
  settle();
  out();
  deltas(0, 0, {0});
  deltas(0, 0, {0}, 5.0);
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  deltas(0, 1, {1});
  deltas(0, 2, {2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("changes.values=[1 1 1]")));
}

TEST_F(SchedulerStory, DeltasOfARoundThatIsOverAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  deltas(0, 0, {0});
  loop_back();
  out();
  deltas(0, 0, {0});
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasOfAnUnknownBlockAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 1, {0});
  deltas(7, 0, {0});
  EXPECT_EQ(scheduler_->late_deltas(), 2u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasBeforeAnyPhaseAreCountedAndDropped) {
  begin({});
  deltas(0, 0, {0});
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasThatNameOtherVariablesAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0, 5});  // not in the block
  deltas(0, 0, {1, 0});  // not in the block's order
  deltas(0, 0, {1, 1});  // twice
  EXPECT_EQ(scheduler_->wrong_deltas(), 3u);
  EXPECT_THAT(out(), IsEmpty());
  deltas(0, 0, {0, 1});
  EXPECT_THAT(out(), SizeIs(1)) << "the right answer is still taken";
}

TEST_F(SchedulerStory, DeltasWithoutAsManyValuesAsVariablesAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  wire::Deltas message;
  message.deltas = {{0, 1}, {1.0}};
  scheduler_->on_deltas(message, effects_);
  EXPECT_EQ(scheduler_->wrong_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, TheNextRoundReadsTheCommitBefore) {
  begin({});
  enter(-1, 10);
  settle();
  deltas(0, 0, {0});
  loop_back();
  EXPECT_THAT(out(), ElementsAre(StartsWith("worker 0 <- Assign round=1 index=0 worker=0 base=0")));
}

TEST_F(SchedulerStory, WaitsForItsTurn) {
  // Scheduler 2 of 3: rounds 2, 5, 8.
  begin({.index = 2, .schedulers = 3});
  enter(-1, 10);
  settle();
  commit_of_another(0);
  EXPECT_THAT(out(), IsEmpty());
  commit_of_another(1);
  EXPECT_THAT(out(), ElementsAre(StartsWith("worker 0 <- Assign round=2 index=0 worker=0 base=1")));
}

TEST_F(SchedulerStory, PlansAheadOfItsTurn) {
  int asked = 0;
  Script script;
  script.d = [&asked](VarId, VarId) {
    ++asked;
    return 0.0;
  };
  begin({.index = 2, .schedulers = 3, .workers = 2}, script);
  enter(-1, 10, 2);
  settle();
  EXPECT_EQ(asked, 3) << "couplings of the plan of round 2, before commit 0";
  commit_of_another(0);
  commit_of_another(1);
  EXPECT_EQ(asked, 3);
  EXPECT_THAT(out(), SizeIs(2));
}

TEST_F(SchedulerStory, TakesEveryThirdRoundOfThree) {
  begin({.index = 1, .schedulers = 3});
  enter(-1, 10);
  settle();
  commit_of_another(0);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Assign round=1")));
  deltas(1, 0, {0});
  loop_back();
  commit_of_another(2);
  EXPECT_THAT(out(), IsEmpty());
  commit_of_another(3);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Assign round=4 index=0 worker=0 base=3")));
}

TEST_F(SchedulerStory, AtDepthTwoDispatchesBeforeTheCommitBefore) {
  begin({.index = 1, .schedulers = 2, .depth = 2});
  enter(-1, 10);
  settle();
  EXPECT_THAT(out(), ElementsAre(StartsWith("worker 0 <- Assign round=1 index=0 worker=0 base=-1")));
}

TEST_F(SchedulerStory, AtDepthTwoCommitsOnlyAfterTheCommitBefore) {
  begin({.index = 1, .schedulers = 2, .depth = 2});
  enter(-1, 10);
  settle();
  out();
  deltas(1, 0, {0});
  EXPECT_THAT(out(), IsEmpty()) << "the guard must see the residual of version 0";
  commit_of_another(0);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Commit version=1")));
}

TEST_F(SchedulerStory, AtDepthTwoTheNextRoundReadsItsOwnCommitAtLeast) {
  begin({.index = 1, .schedulers = 2, .depth = 2});
  enter(-1, 10);
  settle();
  deltas(1, 0, {0});
  commit_of_another(0);
  loop_back();
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Assign round=3 index=0 worker=0 base=1")));
}

TEST_F(SchedulerStory, AnEmptyPlanCommitsAnEmptyRound) {
  Script script;
  script.p = [](VarId) { return 0.0; };
  begin({}, script);
  enter(-1, 10);
  settle();
  EXPECT_THAT(out(), ElementsAre("node 0 <- Commit version=0 scheduler=0 blocks=0 ends_phase=0 last=0 step=0 "
                                 "objective=1000 predicted=0 realised=0 flops=0 flops_path=0 updates=0 updates_path=0 "
                                 "changes.ids=[] changes.values=[] tally=[]"));
}

TEST_F(SchedulerStory, ASliceWithoutVariablesCommitsEmptyRounds) {
  model_ = std::make_unique<ScriptedModel>(Script{});
  begin({.index = 1, .schedulers = 2});
  EngineOptions options;
  options.schedulers = 2;
  scheduler_ = std::make_unique<Scheduler>(1, options, roster_, *model_, *replica_, *phase_, std::vector<VarId>{});
  scheduler_->begin({}, effects_);
  settle();
  out();
  enter(-1, 10);
  settle();
  commit_of_another(0);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Commit version=1 scheduler=1 blocks=0")));
}

TEST_F(SchedulerStory, AStepOfZeroCommitsAnEmptyRound) {
  Script script;
  script.step = 0;
  begin({}, script);
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0});
  EXPECT_THAT(out(), ElementsAre(testing::AllOf(HasSubstr("step=0"), HasSubstr("changes.ids=[]"))));
}

TEST_F(SchedulerStory, ThePhaseEndsWhenTheSliceSaysSo) {
  Script script;
  script.ends_phase_at = {0};
  begin({}, script);
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0});
  const auto sent = texts_of(effects_);
  EXPECT_THAT(sent, ElementsAre(HasSubstr("ends_phase=1")));
  loop_back();
  EXPECT_THAT(out(), ElementsAre(StartsWith("coordinator 0 <- SliceStatus scheduler=0 phase=1 version=0 verified=0 "
                                            "last=0 flops=10 planned_early=0 rounds=1 status.ids=[0 1 2]")));
}

TEST_F(SchedulerStory, RoundsMaxMakesACommitTheLast) {
  begin({.rounds_max = 1});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0});
  EXPECT_THAT(texts_of(effects_), ElementsAre(HasSubstr("last=1")));
  loop_back();
  EXPECT_THAT(out(), ElementsAre(HasSubstr("SliceStatus scheduler=0 phase=1 version=0 verified=0 last=1")));
}

TEST_F(SchedulerStory, ARequestToFinishMakesTheNextCommitTheLast) {
  begin({});
  enter(-1, 10);
  settle();
  scheduler_->finish();
  out();
  deltas(0, 0, {0});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("last=1")));
}

TEST_F(SchedulerStory, RefreshesOnlyWhenNoPlanIsBeingMade) {
  // Scheduler 1 of 2 plans round 1 while commit 0 of the other ends the phase: the plan may read the slice meanwhile.
  begin({.index = 1, .schedulers = 2});
  enter(-1, 10);
  std::vector<Task> planning;
  planning.swap(effects_.tasks);
  ASSERT_THAT(planning, SizeIs(1));
  wire::Commit commit;
  commit.version = 0;
  commit.ends_phase = 1;
  replica_->on_commit(commit, effects_);
  settle();
  EXPECT_THAT(out(), IsEmpty());
  effects_.tasks = std::move(planning);
  settle();
  EXPECT_THAT(out(), ElementsAre(HasSubstr("SliceStatus scheduler=1 phase=1 version=0")));
}

TEST_F(SchedulerStory, ARoundDispatchedBeforeTheRunsLastCommitIsDropped) {
  begin({.index = 1, .schedulers = 2, .depth = 2});
  enter(-1, 10);
  settle();
  EXPECT_THAT(out(), SizeIs(1));
  wire::Commit commit;
  commit.version = 0;
  commit.last = 1;
  replica_->on_commit(commit, effects_);
  settle();
  EXPECT_THAT(out(), ElementsAre(HasSubstr("SliceStatus scheduler=1 phase=1 version=0 verified=0 last=1")));
  deltas(1, 0, {0});
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, OnlyOneSchedulerBuildsAJointBlock) {
  wire::Phase phase;
  phase.version = 0;
  phase.rounds_max = 1;
  phase.joint = 1;
  phase.plan = {{1, 4, 5}, {}};
  for (const std::uint32_t index : {0U, 1U}) {
    effects_ = {};
    begin({.index = index, .schedulers = 2});
    enter(-1, 1);
    commit_of_another(0);
    out();
    enter(phase);
    settle();
    if (index == 1) {
      EXPECT_THAT(out(), ElementsAre(HasSubstr("Assign round=1 index=0 worker=0 base=0 kind=0 sweeps=1 tolerance=0 "
                                               "block.ids=[1 4 5]")));
    } else {
      EXPECT_THAT(out(), IsEmpty());
    }
  }
}

TEST(PhaseMessage, HoldsTheSameFactsAsThePlan) {
  PhasePlan plan = support::go_on(12, 3);
  plan.joint = true;
  plan.updates_max = 99;
  plan.content = {{1, 2}, {0.5}};
  const wire::Phase message = message_of(plan, 4, 17);
  EXPECT_EQ(wire::to_text(message),
            "Phase phase=4 version=17 verdict=0 joint=1 blocks_max=3 rounds_max=12 updates_max=99 plan.ids=[1 2] "
            "plan.values=[0.5]");
  EXPECT_EQ(message_of(plan_of(message), 4, 17), message);
}

TEST(PhaseMessage, SaysSteadyWhereJointWouldStand) {
  PhasePlan plan = support::go_on(12, 3);
  EXPECT_EQ(message_of(plan, 0, -1).joint, 0);
  EXPECT_FALSE(plan_of(message_of(plan, 0, -1)).steady);
  plan.steady = true;
  const wire::Phase message = message_of(plan, 0, -1);
  EXPECT_EQ(message.joint, 2);
  EXPECT_TRUE(plan_of(message).steady);
  EXPECT_FALSE(plan_of(message).joint);
}

TEST(PhaseMessageDeathTest, ARoundIsNotJointAndSteadyAtOnce) {
  PhasePlan plan = support::go_on(1);
  plan.joint = plan.steady = true;
  EXPECT_DEATH(static_cast<void>(message_of(plan, 0, -1)), "a joint round has one block");
}

}  // namespace
}  // namespace strads::engine
