#include "engine/session/driver_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rounds/halving_model.hpp"

namespace strads::engine {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kStart = 20;

EngineOptions one_scheduler_two_workers() {
  EngineOptions engine;
  engine.schedulers = 1;
  engine.workers = 2;
  return engine;
}

/// Two nodes are expected: the first schedules and works, the other works.
class ADriver : public testing::Test {
 protected:
  ADriver()
      : session_(one_scheduler_two_workers(), Membership(one_scheduler_two_workers(), 15), 2,
                 {"tcp://here", "tcp://data"}, kStart) {}

  static wire::Hello hello(const std::string& name) {
    wire::Hello hello;
    hello.name = hello.endpoint = name;
    hello.process = static_cast<std::uint64_t>(name[0]);
    hello.roles = wire::kAcceptsWorker | (name == "a" ? wire::kAcceptsScheduler : 0);
    return hello;
  }
  DriverRequests new_requests() { return std::exchange(session_.requests, {}); }
  DriverRequests look(double now) {
    session_.look(now);
    return new_requests();
  }
  void join(const std::string& name, double now = 0) {
    const auto joined = session_.on_hello(hello(name), now);
    ASSERT_TRUE(joined.has_value());
    session_.heard(joined->rank, now);
    session_.answer(joined->rank);
  }
  /// All have joined and were welcomed.
  void begin() {
    join("a");
    join("b");
    (void)new_requests();
    ASSERT_TRUE(look(0).welcome);
    session_.welcome_all();
    (void)new_requests();
  }
  void load(std::uint64_t fingerprint = 42) {
    wire::Loaded loaded;
    loaded.fingerprint = fingerprint;
    for (std::uint32_t rank = 0; rank < 2; ++rank) session_.on_member(rank, loaded, 0);
  }
  /// ... and have loaded, as the driver itself.
  void run() {
    begin();
    load();
    session_.on_model(kFirstRun, model(), 42);
    (void)look(0);
    ASSERT_NE(session_.coordinator(), nullptr);
  }
  static std::shared_ptr<Model> model() { return std::make_shared<HalvingModel>(HalvingOptions{}, 1U); }
  template <class Kind>
  static std::vector<std::uint32_t> told(const DriverRequests& requests) {
    std::vector<std::uint32_t> ranks;
    for (const auto& [rank, message] : requests.to_members) {
      if (std::holds_alternative<Kind>(message)) ranks.push_back(rank);
    }
    return ranks;
  }
  static std::vector<std::string> notes(const DriverRequests& requests) {
    std::vector<std::string> texts;
    for (const auto& note : requests.notes) texts.push_back(note.text);
    return texts;
  }
  [[nodiscard]] std::string end() const { return session_.ended() ? session_.end().status.message() : "goes on"; }

