#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rounds/halving_model.hpp"
#include "engine/session/driver_session.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

EngineOptions two_of_each() {
  EngineOptions engine;
  engine.schedulers = 2;
  engine.workers = 2;
  return engine;
}

/// Two nodes that accept every role; each schedules and works. The driver speaks with made-up nodes.
class ADriverWhoseRunsMove : public testing::Test {
 protected:
  ADriverWhoseRunsMove()
      : session_(two_of_each(), Membership(two_of_each(), 15), 2, {"tcp://here", "tcp://data"}, 20) {}

  void SetUp() override {
    join("a", 0);
    join("b", 0);
    look(0);
    session_.welcome_all();
    for (std::uint32_t rank = 0; rank < 2; ++rank) session_.on_member(rank, wire::Loaded{0, 42, 0, ""}, 0);
    session_.on_model(0, std::shared_ptr<Model>(std::make_shared<HalvingModel>(HalvingOptions{.phases = 50}, 2U)), 42);
    look(0);
    ASSERT_NE(session_.coordinator(), nullptr);
  }
  std::uint32_t join(const std::string& name, double now) {
    wire::Hello hello;
    hello.name = hello.endpoint = name;
    hello.roles = wire::kAcceptsWorker | wire::kAcceptsScheduler;
    const auto joined = session_.on_hello(hello, now);
    session_.heard(joined->rank, now);
    if (joined->late) session_.introduce(joined->rank);
    session_.answer(joined->rank);
    return joined->rank;
  }
  DriverRequests look(double now) {
    for (std::uint32_t rank = 0; rank < session_.membership().size(); ++rank) session_.heard(rank, now);
    session_.look(now);
    return std::exchange(session_.requests, {});
  }
  DriverRun& run() { return session_.runs().begin()->second; }
  std::vector<wire::Envelope> said() { return std::exchange(run().effects.messages, {}); }
  /// READY of both schedulers of this run.
  void scan() {
    for (std::uint32_t s = 0; s < 2; ++s)
      session_.on_message(run().number, run().roster.schedulers[s], wire::Ready{s, {{}, {5}, {}}});
  }
  /// Both slices report at a barrier; returns the verdict.
  wire::Phase barrier(std::uint32_t phase, Version version) {
    (void)said();
    for (std::uint32_t s = 0; s < 2; ++s) {
      wire::SliceStatus status;
      status.scheduler = s;
      status.phase = phase;
      status.version = version;
      status.status = {{s}, {1}, {}};
      session_.on_message(run().number, run().roster.schedulers[s], status);
    }
    for (const wire::Envelope& each : said()) {
      if (const auto* verdict = std::get_if<wire::Phase>(&each.message)) return *verdict;
    }
    return {};
  }
  /// What the first nodes hold. The second one's replica may be another.
  void keep(const wire::Phase& verdict, bool same = true, std::uint32_t nodes = 2) {
    const Payload replica{{}, {1, 2, 3}, {}};
    for (std::uint32_t rank = 0; rank < nodes; ++rank) {
      const std::uint64_t hash = payload_hash(replica) + (rank == 1 && !same ? 1 : 0);
      session_.on_message(
          run().number, rank,
          wire::Kept{rank, verdict.phase, verdict.version, hash, rank == verdict.keeper ? replica : Payload{}});
    }
    for (std::uint32_t s = 0; s < 2; ++s)
      session_.on_message(run().number, run().roster.schedulers[s],
                          wire::Memory{s, verdict.phase, 4 + s, {{s}, {}, {}}});
  }
  static wire::Commit commit(Version version) {
    wire::Commit commit;
    commit.version = version;
    commit.scheduler = static_cast<std::uint32_t>(version % 2);
    return commit;
  }
  /// Beats of the first two that count so many nodes.
  void all_know(std::uint32_t nodes) {
    wire::Beat beat;
    beat.peers = nodes;
    for (std::uint32_t rank = 0; rank < 2; ++rank) session_.on_member(rank, beat, 3);
  }
  template <class Kind>
  static std::vector<std::pair<std::uint32_t, Kind>> told(const DriverRequests& requests) {
    std::vector<std::pair<std::uint32_t, Kind>> all;
    for (const auto& [rank, message] : requests.to_members) {
      if (const auto* held = std::get_if<Kind>(&message)) all.emplace_back(rank, *held);
    }
    return all;
  }
  [[nodiscard]] std::string end() const { return session_.ended() ? session_.end().status.message() : "goes on"; }

  DriverSession session_;
};

