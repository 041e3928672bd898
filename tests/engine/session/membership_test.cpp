#include "engine/session/membership.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/session/reached.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint8_t kBoth = wire::kAcceptsScheduler | wire::kAcceptsWorker;

wire::Hello hello(const std::string& name, std::uint8_t roles = kBoth) {
  wire::Hello hello;
  hello.name = name;
  hello.process = 7;
  hello.roles = roles;
  return hello;
}

EngineOptions shape(std::uint32_t schedulers, std::uint32_t workers) {
  EngineOptions engine;
  engine.schedulers = schedulers;
  engine.workers = workers;
  return engine;
}

/// Node 0 schedules; 0, 1 and 2 work: workers 0 1 2. The lease is 15 s.
class Run : public testing::Test {
 protected:
  Run() {
    membership_.join(hello("a"), 0);
    membership_.join(hello("b", wire::kAcceptsWorker), 0);
    membership_.join(hello("c", wire::kAcceptsWorker), 0);
    EXPECT_TRUE(membership_.begin().ok());
  }
  void hear(std::initializer_list<std::uint32_t> ranks, double now) {
    for (const std::uint32_t rank : ranks) membership_.heard(rank, now);
  }
  Membership membership_{shape(1, 3), 15};
};

TEST_F(Run, NothingFollowsWhileAllAreHeard) {
  hear({0, 1, 2}, 10);
  const auto outcome = membership_.look(11);
  EXPECT_THAT(outcome.notes, IsEmpty());
  EXPECT_EQ(outcome.roster, std::nullopt);
  EXPECT_EQ(outcome.end, std::nullopt);
}

TEST_F(Run, ASilentNodesWorkersGoToOthersAndTheRosterSaysSo) {
  hear({0, 2}, 4);
  const auto outcome = membership_.look(4);
  ASSERT_THAT(outcome.notes, SizeIs(1));
  EXPECT_EQ(outcome.notes[0].text, "rank 1 (b, process 7) is silent; its workers' blocks go to others");
  EXPECT_FALSE(outcome.notes[0].important);
  ASSERT_TRUE(outcome.roster.has_value());
  EXPECT_EQ(*outcome.roster, (wire::Roster{1, {0, 0, 2}, {}}));
  EXPECT_EQ(membership_.reassigned(), 1U);
}

TEST_F(Run, ASilentNodeIsReportedOnce) {
  hear({0, 2}, 4);
  (void)membership_.look(4);
  EXPECT_EQ(membership_.look(4.1).roster, std::nullopt);
}

TEST_F(Run, ALateNodeIsNamedOnce) {
  const auto outcome = membership_.on_late({2, 7});
  ASSERT_THAT(outcome.notes, SizeIs(1)) << "there is no rank 7";
  EXPECT_EQ(outcome.notes[0].text, "rank 2 (c, process 7) is late with its blocks; other nodes compute them as well");
  EXPECT_FALSE(outcome.notes[0].important);
  EXPECT_THAT(membership_.on_late({2}).notes, IsEmpty());
}

TEST_F(Run, TheLastRosterIsSaidAgainWhenNothingMoves) {
  EXPECT_EQ(membership_.on_quiet().roster, std::nullopt) << "the roster of the start came with START";
  hear({0, 2}, 4);
  const auto dealt = membership_.look(4).roster;
  EXPECT_EQ(membership_.on_quiet().roster, dealt);
  EXPECT_EQ(membership_.on_quiet().roster, dealt) << "under the same number";
  EXPECT_EQ(membership_.reassigned(), 1U);
}

TEST_F(Run, ANodeThatIsBackGetsItsWorkersBack) {
  hear({0, 2}, 4);
  (void)membership_.look(4);
  membership_.heard(1, 5);
  const auto outcome = membership_.look(5);
  ASSERT_THAT(outcome.notes, SizeIs(1));
  EXPECT_EQ(outcome.notes[0].text, "rank 1 (b, process 7) is back");
  EXPECT_EQ(*outcome.roster, (wire::Roster{2, {0, 1, 2}, {}}));
}

