// The turns of a scheduler: plans, blocks, commits, phases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "scheduler_story.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

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
  scheduler_->on_deltas(kItself, message, effects_);
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
      phase.mode = 2;  // steady
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
  phase.mode = 1;
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
  plan.mode = PhasePlan::Mode::joint;
  plan.updates_max = 99;
  plan.content = {{1, 2}, {0.5}};
  const wire::Phase message = message_of(plan, 4, 17);
  EXPECT_EQ(wire::to_text(message),
            "Phase phase=4 version=17 verdict=0 mode=1 blocks_max=3 rounds_max=12 updates_max=99 plan.ids=[1 2] "
            "plan.values=[0.5] keeper=4294967295");
  EXPECT_EQ(message_of(plan_of(message), 4, 17), message);
}

TEST(PhaseMessage, SaysHowBlocksGoToWorkers) {
  PhasePlan plan = support::go_on(12, 3);
  using Mode = PhasePlan::Mode;
  for (const auto& [mode, number] : {std::pair{Mode::moving, 0}, {Mode::joint, 1}, {Mode::steady, 2}}) {
    plan.mode = mode;
    const wire::Phase message = message_of(plan, 0, -1);
    EXPECT_EQ(message.mode, number);
    EXPECT_EQ(plan_of(message).mode, mode);
  }
}

}  // namespace
}  // namespace strads::engine