TEST_F(ADriverWhoseRunsMove, ReplacesARunThatLostASchedulerByOneOnTheNodesThatAreLeft) {
  session_.on_ended_process(0, "signal 9 (Killed)");
  const auto requests = look(1);
  EXPECT_EQ(end(), "goes on");
  EXPECT_THAT(requests.drop, ElementsAre(0));
  const auto opened = told<wire::Open>(requests);
  ASSERT_THAT(opened, SizeIs(1));
  EXPECT_EQ(opened[0].first, 1U);
  EXPECT_EQ(opened[0].second.run, 1U);
  EXPECT_EQ(opened[0].second.replaces, 0U);
  EXPECT_EQ(opened[0].second.place, 0U);
  EXPECT_THAT(opened[0].second.schedulers, ElementsAre(1, 1));
  EXPECT_THAT(opened[0].second.workers, ElementsAre(1, 1));
  EXPECT_EQ(opened[0].second.parts, 0U) << "there was no checkpoint: it begins anew";
  EXPECT_EQ(session_.coordinator(), nullptr) << "the model of it is still to be made there";
  session_.on_member(1, wire::Loaded{1, 42, 0, ""}, 1);
  (void)look(1);
  EXPECT_NE(session_.coordinator(), nullptr);
  EXPECT_EQ(session_.moved(), 1U);
}

TEST_F(ADriverWhoseRunsMove, DropsWhatStillComesOfTheOldNumber) {
  session_.on_ended_process(0, "signal 9 (Killed)");
  (void)look(1);
  for (int i = 0; i < 5; ++i) session_.on_message(0, 1, wire::Commit{});
  EXPECT_EQ(session_.refused().total(), 0U);
}

TEST_F(ADriverWhoseRunsMove, AsksForCheckpointsNowAndThenAndTakesThemWhenAllNodesAgree) {
  scan();
  EXPECT_EQ(barrier(0, -1).keeper, wire::kNobody) << "nothing would be lost yet";
  (void)look(2);
  session_.on_message(0, 0, commit(0));
  session_.on_message(0, 1, commit(1));
  const auto verdict = barrier(1, 1);
  ASSERT_EQ(verdict.keeper, 0U);
  EXPECT_THAT(look(2).checkpoints, IsEmpty());
  keep(verdict);
  const auto requests = look(2);
  ASSERT_THAT(requests.checkpoints, SizeIs(1));
  const RunCheckpoint& checkpoint = *requests.checkpoints[0].second;
  EXPECT_EQ(checkpoint.barrier.version, 1);
  EXPECT_EQ(checkpoint.judged.size(), 1U) << "what the judge was told before, to be told again";
  EXPECT_TRUE(checkpoint.in_phase);
  EXPECT_THAT(checkpoint.replica.values, ElementsAre(1, 2, 3));
  EXPECT_THAT(checkpoint.planning_flops, ElementsAre(4, 5));
  EXPECT_EQ(checkpoint.totals.rounds, 2U);
}

TEST_F(ADriverWhoseRunsMove, WaitsForTheHashOfEveryNodeBeforeACheckpointCounts) {
  scan();
  (void)barrier(0, -1);
  (void)look(2);
  session_.on_message(0, 0, commit(0));
  session_.on_message(0, 1, commit(1));
  const auto verdict = barrier(1, 1);
  keep(verdict, true, 1);
  EXPECT_THAT(look(2).checkpoints, IsEmpty());
  const std::uint64_t hash = payload_hash(Payload{{}, {1, 2, 3}, {}});
  session_.on_message(0, 1, wire::Kept{1, verdict.phase, verdict.version, hash, Payload{}});
  EXPECT_THAT(look(2).checkpoints, SizeIs(1));
}

TEST_F(ADriverWhoseRunsMove, WaitsForTheHashOfANodeThatIsSilentAsWell) {
  scan();
  (void)barrier(0, -1);
  (void)look(2);
  session_.on_message(0, 0, commit(0));
  session_.on_message(0, 1, commit(1));
  const auto verdict = barrier(1, 1);
  session_.heard(0, 9);
  session_.look(9);
  ASSERT_TRUE(session_.membership().members()[1].silent);
  keep(verdict, true, 1);
  session_.heard(0, 9);
  session_.look(9);
  EXPECT_THAT(std::exchange(session_.requests, {}).checkpoints, IsEmpty()) << "it may come back with another one";
  const std::uint64_t hash = payload_hash(Payload{{}, {1, 2, 3}, {}});
  session_.on_message(0, 1, wire::Kept{1, verdict.phase, verdict.version, hash, Payload{}});
  EXPECT_THAT(look(9).checkpoints, SizeIs(1));
}

