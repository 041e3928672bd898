#include "engine/session/members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

Member member(const std::string& name, std::uint8_t roles = wire::kAcceptsScheduler | wire::kAcceptsWorker) {
  Member member;
  member.hello.name = name;
  member.hello.process = 7;
  member.hello.roles = roles;
  return member;
}

EngineOptions engine_of(std::uint32_t schedulers, std::uint32_t workers) {
  EngineOptions engine;
  engine.schedulers = schedulers;
  engine.workers = workers;
  return engine;
}

TEST(DealRoles, GoInTurnToTheNodesInRankOrder) {
  const auto roster = deal_roles({member("a"), member("b")}, engine_of(3, 4)).value();
  EXPECT_THAT(roster.schedulers, ElementsAre(0, 1, 0));
  EXPECT_THAT(roster.workers, ElementsAre(0, 1, 0, 1));
}

TEST(DealRoles, GoToThoseOnlyThatAcceptThem) {
  const auto roster = deal_roles({member("a", wire::kAcceptsWorker), member("b", wire::kAcceptsScheduler), member("c")},
                                 engine_of(3, 3))
                          .value();
  EXPECT_THAT(roster.schedulers, ElementsAre(1, 2, 1));
  EXPECT_THAT(roster.workers, ElementsAre(0, 2, 0));
}

TEST(DealRoles, PutTheCoordinatorBehindAllNodes) {
  EXPECT_EQ(deal_roles({member("a"), member("b"), member("c")}, engine_of(1, 1)).value().coordinator, kDriverRank);
}

TEST(DealRoles, RefuseARunThatNobodyWouldSchedule) {
  const auto roster = deal_roles({member("a", wire::kAcceptsWorker)}, engine_of(1, 1));
  EXPECT_EQ(roster.status().code(), StatusCode::cluster);
  EXPECT_THAT(roster.status().message(), HasSubstr("scheduler"));
}

TEST(DealRoles, RefuseARunThatNobodyWouldWorkFor) {
  EXPECT_THAT(deal_roles({member("a", wire::kAcceptsScheduler)}, engine_of(1, 1)).status().message(),
              HasSubstr("worker"));
}

TEST(DealWorkers, LeavesThemWhereTheyAreWhileAllAnswer) {
  EXPECT_THAT(deal_workers({member("a"), member("b")}, {0, 1, 0, 1}), Optional(ElementsAre(0, 1, 0, 1)));
}

TEST(DealWorkers, SpreadsThoseOfALostNodeOverTheOthers) {
  std::vector<Member> members{member("a"), member("b"), member("c")};
  members[0].lost = true;
  EXPECT_THAT(deal_workers(members, {0, 1, 2, 0}), Optional(ElementsAre(1, 1, 2, 2)));
}

TEST(DealWorkers, GivesThemBackWhenASilentNodeReturns) {
  std::vector<Member> members{member("a"), member("b")};
  members[1].silent = true;
  EXPECT_THAT(deal_workers(members, {0, 1}), Optional(ElementsAre(0, 0)));
  members[1].silent = false;
  EXPECT_THAT(deal_workers(members, {0, 1}), Optional(ElementsAre(0, 1)));
}

TEST(DealWorkers, NeverGivesThemToANodeThatAcceptsSchedulersOnly) {
  std::vector<Member> members{member("a", wire::kAcceptsScheduler), member("b"), member("c")};
  members[1].lost = true;
  EXPECT_THAT(deal_workers(members, {1, 2}), Optional(ElementsAre(2, 2)));
}

TEST(DealWorkers, SaysWhenNobodyIsLeft) {
  std::vector<Member> members{member("a", wire::kAcceptsScheduler), member("b")};
  members[1].lost = true;
  EXPECT_EQ(deal_workers(members, {1, 1}), std::nullopt);
}

class Life : public testing::Test {
 protected:
  Liveness liveness_{15};
  Member member_ = member("a");
};

TEST_F(Life, AMemberThatWasJustHeardIsFine) {
  EXPECT_FALSE(liveness_.silent(member_, 1));
  EXPECT_EQ(liveness_.lost(member_, 1), std::nullopt);
}

TEST_F(Life, ThreeMissedBeatsMakeAMemberSilentButNotLost) {
  EXPECT_TRUE(liveness_.silent(member_, 3.1));
  EXPECT_EQ(liveness_.lost(member_, 3.1), std::nullopt);
}