TEST_F(Run, AWorkerWithoutAWordForALeaseIsLostAndTheRosterNamesIt) {
  hear({0, 2}, 15);
  const auto outcome = membership_.look(15.1);
  EXPECT_THAT(outcome.newly_lost, ElementsAre(1));
  EXPECT_THAT(outcome.notes.at(0).text, HasSubstr("lost rank 1 (b, process 7): no word for 15.1 s"));
  EXPECT_TRUE(outcome.notes.at(0).important);
  EXPECT_EQ(*outcome.roster, (wire::Roster{1, {0, 0, 2}, {1}}));
  EXPECT_EQ(outcome.end, std::nullopt);
}

TEST_F(Run, ALostNodeDoesNotComeBack) {
  (void)membership_.lose(1, "signal 9");
  membership_.heard(1, 1);
  EXPECT_EQ(membership_.look(1).roster, std::nullopt);
  EXPECT_TRUE(membership_.members()[1].lost);
}

TEST_F(Run, ALostNodeIsLostOnce) {
  (void)membership_.lose(1, "signal 9");
  const auto again = membership_.lose(1, "signal 9");
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_EQ(again.roster, std::nullopt);
}

TEST_F(Run, ALostSchedulerEndsTheRunWithItsCause) {
  const auto outcome = membership_.lose(0, "the process ended: signal 9");
  ASSERT_TRUE(outcome.end.has_value());
  EXPECT_EQ(outcome.end->code(), StatusCode::cluster);
  EXPECT_THAT(outcome.end->message(), HasSubstr("lost rank 0 (a, process 7), scheduler 0, last seen joined: "
                                                "the process ended: signal 9"));
  EXPECT_EQ(outcome.roster, std::nullopt);
}

TEST_F(Run, AConnectionThatEndedMakesSilentAtOnceAndLostAfterAThirdOfTheLease) {
  membership_.closed(1, 1);
  hear({0, 2}, 1);
  EXPECT_EQ(membership_.look(1).roster->workers, (std::vector<std::uint32_t>{0, 0, 2}));
  hear({0, 2}, 6);
  EXPECT_THAT(membership_.look(5.9).newly_lost, IsEmpty());
  EXPECT_THAT(membership_.look(6.1).newly_lost, ElementsAre(1));
}

TEST_F(Run, AWordAfterTheEndOfAConnectionMakesItWhole) {
  membership_.closed(1, 1);
  membership_.heard(1, 1.5);
  EXPECT_EQ(membership_.look(2).roster, std::nullopt);
}

TEST_F(Run, ANodeThatLeavesInOrderIsReplaced) {
  const auto outcome = membership_.on_leave(1, {0, "SIGTERM"}, true);
  EXPECT_EQ(outcome.notes.at(0).text, "rank 1 (b, process 7) leaves: SIGTERM; its blocks go to other workers");
  EXPECT_EQ(outcome.end, std::nullopt);
  ASSERT_TRUE(outcome.roster.has_value());
  EXPECT_EQ(outcome.roster->workers, (std::vector<std::uint32_t>{0, 0, 2}));
  EXPECT_FALSE(membership_.wants_move()) << "it holds no scheduler";
  EXPECT_THAT(membership_.on_leave(1, {0, "SIGTERM"}, true).notes, IsEmpty()) << "it says so until it may go";
  EXPECT_THAT(membership_.let_go(), ElementsAre(1));
  EXPECT_THAT(membership_.let_go(), IsEmpty());
  EXPECT_EQ(membership_.too_late(1), wire::Leave{});
}

TEST_F(Run, ANodeThatLeavesWithAnErrorEndsTheRun) {
  const auto outcome = membership_.on_leave(1, {4, "no such file"}, true);
  EXPECT_EQ(outcome.end->message(), "rank 1 (b, process 7) left: no such file");
}