/// A run with a checkpoint at version 1.
class ARunWithACheckpoint : public ADriverWhoseRunsMove {
 protected:
  void SetUp() override {
    ADriverWhoseRunsMove::SetUp();
    scan();
    (void)barrier(0, -1);
    (void)look(2);
    session_.on_message(0, 0, commit(0));
    session_.on_message(0, 1, commit(1));
    keep(barrier(1, 1));
    ASSERT_THAT(look(2).checkpoints, SizeIs(1));
  }
};

TEST_F(ARunWithACheckpoint, GoesOnFromItWhenASchedulerIsLost) {
  session_.on_message(0, 0, commit(2));
  session_.on_ended_process(0, "signal 9 (Killed)");
  const auto opened = told<wire::Open>(look(3));
  ASSERT_THAT(opened, SizeIs(1));
  ASSERT_EQ(opened[0].second.parts, 1U);
  session_.on_member(1, wire::Fetch{1, 0}, 3);
  const auto parts = told<wire::Part>(look(3));
  ASSERT_THAT(parts, SizeIs(1));
  const auto snapshot = decode_snapshot(parts[0].second.bytes, 2);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(snapshot.value().version, 1);
  EXPECT_EQ(snapshot.value().phases, 1U);
  session_.on_member(1, wire::Loaded{1, 42, 0, ""}, 3);
  (void)look(3);
  scan();
  EXPECT_THAT(said(), testing::Not(IsEmpty())) << "START";
  EXPECT_EQ(session_.coordinator()->counted(), 1);
  EXPECT_EQ(session_.coordinator()->phases(), 1U);
}

TEST_F(ARunWithACheckpoint, TellsNothingTwiceThatItDoesAgain) {
  ProgressEvent commit;
  commit.version = 2;
  ProgressEvent next = commit;
  next.version = 3;
  ProgressEvent barrier;
  barrier.kind = ProgressEvent::Kind::barrier;
  barrier.phase = 3;
  run().effects.progress = {commit, barrier};
  EXPECT_THAT(session_.take_progress(run()), SizeIs(2));
  session_.on_ended_process(0, "signal 9 (Killed)");
  (void)look(3);
  run().effects.progress = {commit, barrier, next};
  const auto news = session_.take_progress(run());
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_EQ(news[0].version, 3);
}

TEST_F(ARunWithACheckpoint, TakesALateNodeInAtTheNextBarrier) {
  EXPECT_EQ(join("c", 3), 2U);
  auto requests = look(3);
  EXPECT_THAT(told<wire::Peer>(requests), SizeIs(2)) << "the others hear of it";
  for (const auto& [rank, welcome] : told<wire::Welcome>(requests))
    EXPECT_NE(rank, 2U) << "the others would send it away before they have";
  all_know(3);
  session_.answer(2);
  EXPECT_EQ(told<wire::Welcome>(look(3)).at(0).second.waits, 1U);
  session_.on_member(2, wire::Loaded{0, 42, 0, ""}, 3);
  EXPECT_THAT(told<wire::Open>(look(3)), IsEmpty()) << "nothing is done twice for a node that joins";
  session_.on_message(0, 0, commit(2));
  session_.on_message(0, 1, commit(3));
  const auto verdict = barrier(2, 3);
  ASSERT_NE(verdict.keeper, wire::kNobody) << "whenever the last one was";
  keep(verdict);
  const auto opened = told<wire::Open>(look(3));
  ASSERT_THAT(opened, SizeIs(3));
  EXPECT_EQ(opened[0].second.nodes, 3U);
  EXPECT_THAT(opened[0].second.schedulers, ElementsAre(0, 1));
  EXPECT_GT(opened[0].second.parts, 0U);
}

TEST_F(ARunWithACheckpoint, LetsANodeGoOnceOthersHaveItsRoles) {
  session_.on_member(0, wire::Leave{0, "SIGTERM"}, 3);
  EXPECT_THAT(told<wire::Leave>(look(3)), IsEmpty());
  session_.on_message(0, 0, commit(2));
  session_.on_message(0, 1, commit(3));
  keep(barrier(2, 3));
  const auto requests = look(3);
  EXPECT_THAT(told<wire::Leave>(requests), ElementsAre(std::pair(0U, wire::Leave{})));
  EXPECT_THAT(told<wire::Open>(requests).back().second.schedulers, ElementsAre(1, 1));
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ARunWithACheckpoint, GoesBackWhereTwoReplicasDifferAndEndsWhereTheyDoAgain) {
  const auto differ = [this](double now) {
    session_.on_message(run().number, 0, commit(2));
    session_.on_message(run().number, 1, commit(3));
    keep(barrier(2, 3), false);
    return look(now);
  };
  (void)look(4);
  auto requests = differ(4);
  EXPECT_THAT(requests.checkpoints, IsEmpty());
  EXPECT_THAT(told<wire::Open>(requests), SizeIs(2));
  EXPECT_EQ(end(), "goes on") << "memory that was damaged once";
  for (std::uint32_t rank = 0; rank < 2; ++rank) session_.on_member(rank, wire::Loaded{1, 42, 0, ""}, 4);
  (void)look(4);
  scan();
  (void)barrier(1, 1);
  (void)look(6);
  (void)differ(6);
  EXPECT_THAT(end(), HasSubstr("differ at version 3, again after going back"));
  EXPECT_EQ(session_.end().status.code(), StatusCode::internal);
}