TEST_F(Life, ALeaseWithoutAWordLosesAMember) {
  EXPECT_EQ(liveness_.lost(member_, 14.9), std::nullopt);
  EXPECT_THAT(liveness_.lost(member_, 15.1), Optional(HasSubstr("no word for 15.1 s")));
}

TEST_F(Life, AClosedConnectionMakesAMemberSilentAtOnce) {
  member_.broken_since = 0.0;
  EXPECT_TRUE(liveness_.silent(member_, 0));
}

TEST_F(Life, AClosedConnectionThatDoesNotComeBackLosesAMemberBeforeTheLease) {
  member_.broken_since = 0.0;
  EXPECT_EQ(liveness_.lost(member_, 4.9), std::nullopt);
  EXPECT_THAT(liveness_.lost(member_, 5.1), Optional(HasSubstr("connection was closed")));
}

TEST_F(Life, AShorterLeaseIsKeptFaster) {
  EXPECT_TRUE(Liveness{1}.lost(member_, 1.1).has_value());
}

class Watch : public testing::Test {
 protected:
  Watch() { watch_.heard(0); }
  DriverWatch watch_{"tcp://here:1", 15};
};

TEST_F(Watch, ADriverThatWasHeardWithinTheLeaseIsThere) {
  watch_.heard(10);
  EXPECT_EQ(watch_.lost(24.9), std::nullopt);
}

TEST_F(Watch, ADriverWithoutAWordForALeaseIsGone) {
  EXPECT_THAT(watch_.lost(15.1), Optional(HasSubstr("no word from the driver at tcp://here:1 for 15.1 s")));
}

TEST_F(Watch, AnotherLeaseIsKept) {
  watch_.set_lease(1);
  EXPECT_TRUE(watch_.lost(1.1).has_value());
}

TEST_F(Watch, AClosedConnectionThatDoesNotComeBackMeansThatTheDriverIsGoneBeforeTheLease) {
  watch_.note_connection(false, 1);
  watch_.note_connection(false, 5);
  EXPECT_EQ(watch_.lost(5.9), std::nullopt);
  EXPECT_THAT(watch_.lost(6.1), Optional(HasSubstr("could not be opened again for 5.1 s")));
}

TEST_F(Watch, AConnectionThatIsBackCountsFromItsNextEnd) {
  watch_.note_connection(false, 1);
  watch_.note_connection(true, 2);
  watch_.note_connection(false, 5);
  EXPECT_EQ(watch_.lost(9.9), std::nullopt);
}

TEST_F(Watch, AWordCountsAlthoughTheConnectionLooksClosed) {
  watch_.note_connection(false, 1);
  watch_.heard(6);
  EXPECT_EQ(watch_.lost(10.9), std::nullopt);
}

TEST(Missing, NamesThoseThatWereExpected) {
  EXPECT_EQ(missing_text({member("b")}, {"a", "b", "c"}, 3), "a, c");
}

TEST(Missing, CountsANameAsOftenAsItIsExpected) {
  EXPECT_EQ(missing_text({member("a")}, {"a", "a"}, 2), "a");
}

TEST(Missing, CountsThoseWithoutANameToo) {
  EXPECT_EQ(missing_text({}, {"a"}, 3), "a and 2 more");
  EXPECT_EQ(missing_text({member("x")}, {}, 3), "2");
}

TEST(Missing, NamesNoMoreThanAreMissing) {
  EXPECT_EQ(missing_text({member("unexpected")}, {"a", "b"}, 2), "a");
}

TEST(MemberText, HoldsRankHostAndProcess) {
  EXPECT_EQ(member_text(3, member("node9")), "rank 3 (node9, process 7)");
}

TEST(ExitCodesOverTheWire, AreOursOrCluster) {
  EXPECT_EQ(code_of(4), StatusCode::input);
  EXPECT_EQ(code_of(5), StatusCode::cluster);
  EXPECT_EQ(code_of(99), StatusCode::cluster);
}

TEST(SecondsText, ShowsATenthOnlyWhereThereIsOne) {
  EXPECT_EQ(seconds_text(15), "15 s");
  EXPECT_EQ(seconds_text(0.25), "0.3 s");
}

}  // namespace
}  // namespace strads::engine
