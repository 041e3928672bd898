// Which answers a scheduler takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler_story.hpp"

namespace strads::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SchedulerStory, DeltasMayLeaveVariablesOut) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0, 2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("changes.ids=[0 2]")));
}

TEST_F(SchedulerStory, DeltasThatNameNoVariablesMayCarryAnyNumberOfValues) {
  Script script;
  script.pages = true;
  begin({}, script);
  enter(-1, 10);
  settle();
  out();
  wire::Deltas message;
  message.deltas.values = {0, 2};
  message.deltas.bulk = {SharedFloats(2)};
  std::ranges::fill(message.deltas.bulk[0].writable(), 3.0F);
  scheduler_->on_deltas(kItself, message, effects_);
  settle();
  EXPECT_EQ(scheduler_->wrong_deltas(), 0u);
  EXPECT_THAT(out(), ElementsAre(HasSubstr("realised=6 flops=1 flops_path=0 updates=0 updates_path=0 changes.ids=[] "
                                           "changes.values=[0 2] changes.bulk_sizes=[2]")));
}

TEST_F(SchedulerStory, TalliesOfTheBlocksAreAddedUpCountByCount) {
  begin({.workers = 2}, one_variable_a_block());
  enter(-1, 10, 2);
  settle();
  out();
  const auto answer = [this](std::uint32_t index, std::vector<std::uint64_t> tally) {
    wire::Deltas message;
    message.index = index;
    message.deltas = {{index}, {1}};
    message.tally = std::move(tally);
    scheduler_->on_deltas(kItself, message, effects_);
    settle();
  };
  answer(1, std::vector<std::uint64_t>(kTallyMax + 1));
  EXPECT_EQ(scheduler_->wrong_deltas(), 1u) << "more than a model may count";
  answer(1, {5, 0, 7});
  answer(0, {1, 2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("tally=[6 2 7]")));
}

TEST_F(SchedulerStory, AnAnswerIsTakenFromNodesThatWereAskedForTheBlockOnly) {
  begin({.workers = 2, .nodes = 3}, one_variable_a_block());
  enter(-1, 10, 2);
  settle();
  out();
  const auto answer = [this](std::uint32_t from, Round round, std::uint32_t index) {
    wire::Deltas message;
    message.round = round;
    message.index = index;
    message.deltas = {{index}, {1}};
    return scheduler_->on_deltas(from, message, effects_);
  };
  EXPECT_FALSE(answer(2, 0, 0)) << "blocks 0 and 1 are for the workers on nodes 0 and 1";
  EXPECT_FALSE(answer(0, 0, 1)) << "each for its own";
  EXPECT_FALSE(answer(0, 0, 2)) << "there are two";
  EXPECT_FALSE(answer(0, 1, 0)) << "nobody was asked for a block of a later round";
  EXPECT_EQ(scheduler_->wrong_deltas(), 4U);
  EXPECT_TRUE(answer(0, 0, 0));
  EXPECT_TRUE(answer(0, 0, 0)) << "a repetition is no offence";
  roster_.workers[1] = 2;
  scheduler_->on_roster({false, true}, effects_);
  EXPECT_TRUE(answer(2, 0, 1)) << "it was asked when the worker moved there";
  settle();
  EXPECT_THAT(out(), Contains(HasSubstr("Commit")));
  EXPECT_TRUE(answer(1, 0, 1)) << "whoever was asked first may still answer";
}

TEST_F(SchedulerStory, RepeatedDeltasAreCountedAndDropped) {
  begin({.workers = 3}, one_variable_a_block());
  enter(-1, 10, 3);
  settle();
  out();
  deltas(0, 0, {0});
  deltas(0, 0, {0}, 5.0);
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  deltas(0, 1, {1});
  deltas(0, 2, {2});
  EXPECT_THAT(out(), ElementsAre(HasSubstr("changes.values=[1 1 1]")));
}

TEST_F(SchedulerStory, DeltasOfARoundThatIsOverAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  deltas(0, 0, {0});
  loop_back();
  out();
  deltas(0, 0, {0});
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasOfAnUnknownBlockAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 1, {0});
  deltas(7, 0, {0});
  EXPECT_EQ(scheduler_->wrong_deltas(), 2u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasBeforeAnyPhaseAreCountedAndDropped) {
  begin({});
  deltas(0, 0, {0});
  EXPECT_EQ(scheduler_->wrong_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SchedulerStory, DeltasThatNameOtherVariablesAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  deltas(0, 0, {0, 5});  // not in the block
  deltas(0, 0, {1, 0});  // not in the block's order
  deltas(0, 0, {1, 1});  // twice
  EXPECT_EQ(scheduler_->wrong_deltas(), 3u);
  EXPECT_THAT(out(), IsEmpty());
  deltas(0, 0, {0, 1});
  EXPECT_THAT(out(), SizeIs(1)) << "the right answer is still taken";
}

TEST_F(SchedulerStory, DeltasWithoutAsManyValuesAsVariablesAreCountedAndDropped) {
  begin({});
  enter(-1, 10);
  settle();
  out();
  wire::Deltas message;
  message.deltas = {{0, 1}, {1.0}};
  scheduler_->on_deltas(kItself, message, effects_);
  EXPECT_EQ(scheduler_->wrong_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

}  // namespace
}  // namespace strads::engine
