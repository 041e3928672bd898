#include "engine/rounds/coordinator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cluster.hpp"
#include "support/scripted_model.hpp"

namespace strads::engine {
namespace {

using support::go_on;
using support::Script;
using support::ScriptedModel;
using support::texts_of;
using support::verify;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// Two schedulers on two nodes.
class CoordinatorStory : public testing::Test {
 protected:
  void begin(Script script) {
    EngineOptions options;
    options.schedulers = 2;
    options.workers = 2;
    Roster roster = Roster::round_robin(2, options);
    if (apart_) roster.coordinator = 2;
    coordinator_ = std::make_unique<Coordinator>(options, roster, ScriptedModel(std::move(script)).make_judge());
  }
  /// The same, and START was sent.
  void start(Script script) {
    begin(std::move(script));
    ready(0);
    ready(1);
    effects_ = {};
  }
  void ready(std::uint32_t scheduler) {
    wire::Ready message;
    message.scheduler = scheduler;
    coordinator_->on_message(message, effects_);
  }
  void status(std::uint32_t scheduler, std::uint32_t phase, Version version, bool last = false) {
    wire::SliceStatus message;
    message.scheduler = scheduler;
    message.phase = phase;
    message.version = version;
    message.last = last ? 1 : 0;
    message.flops = 10;
    message.planned_early = 3;
    message.status = {{scheduler}, {}};
    coordinator_->on_message(message, effects_);
  }
  void commit(Version version, double realised = 1) {
    wire::Commit message;
    message.version = version;
    message.scheduler = static_cast<std::uint32_t>(version % 2);
    message.blocks = 2;
    message.step = 1;
    message.realised = realised;
    message.flops = 100;
    message.flops_path = 60;
    message.updates = 5;
    message.updates_path = 4;
    message.tally = {1, static_cast<std::uint64_t>(version)};
    honest_ = coordinator_->on_message(message, effects_);
  }
  std::vector<std::string> out() {
    auto texts = texts_of(effects_);
    effects_.messages.clear();
    return texts;
  }

