#include "engine/session/node_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rounds/halving_model.hpp"
#include "engine/session/snapshot.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double kPatience = 20;
constexpr double kLease = 15;

EngineOptions one_of_each() {
  EngineOptions engine;
  engine.schedulers = 1;
  engine.workers = 2;
  return engine;
}

/// Two nodes and a driver: node 0 schedules and has worker 0, node 1, which is looked at here, has worker 1.
class ANode : public testing::Test {
 protected:
  ANode() : session_(hello(), "tcp://driver", kPatience) { session_.begin(0); }

  static wire::Hello hello() {
    wire::Hello hello;
    hello.name = "b";
    hello.endpoint = "b";
    return hello;
  }
  static wire::Welcome welcome() {
    wire::Welcome welcome;
    welcome.rank = 1;
    welcome.lease = kLease;
    welcome.schedulers = {0};
    welcome.workers = {0, 1};
    welcome.endpoints = "a\nb\n";
    welcome.incarnations = {1, 1, 0};
    return welcome;
  }
  NodeRequests take() { return std::exchange(session_.requests, {}); }
  /// Its timers are looked at, and a beat is made if one is due.
  NodeRequests look(double now, bool connected = true, bool again = false) {
    if (session_.look(now, connected, again)) session_.beat({});
    return take();
  }
  void join() {
    session_.on_control(wire::Beat{}, 0);
    session_.on_control(welcome(), 0);
    (void)take();
  }
  void load(std::uint32_t run = kFirstRun) {
    session_.on_loaded(run, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
    session_.run(run)->effects = {};
    (void)take();
  }
  /// Of nodes 0 and 1, with roles as in welcome().
  static wire::Open open(std::uint32_t run, const std::string& request = "", std::uint32_t turn = 0) {
    wire::Open open;
    open.run = open.place = run;
    open.turn = turn;
    open.request = request;
    open.nodes = 2;
    open.schedulers = {0};
    open.workers = {0, 1};
    return open;
  }
  template <class Kind>
  static int count(const NodeRequests& requests) {
    return static_cast<int>(std::count_if(requests.to_driver.begin(), requests.to_driver.end(),
                                          [](const auto& message) { return std::holds_alternative<Kind>(message); }));
  }
  /// What the node ends with; "goes on" where it does not.
  static std::string end_of(const NodeRequests& requests) {
    return requests.end.has_value() ? requests.end->message() : "goes on";
  }

  NodeSession session_;
};

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
  EXPECT_TRUE(take().comes_in);
  session_.on_control(wire::Beat{}, 0);
  EXPECT_FALSE(take().comes_in);
}

TEST_F(ANode, ReadsTheDataWhenItIsWelcomedOnceOnly) {
  session_.on_control(welcome(), 0);
  const auto requests = take();
  ASSERT_TRUE(requests.load.has_value());
  EXPECT_EQ(session_.rank(), 1U);
  EXPECT_EQ(session_.stage(), NodeStage::loading);
  session_.on_control(welcome(), 0);
  EXPECT_FALSE(take().load.has_value());
}

TEST_F(ANode, RefusesAWelcomeThatContradictsItself) {
  auto wrong = welcome();
  wrong.workers = {0, 7};
  session_.on_control(wrong, 0);
  const auto requests = take();
  EXPECT_FALSE(requests.load.has_value());
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_NE(end_of(requests), "goes on");
}

TEST_F(ANode, EndsWithAdviceWhereNobodyEverAnswers) {
  session_.advice = "check the address";
  EXPECT_EQ(end_of(look(kPatience)), "goes on");
  EXPECT_EQ(end_of(look(kPatience + 0.1)), "no driver answered at tcp://driver within 20 s; check the address");
}

TEST_F(ANode, WaitsForAWelcomeAsLongAsTheDriverAnswers) {
  for (double now = 0; now < 5 * kPatience; now += 5) {
    session_.on_control(wire::Beat{}, now);
    EXPECT_EQ(end_of(look(now + 1)), "goes on");
  }
}

TEST_F(ANode, EndsWhereItIsRejected) {
  session_.on_control(wire::Reject{"another build"}, 0);
  EXPECT_THAT(end_of(take()), HasSubstr("refuses this node: another build"));
}

TEST_F(ANode, HasNothingToSayAboutARosterBeforeItsWelcome) {
  wire::Roster roster;
  roster.workers = {1, 1};
  for (std::uint64_t number = 1; number <= 2 * Offences::kAtMost; ++number) {
    roster.number = number;
    session_.on_control(roster, 0);
  }
  EXPECT_EQ(end_of(take()), "goes on") << "WELCOME was lost, which is no fault of the driver's";
}

