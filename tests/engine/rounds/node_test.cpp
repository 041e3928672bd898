#include "engine/rounds/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "engine/session/eventful.hpp"
#include "support/cluster.hpp"
#include "support/scripted_model.hpp"
#include "wire/print.hpp"

namespace strads::engine {
namespace {

using support::ClusterOptions;
using support::ClusterRun;
using support::go_on;
using support::Order;
using support::run_cluster;
using support::Script;
using support::ScriptedModel;
using support::verify;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

EngineOptions options_of(std::uint32_t schedulers, std::uint32_t workers, std::uint32_t depth) {
  EngineOptions options;
  options.schedulers = schedulers;
  options.workers = workers;
  options.depth = depth;
  return options;
}

TEST(Roster, DealsRolesInRankOrder) {
  const Roster roster = Roster::round_robin(3, options_of(5, 6, 1));
  EXPECT_EQ(roster.node_of({wire::Role::coordinator, 0}), 0u);
  EXPECT_EQ(roster.node_of({wire::Role::scheduler, 4}), 1u);
  EXPECT_EQ(roster.node_of({wire::Role::worker, 5}), 2u);
  EXPECT_EQ(roster.node_of({wire::Role::node, 2}), 2u);
  EXPECT_FALSE(roster.coordinator_apart());
}

TEST(Roster, OneProcessWithEverythingIsAlone) {
  Roster roster = Roster::round_robin(1, options_of(2, 2, 1));
  EXPECT_TRUE(roster.alone());
  roster.coordinator = 1;
  EXPECT_FALSE(roster.alone()) << "a driver of its own";
  EXPECT_TRUE(roster.coordinator_apart());
  EXPECT_FALSE(Roster::round_robin(2, options_of(2, 2, 1)).alone());
}

TEST(Roster, ListsEveryNodeWithASchedulerOnce) {
  Roster roster = Roster::round_robin(4, options_of(3, 1, 1));
  roster.schedulers = {2, 0, 2};
  EXPECT_THAT(roster.scheduler_nodes(), ElementsAre(0, 2));
}

Node node_of(std::uint32_t index, std::uint32_t nodes) {
  const auto options = options_of(3, 4, 1);
  return Node(index, Roster::round_robin(nodes, options), options, std::make_shared<ScriptedModel>(Script{}));
}

/// Its slices are scanned and the problem is known.
void begin(Node& node) {
  Effects effects;
  node.start(effects);
  support::run_tasks(effects);
  EXPECT_TRUE(node.on_message(wire::Start{}, effects));
  support::run_tasks(effects);
}

TEST(Node, ScansTheSlicesOfItsSchedulers) {
  Effects effects;
  node_of(0, 2).start(effects);
  EXPECT_THAT(effects.tasks, SizeIs(2)) << "schedulers 0 and 2 of 3";
  EXPECT_THAT(effects.messages, IsEmpty());
}

TEST(Node, PlacesItsModelBeforeTheSlicesAreMade) {
  const auto options = options_of(3, 4, 1);
  for (const std::uint32_t index : {0U, 1U, 2U}) {
    Script script;
    int placed = 0;
    script.on_place = [&](const Placement& placement) {
      ++placed;
      EXPECT_EQ(placement.workers, 4u);
      ASSERT_THAT(placement.slices, SizeIs(3));
      std::vector<VarId> all;
      for (const auto& slice : placement.slices) all.insert(all.end(), slice.begin(), slice.end());
      std::ranges::sort(all);
      EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5));
      const std::vector<std::uint32_t> here(placement.workers_here.begin(), placement.workers_here.end());
      EXPECT_EQ(here, (std::vector<std::vector<std::uint32_t>>{{0, 3}, {1}, {2}}[index]));
    };
    // The scripted model checks that none of its slices exists yet.
    const Node node(index, Roster::round_robin(3, options), options, std::make_shared<ScriptedModel>(script));
    EXPECT_EQ(placed, 1);
    ASSERT_NE(node.scheduler(index), nullptr);
  }
}

wire::Deltas deltas_of(Round round) {
  wire::Deltas deltas;
  deltas.round = round;
  return deltas;
}

wire::Commit commit_of(Version version, std::uint32_t scheduler) {
  wire::Commit commit;
  commit.version = version;
  commit.scheduler = scheduler;
  return commit;
}

