// A node when runs go on under new numbers, when others join late, and when messages about who does what overtake
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/a_node.hpp"
#include "engine/session/snapshot.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ANode, GoesOnWithARunUnderItsNewNumberAndLetsTheOldOneGo) {
  join();
  load();
  auto again = open(3);
  again.place = 0;
  again.replaces = 0;
  again.schedulers = {1};
  session_.on_control(again, 0);
  EXPECT_EQ(session_.run(0), nullptr);
  EXPECT_THAT(new_requests().open, ElementsAre(again));
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
  EXPECT_EQ(std::get<wire::Fetch>(new_requests().to_driver.at(0)), (wire::Fetch{3, 0}));
  session_.on_loaded(3, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(session_.node(3), nullptr) << "it does not know yet where to begin";
  (void)new_requests();
  EXPECT_EQ(count<wire::Fetch>(look(0.6)), 1) << "the answer was lost";
  session_.on_control(wire::Part{3, 0, part_of(bytes, 0)}, 0.6);
  EXPECT_EQ(std::get<wire::Fetch>(new_requests().to_driver.at(0)), (wire::Fetch{3, 1}));
  session_.on_control(wire::Part{3, 0, part_of(bytes, 0)}, 0.6);  // again
  session_.on_control(wire::Part{3, 1, part_of(bytes, 1)}, 0.6);
  EXPECT_NE(session_.node(3), nullptr);
  EXPECT_EQ(end_of(new_requests()), "goes on");
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
  EXPECT_THAT(end_of(new_requests()), HasSubstr("the driver's snapshot is cut"));
}

TEST_F(ANode, MeetsThoseWhoJoinLateInTheirOrder) {
  join();
  load();
  session_.on_control(wire::Peer{3, "d", 7, ""}, 0);
  EXPECT_THAT(new_requests().peers, testing::IsEmpty()) << "rank 2 is still to come";
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  EXPECT_THAT(new_requests().peers, ElementsAre(wire::Peer{2, "c", 7, ""}));
  EXPECT_EQ(std::get<wire::Beat>(look(1).to_driver.at(0)).peers, 3U);
}

TEST_F(ANode, WaitsForThePeersOfARunBeforeItTakesPart) {
  join();
  load();
  auto wider = open(3);
  wider.nodes = 3;
  wider.workers = {0, 2};
  session_.on_control(wider, 0);
  EXPECT_THAT(new_requests().open, testing::IsEmpty());
  session_.on_control(wire::Peer{2, "c", 7, ""}, 0);
  session_.on_control(wider, 0);
  EXPECT_THAT(new_requests().open, SizeIs(1));
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
    EXPECT_EQ(end_of(new_requests()), "goes on");
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
  EXPECT_THAT(end_of(new_requests()), HasSubstr("is no driver of this run"));
}

TEST_F(ANode, MapsItsDataAndWaitsWhereRunsHaveBegunWithoutIt) {
  auto late = welcome();
  late.waits = 1;
  session_.on_control(late, 0);
  ASSERT_TRUE(new_requests().load.has_value());
  session_.on_loaded(kFirstRun, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
  EXPECT_EQ(session_.node(), nullptr) << "no run has begun here";
  EXPECT_EQ(std::get<wire::Loaded>(new_requests().to_driver.at(0)).fingerprint, 42U);
  EXPECT_EQ(count<wire::Loaded>(look(1)), 1) << "the first may be lost";
}

}  // namespace
}  // namespace strads::engine
