// What a node does when messages were lost: what it repeats, what it asks for, what it answers, what it keeps for that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rounds/node.hpp"
#include "support/cluster.hpp"
#include "support/scripted_model.hpp"

namespace strads::engine {
namespace {

using support::go_on;
using support::Script;
using support::ScriptedModel;
using support::texts_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// Node 0 of 3: scheduler 0 and a worker; the coordinator is rank 3, a process of its own. Messages go in by hand, what
/// goes out is read as text. Three workers, one variable a block: blocks go to nodes 0, 1 and 2.
class NodeStory : public testing::Test {
 protected:
  explicit NodeStory(std::uint32_t coordinator = 3) {
    EngineOptions options;
    options.schedulers = 1;
    options.workers = 3;
    Roster roster = Roster::round_robin(3, options);
    roster.coordinator = coordinator;
    script_.variables = 3;
    script_.workload = [](VarId j) { return 3.0 - j; };
    script_.phases = {go_on(2, 3)};
    node_ = std::make_unique<Node>(0, roster, options, std::make_shared<ScriptedModel>(script_));
  }

  template <class M>
  std::vector<std::string> get(const M& message) {
    node_->on_message(message, effects_);
    return out();
  }
  std::vector<std::string> out() {
    support::run_tasks(effects_);
    auto texts = texts_of(effects_);
    sent_ = std::move(effects_.messages);
    effects_ = {};
    return texts;
  }
  std::vector<std::string> quiet() {
    node_->on_quiet(effects_);
    return out();
  }
  std::vector<std::string> start() {
    node_->start(effects_);
    return out();
  }
  static wire::Phase verdict(std::uint32_t number, Version version, std::uint8_t verdict) {
    wire::Phase phase;
    phase.phase = number;
    phase.version = version;
    phase.verdict = verdict;
    phase.blocks_max = 3;
    phase.rounds_max = 2;
    return phase;
  }
  static wire::Deltas deltas(Round round, std::uint32_t index) {
    wire::Deltas message;
    message.round = round;
    message.index = index;
    message.deltas = {{index}, {1.0}};
    return message;
  }
  /// Up to the open first round: what was sent last are its assignments.
  std::vector<std::string> first_round() {
    start();
    get(wire::Start{});
    return get(verdict(0, -1, 0));
  }
  /// The commit of the open round, which comes back to this node as well.
  void answer_all(Round round) {
    for (std::uint32_t index = 0; index < 3; ++index) get(deltas(round, index));
    for (const wire::Envelope& envelope : std::vector<wire::Envelope>(sent_)) {
      const auto* commit = std::get_if<wire::Commit>(&envelope.message);
      if (commit != nullptr && envelope.to == wire::Address{wire::Role::node, 0}) {
        commits_.push_back(*commit);
        get(*commit);
        return;
      }
    }
    FAIL() << "no commit";
  }

