#include "engine/session/node_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/a_node.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ANode, SaysHelloUntilItIsWelcomed) {
  EXPECT_EQ(count<wire::Hello>(look(0)), 1);
  EXPECT_EQ(count<wire::Hello>(look(0.1)), 0);
  EXPECT_EQ(count<wire::Hello>(look(kHelloSeconds)), 1);
  join();
  EXPECT_EQ(count<wire::Hello>(look(1)), 0);
}

TEST_F(ANode, SaysHelloAtOnceOverANewConnection) {
  (void)look(0);
  EXPECT_EQ(count<wire::Hello>(look(0.1, true, true)), 1);
}

TEST_F(ANode, ComesInOnceTheDriverHasAnswered) {
  session_.on_control(wire::Beat{}, 0);
  EXPECT_TRUE(new_requests().comes_in);
  session_.on_control(wire::Beat{}, 0);
  EXPECT_FALSE(new_requests().comes_in);
}

TEST_F(ANode, ReadsTheDataWhenItIsWelcomedOnceOnly) {
  session_.on_control(welcome(), 0);
  const auto requests = new_requests();
  ASSERT_TRUE(requests.load.has_value());
  EXPECT_EQ(session_.rank(), 1U);
  EXPECT_EQ(session_.stage(), NodeStage::loading);
  session_.on_control(welcome(), 0);
  EXPECT_FALSE(new_requests().load.has_value());
}

TEST_F(ANode, RefusesAWelcomeThatContradictsItself) {
  auto wrong = welcome();
  wrong.workers = {0, 7};
  session_.on_control(wrong, 0);
  const auto requests = new_requests();
  EXPECT_FALSE(requests.load.has_value());
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_NE(end_of(requests), "goes on");
}