  bool apart_ = false;
  bool honest_ = true;  ///< what on_message() said of the last commit
  std::unique_ptr<Coordinator> coordinator_;
  Effects effects_;
};

TEST_F(CoordinatorStory, DropsWhatNobodyCanHaveSentBeforeTheStart) {
  begin({});
  status(0, 0, -1);
  status(1, 0, -1);
  commit(0);
  EXPECT_FALSE(honest_);
  EXPECT_EQ(coordinator_->dropped_messages(), 3U);
  EXPECT_EQ(coordinator_->counted(), -1);
  EXPECT_EQ(coordinator_->phases(), 0U) << "the judge was not asked: it knows no problem yet";
}

TEST_F(CoordinatorStory, StartsEveryNodeWhenAllSlicesAreReady) {
  begin({});
  ready(1);
  EXPECT_THAT(out(), IsEmpty());
  ready(0);
  EXPECT_THAT(out(), ElementsAre("node 0 <- Start problem.ids=[2] problem.values=[]",
                                 "node 1 <- Start problem.ids=[2] problem.values=[]"));
  ASSERT_THAT(effects_.progress, SizeIs(1));
  EXPECT_EQ(effects_.progress[0].kind, ProgressEvent::Kind::started);
}

TEST_F(CoordinatorStory, ARepeatedReadyStartsNothing) {
  begin({});
  ready(0);
  ready(0);
  EXPECT_THAT(out(), IsEmpty());
  ready(1);
  EXPECT_THAT(out(), SizeIs(2));
  ready(1);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(CoordinatorStory, AReadyOfAnUnknownSchedulerIsDropped) {
  begin({});
  ready(0);
  ready(2);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(CoordinatorStory, EndsWithTheStatusOfAJudgeThatRefuses) {
  Script script;
  script.refusal = Status::input("nothing to fit");
  begin(script);
  ready(0);
  ready(1);
  EXPECT_THAT(out(), IsEmpty());
  ASSERT_TRUE(effects_.end.has_value());
  EXPECT_EQ(effects_.end->status.message(), "nothing to fit");
}

TEST_F(CoordinatorStory, JudgesWhenAllStatusesAreIn) {
  Script script;
  script.phases = {go_on(5, 2)};
  start(script);
  status(1, 0, -1);
  EXPECT_THAT(out(), IsEmpty());
  status(0, 0, -1);
  const char* phase =
      "Phase phase=0 version=-1 verdict=0 mode=0 blocks_max=2 rounds_max=5 updates_max=0 plan.ids=[] plan.values=[] "
      "keeper=4294967295";
  EXPECT_THAT(out(), ElementsAre(std::string("node 0 <- ") + phase, std::string("node 1 <- ") + phase));
}

TEST_F(CoordinatorStory, WaitsForTheCommitsThatTheStatusesKnow) {
  Script script;
  script.phases = {go_on(2), go_on(2)};
  start(script);
  status(0, 0, -1);
  status(1, 0, -1);
  out();
  status(0, 1, 1);
  status(1, 1, 1);
  commit(0);
  EXPECT_THAT(out(), IsEmpty());
  commit(1);
  EXPECT_THAT(out(), ElementsAre(StartsWith("node 0 <- Phase phase=1 version=1"),
                                 StartsWith("node 1 <- Phase phase=1 version=1")));
}

TEST_F(CoordinatorStory, CountsCommitsInTheOrderOfVersions) {
  start({});
  commit(2, 4.0);
  commit(1, 2.0);
  EXPECT_THAT(effects_.progress, IsEmpty());
  commit(0, 1.0);
  ASSERT_THAT(effects_.progress, SizeIs(3));
  for (Version v = 0; v <= 2; ++v) EXPECT_EQ(effects_.progress[static_cast<std::size_t>(v)].version, v);
  EXPECT_EQ(effects_.progress[2].totals.rounds, 3u);
  EXPECT_EQ(effects_.progress[2].totals.updates, 15u);
  EXPECT_EQ(effects_.progress[2].totals.updates_path, 12u);
  EXPECT_EQ(effects_.progress[2].totals.flops, 300u);
  EXPECT_EQ(effects_.progress[2].totals.flops_path, 180u);
  EXPECT_EQ(effects_.progress[2].totals.rounds_parallel, 3u);
  EXPECT_THAT(effects_.progress[2].totals.tally, ElementsAre(3u, 3u));
}

TEST_F(CoordinatorStory, CountsARepeatedCommitOnce) {
  start({});
  commit(0);
  commit(0);
  commit(2);
  commit(2);
  commit(1);
  EXPECT_THAT(effects_.progress, SizeIs(3));
  EXPECT_EQ(effects_.progress.back().totals.rounds, 3u);
}

TEST_F(CoordinatorStory, StatusesOfAnotherBarrierAreDropped) {
  Script script;
  script.phases = {go_on(1)};
  start(script);
  status(0, 1, -1);
  status(1, 1, -1);
  EXPECT_THAT(out(), IsEmpty());
  status(0, 0, -1);
  status(1, 0, -1);
  EXPECT_THAT(out(), SizeIs(2));
  status(0, 0, -1);
  status(1, 0, -1);
  EXPECT_THAT(out(), IsEmpty()) << "repeated after the verdict";
}

TEST_F(CoordinatorStory, AskedToVerifyItJudgesTheSameVersionAgain) {
  Script script;
  script.phases = {verify(), go_on(3)};
  start(script);
  status(0, 0, -1);
  status(1, 0, -1);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Phase phase=0 version=-1 verdict=1"), HasSubstr("verdict=1")));
  status(0, 1, -1);
  status(1, 1, -1);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("Phase phase=1 version=-1 verdict=0"), HasSubstr("verdict=0")));
}

TEST_F(CoordinatorStory, EndsWithTheStatusesInSliceOrder) {
  start({});
  status(1, 0, -1);
  status(0, 0, -1);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("verdict=2"), HasSubstr("verdict=2")));
  ASSERT_TRUE(effects_.end.has_value());
  EXPECT_TRUE(effects_.end->status.ok());
  EXPECT_EQ(effects_.end->stop_reason, "script over");
  EXPECT_THAT(effects_.end->statuses, ElementsAre(Payload{{0}, {}}, Payload{{1}, {}}));
  EXPECT_EQ(effects_.end->totals.planned_early, 6u);
  EXPECT_EQ(effects_.end->totals.flops, 20u);
}

TEST_F(CoordinatorStory, ARequestToFinishGoesToEverySchedulerOnce) {
  start({});
  coordinator_->request_finish(effects_);
  coordinator_->request_finish(effects_);
  EXPECT_THAT(out(),
              ElementsAre("scheduler 0 <- Finish scheduler=0 reason=0", "scheduler 1 <- Finish scheduler=1 reason=0"));
}

TEST_F(CoordinatorStory, ARequestToFinishStopsAtTheNextBarrier) {
  Script script;
  script.phases = {go_on(3), go_on(3)};
  start(script);
  coordinator_->request_finish(effects_);
  out();
  status(0, 0, -1);
  status(1, 0, -1);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("verdict=2"), HasSubstr("verdict=2")));
  EXPECT_EQ(effects_.end->stop_reason, "limit");
}

TEST_F(CoordinatorStory, TheRunsLastCommitIsALimit) {
  Script script;
  script.phases = {go_on(3), go_on(3)};
  start(script);
  status(0, 0, -1, true);
  status(1, 0, -1);
  out();
  EXPECT_EQ(effects_.end->stop_reason, "limit");
}

TEST_F(CoordinatorStory, SumsOfAPhaseBeginAnewWithTheNext) {
  Script script;
  script.phases = {go_on(1), go_on(1), go_on(1)};
  start(script);
  status(0, 0, -1);
  status(1, 0, -1);
  commit(0, 4.0);
  status(0, 1, 0);
  status(1, 1, 0);
  EXPECT_EQ(effects_.progress.back().certificate.objective, 4.0) << "the script shows the phase's realised decrease";
  commit(1, 8.0);
  status(0, 2, 1);
  status(1, 2, 1);
  EXPECT_EQ(effects_.progress.back().certificate.objective, 8.0);
}