TEST_F(Run, GoodbyesAfterTheEndAreNoLosses) {
  EXPECT_TRUE(membership_.awaited(1, 1));
  const auto outcome = membership_.on_leave(1, {0, ""}, false);
  EXPECT_THAT(outcome.newly_lost, IsEmpty());
  EXPECT_FALSE(membership_.awaited(1, 1));
}

wire::Beat beat_in(const std::vector<std::pair<std::uint32_t, Reached>>& runs) {
  wire::Beat beat;
  beat.number = 9;
  for (const auto& [run, reached] : runs) add_run(beat, run, reached);
  return beat;
}

wire::Beat beat_of(std::uint64_t number, NodeStage stage, std::uint64_t updates) {
  wire::Beat beat;
  beat.number = number;
  beat.stage = static_cast<std::uint8_t>(stage);
  beat.updates = updates;
  return beat;
}

TEST_F(Run, ANodeHasReportedWithTheBeatThatSaysThatItLeaves) {
  (void)membership_.on_beat(1, beat_of(1, NodeStage::stopped, 7), {}, 1);
  EXPECT_FALSE(membership_.members()[1].reported);
  EXPECT_TRUE(membership_.awaited(1, 1));
  EXPECT_EQ(membership_.on_beat(1, beat_of(2, NodeStage::leaving, 9), {}, 1).number, 2U) << "the answer";
  EXPECT_TRUE(membership_.members()[1].reported);
  EXPECT_FALSE(membership_.awaited(1, 1)) << "goodbye or not";
}

TEST_F(Run, ABeatThatWasOvertakenChangesNoTotals) {
  (void)membership_.on_beat(1, beat_of(2, NodeStage::leaving, 9), {}, 1);
  (void)membership_.on_beat(1, beat_of(1, NodeStage::stopped, 7), {}, 1);
  EXPECT_EQ(membership_.members()[1].beat.updates, 9U);
  EXPECT_TRUE(membership_.members()[1].reported);
}

TEST_F(Run, ANodeWhoseProcessEndedWithoutAWordHasNotReported) {
  (void)membership_.on_beat(1, beat_of(1, NodeStage::stopped, 7), {}, 1);
  membership_.note_ended(1);
  EXPECT_FALSE(membership_.awaited(1, 1));
  EXPECT_FALSE(membership_.members()[1].reported);
}

TEST_F(Run, AGoodbyeIsNotAwaitedFromAConnectionThatDoesNotComeBack) {
  membership_.closed(2, 1);
  EXPECT_TRUE(membership_.awaited(2, 1.4));
  EXPECT_FALSE(membership_.awaited(2, 1.6));
}

TEST_F(Run, AnExpelledWorkerIsLostWithTheReasonAndIsToldSo) {
  const auto outcome = membership_.expel(1, "rank 0 (a, process 7)", Refusal::unacceptable);
  EXPECT_THAT(outcome.newly_lost, ElementsAre(1));
  ASSERT_THAT(outcome.notes, SizeIs(1));
  EXPECT_EQ(
      outcome.notes[0].text,
      "lost rank 1 (b, process 7): expelled: it sent rank 0 (a, process 7) 3 messages that no process of this run "
      "sends; the last one has a content that the model cannot take; its blocks go to other workers");
  ASSERT_TRUE(outcome.roster.has_value());
  EXPECT_THAT(outcome.roster->lost, ElementsAre(1));
  EXPECT_THAT(membership_.too_late(1).reason, HasSubstr("expelled"));
  EXPECT_THAT(membership_.expel(1, "again", Refusal::damaged).notes, IsEmpty()) << "it is gone already";
}