TEST(Node, CountsAndDropsMessagesForRolesOfOtherNodes) {
  auto node = node_of(1, 2);
  Effects effects;
  EXPECT_FALSE(node.on_message(wire::Ready{}, effects));
  EXPECT_FALSE(node.on_message(wire::SliceStatus{}, effects));
  EXPECT_FALSE(node.on_message(deltas_of(0), effects));
  EXPECT_FALSE(node.on_message(deltas_of(5), effects));
  EXPECT_FALSE(node.on_message(wire::Finish{.scheduler = 2}, effects));
  EXPECT_EQ(node.dropped_messages(), 5u);
  EXPECT_THAT(effects.messages, IsEmpty());
  EXPECT_THAT(effects.tasks, IsEmpty());
}

TEST(Node, CountsAndDropsMessagesOfTheTransport) {
  auto node = node_of(0, 2);
  Effects effects;
  EXPECT_FALSE(node.on_message(wire::Hello{}, effects));
  EXPECT_FALSE(node.on_message(wire::Beat{}, effects));
  EXPECT_FALSE(node.on_message(wire::Roster{}, effects));
  EXPECT_FALSE(node.on_message(wire::Leave{}, effects));
  EXPECT_EQ(node.dropped_messages(), 4u);
  EXPECT_THAT(effects.messages, IsEmpty());
}

TEST(Node, CountsAndDropsWhatNoPeerOfTheRunCanHaveSent) {
  auto node = node_of(0, 2);
  Effects effects;
  EXPECT_FALSE(node.on_message(wire::Ready{.scheduler = 3, .summary = {}}, effects));
  EXPECT_FALSE(node.on_message(wire::SliceStatus{.scheduler = 3, .status = {}}, effects));
  EXPECT_FALSE(node.on_message(deltas_of(-3), effects));
  EXPECT_FALSE(node.on_message(deltas_of(0), effects));  // no round is open
  EXPECT_FALSE(node.on_message(wire::Finish{.scheduler = 3}, effects));
  EXPECT_FALSE(node.on_message(commit_of(-1, 2), effects));
  EXPECT_FALSE(node.on_message(commit_of(4, 0), effects));
  EXPECT_FALSE(node.on_message(commit_of(4, 77), effects));
  EXPECT_FALSE(node.on_message(wire::Resend{.node = 2}, effects));
  EXPECT_FALSE(node.on_message(wire::Assign{.round = -1, .block = {}}, effects));
  EXPECT_FALSE(node.on_message(wire::Assign{.worker = 4, .block = {}}, effects));
  EXPECT_FALSE(node.on_message(wire::Assign{.base = 0, .block = {}}, effects));
  EXPECT_FALSE(node.on_message(wire::Assign{.block = {{6}, {}}}, effects));
  wire::Phase phase;
  phase.verdict = 3;
  EXPECT_FALSE(node.on_message(phase, effects));
  phase.verdict = 0;
  phase.blocks_max = 0;
  EXPECT_FALSE(node.on_message(phase, effects));
  EXPECT_EQ(node.dropped_messages(), 15u);
  EXPECT_THAT(effects.messages, IsEmpty());
  EXPECT_THAT(effects.tasks, IsEmpty());
}

TEST(Node, AVerdictOfAnotherBarrierIsDroppedAndTheRightOneStillTaken) {
  auto node = node_of(0, 2);
  begin(node);
  Effects effects;
  wire::Phase stop;
  stop.verdict = 2;
  stop.version = 4;
  node.on_message(stop, effects);
  EXPECT_FALSE(node.stopped());
  EXPECT_EQ(node.dropped_messages(), 1u);
  stop.version = -1;
  node.on_message(stop, effects);
  EXPECT_TRUE(node.stopped());
}

TEST(Node, AVerdictOfAnUnknownKindOfRoundsIsCountedAndDropped) {
  auto node = node_of(3, 4);  // without schedulers, which would have to report first
  Effects effects;
  wire::Phase phase;
  phase.mode = 3;
  node.on_message(phase, effects);
  EXPECT_EQ(node.dropped_messages(), 1u);
  phase.mode = 2;
  node.on_message(phase, effects);
  EXPECT_EQ(node.dropped_messages(), 1u) << "waits for the start";
}