TEST_F(ARunWithACheckpoint, BelievesNotTheHashOfAKeeperButWhatItSends) {
  (void)look(4);
  session_.on_message(0, 0, commit(2));
  session_.on_message(0, 1, commit(3));
  const auto verdict = barrier(2, 3);
  ASSERT_NE(verdict.keeper, wire::kNobody);
  const std::uint64_t hash = payload_hash(Payload{{}, {1, 2, 3}, {}});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const Payload sent = rank == verdict.keeper ? Payload{{}, {1, 2, 4}, {}} : Payload{};
    session_.on_message(0, rank, wire::Kept{rank, verdict.phase, verdict.version, hash, sent});
  }
  const auto requests = look(4);
  EXPECT_THAT(requests.checkpoints, IsEmpty());
  EXPECT_THAT(told<wire::Open>(requests), SizeIs(2)) << "the run goes back";
}

/// Three nodes, so that most of them can be right.
TEST_F(ARunWithACheckpoint, ExpelsTheNodeWhoseReplicaDiffersFromThoseOfMost) {
  (void)join("c", 3);
  session_.on_member(2, wire::Loaded{0, 42, 0, ""}, 3);
  (void)look(3);
  session_.on_message(0, 0, commit(2));
  session_.on_message(0, 1, commit(3));
  keep(barrier(2, 3));
  (void)look(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) session_.on_member(rank, wire::Loaded{1, 42, 0, ""}, 3);
  (void)look(3);
  scan();
  (void)barrier(2, 3);
  (void)look(5);
  session_.on_message(1, 0, commit(4));
  session_.on_message(1, 1, commit(5));
  const auto verdict = barrier(3, 5);
  if (verdict.keeper == wire::kNobody) GTEST_FAIL() << "no checkpoint was asked for";
  keep(verdict, false);
  const std::uint64_t right = payload_hash({{}, {1, 2, 3}, {}});
  session_.on_message(1, 2, wire::Kept{2, verdict.phase, verdict.version, right, {}});
  const auto requests = look(5);
  EXPECT_THAT(requests.drop, testing::Contains(1U));
  EXPECT_THAT(told<wire::Leave>(requests).at(0).second.reason, HasSubstr("its replica of version 5 differs"));
  EXPECT_THAT(told<wire::Open>(look(5.3)), SizeIs(2));
  EXPECT_EQ(end(), "goes on");
}

TEST_F(ADriverWhoseRunsMove, SendsALateNodeAwayThatReadsOtherData) {
  (void)join("c", 3);
  session_.on_member(2, wire::Loaded{0, 43, 0, ""}, 3);
  const auto requests = look(3);
  EXPECT_THAT(told<wire::Leave>(requests).at(0).second.reason, HasSubstr("reads other data"));
  EXPECT_EQ(end(), "goes on");
}

TEST(ADriverThatResumes, BeginsItsFirstRunFromTheCheckpointOnAllNodes) {
  DriverSession session(two_of_each(), Membership(two_of_each(), 15), 1, {"tcp://here", "tcp://data"}, 20);
  auto from = std::make_shared<RunCheckpoint>();
  from->barrier.version = 7;
  from->memories.resize(2);
  from->planning_flops.resize(2);
  session.begin_first_from(from);
  wire::Hello hello;
  hello.roles = wire::kAcceptsWorker | wire::kAcceptsScheduler;
  session.answer(session.on_hello(hello, 0)->rank);
  session.look(0);
  session.requests = {};
  session.welcome_all();
  ASSERT_THAT(session.requests.to_members, SizeIs(1));
  EXPECT_EQ(std::get<wire::Welcome>(session.requests.to_members[0].second).waits, 1U);
  session.look(0.1);
  const auto& open = std::get<wire::Open>(session.requests.to_members.back().second);
  EXPECT_EQ(open.place, 0U);
  EXPECT_GT(open.parts, 0U);
}

}  // namespace
}  // namespace strads::engine
