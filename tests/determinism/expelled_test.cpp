// A member that has the key and sends nonsense is expelled, and the run goes on to the same bits where it can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/speaker.hpp"
#include "lasso_runs.hpp"
#include "rogue_member.hpp"

namespace strads::lasso {
namespace {

using support::run_threaded;
using support::ThreadedCluster;
using support::ThreadedRun;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// Two honest nodes and a rogue one, which gets `roles` and does `misbehave` until it is told to leave: what comes
/// before a node has read its data is dropped.
struct Story {
  Problem problem = many_rounds({1, 4, 1});
  ThreadedRun run;
  wire::Leave told;
};

template <class Misbehave>
Story told_with(std::uint8_t roles, Misbehave misbehave) {
  Story story;
  ThreadedCluster cluster = cluster_of(story.problem, 2);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  cluster.driver.lease_seconds = 10;
  cluster.driver.names = {"rogue", "node"};  // it is rank 0: whatever roles it accepts it gets
  cluster.others = 1;
  std::optional<RogueMember> rogue;  // until the end, so that everybody can reach it
  story.run = run_threaded(cluster, [&](const std::string& endpoint) {
    rogue.emplace(endpoint, *cluster.driver.key, roles);
    const wire::Welcome welcome = rogue->join();
    std::optional<wire::Leave> told;
    for (int i = 0; i < 40 && !told.has_value(); ++i) {
      misbehave(*rogue, welcome);
      told = rogue->answer_within<wire::Leave>(std::chrono::milliseconds(200));
    }
    EXPECT_TRUE(told.has_value()) << "it was never told to leave";
    story.told = told.value_or(wire::Leave{});
  });
  return story;
}

void expect_expelled_and_the_same_bits(const Story& story, Refusal kind, const std::string& reason) {
  EXPECT_EQ(outcome_of(story.run, story.problem), embedded(story.problem, 1));
  EXPECT_THAT(story.run.said,
              Contains(AllOf(HasSubstr("lost rank 0 (rogue"), HasSubstr("expelled"), HasSubstr(reason))));
  EXPECT_THAT(story.told.reason, HasSubstr("expelled"));
  std::uint64_t refused = story.run.run.refused[kind];
  for (const NodeReport& node : story.run.run.nodes) refused += node.refused[kind];
  EXPECT_GE(refused, 3U);
  for (const Status& node : story.run.nodes) EXPECT_TRUE(node.ok()) << node.message();
}

TEST(AMemberThatSendsNonsense, ToTheDriverIsExpelled) {
  const auto story = told_with(wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome&) {
    for (int i = 0; i < 3; ++i) rogue.say_bytes({wire::Frame(40, std::byte{0x5a})});
  });
  expect_expelled_and_the_same_bits(story, Refusal::damaged, "it sent the driver 3 messages");
}

TEST(AMemberThatSendsNonsense, ForRolesThatItHasNotIsExpelled) {
  const auto story = told_with(wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome& welcome) {
    const auto driver = static_cast<std::uint32_t>(welcome.incarnations.size()) - 1;
    for (std::uint32_t i = 0; i < 3; ++i)
      rogue.say_to(driver, wire::SliceStatus{.scheduler = 0, .phase = i, .status = {}});
  });
  expect_expelled_and_the_same_bits(story, Refusal::misplaced, "it sent the driver 3 messages");
}

TEST(AMemberThatSendsNonsense, ToAnotherNodeIsAccusedByItAndExpelled) {
  const auto story = told_with(wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome& welcome) {
    const std::uint32_t scheduler = welcome.schedulers.at(0);
    ASSERT_NE(scheduler, welcome.rank);
    for (std::uint32_t i = 0; i < 3; ++i)
      rogue.say_to(scheduler, wire::Commit{.version = i, .changes = {}, .tally = {}});
  });
  expect_expelled_and_the_same_bits(story, Refusal::misplaced, "it sent rank 1 (node");
}