TEST_F(Run, AnExpelledSchedulerEndsTheRunWhereNobodyElseAcceptsOne) {
  const auto outcome = membership_.expel(0, "the driver", Refusal::impossible);
  ASSERT_TRUE(outcome.end.has_value());
  EXPECT_EQ(outcome.end->code(), StatusCode::cluster);
  EXPECT_THAT(outcome.end->message(), HasSubstr("lost rank 0 (a, process 7), scheduler 0"));
  EXPECT_THAT(outcome.end->message(), HasSubstr("expelled: it sent the driver 3 messages"));
}

TEST_F(Run, WhoIsNoMemberCannotBeExpelledAndWhoWasSilentIsToldThat) {
  EXPECT_THAT(membership_.expel(99, "the driver", Refusal::damaged).newly_lost, IsEmpty());
  (void)membership_.lose(2, "signal 9");
  EXPECT_THAT(membership_.too_late(2).reason, HasSubstr("silent for too long"));
}

TEST_F(Run, TheAnswerToABeatIsWhatEveryLivingNodeHasReached) {
  const std::map<std::uint32_t, Membership::Counted> counted{{0, {25, 3}}};
  (void)membership_.on_beat(0, beat_in({{0, {20, 3}}}), counted, 1);
  const wire::Beat second = beat_in({{0, {12, 2}}});
  EXPECT_EQ(reached_in(membership_.on_beat(1, second, counted, 1), 0), Reached()) << "node 2 has not said anything";
  (void)membership_.lose(2, "signal 9");
  EXPECT_EQ(reached_in(membership_.on_beat(1, second, counted, 1), 0), (Reached{12, 2}));
  const auto answer = membership_.on_beat(1, second, {{0, {11, 3}}}, 1);
  EXPECT_EQ(answer.number, 9U);
  EXPECT_EQ(reached_in(answer, 0), (Reached{11, 2})) << "the coordinator has counted no further";
}

TEST_F(Run, TheAnswerToABeatIsThatOfEachRunByItself) {
  const std::map<std::uint32_t, Membership::Counted> counted{{0, {25, 3}}, {4, {9, 3}}, {5, {6, 3}}};
  (void)membership_.on_beat(0, beat_in({{4, {8, 2}}, {0, {20, 3}}}), counted, 1);
  (void)membership_.on_beat(1, beat_in({{0, {12, 1}}, {4, {9, 5}}}), counted, 1);
  const auto answer = membership_.on_beat(2, beat_in({{0, {30, 9}}, {5, {6, 1}}, {4, {7, 4}}}), counted, 1);
  EXPECT_THAT(answer.runs, ElementsAre(0, 4, 5));
  EXPECT_EQ(reached_in(answer, 0), (Reached{12, 1}));
  EXPECT_EQ(reached_in(answer, 4), (Reached{7, 2}));
  EXPECT_EQ(reached_in(answer, 5), Reached()) << "two nodes do not hold it yet: nothing may be forgotten";
}

TEST_F(Run, ABeatWhoseListsDifferInLengthNamesNothing) {
  wire::Beat beat = beat_in({{0, {20, 3}}, {1, {5, 1}}});
  beat.versions.pop_back();
  EXPECT_EQ(reached_in(beat, 0), (Reached{20, 3}));
  EXPECT_EQ(reached_in(beat, 1), Reached());
}

TEST_F(Run, MeasurementsThatABeatLeavesOutKeepTheirLastValue) {
  wire::Beat beat;
  beat.memory_peak = 100;
  beat.data_mapped = 50;
  beat.data_resident = 40;
  (void)membership_.on_beat(0, beat, {}, 1);
  (void)membership_.on_beat(0, wire::Beat{}, {}, 1);
  EXPECT_EQ(membership_.members()[0].beat.memory_peak, 100U);
  EXPECT_EQ(membership_.members()[0].beat.data_resident, 40U);
}

TEST_F(Run, ANodeThatCannotReadItsDataEndsTheRunWithThatCode) {
  const auto outcome = membership_.on_loaded(2, {0, 0, 4, "x.csv: no such file"});
  EXPECT_EQ(outcome.end->code(), StatusCode::input);
  EXPECT_EQ(outcome.end->message(), "rank 2 (c, process 7): x.csv: no such file");
}