TEST(Node, ARepeatedStartIsCountedAndDropped) {
  auto node = node_of(0, 2);
  begin(node);
  Effects effects;
  EXPECT_TRUE(node.on_message(wire::Start{}, effects)) << "a repetition is no offence";
  EXPECT_THAT(effects.tasks, IsEmpty());
  EXPECT_EQ(node.dropped_messages(), 1u);
}

TEST(Node, AStartBeforeTheSlicesAreScannedIsOfNoCoordinator) {
  auto node = node_of(0, 2);
  Effects effects;
  node.start(effects);
  EXPECT_FALSE(node.on_message(wire::Start{}, effects));
  support::run_tasks(effects);
  EXPECT_FALSE(node.started());
  EXPECT_TRUE(node.on_message(wire::Start{}, effects));
  EXPECT_TRUE(node.started());
}

TEST(Node, AVerdictBeforeTheSlicesHaveReportedIsOfNoCoordinator) {
  auto node = node_of(0, 2);
  Effects effects;
  node.start(effects);
  support::run_tasks(effects);
  EXPECT_TRUE(node.on_message(wire::Start{}, effects));
  const std::size_t refreshes = effects.tasks.size();
  EXPECT_FALSE(node.on_message(wire::Phase{}, effects)) << "its slices are still being refreshed";
  EXPECT_EQ(effects.tasks.size(), refreshes) << "no plan is made";
  support::run_tasks(effects);
  wire::Phase next;
  next.phase = 1;
  next.blocks_max = 1;
  EXPECT_FALSE(node.on_message(next, effects)) << "they have reported for the first barrier alone";
  next.phase = 0;
  EXPECT_TRUE(node.on_message(next, effects));
  EXPECT_EQ(node.phases_seen(), 1U);
}

TEST(Node, AStoppedNodeHearsNothing) {
  auto node = node_of(1, 2);
  begin(node);
  Effects effects;
  wire::Phase stop;
  stop.verdict = 2;
  node.on_message(stop, effects);
  EXPECT_TRUE(node.stopped());
  effects = {};
  node.on_message(wire::Assign{}, effects);
  EXPECT_THAT(effects.tasks, IsEmpty());
}

/// Node 1 of 2 in a run with one scheduler: it has a worker only, so that nobody waits for it at a barrier.
class NodeWithoutSchedulers : public testing::Test {
 protected:
  template <class M>
  void get(const M& message) {
    node_.on_message(message, effects_);
  }
  void assign(Round round, Version base) {
    wire::Assign message;
    message.round = round;
    message.base = base;
    message.block = {{3}, {}};
    node_.on_message(message, effects_);
  }
  void commit_zero() {
    wire::Commit commit;
    commit.step = 1;
    commit.changes = {{0}, {1.0}};
    get(commit);
  }
  static wire::Phase verdict(std::uint32_t number, Version version, std::uint8_t verdict) {
    wire::Phase phase;
    phase.phase = number;
    phase.version = version;
    phase.verdict = verdict;
    phase.rounds_max = 1;
    return phase;
  }
  std::vector<std::string> out() {
    support::run_tasks(effects_);
    return support::texts_of(effects_);
  }

  Script script_;
  Node node_{1, Roster::round_robin(2, options_of(1, 2, 1)), options_of(1, 2, 1),
             std::make_shared<ScriptedModel>(script_)};
  Effects effects_;
};

TEST_F(NodeWithoutSchedulers, KeepsAVerdictThatComesBeforeTheStart) {
  get(verdict(0, -1, 0));
  assign(0, -1);
  EXPECT_THAT(out(), IsEmpty());
  get(wire::Start{});
  EXPECT_THAT(out(), ElementsAre("scheduler 0 <- Deltas round=0 index=0 predicted=1 flops=2 bytes=0 updates=1 "
                                 "deltas.ids=[3] deltas.values=[1] tally=[]"));
}

TEST_F(NodeWithoutSchedulers, DoesNotAskForVerdictsThatWaitForCommits) {
  get(wire::Start{});
  get(verdict(0, -1, 0));
  get(verdict(1, 0, 0));
  node_.on_quiet(effects_);
  EXPECT_THAT(out(), ElementsAre("node 0 <- Resend node=1 started=1 version=-1 phases=2"));
}