TEST(AMemberThatSendsNonsense, AnswersToBlocksThatItWasNeverGivenCountToo) {
  const auto story = told_with(wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome& welcome) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      wire::Deltas deltas;
      deltas.round = 1000000 + i;
      rogue.say_to(welcome.schedulers.at(0), deltas);
    }
  });
  expect_expelled_and_the_same_bits(story, Refusal::impossible, "names a version or a block that cannot be");
}

TEST(AMemberThatSendsNonsense, ThatNoModelCanTakeCountsToo) {
  const auto story = told_with(wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome& welcome) {
    wire::Deltas deltas;
    deltas.deltas.ids = {4000000000U};  // no such variable
    for (int i = 0; i < 3; ++i) rogue.say_to(welcome.schedulers.at(0), deltas);
  });
  expect_expelled_and_the_same_bits(story, Refusal::unacceptable, "has a content that the model cannot take");
}

TEST(AMemberThatSendsNonsense, TwiceIsForgiven) {
  const Problem problem = many_rounds({1, 4, 1});
  ThreadedCluster cluster = cluster_of(problem, 2);
  cluster.tcp = true;
  cluster.driver.key = make_run_key().value();
  cluster.driver.lease_seconds = 3;
  cluster.others = 1;
  std::optional<RogueMember> rogue;
  const auto run = run_threaded(cluster, [&](const std::string& endpoint) {
    rogue.emplace(endpoint, *cluster.driver.key);
    (void)rogue->join();
    for (int i = 0; i < 2; ++i) rogue->say_bytes({wire::Frame(40, std::byte{0x5a})});
    rogue->say(wire::Leave{0, "of its own will"});
  });
  EXPECT_EQ(outcome_of(run, problem), embedded(problem, 1));
  EXPECT_THAT(run.said, Contains(AllOf(HasSubstr("leaves: "), HasSubstr("of its own will"))));
  EXPECT_EQ(run.run.refused[Refusal::damaged], 2U);
}

TEST(AMemberThatSendsNonsense, AndHoldsASchedulerIsExpelledAsWell) {
  const auto story =
      told_with(wire::kAcceptsScheduler | wire::kAcceptsWorker, [](RogueMember& rogue, const wire::Welcome& welcome) {
        const auto driver = static_cast<std::uint32_t>(welcome.incarnations.size()) - 1;
        ASSERT_EQ(welcome.schedulers.at(0), welcome.rank);
        // Before START nobody has a commit.
        for (std::uint32_t i = 0; i < 3; ++i)
          rogue.say_to(driver, wire::Commit{.version = i, .changes = {}, .tally = {}});
      });
  expect_expelled_and_the_same_bits(story, Refusal::impossible, "it sent the driver 3 messages");
  EXPECT_EQ(story.run.run.moved, 1U);
}

/// Has the driver's key and sends whoever joins nonsense instead of WELCOME.
TEST(ADriverThatSendsNonsense, IsLeftWithTheReason) {
  const RunKey key = make_run_key().value();
  transport::Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0", transport::Door{"driver", key.driver_secret}).value();
  sockets.admit("driver", {transport::pair_of(key.join_secret).value().public_key});
  NodeOptions options;
  options.join = listener->endpoint();
  options.key = key;
  options.start_seconds = 20;
  bool loaded = false;
  NodeHooks hooks;
  hooks.load = [&loaded](const RunDescription&) -> Result<LoadedModel> {
    loaded = true;
    return Status::input("nothing is to be read");
  };
  Status outcome;
  std::thread node([&] { outcome = run_node(options, hooks); });
  transport::Wake wake;
  for (int words = 0; words < 3;) {
    sockets.wait(wake, std::chrono::milliseconds(20));
    while (const auto incoming = listener->receive()) {
      (void)listener->send(incoming->from, {wire::Frame(40, std::byte{0x5a})});
      ++words;
    }
  }
  node.join();
  EXPECT_EQ(outcome.code(), StatusCode::cluster);
  EXPECT_THAT(outcome.message(), AllOf(HasSubstr("is no driver of this run"), HasSubstr("the last one is none")));
  EXPECT_FALSE(loaded);
}

}  // namespace
}  // namespace strads::lasso