TEST_F(Run, DifferentDataAreFoundWhenAllHaveLoaded) {
  EXPECT_FALSE(membership_.all_loaded(kFirstRun, 3));
  for (const std::uint32_t rank : {0U, 1U}) (void)membership_.on_loaded(rank, {0, 5, 0, ""});
  (void)membership_.on_loaded(2, {0, 6, 0, ""});
  ASSERT_TRUE(membership_.all_loaded(kFirstRun, 3));
  EXPECT_THAT(membership_.different_data(5, kFirstRun, 3),
              testing::Optional(HasSubstr("rank 2 (c, process 7) reads other data")));
  (void)membership_.lose(2, "signal 9");
  EXPECT_EQ(membership_.different_data(5, kFirstRun, 3), std::nullopt);
}

TEST_F(Run, AWorkerThatDiesWhileItLoadsIsNotWaitedFor) {
  for (const std::uint32_t rank : {0U, 1U}) (void)membership_.on_loaded(rank, {0, 5, 0, ""});
  EXPECT_FALSE(membership_.all_loaded(kFirstRun, 3));
  (void)membership_.lose(2, "signal 9");
  EXPECT_TRUE(membership_.all_loaded(kFirstRun, 3));
}

TEST_F(Run, ARunIsNotWaitedForAtNodesThatJoinedAfterIt) {
  membership_.join_late(hello("d"), 1);
  const std::map<std::uint32_t, Membership::Counted> counted{{0, {25, 3}}};
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    (void)membership_.on_loaded(rank, {0, 5, 0, ""});
    (void)membership_.on_beat(rank, beat_in({{0, {20, 3}}}), counted, 1);
  }
  EXPECT_TRUE(membership_.all_loaded(0, 3));
  EXPECT_TRUE(membership_.all_have(0, 3, 3));
  EXPECT_EQ(reached_in(membership_.on_beat(3, wire::Beat{}, counted, 1), 0), (Reached{20, 3}));
}

TEST_F(Run, ALostNodeThatAsksAgainIsNotWelcome) {
  EXPECT_EQ(membership_.welcome(2)->rank, 2U);
  (void)membership_.lose(2, "signal 9");
  EXPECT_EQ(membership_.welcome(2), std::nullopt);
}

wire::Beat cannot_reach(std::uint64_t number, std::vector<std::uint32_t> ranks) {
  wire::Beat beat;
  beat.number = number;
  beat.unreachable = std::move(ranks);
  return beat;
}

/// What look() says until `end`, while all but `dead` are heard and say that they reach everybody but `unreached`.
class Reach : public Run {
 protected:
  Membership::Outcome look_until(double end, std::uint32_t dead, const std::vector<std::uint32_t>& unreached) {
    Membership::Outcome outcome;
    for (; now_ < end && !outcome.end.has_value() && outcome.newly_lost.empty(); now_ += 0.05) {
      for (std::uint32_t rank = 0; rank < 3; ++rank) {
        if (rank == dead) continue;
        membership_.heard(rank, now_);
        (void)membership_.on_beat(rank, cannot_reach(++number_, unreached), {}, now_);
      }
      outcome = membership_.look(now_);
    }
    return outcome;
  }
  double now_ = 0;
  std::uint64_t number_ = 1;
};

TEST_F(Reach, OfOneThatDiedAfterItsFirstBeatIsNoNews) {
  (void)membership_.on_beat(1, cannot_reach(1, {0, 2, 3}), {}, 0);
  membership_.closed(1, 0.5);
  now_ = 0.55;
  const auto outcome = look_until(10, 1, {});
  EXPECT_EQ(outcome.end, std::nullopt) << outcome.end->message();
  EXPECT_THAT(outcome.newly_lost, ElementsAre(1));
  EXPECT_THAT(outcome.notes.back().text, HasSubstr("its connection was closed"));
}