TEST_F(NodeWithoutSchedulers, RecomputesAfterTheCommitsOfThePhaseThatEnded) {
  get(wire::Start{});
  get(verdict(0, -1, 0));
  get(verdict(1, 0, 1));
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_EQ(script_.calls->recomputed, 0);
  commit_zero();
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_EQ(script_.calls->recomputed, 1);
}

TEST_F(NodeWithoutSchedulers, ComputesOnTheRecomputedReplica) {
  get(wire::Start{});
  get(verdict(0, -1, 0));
  commit_zero();
  support::run_tasks(effects_);
  assign(1, 0);  // the other node's scheduler is ahead
  get(verdict(1, 0, 1));
  get(verdict(2, 0, 0));
  EXPECT_THAT(out(), ElementsAre("scheduler 0 <- Deltas round=1 index=0 predicted=1 flops=2 bytes=0 updates=1 "
                                 "deltas.ids=[3] deltas.values=[102] tally=[]"))
      << "the scripted model adds 100 when it recomputes";
}

TEST_F(NodeWithoutSchedulers, CountsAndDropsARepeatedVerdict) {
  get(wire::Start{});
  get(verdict(0, -1, 0));
  get(verdict(0, -1, 0));
  get(verdict(2, 0, 2));
  get(verdict(2, 0, 2));
  EXPECT_EQ(node_.dropped_messages(), 2u);
  EXPECT_FALSE(node_.stopped()) << "verdict 1 is missing";
}

/// --- stories of a whole cluster ---

struct Shape {
  EngineOptions engine;
  std::uint32_t nodes = 1;
};

ClusterRun story(const Script& script, const Shape& shape, ClusterOptions options = {}) {
  options.engine = shape.engine;
  options.nodes = shape.nodes;
  return run_cluster([&script] { return std::make_shared<ScriptedModel>(script); }, options);
}

std::vector<std::string> transcript(const ClusterRun& run) {
  std::vector<std::string> lines;
  for (const auto& message : run.log) lines.push_back(wire::to_text(message));
  return lines;
}

TEST(ClusterStory, OneRoundFromTheScanToTheStop) {
  Script script;
  script.variables = 2;
  script.phases = {go_on(1)};
  const auto run = story(script, {options_of(1, 1, 1)});
  EXPECT_THAT(
      transcript(run),
      ElementsAre(
          "Ready scheduler=0 summary.ids=[0 1] summary.values=[]", "Start problem.ids=[1] problem.values=[]",
          "SliceStatus scheduler=0 phase=0 version=-1 verified=0 last=0 flops=10 planned_early=0 rounds=0 "
          "status.ids=[0 1] status.values=[0 0]",
          "Phase phase=0 version=-1 verdict=0 mode=0 blocks_max=1 rounds_max=1 updates_max=0 plan.ids=[] "
          "plan.values=[] keeper=4294967295",
          "Assign round=0 index=0 worker=0 base=-1 kind=0 sweeps=1 tolerance=0 block.ids=[0 1] block.values=[]",
          "Deltas round=0 index=0 predicted=2 flops=4 bytes=0 updates=2 deltas.ids=[0 1] deltas.values=[1 1] tally=[]",
          "Commit version=0 scheduler=0 blocks=1 ends_phase=0 last=0 step=1 objective=998 predicted=2 realised=2 "
          "flops=5 flops_path=4 updates=2 updates_path=2 changes.ids=[0 1] changes.values=[1 1] tally=[]",
          "SliceStatus scheduler=0 phase=1 version=0 verified=0 last=0 flops=10 planned_early=0 rounds=1 "
          "status.ids=[0 1] status.values=[1 1]",
          "Phase phase=1 version=0 verdict=2 mode=0 blocks_max=1 rounds_max=1 updates_max=0 plan.ids=[] "
          "plan.values=[] keeper=4294967295"));
  EXPECT_TRUE(run.ended);
  EXPECT_TRUE(run.all_stopped);
  EXPECT_EQ(run.dropped, 0u);
}

