// Whom a scheduler asks for the blocks of a late node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler_story.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Three nodes with a worker each; the scheduler is on node 0. Block b of round 0 is worker b's.
class SecondWorkers : public SchedulerStory {
 protected:
  void begin_round(PhasePlan::Mode mode = PhasePlan::Mode::moving, std::uint32_t nodes = 3) {
    begin({.workers = nodes, .nodes = nodes}, one_variable_a_block());
    scheduler_->note_time(0);
    wire::Phase phase;
    phase.rounds_max = 10;
    phase.blocks_max = 3;
    phase.mode = static_cast<std::uint8_t>(mode);
    enter(phase);
    settle();
    EXPECT_THAT(out(), SizeIs(3));
  }
  bool answer(std::uint32_t from, Round round, std::uint32_t index) {
    wire::Deltas message;
    message.round = round;
    message.index = index;
    message.deltas = {{index}, {1}};
    const bool taken = scheduler_->on_deltas(from == 0 ? kItself : from, message, effects_);
    settle();
    return taken;
  }
  /// The ASSIGNs that this leads to.
  std::vector<std::string> asked_at(double seconds) {
    scheduler_->note_time(seconds);
    const bool any = scheduler_->ask_second_workers(effects_);
    EXPECT_EQ(any, !effects_.messages.empty());
    return out();
  }
};

testing::Matcher<std::string> assign(Round round, std::uint32_t index, std::uint32_t worker) {
  const auto text = [](auto number) { return std::to_string(number); };
  return HasSubstr("Assign round=" + text(round) + " index=" + text(index) + " worker=" + text(worker) + " ");
}

TEST_F(SecondWorkers, AreOnANodeThatHasAnsweredEverything) {
  begin_round();
  scheduler_->note_time(0.01);
  answer(1, 0, 1);
  EXPECT_THAT(asked_at(0.2), IsEmpty()) << "0.05 s are in time, and 0.2 s on top";
  EXPECT_THAT(asked_at(1), ElementsAre(assign(0, 0, 1))) << "node 1 has something to do then";
  answer(1, 0, 0);
  EXPECT_THAT(asked_at(1.1), ElementsAre(assign(0, 2, 1)));
  EXPECT_EQ(scheduler_->second_workers(), 2u);
  EXPECT_THAT(scheduler_->late_nodes(), ElementsAre(0u, 2u));
}

TEST_F(SecondWorkers, AreAskedOnce) {
  begin_round();
  scheduler_->note_time(0.01);
  answer(0, 0, 0);
  answer(1, 0, 1);
  EXPECT_THAT(asked_at(1), ElementsAre(assign(0, 2, 0)));
  EXPECT_THAT(asked_at(1.5), IsEmpty());
  EXPECT_THAT(asked_at(3), ElementsAre(assign(0, 2, 1))) << "a third one after eight times as long";
  EXPECT_THAT(asked_at(1e6), IsEmpty()) << "there is nobody else";
}

TEST_F(SecondWorkers, AnswerForTheFirstWhoseOwnAnswerIsDropped) {
  begin_round();
  scheduler_->note_time(0.01);
  answer(0, 0, 0);
  answer(1, 0, 1);
  EXPECT_FALSE(answer(1, 0, 2)) << "it was not asked";
  EXPECT_THAT(asked_at(1), ElementsAre(assign(0, 2, 0)));
  EXPECT_TRUE(answer(0, 0, 2));
  EXPECT_THAT(out(), SizeIs(3)) << "the commit, to three nodes";
  EXPECT_TRUE(answer(2, 0, 2));
  EXPECT_EQ(scheduler_->late_deltas(), 1u);
  EXPECT_THAT(out(), IsEmpty());
}

TEST_F(SecondWorkers, AreAskedAgainWhenNothingMoves) {
  begin_round();
  scheduler_->note_time(0.01);
  answer(0, 0, 0);
  answer(1, 0, 1);
  EXPECT_THAT(asked_at(1), SizeIs(1));
  scheduler_->on_quiet(effects_);
  EXPECT_THAT(out(), ElementsAre(assign(0, 2, 2), assign(0, 2, 0)));
}

TEST_F(SecondWorkers, AreAskedAtTheirNewNodeWhenTheyMove) {
  begin_round();
  scheduler_->note_time(0.01);
  answer(0, 0, 0);
  answer(1, 0, 1);
  EXPECT_THAT(asked_at(1), ElementsAre(assign(0, 2, 0)));
  roster_.workers = {1, 1, 2};
  scheduler_->on_roster({true, false, false}, effects_);
  EXPECT_THAT(out(), ElementsAre(assign(0, 2, 2), assign(0, 2, 0)));
  EXPECT_TRUE(answer(1, 0, 2)) << "worker 0 is on node 1 now";
}

/// Node 2 was overtaken in round 0 by worker 0, node 3 had nothing to do; the ASSIGNs of round 1.
class AfterALateRound : public SecondWorkers {
 protected:
  std::vector<std::string> next_round(PhasePlan::Mode mode) {
    begin_round(mode, 4);
    scheduler_->note_time(0.01);
    answer(0, 0, 0);
    answer(1, 0, 1);
    EXPECT_THAT(asked_at(1), ElementsAre(assign(0, 2, 0)));
    answer(0, 0, 2);
    loop_back();
    return out();
  }
};

TEST_F(AfterALateRound, TheNodeWithLeastToDoIsAskedAtTheSameTime) {
  EXPECT_THAT(next_round(PhasePlan::Mode::moving),
              ElementsAre(assign(1, 0, 0), assign(1, 1, 1), assign(1, 2, 2), assign(1, 2, 3)));
}

TEST_F(AfterALateRound, TheSameWorkerIsWhereWorkersKeepData) {
  EXPECT_THAT(next_round(PhasePlan::Mode::steady),
              ElementsAre(assign(1, 0, 0), assign(1, 1, 1), assign(1, 2, 2), assign(1, 2, 0)));
}

TEST_F(SecondWorkers, AreUnknownToASchedulerThatHasNoClock) {
  begin({.workers = 3, .nodes = 3}, one_variable_a_block());
  enter(-1, 10, 3);
  settle();
  out();
  answer(0, 0, 0);
  EXPECT_FALSE(scheduler_->ask_second_workers(effects_));
  EXPECT_THAT(out(), IsEmpty());
}

}  // namespace
}  // namespace strads::engine