TEST_F(ANode, DropsWhoWasLostAndTakesItsWorkers) {
  join();
  wire::Roster roster;
  roster.number = 1;
  roster.workers = {1, 1};
  roster.lost = {0};
  session_.on_control(roster, 0);
  EXPECT_THAT(take().drop, ElementsAre(0U));
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
    EXPECT_EQ(end_of(take()), "goes on");
  }
  session_.on_control(wrong, 0);
  const auto requests = take();
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
  EXPECT_THAT(take().open, testing::IsEmpty()) << "it has not been welcomed";
  join();
  load();
  session_.on_control(open(4, "lambda 3", 4), 0);
  session_.on_control(open(4, "lambda 3", 4), 0);
  EXPECT_THAT(take().open, ElementsAre(open(4, "lambda 3", 4)));
  load(4);
  session_.on_control(open(4, "lambda 3", 4), 0);
  const auto requests = take();
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
  EXPECT_THAT(take().open, testing::IsEmpty()) << "this OPEN was long on its way";
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
  EXPECT_EQ(count<wire::Loaded>(take()), 1);
  EXPECT_EQ(count<wire::Loaded>(look(1)), 1) << "the first may be lost";
}

TEST_F(ANode, TellsWhyItCouldNotLoadAndWaitsForTheEnd) {
  join();
  session_.on_loaded(kFirstRun, Status::input("x.bed: cut off"), {}, nullptr, 0);
  auto requests = take();
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
  EXPECT_THAT(std::get<wire::Loaded>(take().to_driver.at(0)).error, HasSubstr("other numbers of roles"));
}

TEST_F(ANode, EndsWithTheLeaseOfASilentDriver) {
  join();
  load();
  EXPECT_EQ(end_of(look(kLease)), "goes on");
  EXPECT_NE(end_of(look(kLease + 0.1)), "goes on");
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
  auto requests = take();
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
  (void)take();
  EXPECT_EQ(end_of(look(1)), "goes on");
  EXPECT_EQ(end_of(look(2, false)), "left the run: SIGTERM");
}

TEST_F(ANode, DoesNotWaitForALeaseLongerThanThat) {
  join();
  session_.leave("SIGTERM", false);
  for (double now = 0; now <= kLease; now += 5) session_.on_control(wire::Beat{}, now);
  (void)take();
  EXPECT_EQ(end_of(look(kLease)), "goes on");
  EXPECT_EQ(end_of(look(kLease + 0.1)), "left the run: SIGTERM");
}

TEST_F(ANode, LeavesAtOnceWhereTheRunIsToEndWithIt) {
  join();
  session_.leave("the launcher is gone", true);
  const auto requests = take();
  EXPECT_EQ(count<wire::Leave>(requests), 1);
  EXPECT_EQ(end_of(requests), "left the run: the launcher is gone");
}

// --- runs that go on elsewhere ---

TEST_F(ANode, GoesOnWithARunUnderItsNewNumberAndLetsTheOldOneGo) {
  join();
  load();
  auto again = open(3);
  again.place = 0;
  again.replaces = 0;
  again.schedulers = {1};
  session_.on_control(again, 0);
  EXPECT_EQ(session_.run(0), nullptr);
  EXPECT_THAT(take().open, ElementsAre(again));
  load(3);
  EXPECT_THAT(session_.node(3)->roster().schedulers, ElementsAre(1));
  EXPECT_EQ(session_.run_of(0), session_.run(3));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(session_.on_message(0, 0, wire::Commit{})) << "it was long on its way";
}