  Script script_;
  std::unique_ptr<Node> node_;
  Effects effects_;
  std::vector<wire::Envelope> sent_;
  std::vector<wire::Commit> commits_;
};

class NodeWithTheCoordinator : public NodeStory {
 protected:
  NodeWithTheCoordinator() : NodeStory(0) {}
};

constexpr const char* kReady = "coordinator 0 <- Ready scheduler=0";
constexpr const char* kAsksItself = "node 0 <- Resend node=0 ";
constexpr const char* kAsksTheDriver = "coordinator 0 <- Resend node=0 ";

TEST_F(NodeStory, RepeatsReadyUntilTheStart) {
  EXPECT_THAT(start(), ElementsAre(StartsWith(kReady)));
  EXPECT_THAT(quiet(), ElementsAre(StartsWith(kReady), StartsWith(kAsksItself), StartsWith(kAsksTheDriver)));
  EXPECT_EQ(node_->repeated_messages(), 1u);
  get(wire::Start{});
  for (const auto& text : quiet()) EXPECT_THAT(text, testing::Not(HasSubstr("Ready")));
}

TEST_F(NodeStory, SaysNothingOfAScanThatIsNotFinished) {
  node_->start(effects_);
  Effects quiet;
  node_->on_quiet(quiet);
  EXPECT_THAT(texts_of(quiet), ElementsAre(StartsWith(kAsksItself), StartsWith(kAsksTheDriver)));
}

TEST_F(NodeStory, SaysWhatItHasWhenItAsks) {
  start();
  EXPECT_EQ(quiet().back(), "coordinator 0 <- Resend node=0 started=0 version=-1 phases=0");
  get(wire::Start{});
  EXPECT_EQ(quiet().back(), "coordinator 0 <- Resend node=0 started=1 version=-1 phases=0");
  get(verdict(0, -1, 0));
  answer_all(0);
  EXPECT_EQ(quiet().back(), "coordinator 0 <- Resend node=0 started=1 version=0 phases=1");
}

TEST_F(NodeStory, RepeatsItsStatusUntilTheVerdict) {
  start();
  get(wire::Start{});
  EXPECT_THAT(quiet(), ElementsAre(StartsWith("coordinator 0 <- SliceStatus scheduler=0 phase=0 version=-1"),
                                   StartsWith(kAsksItself), StartsWith(kAsksTheDriver)));
  EXPECT_THAT(get(verdict(0, -1, 1)), ElementsAre(HasSubstr("SliceStatus scheduler=0 phase=1 version=-1 verified=1")));
  EXPECT_THAT(quiet(), ElementsAre(HasSubstr("SliceStatus scheduler=0 phase=1"), StartsWith(kAsksItself),
                                   StartsWith(kAsksTheDriver)));
  get(verdict(1, -1, 0));
  for (const auto& text : quiet()) EXPECT_THAT(text, testing::Not(HasSubstr("SliceStatus")));
}

TEST_F(NodeStory, RepeatsTheAssignmentsThatHaveNoAnswer) {
  const auto assigned = first_round();
  ASSERT_THAT(assigned, SizeIs(3));
  get(deltas(0, 1));
  EXPECT_THAT(quiet(), ElementsAre(assigned[0], assigned[2], StartsWith(kAsksItself), StartsWith(kAsksTheDriver)));
  EXPECT_EQ(node_->repeated_messages(), 2u);
}

TEST_F(NodeStory, SendsOpenAssignmentsToTheNewNodeOfTheirWorker) {
  const auto assigned = first_round();
  node_->on_roster({0, 2, 2}, effects_);
  EXPECT_THAT(out(), ElementsAre(assigned[1]));
  EXPECT_EQ(node_->roster().node_of({wire::Role::worker, 1}), 2u);
  get(deltas(0, 1));
  node_->on_roster({0, 1, 1}, effects_);
  EXPECT_THAT(out(), ElementsAre(assigned[2])) << "worker 1 has answered";
}

TEST_F(NodeStory, ARosterThatMovesNobodySendsNothing) {
  first_round();
  node_->on_roster({0, 1, 2}, effects_);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(NodeStory, ARosterThatCannotBeIsCountedAndDropped) {
  first_round();
  node_->on_roster({0, 1}, effects_);
  node_->on_roster({0, 1, 3}, effects_);
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_EQ(node_->dropped_messages(), 2u);
  EXPECT_THAT(node_->roster().workers, ElementsAre(0, 1, 2));
}

TEST_F(NodeStory, SendsCommitsToEveryNodeAndWithoutTheirChangesToTheDriver) {
  first_round();
  get(deltas(0, 0));
  get(deltas(0, 1));
  EXPECT_THAT(get(deltas(0, 2)),
              ElementsAre(HasSubstr("node 0 <- Commit version=0"), HasSubstr("node 1 <- Commit version=0"),
                          testing::AllOf(StartsWith("node 2 <- Commit"), HasSubstr("changes.ids=[0 1 2]")),
                          testing::AllOf(StartsWith("coordinator 0 <- Commit version=0"), HasSubstr("step=1"),
                                         HasSubstr("changes.ids=[] changes.values=[]"))));
}

TEST_F(NodeStory, AnswersANodeThatLacksCommits) {
  first_round();
  answer_all(0);
  answer_all(1);
  EXPECT_THAT(get(wire::Resend{.node = 2, .started = 1, .version = 0, .phases = 0}),
              ElementsAre(testing::AllOf(StartsWith("node 2 <- Commit version=1"), HasSubstr("changes.ids=[0 1 2]"))));
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = -1, .phases = 0}),
              ElementsAre(StartsWith("node 1 <- Commit version=0"), StartsWith("node 1 <- Commit version=1")));
  EXPECT_EQ(node_->repeated_messages(), 3u);
}

