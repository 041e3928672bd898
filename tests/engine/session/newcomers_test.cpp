// Nodes that join while runs go on, and nodes that leave.
#include "engine/session/membership.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

wire::Hello hello_of(const std::string& name, std::uint8_t roles = wire::kAcceptsScheduler | wire::kAcceptsWorker) {
  wire::Hello hello;
  hello.name = name;
  hello.process = 7;
  hello.roles = roles;
  return hello;
}

EngineOptions roles_of_engine(std::uint32_t schedulers, std::uint32_t workers) {
  EngineOptions engine;
  engine.schedulers = schedulers;
  engine.workers = workers;
  return engine;
}

/// Node 0 schedules; 0, 1 and 2 work: workers 0 1 2.
class Newcomers : public testing::Test {
 protected:
  Newcomers() {
    membership_.join(hello_of("a"), 0);
    membership_.join(hello_of("b", wire::kAcceptsWorker), 0);
    membership_.join(hello_of("c", wire::kAcceptsWorker), 0);
    EXPECT_TRUE(membership_.begin().ok());
  }
  Membership membership_{roles_of_engine(1, 3), 15};
};

TEST_F(Newcomers, ANodeWithASchedulerLeavesWhenAnotherHasIt) {
  Membership membership(roles_of_engine(2, 2), 15);
  membership.join(hello_of("a"), 0);
  membership.join(hello_of("b"), 0);
  ASSERT_TRUE(membership.begin().ok());
  const auto outcome = membership.on_leave(0, {0, "SIGTERM"}, true);
  EXPECT_THAT(outcome.notes.at(0).text, HasSubstr("the runs go on without it from their next barrier"));
  EXPECT_TRUE(membership.wants_move());
  EXPECT_THAT(membership.let_go(), IsEmpty()) << "it still holds one";
  ASSERT_TRUE(membership.move().ok());
  EXPECT_EQ(membership.roster().schedulers, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(membership.workers_now(), (std::vector<std::uint32_t>{1, 1}));
  EXPECT_THAT(membership.let_go(), ElementsAre(0));
}

TEST_F(Newcomers, TheLastNodeThatAcceptsSchedulersHasToStay) {
  (void)membership_.on_leave(0, {0, "SIGTERM"}, true);
  EXPECT_FALSE(membership_.wants_move());
  EXPECT_THAT(membership_.let_go(), IsEmpty());
  EXPECT_EQ(membership_.all_leave(), "rank 0 (a, process 7) leaves: SIGTERM") << "its role is nobody's without it";
}

TEST_F(Newcomers, TheLastNodeThatComputesGoesOnComputingWhenItIsAskedToGo) {
  EXPECT_TRUE(membership_.works());
  for (const std::uint32_t rank : {1U, 2U}) (void)membership_.lose(rank, "signal 9");
  const auto outcome = membership_.on_leave(0, {0, "SIGTERM"}, true);
  EXPECT_EQ(outcome.end, std::nullopt);
  EXPECT_EQ(outcome.notes.at(0).text, "rank 0 (a, process 7) leaves: SIGTERM; nobody else can take its roles");
  EXPECT_TRUE(membership_.works());
  EXPECT_EQ(membership_.workers_now(), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_NE(membership_.all_leave(), "");
}

TEST_F(Newcomers, RunsWithoutAnybodyWhoComputesDoNotWaitForTheirNextBarrier) {
  for (const std::uint32_t rank : {1U, 2U}) (void)membership_.lose(rank, "signal 9");
  membership_.closed(0, 1);
  (void)membership_.look(1);
  EXPECT_FALSE(membership_.works());
}

TEST_F(Newcomers, WorkersOfAllThatLeaveGoBackToThoseThatAreStillHere) {
  (void)membership_.on_leave(1, {0, "SIGTERM"}, true);
  EXPECT_THAT(membership_.let_go(), ElementsAre(1));
  (void)membership_.on_leave(0, {0, "SIGTERM"}, true);
  EXPECT_NE(membership_.all_leave(), "") << "nobody else schedules";
  const auto last = membership_.on_leave(2, {0, "SIGTERM"}, true);
  EXPECT_EQ(last.end, std::nullopt);
  EXPECT_EQ(membership_.workers_now(), (std::vector<std::uint32_t>{0, 0, 2})) << "rank 1 has gone";
  EXPECT_THAT(membership_.let_go(), IsEmpty()) << "they have their roles";
}

TEST_F(Newcomers, ASilentNodeOrANewcomerMayTakeTheRolesOfOneThatLeaves) {
  Membership membership(roles_of_engine(1, 2), 15);
  for (const char* name : {"a", "b"}) membership.join(hello_of(name), 0);
  ASSERT_TRUE(membership.begin().ok());
  membership.closed(1, 1);
  membership.heard(0, 1);
  (void)membership.look(1);
  (void)membership.on_leave(0, {0, "SIGTERM"}, true);
  EXPECT_EQ(membership.all_leave(), "") << "it may come back";
  EXPECT_FALSE(membership.wants_move()) << "it may not";
  EXPECT_TRUE(membership.works());
  EXPECT_THAT(membership.let_go(), IsEmpty());
  membership.heard(0, 7);
  (void)membership.look(7);
  EXPECT_NE(membership.all_leave(), "") << "it is lost";
  membership.join_late(hello_of("c"), 7);
  EXPECT_EQ(membership.all_leave(), "");
  (void)membership.on_loaded(2, {kFirstRun, 5, 0, ""});
  EXPECT_TRUE(membership.wants_move());
  ASSERT_TRUE(membership.move().ok());
  EXPECT_THAT(membership.roster().schedulers, ElementsAre(2));
  EXPECT_THAT(membership.let_go(), ElementsAre(0));
}

TEST_F(Newcomers, NodesThatWereAskedToGoAndAreSilentMayComeBack) {
  Membership membership(roles_of_engine(1, 2), 15);
  for (const char* name : {"a", "b"}) membership.join(hello_of(name), 0);
  ASSERT_TRUE(membership.begin().ok());
  for (const std::uint32_t rank : {0U, 1U}) {
    (void)membership.on_leave(rank, {0, "SIGTERM"}, true);
    membership.closed(rank, 1);
  }
  EXPECT_EQ(membership.look(1).end, std::nullopt) << "a cable was pulled while the runs end";
  for (const std::uint32_t rank : {0U, 1U}) membership.heard(rank, 2);
  EXPECT_EQ(membership.look(2).end, std::nullopt);
  EXPECT_EQ(membership.workers_now(), (std::vector<std::uint32_t>{0, 1}));
  for (const std::uint32_t rank : {0U, 1U}) membership.closed(rank, 3);
  (void)membership.look(3);
  EXPECT_TRUE(membership.look(9).moves) << "they are not waited for for ever";
  EXPECT_THAT(membership.move().message(), testing::AllOf(HasSubstr("lost rank 0 (a"), HasSubstr("lost rank 1 (b")));
}

TEST_F(Newcomers, ANodeThatWasAskedToGoAndIsSilentHasTheRolesOfALostOneWhereNobodyElseAcceptsThem) {
  Membership membership(roles_of_engine(1, 2), 15);
  for (const char* name : {"a", "b"}) membership.join(hello_of(name), 0);
  ASSERT_TRUE(membership.begin().ok());
  (void)membership.on_leave(1, {0, "SIGTERM"}, true);
  membership.closed(1, 1);
  (void)membership.look(1);
  const auto outcome = membership.lose(0, "signal 9");
  EXPECT_EQ(outcome.end, std::nullopt);
  EXPECT_TRUE(outcome.moves);
  ASSERT_TRUE(membership.move().ok());
  EXPECT_THAT(membership.roster().schedulers, ElementsAre(1));
}

TEST_F(Newcomers, NobodyIsLetGoOrTakenInWhenTheRunsEnd) {
  membership_.join_late(hello_of("d"), 1);
  (void)membership_.on_loaded(3, {kFirstRun, 5, 0, ""});
  membership_.end_in_order();
  EXPECT_FALSE(membership_.wants_move());
  const auto outcome = membership_.on_leave(1, {0, "SIGTERM"}, true);
  EXPECT_THAT(outcome.notes.at(0).text, HasSubstr("; it stays until the runs have ended"));
  EXPECT_EQ(outcome.roster, std::nullopt) << "its blocks are not computed twice";
  EXPECT_THAT(membership_.let_go(), IsEmpty());
}

TEST_F(Newcomers, ANodeThatJoinsLateTakesPartFromTheNextMoveOn) {
  EXPECT_EQ(membership_.join_late(hello_of("d"), 1), 3U);
  EXPECT_EQ(membership_.welcome(3)->waits, 1U);
  EXPECT_FALSE(membership_.wants_move()) << "its data are not read";
  (void)membership_.on_loaded(3, {kFirstRun, 5, 0, ""});
  EXPECT_TRUE(membership_.wants_move());
  (void)membership_.lose(1, "signal 9");
  EXPECT_EQ(membership_.workers_now(), (std::vector<std::uint32_t>{0, 0, 2})) << "runs that go on do not know it";
  ASSERT_TRUE(membership_.move().ok());
  EXPECT_FALSE(membership_.wants_move());
  EXPECT_EQ(membership_.roster().nodes, 4U);
  EXPECT_EQ(membership_.workers_now(), (std::vector<std::uint32_t>{0, 2, 3}));
}

TEST_F(Newcomers, NodesThatJoinTogetherAreTakenInTogether) {
  membership_.join_late(hello_of("d"), 1);
  membership_.join_late(hello_of("e"), 1);
  (void)membership_.on_loaded(3, {kFirstRun, 5, 0, ""});
  EXPECT_FALSE(membership_.wants_move());
  (void)membership_.lose(4, "signal 9");
  EXPECT_TRUE(membership_.wants_move());
}

TEST_F(Newcomers, ALateNodeWithOtherDataIsSentAwayAndTheRunGoesOn) {
  membership_.join_late(hello_of("d"), 1);
  EXPECT_THAT(membership_.compare_late(3, 5).newly_lost, IsEmpty()) << "it has not read them";
  (void)membership_.on_loaded(3, {kFirstRun, 6, 0, ""});
  const auto outcome = membership_.compare_late(3, 5);
  EXPECT_EQ(outcome.end, std::nullopt);
  EXPECT_THAT(outcome.newly_lost, ElementsAre(3));
  EXPECT_THAT(membership_.too_late(3).reason, HasSubstr("reads other data"));
}

TEST_F(Newcomers, ALateNodeThatCannotReadItsDataIsSentAwayAndTheRunGoesOn) {
  membership_.join_late(hello_of("d"), 1);
  const auto outcome = membership_.on_loaded(3, {kFirstRun, 0, 4, "x.csv: no such file"});
  EXPECT_EQ(outcome.end, std::nullopt);
  EXPECT_THAT(outcome.newly_lost, ElementsAre(3));
}

}  // namespace
}  // namespace strads::engine