/// A driver: the coordinator is rank 2, beside nodes 0 and 1 with one scheduler each.
class DriverStory : public CoordinatorStory {
 protected:
  DriverStory() { apart_ = true; }
  std::vector<std::string> quiet() {
    coordinator_->on_quiet(effects_);
    return out();
  }
  std::vector<std::string> resend(std::uint32_t node, bool started, std::uint32_t phases) {
    coordinator_->on_message(wire::Resend{node, static_cast<std::uint8_t>(started ? 1 : 0), -1, phases}, effects_);
    return out();
  }
};

TEST_F(DriverStory, AsksForNothingBeforeTheStart) {
  begin({});
  ready(0);
  EXPECT_THAT(quiet(), IsEmpty());
}

TEST_F(DriverStory, AsksEveryNodeWithASchedulerForTheCommitsItLacks) {
  Script script;
  script.phases = {go_on(3)};
  begin(script);
  ready(0);
  ready(1);
  status(0, 0, -1);
  status(1, 0, -1);
  commit(0);
  commit(2);
  out();
  EXPECT_THAT(quiet(), ElementsAre("node 0 <- Resend node=2 started=1 version=0 phases=1",
                                   "node 1 <- Resend node=2 started=1 version=0 phases=1"));
  EXPECT_EQ(coordinator_->counted(), 0);
  EXPECT_EQ(coordinator_->phases(), 1u);
}

TEST_F(CoordinatorStory, OnANodeTheReplicaAsksForCommits) {
  begin({});
  ready(0);
  ready(1);
  out();
  coordinator_->on_quiet(effects_);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(DriverStory, SendsTheStartAndTheVerdictsThatANodeLacks) {
  Script script;
  script.phases = {verify(), verify(), go_on(3)};
  begin(script);
  EXPECT_THAT(resend(1, false, 0), IsEmpty()) << "nothing has been decided";
  ready(0);
  ready(1);
  for (std::uint32_t phase = 0; phase < 3; ++phase) {
    status(0, phase, -1);
    status(1, phase, -1);
  }
  out();
  EXPECT_THAT(resend(1, false, 1), ElementsAre(StartsWith("node 1 <- Start"), StartsWith("node 1 <- Phase phase=1"),
                                               StartsWith("node 1 <- Phase phase=2")));
  EXPECT_EQ(coordinator_->repeated_messages(), 3u);
  EXPECT_THAT(resend(0, true, 3), IsEmpty());
  EXPECT_THAT(resend(2, false, 0), IsEmpty()) << "no node has this rank";
  EXPECT_EQ(coordinator_->dropped_messages(), 1u);
}

TEST_F(DriverStory, ForgetsVerdictsThatEveryNodeHas) {
  Script script;
  script.phases = {verify(), verify(), verify()};
  start(script);
  for (std::uint32_t phase = 0; phase < 3; ++phase) {
    status(0, phase, -1);
    status(1, phase, -1);
  }
  out();
  EXPECT_EQ(coordinator_->verdicts_kept(), 3u);
  coordinator_->forget(2);
  EXPECT_EQ(coordinator_->verdicts_kept(), 1u);
  EXPECT_THAT(resend(0, true, 0), ElementsAre(StartsWith("node 0 <- Phase phase=2")));
}

TEST_F(DriverStory, StillSendsTheStopThatANodeLacks) {
  start({});
  status(0, 0, -1);
  status(1, 0, -1);
  ASSERT_TRUE(coordinator_->ended());
  out();
  EXPECT_THAT(quiet(), IsEmpty());
  EXPECT_THAT(resend(1, true, 0), ElementsAre(HasSubstr("verdict=2")));
  commit(0);
  EXPECT_EQ(coordinator_->counted(), -1) << "the run is over";
}

TEST_F(DriverStory, RepeatsTheRequestToFinishWhenItIsQuiet) {
  begin({});
  coordinator_->request_finish(effects_);
  const auto asked = out();
  EXPECT_EQ(quiet(), asked);
  EXPECT_EQ(coordinator_->repeated_messages(), 2u);
}

TEST_F(DriverStory, RepeatsTheRequestToFinishWhenRoundsGoOn) {
  Script script;
  script.phases = {go_on(100)};
  start(script);
  commit(0);
  coordinator_->request_finish(effects_);
  const auto asked = out();
  for (Version version = 1; version <= 3; ++version) commit(version);
  EXPECT_THAT(out(), IsEmpty()) << "these may have been on their way";
  commit(4);
  EXPECT_EQ(out(), asked);
}

TEST_F(DriverStory, DropsMessagesThatNoCoordinatorGets) {
  begin({});
  coordinator_->on_message(wire::Assign{}, effects_);
  coordinator_->on_message(wire::Beat{}, effects_);
  wire::Commit commit;
  commit.scheduler = 2;
  coordinator_->on_message(commit, effects_);
  EXPECT_EQ(coordinator_->dropped_messages(), 3u);
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_EQ(coordinator_->progress_mark(), 0u);
}

}  // namespace
}  // namespace strads::engine