TEST_F(NodeStory, AnswersTheDriverWithoutTheChanges) {
  first_round();
  answer_all(0);
  EXPECT_THAT(
      get(wire::Resend{.node = 3, .started = 1, .version = -1, .phases = 0}),
      ElementsAre(testing::AllOf(StartsWith("coordinator 0 <- Commit version=0"), HasSubstr("changes.ids=[] "))));
}

TEST_F(NodeStory, AResendThatLacksNothingIsAnsweredWithNothing) {
  first_round();
  answer_all(0);
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = 0, .phases = 1}), IsEmpty());
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = 99, .phases = 99}), IsEmpty());
  EXPECT_EQ(node_->repeated_messages(), 0u);
}

TEST_F(NodeStory, AResendOfAStrangerIsCountedAndDropped) {
  first_round();
  answer_all(0);
  const std::uint64_t before = node_->dropped_messages();
  EXPECT_THAT(get(wire::Resend{.node = 4, .started = 0, .version = -1, .phases = 0}), IsEmpty());
  EXPECT_EQ(node_->dropped_messages(), before + 1);
}

TEST_F(NodeStory, WhatIsForgottenIsNotSentAgain) {
  first_round();
  answer_all(0);
  answer_all(1);
  node_->forget(0, 0);
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = -1, .phases = 0}),
              ElementsAre(StartsWith("node 1 <- Commit version=1")));
  node_->forget(1, 0);
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = -1, .phases = 0}), IsEmpty());
}

TEST_F(NodeStory, AStoppedNodeStillAnswersAndSaysNothingElse) {
  first_round();
  answer_all(0);
  answer_all(1);
  get(verdict(1, 1, 2));
  ASSERT_TRUE(node_->stopped());
  EXPECT_THAT(quiet(), IsEmpty());
  node_->on_roster({2, 2, 2}, effects_);
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_THAT(get(wire::Assign{.round = 5, .base = 1, .block = {}}), IsEmpty());
  EXPECT_THAT(get(wire::Resend{.node = 2, .started = 1, .version = 0, .phases = 1}),
              ElementsAre(StartsWith("node 2 <- Commit version=1")));
}

TEST_F(NodeStory, WaitsForAPlanFromItsTurnUntilThePlanIsMade) {
  start();
  get(wire::Start{});
  EXPECT_FALSE(node_->waiting_for_plan()) << "a barrier";
  node_->on_message(verdict(0, -1, 0), effects_);
  EXPECT_TRUE(node_->waiting_for_plan());
  out();
  EXPECT_FALSE(node_->waiting_for_plan()) << "blocks are out";
}

TEST(NodeWithTwoRoundsAtOnce, WaitsForThePlanOfTheSecondWhereDepthAllowsIt) {
  for (const std::uint32_t depth : {1U, 2U}) {
    EngineOptions options;
    options.schedulers = options.workers = 2;
    options.depth = depth;
    Script script;
    script.variables = 4;
    script.phases = {go_on(2, 2)};
    Node node(1, Roster::round_robin(2, options), options, std::make_shared<ScriptedModel>(script));
    Effects effects;
    node.start(effects);
    support::run_tasks(effects);
    node.on_message(wire::Start{}, effects);
    support::run_tasks(effects);
    wire::Phase phase;
    phase.version = -1;
    phase.blocks_max = 2;
    phase.rounds_max = 2;
    node.on_message(phase, effects);
    EXPECT_EQ(node.waiting_for_plan(), depth == 2) << "round 1 is its own";
    support::run_tasks(effects);
    EXPECT_FALSE(node.waiting_for_plan()) << "blocks are out, or it is not its turn";
  }
}