/// Of what is kept for repetition, 8 MiB are told at once: the driver's answer says what may go.
TEST_F(ANode, SaysABeatBeforeItsTimeAfterManyBytesOfCommits) {
  join();
  load();
  (void)look(0);
  const auto commit_of = [](Version version, std::size_t values) {
    wire::Commit commit;
    commit.version = version;
    commit.changes.values.assign(values, 1.0);
    return commit;
  };
  ASSERT_TRUE(session_.on_message(kFirstRun, 0, commit_of(2, 500'000)));
  EXPECT_EQ(count<wire::Beat>(look(0.1)), 0) << "4 MB";
  ASSERT_TRUE(session_.on_message(kFirstRun, 0, commit_of(2, 500'000)));
  EXPECT_EQ(count<wire::Beat>(look(0.2)), 0) << "the same ones again are dropped";
  ASSERT_TRUE(session_.on_message(kFirstRun, 0, commit_of(4, 600'000)));
  EXPECT_EQ(count<wire::Beat>(look(0.3)), 1) << "8.8 MB";
  EXPECT_EQ(count<wire::Beat>(look(0.4)), 0) << "they were told";
}

TEST_F(ANode, EndsWithAdviceWhereNobodyEverAnswers) {
  session_.advice = "check the address";
  EXPECT_EQ(end_of(look(kNodePatience)), "goes on");
  EXPECT_EQ(end_of(look(kNodePatience + 0.1)), "no driver answered at tcp://driver within 20 s; check the address");
}

TEST_F(ANode, WaitsForAWelcomeAsLongAsTheDriverAnswers) {
  for (double now = 0; now < 5 * kNodePatience; now += 5) {
    session_.on_control(wire::Beat{}, now);
    EXPECT_EQ(end_of(look(now + 1)), "goes on");
  }
}

TEST_F(ANode, EndsWhereItIsRejected) {
  session_.on_control(wire::Reject{"another build"}, 0);
  EXPECT_THAT(end_of(new_requests()), HasSubstr("refuses this node: another build"));
}

TEST_F(ANode, HasNothingToSayAboutARosterBeforeItsWelcome) {
  wire::Roster roster;
  roster.workers = {1, 1};
  for (std::uint64_t number = 1; number <= 2 * Offences::kAtMost; ++number) {
    roster.number = number;
    session_.on_control(roster, 0);
  }
  EXPECT_EQ(end_of(new_requests()), "goes on") << "WELCOME was lost, which is no fault of the driver's";
}

TEST_F(ANode, DropsWhoWasLostAndTakesItsWorkers) {
  join();
  wire::Roster roster;
  roster.number = 1;
  roster.workers = {1, 1};
  roster.lost = {0};
  session_.on_control(roster, 0);
  EXPECT_THAT(new_requests().drop, ElementsAre(0U));
  EXPECT_THAT(session_.roster().workers, ElementsAre(1U, 1U));
  roster.workers = {0, 1};
  session_.on_control(roster, 0);
  EXPECT_THAT(session_.roster().workers, ElementsAre(1U, 1U)) << "an old one came late";
}

TEST_F(ANode, LeavesADriverThatSendsThreeWordsOfNonsense) {
  join();
  wire::Roster wrong;
  wrong.workers = {0};
  for (std::uint64_t number = 1; number < Offences::kAtMost; ++number) {
    wrong.number = number;
    session_.on_control(wrong, 0);
    EXPECT_EQ(end_of(new_requests()), "goes on");
  }
  session_.on_control(wrong, 0);
  const auto requests = new_requests();
  EXPECT_THAT(end_of(requests), HasSubstr("is no driver of this run"));
  EXPECT_EQ(count<wire::Leave>(requests), 1);
}

TEST_F(ANode, DropsWhatComesBeforeItsDataAreRead) {
  join();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(session_.on_message(0, 0, wire::Deltas{}));
  (void)look(0);
  load();
  EXPECT_FALSE(session_.on_message(0, 1, wire::Commit{})) << "now it is looked at: node 1 schedules nothing";
}

TEST_F(ANode, AccusesWhoSentThreeMessagesOfNonsenseInABeatAtOnce) {
  join();
  load();
  (void)look(0);
  for (int i = 0; i < 3; ++i) (void)session_.on_message(0, 1, wire::Commit{});
  const auto requests = look(0.01);
  ASSERT_THAT(requests.to_driver, testing::Not(testing::IsEmpty()));
  const auto& beat = std::get<wire::Beat>(requests.to_driver.front());
  EXPECT_THAT(beat.accused, ElementsAre(1U));
  EXPECT_EQ(Refusals(beat.refused)[Refusal::misplaced], 3U);
}

TEST_F(ANode, MakesTheModelOfEachFurtherRunOnce) {
  session_.on_control(open(1, "too early"), 0);
  EXPECT_THAT(new_requests().open, testing::IsEmpty()) << "it has not been welcomed";
  join();
  load();
  session_.on_control(open(4, "lambda 3", 4), 0);
  session_.on_control(open(4, "lambda 3", 4), 0);
  EXPECT_THAT(new_requests().open, ElementsAre(open(4, "lambda 3", 4)));
  load(4);
  session_.on_control(open(4, "lambda 3", 4), 0);
  const auto requests = new_requests();
  EXPECT_THAT(requests.open, testing::IsEmpty());
  EXPECT_EQ(std::get<wire::Loaded>(requests.to_driver.at(0)).run, 4U) << "the first LOADED may be lost";
}

TEST_F(ANode, SaysInABeatHowFarEachRunIs) {
  join();
  load();
  session_.on_control(open(4, "", 4), 0);
  load(4);
  const auto requests = look(1);
  EXPECT_EQ(count<wire::Loaded>(requests), 2) << "neither has begun";
  EXPECT_THAT(std::get<wire::Beat>(requests.to_driver.at(0)).runs, ElementsAre(0, 4));
}

TEST_F(ANode, LetsGoOfARunThatIsClosedForGood) {
  join();
  load();
  session_.on_control(open(4, "", 4), 0);
  load(4);
  const std::shared_ptr<NodeRun> of_a_task = session_.runs().at(4);
  session_.on_control(wire::Close{4}, 0);
  EXPECT_EQ(session_.run(4), nullptr);
  EXPECT_NE(of_a_task->node, nullptr) << "its end finds it";
  session_.on_control(open(4, "", 4), 0);
  EXPECT_THAT(new_requests().open, testing::IsEmpty()) << "this OPEN was long on its way";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(session_.on_message(4, 1, wire::Commit{})) << "as this is";
}

TEST_F(ANode, RepeatsWhatIsOpenInARunWhileAnotherComputes) {
  join();
  load();
  session_.on_control(open(4, "", 4), 0);
  load(4);
  session_.run(0)->tasks = 1;
  (void)session_.repeat(1);
  EXPECT_TRUE(session_.repeat(2));
  EXPECT_TRUE(session_.run(0)->effects.messages.empty());
  EXPECT_FALSE(session_.run(4)->effects.messages.empty());
}

TEST_F(ANode, DealsTheWorkersOfEachRunAnew) {
  join();
  load();
  session_.on_control(open(1, "", 1), 0);
  load(1);
  wire::Roster roster;
  roster.number = 1;
  roster.workers = {1, 0};
  session_.on_control(roster, 0);
  EXPECT_THAT(session_.node(0)->roster().workers, ElementsAre(1, 0));
  EXPECT_THAT(session_.node(1)->roster().workers, ElementsAre(0, 1)) << "worker 0 of every run elsewhere";
}

TEST_F(ANode, SaysAgainThatItHasLoadedUntilTheRunBegins) {
  join();
  session_.on_loaded(kFirstRun, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(count<wire::Loaded>(new_requests()), 1);
  EXPECT_EQ(count<wire::Loaded>(look(1)), 1) << "the first may be lost";
}

TEST_F(ANode, TellsWhyItCouldNotLoadAndWaitsForTheEnd) {
  join();
  session_.on_loaded(kFirstRun, Status::input("x.bed: cut off"), {}, nullptr, 0);
  auto requests = new_requests();
  ASSERT_THAT(requests.to_driver, SizeIs(1));
  EXPECT_EQ(std::get<wire::Loaded>(requests.to_driver[0]).error, "x.bed: cut off");
  EXPECT_EQ(count<wire::Loaded>(look(1)), 1);
  EXPECT_EQ(end_of(look(2)), "goes on");
}

TEST_F(ANode, DoesNotBeginARunOfAnotherShapeThanItsRoster) {
  join();
  EngineOptions other = one_of_each();
  other.workers = 3;
  session_.on_loaded(kFirstRun, {}, other, std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(session_.node(), nullptr);
  EXPECT_THAT(std::get<wire::Loaded>(new_requests().to_driver.at(0)).error, HasSubstr("other numbers of roles"));
}

TEST_F(ANode, EndsWithTheLeaseOfASilentDriver) {
  join();
  load();
  EXPECT_EQ(end_of(look(kNodeLease)), "goes on");
  EXPECT_NE(end_of(look(kNodeLease + 0.1)), "goes on");
}

TEST_F(ANode, RepeatsItsLastWordsUntilTheDriverHasThem) {
  join();
  session_.on_control(wire::Leave{}, 0);
  auto requests = look(0);  // nothing was loaded: nothing is missing
  EXPECT_EQ(count<wire::Beat>(requests), 1);
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_EQ(end_of(requests), "goes on");
  requests = look(LastWords::kEvery);
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  wire::Beat answer;
  answer.number = session_.beats();
  session_.on_control(answer, LastWords::kEvery);
  requests = look(LastWords::kEvery + 0.01);
  ASSERT_TRUE(requests.end.has_value());
  EXPECT_TRUE(requests.end->ok());
}

TEST_F(ANode, SaysItsTotalsOnceWhereTheRunHasFailed) {
  join();
  wire::Leave leave;
  leave.code = static_cast<std::uint8_t>(StatusCode::cluster);
  leave.reason = "rank 0 was lost";
  session_.on_control(leave, 0);
  const auto requests = look(0);
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_THAT(end_of(requests), HasSubstr("the driver ended the run: rank 0 was lost"));
  EXPECT_EQ(count<wire::Leave>(look(1)), 0);
}

TEST_F(ANode, LeavesWhenTheDriverLetsItGo) {
  join();
  session_.leave("SIGTERM", false);
  session_.leave("SIGTERM", false);
  auto requests = new_requests();
  EXPECT_EQ(count<wire::Leave>(requests), 1) << "it is asked many times a second";
  EXPECT_EQ(end_of(requests), "goes on") << "others must take its roles first";
  EXPECT_EQ(count<wire::Leave>(look(1)), 1) << "the first may be lost";
  session_.on_control(wire::Leave{}, 1);
  requests = look(1);
  EXPECT_EQ(count<wire::Leave>(requests), 1) << "its last words";
  wire::Beat answer;
  answer.number = session_.beats();
  session_.on_control(answer, 1.1);
  requests = look(1.2);
  ASSERT_TRUE(requests.end.has_value());
  EXPECT_TRUE(requests.end->ok());
}

TEST_F(ANode, LeavesAtOnceWhereTheDriverIsGoneAndAfterALeaseWhereItSaysNothing) {
  join();
  session_.leave("SIGTERM", false);
  (void)new_requests();
  EXPECT_EQ(end_of(look(1)), "goes on");
  EXPECT_EQ(end_of(look(2, false)), "left the run: SIGTERM");
}

TEST_F(ANode, DoesNotWaitForALeaseLongerThanThat) {
  join();
  session_.leave("SIGTERM", false);
  for (double now = 0; now <= kNodeLease; now += 5) session_.on_control(wire::Beat{}, now);
  (void)new_requests();
  EXPECT_EQ(end_of(look(kNodeLease)), "goes on");
  EXPECT_EQ(end_of(look(kNodeLease + 0.1)), "left the run: SIGTERM");
}

TEST_F(ANode, WaitsForTheEndOfTheRunsHoweverLongOnceTheDriverHasSaidThatTheyEnd) {
  join();
  session_.leave("SIGTERM", false);
  session_.on_control(wire::Finish{}, 1);
  for (double now = 1; now <= 3 * kNodeLease; now += 5) session_.on_control(wire::Beat{}, now);
  (void)new_requests();
  EXPECT_EQ(end_of(look(3 * kNodeLease)), "goes on");
  session_.on_control(wire::Leave{static_cast<std::uint8_t>(StatusCode::stopped), "no node would be left"}, 50);
  (void)look(50);
  wire::Beat answer;
  answer.number = session_.beats();
  session_.on_control(answer, 50.1);
  const auto requests = look(50.2);
  ASSERT_TRUE(requests.end.has_value());
  EXPECT_TRUE(requests.end->ok()) << "it was asked to go";
}

TEST_F(ANode, LeavesAtOnceWhereTheRunIsToEndWithIt) {
  join();
  session_.leave("the launcher is gone", true);
  const auto requests = new_requests();
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_EQ(end_of(requests), "left the run: the launcher is gone");
}

// --- runs that go on elsewhere ---

TEST_F(ANode, IsNotAskedAgainWhenItSaysItsLastWords) {
  join();
  session_.on_control(wire::Leave{}, 0);
  (void)look(0);
  session_.leave("SIGTERM", false);
  EXPECT_EQ(end_of(new_requests()), "goes on");
}

}  // namespace
}  // namespace strads::engine
