#include "transport/members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
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

EngineOptions shape(std::uint32_t schedulers, std::uint32_t workers) {
  EngineOptions engine;
  engine.schedulers = schedulers;
  engine.workers = workers;
  return engine;
}

TEST(DealRoles, GoInTurnToTheNodesInRankOrder) {
  const auto roster = deal_roles({member("a"), member("b")}, shape(3, 4)).value();
  EXPECT_THAT(roster.schedulers, ElementsAre(0, 1, 0));
  EXPECT_THAT(roster.workers, ElementsAre(0, 1, 0, 1));
}

TEST(DealRoles, GoToThoseOnlyThatAcceptThem) {
  const auto roster =
      deal_roles({member("a", wire::kAcceptsWorker), member("b", wire::kAcceptsScheduler), member("c")}, shape(3, 3))
          .value();
  EXPECT_THAT(roster.schedulers, ElementsAre(1, 2, 1));
  EXPECT_THAT(roster.workers, ElementsAre(0, 2, 0));
}

TEST(DealRoles, PutTheCoordinatorBehindAllNodes) {
  EXPECT_EQ(deal_roles({member("a"), member("b"), member("c")}, shape(1, 1)).value().coordinator, 3U);
}

TEST(DealRoles, RefuseARunThatNobodyWouldSchedule) {
  const auto roster = deal_roles({member("a", wire::kAcceptsWorker)}, shape(1, 1));
  EXPECT_EQ(roster.status().code(), StatusCode::cluster);
  EXPECT_THAT(roster.status().message(), HasSubstr("scheduler"));
}

TEST(DealRoles, RefuseARunThatNobodyWouldWorkFor) {
  EXPECT_THAT(deal_roles({member("a", wire::kAcceptsScheduler)}, shape(1, 1)).status().message(), HasSubstr("worker"));
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
  Moment start_{};
  Liveness liveness_{15};
  Member member_ = [] {
    Member made = member("a");
    made.last_word = Moment{};
    return made;
  }();
};

TEST_F(Life, AMemberThatWasJustHeardIsFine) {
  EXPECT_FALSE(liveness_.silent(member_, start_ + seconds(1)));
  EXPECT_EQ(liveness_.lost(member_, start_ + seconds(1)), std::nullopt);
}

TEST_F(Life, ThreeMissedBeatsMakeAMemberSilentButNotLost) {
  EXPECT_TRUE(liveness_.silent(member_, start_ + milliseconds(3100)));
  EXPECT_EQ(liveness_.lost(member_, start_ + milliseconds(3100)), std::nullopt);
}

TEST_F(Life, ALeaseWithoutAWordLosesAMember) {
  EXPECT_EQ(liveness_.lost(member_, start_ + milliseconds(14900)), std::nullopt);
  EXPECT_THAT(liveness_.lost(member_, start_ + milliseconds(15100)), Optional(HasSubstr("no word for 15.1 s")));
}

TEST_F(Life, AClosedConnectionMakesAMemberSilentAtOnce) {
  member_.broken_since = start_;
  EXPECT_TRUE(liveness_.silent(member_, start_));
}

TEST_F(Life, AClosedConnectionThatDoesNotComeBackLosesAMemberBeforeTheLease) {
  member_.broken_since = start_;
  EXPECT_EQ(liveness_.lost(member_, start_ + milliseconds(4900)), std::nullopt);
  EXPECT_THAT(liveness_.lost(member_, start_ + milliseconds(5100)), Optional(HasSubstr("connection was closed")));
}

TEST_F(Life, AShorterLeaseIsKeptFaster) {
  EXPECT_TRUE(Liveness{1}.lost(member_, start_ + milliseconds(1100)).has_value());
}

DriverOptions expecting(std::vector<std::string> names, std::uint32_t nodes) {
  DriverOptions options;
  options.names = std::move(names);
  options.nodes = nodes;
  return options;
}

TEST(Missing, NamesThoseThatWereExpected) {
  EXPECT_EQ(missing_text({member("b")}, expecting({"a", "b", "c"}, 3)), "a, c");
}

TEST(Missing, CountsANameAsOftenAsItIsExpected) {
  EXPECT_EQ(missing_text({member("a")}, expecting({"a", "a"}, 2)), "a");
}

TEST(Missing, CountsThoseWithoutANameToo) {
  EXPECT_EQ(missing_text({}, expecting({"a"}, 3)), "a and 2 more");
  EXPECT_EQ(missing_text({member("x")}, expecting({}, 3)), "2");
}

TEST(Missing, NamesNoMoreThanAreMissing) {
  EXPECT_EQ(missing_text({member("unexpected")}, expecting({"a", "b"}, 2)), "a");
}

TEST(MemberText, HoldsRankHostAndProcess) {
  EXPECT_EQ(member_text(3, member("node9")), "rank 3 (node9, process 7)");
}

TEST(SecondsText, ShowsATenthOnlyWhereThereIsOne) {
  EXPECT_EQ(seconds_text(15), "15 s");
  EXPECT_EQ(seconds_text(0.25), "0.3 s");
}

}  // namespace
}  // namespace strads::transport