TEST_F(Reach, OfOneThatDiedIsItsOwnFault) {
  membership_.on_unreached({1}, 0);
  membership_.closed(1, 0.1);
  now_ = 0.15;
  const auto outcome = look_until(10, 1, {1});
  EXPECT_EQ(outcome.end, std::nullopt) << outcome.end->message();
  EXPECT_THAT(outcome.newly_lost, ElementsAre(1));
}

TEST_F(Reach, EndsTheRunWhenTwoThatAreHeardStayApartForFifteenSeconds) {
  constexpr std::uint32_t kNobody = 9;
  EXPECT_EQ(look_until(14.9, kNobody, {2}).end, std::nullopt);
  const auto outcome = look_until(20, kNobody, {2});
  ASSERT_TRUE(outcome.end.has_value());
  EXPECT_THAT(outcome.end->message(), HasSubstr("rank 0 (a, process 7) at  cannot reach rank 2 (c, process 7) at "));
  EXPECT_THAT(outcome.end->message(), HasSubstr("within 15 s (--start-seconds, at least 15); every process"));
}

TEST_F(Reach, WaitsAsLongAsTheStartMayTakeWhateverTheLease) {
  constexpr std::uint32_t kNobody = 9;
  membership_.let_reach_within(3);
  EXPECT_EQ(look_until(14.9, kNobody, {2}).end, std::nullopt) << "a busy machine is slow";
  membership_.let_reach_within(60);
  EXPECT_EQ(look_until(59.9, kNobody, {2}).end, std::nullopt);
  EXPECT_THAT(look_until(61, kNobody, {2}).end->message(), HasSubstr("within 60 s"));
}

TEST_F(Reach, IsLookedAtAnewAfterASilence) {
  constexpr std::uint32_t kNobody = 9;
  (void)look_until(14, kNobody, {2});
  membership_.closed(2, now_);
  EXPECT_EQ(look_until(15, 2, {2}).end, std::nullopt);
  EXPECT_EQ(look_until(29, kNobody, {2}).end, std::nullopt) << "it is back, and has its time again";
  EXPECT_TRUE(look_until(31, kNobody, {2}).end.has_value());
}

TEST_F(Reach, SaidOnceIsNotSaidForLong) {
  constexpr std::uint32_t kNobody = 9;
  (void)membership_.on_beat(1, cannot_reach(1, {0}), {}, 0);
  for (now_ = 0; now_ < 20; now_ += 0.5) {  // its beats are lost, other words are not
    hear({0, 1, 2}, now_);
    EXPECT_EQ(membership_.look(now_).end, std::nullopt) << now_;
  }
  EXPECT_EQ(look_until(21, kNobody, {}).end, std::nullopt);
}

TEST_F(Reach, IgnoresRanksThatDoNotExist) {
  EXPECT_EQ(look_until(20, 9, {4, 4000000000}).end, std::nullopt);
}

TEST(Membership, EndsTheRunWhenNoWorkerIsLeft) {
  Membership membership(shape(1, 1), 15);
  membership.join(hello("a", wire::kAcceptsScheduler), 0);
  membership.join(hello("b", wire::kAcceptsWorker), 0);
  ASSERT_TRUE(membership.begin().ok());
  EXPECT_EQ(membership.lose(1, "signal 9").end->message(), "no worker is left: lost rank 1 (b, process 7): signal 9");
}