TEST_F(NodeStory, ProgressIsMarkedWhenSomethingChangesAndOnlyThen) {
  start();
  std::uint64_t mark = node_->progress_mark();
  const auto moved = [&] {
    const std::uint64_t before = std::exchange(mark, node_->progress_mark());
    return mark != before;
  };
  get(wire::Start{});
  EXPECT_TRUE(moved());
  get(wire::Start{});
  EXPECT_FALSE(moved()) << "a repeated START";
  quiet();
  EXPECT_FALSE(moved()) << "being quiet is no progress";
  get(verdict(0, -1, 0));
  EXPECT_TRUE(moved());
  get(deltas(0, 2));
  EXPECT_TRUE(moved());
  get(deltas(0, 2));
  get(wire::Resend{.node = 1, .started = 1, .version = -1, .phases = 0});
  get(wire::Beat{});
  EXPECT_FALSE(moved()) << "a repeated answer, a question, a message of the transport";
  get(wire::Assign{.round = 0, .index = 0, .block = {{0}, {}}});
  EXPECT_TRUE(moved()) << "a block was computed";
}

TEST_F(NodeStory, CountsWhatItsWorkerComputed) {
  first_round();
  get(wire::Assign{.round = 0, .index = 0, .block = {{0, 1}, {}}});
  get(wire::Assign{.round = 0, .index = 0, .block = {{0, 1}, {}}});
  EXPECT_EQ(node_->repeated_messages(), 1u) << "the answer was sent again";
  EXPECT_EQ(node_->blocks_computed(), 0u) << "a limit may still cut the round off";
  answer_all(0);
  EXPECT_EQ(node_->blocks_computed(), 1u);
  EXPECT_EQ(node_->updates_computed(), 2u);
}

TEST_F(NodeWithTheCoordinator, AsksItselfOnce) {
  start();
  EXPECT_THAT(quiet(), ElementsAre(StartsWith(kReady), StartsWith(kAsksItself)));
}

TEST_F(NodeWithTheCoordinator, AnswersWithTheStartTheVerdictsAndTheCommits) {
  start();
  get(sent_.at(0).message);
  get(sent_.at(0).message);  // START
  ASSERT_TRUE(node_->started());
  get(sent_.at(0).message);  // SLICE STATUS
  get(sent_.at(0).message);  // PHASE
  answer_all(0);
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 0, .version = -1, .phases = 0}),
              ElementsAre(StartsWith("node 1 <- Commit version=0"), StartsWith("node 1 <- Start"),
                          StartsWith("node 1 <- Phase phase=0")));
  node_->forget(0, 1);
  EXPECT_THAT(get(wire::Resend{.node = 1, .started = 1, .version = -1, .phases = 0}), IsEmpty());
}

TEST(OneProcessWithEverything, KeepsNothingForOthers) {
  EngineOptions options;
  options.workers = 1;
  Script script;
  script.phases = {go_on(3)};
  Node node(0, Roster::round_robin(1, options), options, std::make_shared<ScriptedModel>(script));
  Effects effects;
  node.start(effects);
  while (!node.stopped()) {
    support::run_tasks(effects);
    std::vector<wire::Envelope> messages;
    messages.swap(effects.messages);
    ASSERT_THAT(messages, testing::Not(IsEmpty()));
    for (const auto& envelope : messages) node.on_message(envelope.message, effects);
  }
  effects = {};
  node.on_message(wire::Resend{.node = 0, .started = 1, .version = -1, .phases = 0}, effects);
  EXPECT_THAT(texts_of(effects), IsEmpty());
}

}  // namespace
}  // namespace strads::engine