TEST_F(ANode, FetchesASnapshotPartByPartBeforeARunGoesOn) {
  join();
  load();
  NodeCheckpoint checkpoint;
  checkpoint.phases = 2;
  checkpoint.version = 5;
  checkpoint.replica.values = std::vector<double>(kPartBytes / sizeof(double), 0.5);  // more than a part
  checkpoint.memories.resize(1);
  checkpoint.planning_flops.resize(1);
  const std::string bytes = encode_snapshot(checkpoint);
  auto again = open(3);
  again.place = 0;
  again.replaces = 0;
  again.parts = parts_of(bytes.size());
  ASSERT_EQ(again.parts, 2U);
  session_.on_control(again, 0);
  EXPECT_EQ(std::get<wire::Fetch>(take().to_driver.at(0)), (wire::Fetch{3, 0}));
  session_.on_loaded(3, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(session_.node(3), nullptr) << "it does not know yet where to begin";
  (void)take();
  EXPECT_EQ(count<wire::Fetch>(look(0.6)), 1) << "the answer was lost";
  session_.on_control(wire::Part{3, 0, part_of(bytes, 0)}, 0.6);
  EXPECT_EQ(std::get<wire::Fetch>(take().to_driver.at(0)), (wire::Fetch{3, 1}));
  session_.on_control(wire::Part{3, 0, part_of(bytes, 0)}, 0.6);  // again
  session_.on_control(wire::Part{3, 1, part_of(bytes, 1)}, 0.6);
  EXPECT_NE(session_.node(3), nullptr);
  EXPECT_EQ(end_of(take()), "goes on");
}

TEST_F(ANode, LeavesWhereASnapshotIsNone) {
  join();
  load();
  auto again = open(3);
  again.place = 0;
  again.parts = 1;
  session_.on_control(again, 0);
  session_.on_loaded(3, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  session_.on_control(wire::Part{3, 0, "nonsense"}, 0);
  EXPECT_THAT(end_of(take()), HasSubstr("the driver's snapshot is cut"));
}

TEST_F(ANode, MeetsThoseWhoJoinLateInTheirOrder) {
  join();
  load();
  session_.on_control(wire::Peer{3, "d", 7, ""}, 0);
  EXPECT_THAT(take().peers, testing::IsEmpty()) << "rank 2 is still to come";
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  EXPECT_THAT(take().peers, ElementsAre(wire::Peer{2, "c", 7, ""}));
  EXPECT_EQ(std::get<wire::Beat>(look(1).to_driver.at(0)).peers, 3U);
}

TEST_F(ANode, WaitsForThePeersOfARunBeforeItTakesPart) {
  join();
  load();
  auto wider = open(3);
  wider.nodes = 3;
  wider.workers = {0, 2};
  session_.on_control(wider, 0);
  EXPECT_THAT(take().open, testing::IsEmpty());
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  session_.on_control(wider, 0);
  EXPECT_THAT(take().open, SizeIs(1));
}

TEST_F(ANode, TakesTheWorkersOfARosterThatOvertookARequest) {
  join();
  load();
  wire::Roster roster;
  roster.number = 2;
  roster.workers = {0, 0};
  session_.on_control(roster, 0);
  auto late = open(1);
  late.roster = 1;
  late.workers = {1, 1};
  session_.on_control(late, 0);
  load(1);
  EXPECT_THAT(session_.node(1)->roster().workers, ElementsAre(0, 0));
}

TEST_F(ANode, TakesTheWorkersOfARequestThatOvertookARosterInEveryRun) {
  join();
  load();
  auto early = open(1);
  early.roster = 2;
  early.workers = {0, 0};
  session_.on_control(early, 0);
  load(1);
  wire::Roster roster;
  roster.number = 2;
  roster.workers = {0, 0};
  session_.on_control(roster, 0);
  EXPECT_THAT(session_.node(0)->roster().workers, ElementsAre(0, 0));
  EXPECT_THAT(session_.node(1)->roster().workers, ElementsAre(0, 0));
}

TEST_F(ANode, WaitsForThePeerThatARosterNamesBeforeItTakesIt) {
  join();
  load();
  wire::Roster roster;
  roster.workers = {0, 2};
  for (roster.number = 1; roster.number <= Offences::kAtMost; ++roster.number) {
    session_.on_control(roster, 0);
    EXPECT_EQ(end_of(take()), "goes on");
    EXPECT_THAT(session_.roster().workers, ElementsAre(0U, 1U));
  }
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  session_.on_control(roster, 0);
  EXPECT_THAT(session_.roster().workers, ElementsAre(0U, 2U));
  EXPECT_THAT(session_.node(0)->roster().workers, ElementsAre(0, 1)) << "this run has two nodes";
}

TEST_F(ANode, RefusesARosterOfMoreNodesThanThereMayBe) {
  join();
  wire::Roster roster;
  roster.workers = {0, kMembersMax};
  for (roster.number = 1; roster.number <= Offences::kAtMost; ++roster.number) session_.on_control(roster, 0);
  EXPECT_THAT(end_of(take()), HasSubstr("is no driver of this run"));
}

TEST_F(ANode, MapsItsDataAndWaitsWhereRunsHaveBegunWithoutIt) {
  auto late = welcome();
  late.waits = 1;
  session_.on_control(late, 0);
  ASSERT_TRUE(take().load.has_value());
  session_.on_loaded(kFirstRun, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(session_.node(), nullptr) << "no run has begun here";
  EXPECT_EQ(std::get<wire::Loaded>(take().to_driver.at(0)).fingerprint, 42U);
  EXPECT_EQ(count<wire::Loaded>(look(1)), 1) << "the first may be lost";
}

TEST_F(ANode, IsNotAskedAgainWhenItSaysItsLastWords) {
  join();
  session_.on_control(wire::Leave{}, 0);
  (void)look(0);
  session_.leave("SIGTERM", false);
  EXPECT_EQ(end_of(take()), "goes on");
}

}  // namespace
}  // namespace strads::engine