  DriverSession session_;
};

TEST_F(ADriver, AnswersANewcomerAndSaysWhoCame) {
  join("a");
  const auto requests = new_requests();
  EXPECT_THAT(notes(requests), Contains(HasSubstr("joined: 1 of 2")));
  EXPECT_THAT(told<wire::Beat>(requests), testing::ElementsAre(0U));
}

TEST_F(ADriver, KnowsWhoHasJoinedAlready) {
  join("a");
  (void)new_requests();
  join("a");
  EXPECT_THAT(notes(new_requests()), IsEmpty());
  EXPECT_EQ(session_.membership().size(), 1U);
}

TEST_F(ADriver, BeginsWhenAllAreHereAndWelcomesEachOnce) {
  join("a");
  EXPECT_FALSE(look(0).welcome);
  join("b");
  EXPECT_TRUE(look(0).welcome);
  session_.welcome_all();
  const auto requests = new_requests();
  EXPECT_THAT(told<wire::Welcome>(requests), testing::ElementsAre(0U, 1U));
  EXPECT_THAT(notes(requests), Contains(HasSubstr("schedulers 0; workers 0")));
  EXPECT_FALSE(look(0).welcome);
}

TEST_F(ADriver, WelcomesAgainWhoSaysHelloAgain) {
  begin();
  session_.answer(1);
  EXPECT_THAT(told<wire::Welcome>(new_requests()), testing::ElementsAre(1U));
}

TEST_F(ADriver, WelcomesAgainUntilANodeBeats) {
  begin();
  EXPECT_THAT(told<wire::Welcome>(look(0.1)), IsEmpty());
  EXPECT_THAT(told<wire::Welcome>(look(0.3)), testing::ElementsAre(0U, 1U));
  wire::Beat first;
  first.number = 1;
  session_.on_member(0, first, 0.4);
  EXPECT_THAT(told<wire::Welcome>(look(0.6)), testing::ElementsAre(1U));
}

TEST_F(ADriver, HasNoPlaceForAThirdWhileItHasNotBegun) {
  join("a");
  join("b");
  EXPECT_FALSE(session_.on_hello(hello("c"), 0).has_value());
}

TEST_F(ADriver, EndsWithAdviceWhereNodesAreMissing) {
  session_.advice = "; connections turned away: 3";
  join("a", kStart);
  (void)look(kStart);
  EXPECT_EQ(end(), "goes on");
  (void)look(kStart + 0.1);
  EXPECT_THAT(end(), HasSubstr("; connections turned away: 3"));
}

TEST_F(ADriver, BeginsTheRunWhenAllHaveLoadedTheSameData) {
  begin();
  session_.on_model(kFirstRun, model(), 42);
  (void)look(0);
  EXPECT_EQ(session_.coordinator(), nullptr);
  load();
  (void)look(0);
  EXPECT_NE(session_.coordinator(), nullptr);
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ADriver, EndsWhereANodeHasOtherData) {
  begin();
  session_.on_model(kFirstRun, model(), 41);
  load();
  (void)look(0);
  EXPECT_EQ(session_.coordinator(), nullptr);
  EXPECT_NE(end(), "goes on");
}

TEST_F(ADriver, TellsItsOwnFailureToLoadRatherThanANodes) {
  begin();
  wire::Loaded failed;
  failed.code = static_cast<std::uint8_t>(StatusCode::input);
  failed.error = "a file cannot be read";
  session_.on_member(0, failed, 0);
  EXPECT_EQ(end(), "goes on") << "the driver reads the same files, and may say what is in them";
  session_.on_model(kFirstRun, Status::input("x.bed: cut off after 7 bytes"), 0);
  EXPECT_EQ(end(), "x.bed: cut off after 7 bytes");
}

TEST_F(ADriver, TellsANodesFailureWhereItsOwnDataAreRead) {
  begin();
  wire::Loaded failed;
  failed.code = static_cast<std::uint8_t>(StatusCode::input);
  failed.error = "a file cannot be read";
  session_.on_member(0, failed, 0);
  session_.on_model(kFirstRun, model(), 42);
  EXPECT_THAT(end(), HasSubstr("a file cannot be read"));
}

TEST_F(ADriver, KeepsWhatASchedulerReportsBeforeItsTime) {
  begin();
  wire::Ready ready;
  ready.summary.values = {10};
  session_.on_message(0, 0, ready);
  EXPECT_EQ(session_.refused().total(), 0U);
  load();
  session_.on_model(kFirstRun, model(), 42);
  (void)look(0);
  EXPECT_FALSE(session_.runs().at(kFirstRun).effects.messages.empty()) << "START follows";
}

TEST_F(ADriver, AsksForAFurtherRunUntilANodeHasLoadedIt) {
  run();
  const std::uint32_t further = session_.open(one_scheduler_two_workers(), "lambda 3");
  EXPECT_EQ(further, 1U);
  const auto requests = look(0);
  EXPECT_THAT(told<wire::Open>(requests), testing::ElementsAre(0U, 1U));
  const auto& open = std::get<wire::Open>(requests.to_members.at(0).second);
  EXPECT_EQ(open.run, 1U);
  EXPECT_EQ(open.place, 1U);
  EXPECT_EQ(open.request, "lambda 3");
  EXPECT_EQ(open.parts, 0U);
  EXPECT_THAT(told<wire::Open>(look(0.1)), IsEmpty());
  session_.on_member(0, wire::Loaded{1, 42, 0, ""}, 1);
  EXPECT_THAT(told<wire::Open>(look(1)), testing::ElementsAre(1U));
  session_.on_model(further, model(), 42);
  session_.on_member(1, wire::Loaded{1, 42, 0, ""}, 1);
  (void)look(1);
  EXPECT_NE(session_.coordinator(further), nullptr);
  EXPECT_THAT(told<wire::Open>(look(2)), IsEmpty());
}

TEST_F(ADriver, AsksForAFurtherRunWithTheWorkersOfItsNewestRoster) {
  run();
  (void)session_.open(one_scheduler_two_workers(), "lambda 3");
  session_.on_ended_process(1, "signal 9 (Killed)");
  const auto requests = look(1);
  ASSERT_THAT(told<wire::Open>(requests), testing::ElementsAre(0U));
  for (const auto& [rank, message] : requests.to_members) {
    const auto* open = std::get_if<wire::Open>(&message);
    if (open == nullptr) continue;
    EXPECT_THAT(open->workers, testing::ElementsAre(0U, 0U));
    EXPECT_EQ(open->roster, session_.membership().roster_number());
  }
}

TEST_F(ADriver, EndsWhereANodeHasOtherDataInAFurtherRun) {
  run();
  const std::uint32_t further = session_.open(one_scheduler_two_workers(), "");
  session_.on_model(further, model(), 42);
  session_.on_member(0, wire::Loaded{1, 42, 0, ""}, 0);
  session_.on_member(1, wire::Loaded{1, 43, 0, ""}, 0);
  (void)look(0);
  EXPECT_THAT(end(), HasSubstr("reads other data"));
}

TEST_F(ADriver, EndsAllRunsWithTheFirstThatFails) {
  run();
  const std::uint32_t further = session_.open(one_scheduler_two_workers(), "");
  RunEnd failed;
  failed.status = Status::input("a column is constant");
  session_.end_run(further, failed);
  EXPECT_EQ(end(), "a column is constant");
}

TEST_F(ADriver, ClosesARunAtANodeWhenAllHaveItsLastVerdict) {
  run();
  (void)session_.open(one_scheduler_two_workers(), "");
  session_.end_run(kFirstRun, {});
  EXPECT_EQ(end(), "goes on") << "another run is left";
  wire::Beat beat;
  add_run(beat, kFirstRun, {3, 1});
  session_.on_member(0, beat, 0);
  const auto requests = new_requests();
  EXPECT_EQ(std::get<wire::Close>(requests.to_members.at(1).second), wire::Close{kFirstRun});
  beat.runs = {7};
  session_.on_member(0, beat, 0);
  EXPECT_THAT(told<wire::Close>(new_requests()), IsEmpty()) << "no run has had this number";
}

TEST_F(ADriver, ExpelsWhoSendsNonsenseThreeTimes) {
  run();
  for (int i = 0; i < 3; ++i) session_.on_message(0, 1, wire::Ready{});  // it schedules nothing
  const auto requests = new_requests();
  EXPECT_THAT(requests.drop, testing::ElementsAre(1U));
  EXPECT_THAT(told<wire::Leave>(requests), testing::ElementsAre(1U));
  EXPECT_THAT(told<wire::Roster>(requests), testing::ElementsAre(0U));
  EXPECT_EQ(session_.refused()[Refusal::misplaced], 3U);
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ADriver, ExpelsWhomANodeAccuses) {
  run();
  wire::Beat beat;
  beat.accused = {1};
  beat.grounds = {static_cast<std::uint32_t>(Refusal::impossible)};
  session_.on_member(0, beat, 0);
  EXPECT_THAT(new_requests().drop, testing::ElementsAre(1U));
}

TEST_F(ADriver, GoesOnWithoutAWorkerWhoseProcessHasEnded) {
  run();
  session_.on_ended_process(1, "signal 9 (Killed)");
  EXPECT_THAT(told<wire::Roster>(new_requests()), testing::ElementsAre(0U));
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ADriver, EndsWithoutASchedulerWhereNobodyElseAcceptsOne) {
  run();
  session_.on_ended_process(0, "signal 9 (Killed)");
  EXPECT_THAT(end(), HasSubstr("signal 9 (Killed); no node is left that accepts the role scheduler"));
}

TEST_F(ADriver, EndsItsRunsInOrderWhenAllNodesAreAskedToGo) {
  run();
  session_.on_member(1, wire::Leave{0, "SIGTERM"}, 1);
  EXPECT_FALSE(session_.finishes()) << "the other goes on";
  session_.on_member(0, wire::Leave{0, "SIGTERM"}, 1);
  EXPECT_TRUE(session_.finishes());
  EXPECT_TRUE(session_.all_leave());
  auto requests = new_requests();
  EXPECT_THAT(notes(requests), Contains(HasSubstr("no node would be left: the runs end with their next commits")));
  EXPECT_THAT(told<wire::Finish>(requests), testing::ElementsAre(0U)) << "it must not go when its lease is over";
  EXPECT_THAT(told<wire::Leave>(requests), IsEmpty());
  session_.on_member(0, wire::Leave{0, "SIGTERM"}, 2);
  requests = look(2);
  EXPECT_THAT(told<wire::Finish>(requests), testing::ElementsAre(0U)) << "whenever it says so";
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ADriver, KeepsNodesThatAreAskedToGoWhileItsRunsEnd) {
  run();
  session_.request_finish();
  (void)new_requests();
  session_.on_member(1, wire::Leave{0, "SIGTERM"}, 1);
  const auto requests = look(1);
  EXPECT_THAT(told<wire::Roster>(requests), IsEmpty());
  EXPECT_THAT(told<wire::Leave>(requests), IsEmpty());
  EXPECT_THAT(told<wire::Finish>(requests), testing::ElementsAre(1U));
  EXPECT_FALSE(session_.all_leave());
}

TEST_F(ADriver, HasNothingToWriteWhereAllNodesAreAskedToGoBeforeTheFirstRound) {
  begin();
  session_.on_member(0, wire::Leave{0, "SIGTERM"}, 1);
  EXPECT_THAT(end(), testing::AllOf(HasSubstr("no node would be left: rank 0 (a, process 97) leaves: SIGTERM"),
                                    HasSubstr("there are no results to write")));
  EXPECT_EQ(session_.end().status.code(), StatusCode::stopped);
}

TEST_F(ADriver, HasNothingToWriteWhereItIsInterruptedBeforeTheFirstRound) {
  begin();
  session_.request_finish();
  EXPECT_THAT(end(), HasSubstr("interrupted before the first round"));
}

TEST_F(ADriver, SaysGoodbyeAgainAndAgainUntilAllHaveReported) {
  run();
  session_.end_run(kFirstRun, {});
  session_.say_goodbye(0);
  EXPECT_THAT(told<wire::Leave>(new_requests()), testing::ElementsAre(0U, 1U));
  session_.say_goodbye(0.1);
  EXPECT_THAT(told<wire::Leave>(new_requests()), IsEmpty());
  session_.on_member(0, wire::Leave{}, 0.1);
  session_.say_goodbye(0.3);
  EXPECT_THAT(told<wire::Leave>(new_requests()), testing::ElementsAre(1U));
  EXPECT_FALSE(session_.over(0.3));
  session_.on_member(1, wire::Leave{}, 0.3);
  EXPECT_TRUE(session_.over(0.3));
}

TEST_F(ADriver, WaitsTwoSecondsForAGoodbyeAtMost) {
  run();
  session_.end_run(kFirstRun, {});
  session_.say_goodbye(0);
  EXPECT_FALSE(session_.over(1.9));
  EXPECT_TRUE(session_.over(2.1));
}

TEST_F(ADriver, TellsNodesOfALimitThatTheirTotalsCount) {
  run();
  RunEnd limit;
  limit.status = Status(StatusCode::stopped, "");
  session_.end_run(kFirstRun, std::move(limit));
  session_.say_goodbye(0);
  const auto requests = new_requests();
  ASSERT_THAT(requests.to_members, SizeIs(2));
  EXPECT_EQ(std::get<wire::Leave>(requests.to_members[0].second).code, 0);
}

}  // namespace
}  // namespace strads::engine