TEST(ClusterStory, SchedulersTakeTurns) {
  Script script;
  script.phases = {go_on(7)};
  const auto run = story(script, {options_of(3, 2, 1)});
  std::vector<std::uint32_t> turns;
  for (const auto& commit : run.all<wire::Commit>()) turns.push_back(commit.scheduler);
  EXPECT_THAT(turns, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(ClusterStory, ARequestToFinishEndsTheRunWithACommit) {
  Script script;
  script.phases = {go_on(1000)};
  ClusterOptions options;
  options.finish_at = 5;
  const auto run = story(script, {options_of(2, 2, 2)}, options);
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(run.end.stop_reason, "limit");
  EXPECT_LT(run.end.totals.rounds, 10u);
  EXPECT_TRUE(run.all_stopped);
}

TEST(ClusterStory, ARequestBeforeAnythingElseEndsAtTheFirstBarrier) {
  Script script;
  script.phases = {go_on(1000)};
  ClusterOptions options;
  options.finish_at = -1;
  const auto run = story(script, {options_of(2, 2, 1), 2}, options);
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(run.end.totals.rounds, 0u);
}

TEST(ClusterStory, RoundsMaxIsTheNumberOfCommits) {
  Script script;
  script.phases = {go_on(3), go_on(1000)};
  auto engine = options_of(3, 2, 2);
  engine.rounds_max = 8;
  const auto run = story(script, {engine, 2});
  EXPECT_EQ(run.end.totals.rounds, 8u);
  EXPECT_EQ(run.end.stop_reason, "limit");
}

TEST(ClusterStory, FewerVariablesThanSchedulers) {
  Script script;
  script.variables = 2;
  script.phases = {go_on(10), go_on(10)};
  const auto run = story(script, {options_of(5, 3, 2), 3});
  ASSERT_TRUE(run.ended);
  EXPECT_EQ(run.end.totals.rounds, 20u);
  EXPECT_EQ(run.end.totals.empty_rounds, 12u) << "slices 2, 3 and 4 hold nothing";
}

struct Wild {
  std::uint32_t nodes, schedulers, workers, depth;
};

class AnyOrder : public testing::TestWithParam<Wild> {
 protected:
  Shape shape() const {
    return {options_of(GetParam().schedulers, GetParam().workers, GetParam().depth), GetParam().nodes};
  }
  /// Runs many seeds and compares each with the run on one node in the order of sending.
  void expect_the_same(ClusterOptions options, std::uint64_t seeds = 30) {
    auto one = shape();
    one.nodes = 1;
    const auto expected = outcome(story(eventful(), one));
    ASSERT_GE(expected.size(), 12u);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      options.seed = seed;
      const auto run = story(eventful(), shape(), options);
      ASSERT_EQ(outcome(run), expected) << "seed " << seed;
      ASSERT_TRUE(run.all_stopped) << "seed " << seed;
    }
  }
};

TEST_P(AnyOrder, OneNodeOrManyCommitTheSame) {
  expect_the_same({}, 1);
}

TEST_P(AnyOrder, LinksThatKeepTheirOrderCommitTheSame) {
  expect_the_same({.order = Order::per_link});
}

TEST_P(AnyOrder, MessagesInAnyOrderCommitTheSame) {
  expect_the_same({.order = Order::any});
}

TEST_P(AnyOrder, RepeatedMessagesCommitTheSame) {
  expect_the_same({.order = Order::any, .duplicates = 0.3});
}

TEST_P(AnyOrder, DelayedMessagesCommitTheSame) {
  expect_the_same({.order = Order::any, .duplicates = 0.1, .delays = 0.2, .encode_messages = true});
}

INSTANTIATE_TEST_SUITE_P(Clusters, AnyOrder,
                         testing::Values(Wild{1, 1, 1, 1}, Wild{1, 3, 4, 2}, Wild{2, 1, 4, 1}, Wild{2, 2, 3, 2},
                                         Wild{3, 2, 5, 1}, Wild{3, 3, 3, 3}, Wild{4, 4, 8, 4}, Wild{4, 2, 2, 2}),
                         [](const auto& wild) {
                           std::ostringstream name;
                           name << 'N' << wild.param.nodes << 'S' << wild.param.schedulers << 'P' << wild.param.workers
                                << 'D' << wild.param.depth;
                           return name.str();
                         });

}  // namespace
}  // namespace strads::engine