TEST(Membership, NamesTheLastWorkersThatWereLostOrLeftWhenNoneIsLeft) {
  Membership membership(shape(1, 1), 15);
  membership.join(hello("a", wire::kAcceptsScheduler), 0);
  for (const char* name : {"b", "c", "d", "e", "f", "g"}) membership.join(hello(name, wire::kAcceptsWorker), 0);
  membership.join(hello("h", wire::kAcceptsScheduler), 0);
  ASSERT_TRUE(membership.begin().ok());
  for (std::uint32_t rank = 1; rank < 5; ++rank) EXPECT_EQ(membership.lose(rank, "one").end, std::nullopt);
  EXPECT_EQ(membership.on_leave(5, {0, "asked to"}, true).end, std::nullopt);
  EXPECT_THAT(membership.let_go(), ElementsAre(5));
  EXPECT_EQ(membership.lose(7, "not a worker").end, std::nullopt);
  EXPECT_EQ(membership.lose(6, "two").end->message(),
            "no worker is left: 2 before; lost rank 3 (d, process 7): one; lost rank 4 (e, process 7): one; "
            "rank 5 (f, process 7) leaves: asked to; lost rank 6 (g, process 7): two");
}

TEST(Membership, WaitsForTheOnlyWorkerWhileItIsSilent) {
  Membership membership(shape(1, 1), 15);
  membership.join(hello("a", wire::kAcceptsScheduler), 0);
  membership.join(hello("b", wire::kAcceptsWorker), 0);
  ASSERT_TRUE(membership.begin().ok());
  membership.heard(0, 4);
  const auto outcome = membership.look(4);
  EXPECT_EQ(outcome.roster, std::nullopt);
  EXPECT_EQ(outcome.end, std::nullopt);
}

TEST(Membership, MakesRoomForThoseWhoWentAwayBeforeTheBeginning) {
  Membership membership(shape(1, 1), 15);
  membership.join(hello("a"), 0);
  membership.join(hello("b"), 10);
  const auto gone = membership.gone(16);
  ASSERT_THAT(gone, SizeIs(1));
  membership.remove(gone[0].first);
  EXPECT_EQ(membership.find(hello("b")), 0U);
  EXPECT_EQ(membership.find(hello("a")), std::nullopt);
}

TEST(Membership, DoesNotBeginWithOneThatHasGoneSilent) {
  Membership membership(shape(1, 1), 15, {"a", "b"});
  membership.join(hello("a"), 0);
  EXPECT_FALSE(membership.complete(2, 0));
  membership.join(hello("b"), 0);
  EXPECT_TRUE(membership.complete(2, 1));
  membership.closed(1, 1);
  EXPECT_FALSE(membership.complete(2, 1.1)) << "another may take its place when it is gone";
  EXPECT_EQ(membership.missing(2, 1.1), "b");
  membership.heard(1, 2);
  EXPECT_TRUE(membership.complete(2, 2));
}

TEST(Membership, NamesThoseWhoAreMissingWhenTheTimeIsOver) {
  Membership membership(shape(1, 1), 15, {"a", "b", "c"});
  membership.join(hello("a"), 58);
  membership.join(hello("b"), 58);
  membership.closed(1, 59);
  EXPECT_EQ(membership.overdue(3, "tcp://h:1", 60, 59.9), std::nullopt);
  const auto end = membership.overdue(3, "tcp://h:1", 60, 60.1);
  ASSERT_TRUE(end.has_value());
  EXPECT_THAT(end->message(), HasSubstr("1 of 3 nodes joined at tcp://h:1 within 60 s (a); missing: b, c;"));
  EXPECT_THAT(end->message(), HasSubstr("firewall"));
}

TEST(Membership, RanksThoseWhoAreExpectedByTheirPlaceInTheList) {
  Membership membership(shape(1, 1), 15, {"a", "b", "c"});
  EXPECT_EQ(membership.join(hello("stranger"), 0), 0U);
  EXPECT_EQ(membership.join(hello("c"), 0), 0U);
  EXPECT_EQ(membership.join(hello("a"), 0), 0U);
  EXPECT_EQ(membership.join(hello("b"), 0), 1U);
  EXPECT_EQ(membership.join(hello("another"), 0), 4U);
  EXPECT_EQ(membership.members()[3].hello.name, "stranger");
}

}  // namespace
}  // namespace strads::engine
