// What a driver and its nodes do when something is wrong or goes away. Real sockets, threads instead of processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "engine/session/members.hpp"
#include "lasso_runs.hpp"
#include "rogue_member.hpp"
#include "support/threaded_cluster.hpp"
#include "transport/sockets/control.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::lasso {
namespace {

using support::run_threaded;
using support::ThreadedCluster;
using support::ThreadedRun;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(AWorkerThatLeaves, ChangesNoBit) {
  const Problem problem = many_rounds({1, 4, 1});
  ThreadedCluster cluster = cluster_of(problem, 3);
  std::atomic<bool> leave = false;
  cluster.nodes[0].roles = {true, false};
  cluster.nodes[1].roles = cluster.nodes[2].roles = {false, true};
  cluster.nodes[2].leave = &leave;
  cluster.hooks.observe = [&leave](const ProgressEvent& event) {
    leave = leave || event.version == 100;
    return false;
  };
  const auto run = run_threaded(cluster);
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_GE(run.run.reassigned, 1U);
  EXPECT_THAT(run.said, Contains(AllOf(HasSubstr("leaves: "), HasSubstr("the test says so"))));
  EXPECT_TRUE(run.nodes[2].ok()) << "it was let go";
  EXPECT_TRUE(run.nodes[1].ok());
}

TEST(AWorkerThatLeaves, EndsTheRunInOrderWhenItWasTheLast) {
  const Problem problem = many_rounds({1, 2, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  std::atomic<bool> leave = false;
  cluster.nodes[0].roles = {true, false};
  cluster.nodes[1].roles = {false, true};
  cluster.nodes[1].leave = &leave;
  cluster.hooks.observe = [&leave](const ProgressEvent& event) {
    leave = leave || event.version == 50;
    return false;
  };
  const auto run = run_threaded(cluster);
  EXPECT_TRUE(run.run.end.status.ok()) << run.run.end.status.message();
  EXPECT_EQ(run.run.end.stop_reason, kStopLimit) << "it ends where it is, with what it has";
  EXPECT_NE(outcome_of(run, problem), embedded(problem, 1));
  for (const Status& node : run.nodes) EXPECT_TRUE(node.ok()) << node.message();
}

TEST(ASchedulerThatLeaves, ChangesNoBit) {
  const Problem problem = many_rounds({2, 2, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  std::atomic<bool> leave = false;
  cluster.nodes[1].leave = &leave;
  cluster.nodes[1].name = "node7";
  cluster.hooks.observe = [&leave](const ProgressEvent& event) {
    leave = leave || event.version == 50;
    return false;
  };
  const auto run = run_threaded(cluster);
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_EQ(run.run.moved, 1U);
  EXPECT_THAT(run.said, Contains(AllOf(HasSubstr("node7"), HasSubstr("leaves: "), HasSubstr("the test says so"))));
  for (const Status& node : run.nodes) EXPECT_TRUE(node.ok()) << node.message();
}

TEST(ANodeOfAnotherBuild, IsRefusedAndTheOthersAreNamedMissing) {
  const Problem problem = many_rounds({1, 1, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.nodes[1].build = "another";
  cluster.nodes[1].name = "old";
  cluster.driver.start_seconds = 1;
  cluster.driver.names = {"node", "new"};
  const auto run = run_threaded(cluster);
  EXPECT_EQ(run.run.end.status.code(), StatusCode::cluster);
  EXPECT_THAT(run.run.end.status.message(), AllOf(HasSubstr("1 of 2 nodes joined"), HasSubstr("missing: new")));
  EXPECT_THAT(run.said, Contains(AllOf(HasSubstr("refused old"), HasSubstr("another"))));
  EXPECT_THAT(run.nodes[1].message(), HasSubstr("build"));
}

TEST(ANodeThatCannotRead, EndsTheRunWithItsOwnErrorAndItsName) {
  const Problem problem = many_rounds({1, 1, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.nodes[1].name = "node3";
  cluster.nodes[1].make_model = []() -> Result<std::shared_ptr<Model>> {
    return Status::input("x.bed: cannot open: No such file or directory");
  };
  const auto run = run_threaded(cluster);
  EXPECT_EQ(run.run.end.status.code(), StatusCode::input);
  EXPECT_THAT(run.run.end.status.message(), AllOf(HasSubstr("node3"), HasSubstr("x.bed")));
}

TEST(ANodeWithOtherData, EndsTheRunWithItsName) {
  const Problem problem = many_rounds({1, 1, 1});
  const Problem other(small_genotypes(), Policy::paper, {1, 1, 1}, 100);
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.nodes[1].name = "node3";
  cluster.nodes[1].make_model = [&other]() -> Result<std::shared_ptr<Model>> { return other.model(); };
  const auto run = run_threaded(cluster);
  EXPECT_EQ(run.run.end.status.code(), StatusCode::cluster);
  EXPECT_THAT(run.run.end.status.message(), AllOf(HasSubstr("node3"), HasSubstr("fingerprints differ")));
}

TEST(ARequestToFinish, EndsTheRunWithACertificate) {
  Problem problem = many_rounds({2, 2, 2});
  problem.engine.rounds_max = 0;
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.hooks.observe = [](const ProgressEvent& event) { return event.version >= 30; };
  const auto run = run_threaded(cluster);
  EXPECT_TRUE(run.run.end.status.ok()) << run.run.end.status.message();
  EXPECT_EQ(run.run.end.stop_reason, "limit");
  EXPECT_GT(run.run.end.certificate.gap, 0);
}

// --- strangers ---

/// How far the run is, for threads beside it.
class RunProgress {
 public:
  void record_version(Version version) {
    const std::lock_guard lock(mutex_);
    version_ = std::max(version_, version);
    changed_.notify_all();
  }
  /// False: it never came so far.
  [[nodiscard]] bool wait_for(Version version) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return version_ >= version; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Version version_ = -1;
};

/// Sends `frames` to the endpoint from one connection after the other: some while nodes join, the others in mid run.
void pester(const std::string& endpoint, const std::optional<transport::Credentials>& credentials,
            const wire::Frames& frames, RunProgress& progress) {
  transport::Sockets sockets;
  for (Version i = 0; i < 20; ++i) {
    EXPECT_TRUE(i < 5 || progress.wait_for(50 * i));
    const auto connection = sockets.connect(endpoint, credentials).value();
    (void)connection->send(frames);
  }
}

wire::Frames noise(std::size_t bytes) {
  CounterRng random(5, Purpose::tests);
  wire::Frame frame(bytes);
  for (auto& byte : frame) byte = static_cast<std::byte>(random.below(256));
  return {frame};
}

class AmongStrangers : public testing::TestWithParam<const char*> {
 protected:
  static wire::Frames frames_of(const std::string& kind) {
    if (kind == "noise") return noise(300);
    if (kind == "no_key") return noise(300);
    if (kind == "empty") return {wire::Frame{}};
    const wire::Message beat = wire::Beat{};
    if (kind == "another_run") return transport::encode_control(beat, {12345, 0, 0, 1});
    auto frames = transport::encode_control(beat, {12345, 0, 0, 1});
    frames[0][4] = std::byte{99};  // another protocol version
    return frames;
  }
};

TEST_P(AmongStrangers, TheRunKeepsItsBitsAndCountsThem) {
  const Problem problem = many_rounds({2, 2, 2});
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  std::optional<transport::Credentials> credentials = holder_of(*cluster.driver.key);
  if (GetParam() == std::string("no_key")) credentials.reset();
  RunProgress progress;
  cluster.hooks.observe = [&progress](const ProgressEvent& event) {
    progress.record_version(event.version);
    return false;
  };
  const auto frames = frames_of(GetParam());
  const auto run =
      run_threaded(cluster, [&](const std::string& endpoint) { pester(endpoint, credentials, frames, progress); });
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_GE(run.run.refused.total(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AmongStrangers, testing::Values("no_key", "noise", "empty", "another_run", "version"),
                         [](const testing::TestParamInfo<const char*>& kind) { return std::string(kind.param); });

TEST(AStranger, OfAnotherRunIsToldSo) {
  const Problem problem = many_rounds({1, 2, 1});
  ThreadedCluster cluster = cluster_of(problem, 1);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  std::string reason;
  (void)run_threaded(cluster, [&](const std::string& endpoint) {
    transport::Sockets sockets;
    transport::Wake wake;
    const auto connection = sockets.connect(endpoint, holder_of(*cluster.driver.key)).value();
    (void)connection->send(transport::encode_control(wire::Beat{}, {12345, 0, 0, 1}));
    for (int i = 0; i < 4000 && reason.empty(); ++i) {  // at most 20 s
      sockets.wait(wake, std::chrono::milliseconds(5));
      const auto frames = connection->receive();
      if (!frames.has_value()) continue;
      const auto control = transport::decode_control(*frames);
      if (const auto* reject = std::get_if<wire::Reject>(&control.value().message)) reason = reject->reason;
    }
  });
  EXPECT_THAT(reason, HasSubstr("another run"));
}

// --- who has the key and lies ---

TEST(AMemberThatSpeaksForAnother, IsNotBelievedAndTheRunKeepsItsBits) {
  const Problem problem = many_rounds({1, 4, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  cluster.driver.lease_seconds = 3;
  cluster.others = 1;
  std::string refusal;
  std::optional<RogueMember> rogue;  // until the end, so that everybody can reach it
  const auto run = run_threaded(cluster, [&](const std::string& endpoint) {
    rogue.emplace(endpoint, *cluster.driver.key);
    const wire::Welcome welcome = rogue->join();
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      if (rank != welcome.rank) rogue->say(wire::Leave{5, "forged"}, rank, welcome.incarnations[rank]);
    }
    refusal = rogue->answer<wire::Reject>().reason;
    rogue->say(wire::Leave{0, "it was found out"}, welcome.rank, welcome.incarnation);
  });
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_GE(run.run.refused.total(), 2U);
  EXPECT_THAT(refusal, HasSubstr("another run"));
  for (const Status& node : run.nodes) EXPECT_TRUE(node.ok()) << node.message();
}

TEST(AHolderOfTheKey, CannotComeInWithTheKeyOfAnother) {
  const Problem problem = many_rounds({1, 1, 1});
  ThreadedCluster cluster = cluster_of(problem, 1);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  RunKey other = make_run_key().value();
  other.driver_public = cluster.driver.key->driver_public;
  cluster.nodes[0].key = other;  // it knows the driver, but has not the secret to join
  cluster.nodes[0].name = "thief";
  cluster.driver.start_seconds = 0.5;
  const auto run = run_threaded(cluster);
  EXPECT_THAT(run.run.end.status.message(),
              AllOf(HasSubstr("0 of 1 nodes joined"), HasSubstr("connections turned away: ")));
  EXPECT_THAT(run.nodes[0].message(), HasSubstr("the same key"));
  EXPECT_GE(run.run.refused.total(), 1U);
}

}  // namespace
}  // namespace strads::lasso
