// Which nodes count as late, by their loads and those of others.
#include "engine/rounds/lateness.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace strads::engine {
namespace {

constexpr double kFlops = 1e6;

/// Turns of one block a node, whose answers come after the given seconds; negative: another worker was faster.
class LatenessOfNodes : public testing::Test {
 protected:
  void begin(const std::vector<double>& flops) {
    began_ = now_;
    lateness_.note_time(now_);
    lateness_.begin_turn(++round_);
    for (std::uint32_t node = 0; node < flops.size(); ++node) lateness_.ask(node, flops[node]);
  }
  void at(double seconds) {
    now_ = began_ + seconds;
    lateness_.note_time(now_);
  }
  /// Node k answers after seconds[k]; they ascend.
  void turn(const std::vector<double>& seconds) {
    begin(std::vector<double>(seconds.size(), kFlops));
    for (std::uint32_t node = 0; node < seconds.size(); ++node) {
      at(seconds[node]);
      lateness_.answered(node, true);
    }
  }

  Lateness lateness_;
  Round round_ = -1;
  double began_ = 0, now_ = 100;
};

TEST_F(LatenessOfNodes, WithoutAClockNobodyIs) {
  Lateness blind;
  blind.begin_turn(0);
  blind.ask(0, kFlops);
  blind.answered(0, false);
  EXPECT_FALSE(blind.knows_time());
  EXPECT_FALSE(blind.known_late(0));
  EXPECT_FALSE(blind.overdue(0, 0));
}

TEST_F(LatenessOfNodes, NobodyIsAsLongAsThereIsNothingToCompareWith) {
  begin({kFlops, kFlops});
  at(1000);
  EXPECT_FALSE(lateness_.overdue(0, 0));
}

TEST_F(LatenessOfNodes, BeginsAWhileAfterFourTimesWhatAnotherTook) {
  begin({kFlops, kFlops});
  at(1);
  lateness_.answered(0, true);
  at(4.1);
  EXPECT_FALSE(lateness_.overdue(1, 0));
  at(4.3);
  EXPECT_TRUE(lateness_.overdue(1, 0));
}

TEST_F(LatenessOfNodes, MeasuresLoadForLoad) {
  begin({kFlops, 10 * kFlops});
  at(1);
  lateness_.answered(0, true);
  at(40.1);
  EXPECT_FALSE(lateness_.overdue(1, 0));
  at(40.3);
  EXPECT_TRUE(lateness_.overdue(1, 0));
}

TEST_F(LatenessOfNodes, ComparesWithTheSlowestOfTheTurnsBeforeWhileNobodyElseHasAnswered) {
  turn({0.1, 0.1});
  turn({1, 1});
  turn({0.1, 0.1});
  begin({kFlops});
  at(4.1);
  EXPECT_FALSE(lateness_.overdue(0, 0));
  at(4.3);
  EXPECT_TRUE(lateness_.overdue(0, 0));
}

TEST_F(LatenessOfNodes, ForgetsTurnsOfLongAgo) {
  turn({1, 1});
  for (std::size_t k = 0; k < Lateness::kTurns; ++k) turn({0.1, 0.1});
  begin({kFlops});
  at(0.7);
  EXPECT_TRUE(lateness_.overdue(0, 0));
}

TEST_F(LatenessOfNodes, AddsUpOverTurns) {
  // 50 ms for what others do in 1 ms: 36 ms too many each time.
  for (int k = 0; k < 5; ++k) turn({0.001, 0.001, 0.050});
  EXPECT_FALSE(lateness_.known_late(2)) << "180 ms";
  turn({0.001, 0.001, 0.050});
  EXPECT_TRUE(lateness_.known_late(2)) << "216 ms";
  EXPECT_FALSE(lateness_.known_late(0));
}

TEST_F(LatenessOfNodes, IsForgivenByATurnInTime) {
  for (int k = 0; k < 5; ++k) turn({0.001, 0.001, 0.050});
  turn({0.001, 0.001, 0.003});
  for (int k = 0; k < 5; ++k) turn({0.001, 0.001, 0.050});
  EXPECT_FALSE(lateness_.known_late(2));
}

TEST_F(LatenessOfNodes, IsNoMatterOfALongWay) {
  for (int k = 0; k < 1000; ++k) turn({0.0001, 0.01});
  EXPECT_FALSE(lateness_.known_late(1));
}

TEST_F(LatenessOfNodes, IsKnownOfWhoWasOvertaken) {
  begin({kFlops, kFlops});
  at(0.001);
  lateness_.answered(0, true);
  at(1);
  lateness_.answered(1, false);
  EXPECT_TRUE(lateness_.known_late(1));
}

TEST_F(LatenessOfNodes, EndsWhenHalfOfTheBlocksThatOthersHaveTooAreAnsweredFirst) {
  begin({kFlops, kFlops});
  lateness_.answered(1, false);
  for (const int own : {1, 2}) {
    begin({});
    for (int b = 0; b < 4; ++b) lateness_.ask(1, kFlops);
    for (int b = 0; b < 4; ++b) lateness_.answered(1, b < own);
    EXPECT_EQ(lateness_.known_late(1), own < 2) << own << " of 4";
  }
}

TEST_F(LatenessOfNodes, EndsWithAllAnswersInTimeAlsoWhereOthersAreAlwaysFirst) {
  begin({kFlops, kFlops});
  lateness_.answered(1, false);
  ASSERT_TRUE(lateness_.known_late(1));
  for (const double seconds : {0.02, 0.009}) {
    begin({kFlops});
    lateness_.ask(1, kFlops);
    lateness_.ask(1, kFlops);
    const Round asked = round_;
    const double asked_at = now_;
    at(0.0001);
    for (const std::uint32_t node : {0U, 1U, 1U}) lateness_.answered(node, node == 0);
    begin({kFlops});
    for (int b = 0; b < 2; ++b) {
      EXPECT_TRUE(lateness_.known_late(1)) << b << " answers after " << seconds;
      lateness_.note_time(now_ = asked_at + seconds);
      lateness_.answered_after_another(asked, 1);
    }
    EXPECT_EQ(lateness_.known_late(1), seconds > 0.01) << seconds;
  }
}

TEST_F(LatenessOfNodes, MakesAThirdWorkerWaitEightTimesAsLong) {
  begin({kFlops, kFlops});
  at(1);
  lateness_.answered(0, true);
  at(33);
  EXPECT_FALSE(lateness_.overdue(1, 1));
  at(34);
  EXPECT_TRUE(lateness_.overdue(1, 1));
  EXPECT_FALSE(lateness_.overdue(1, 2));
}

TEST_F(LatenessOfNodes, DoesNotMakeTheSlowerOfTwoTheMeasure) {
  for (int k = 0; k < 3; ++k) turn({0.01, 1});
  EXPECT_TRUE(lateness_.known_late(1));
  begin({kFlops, kFlops});
  at(0.26);
  EXPECT_TRUE(lateness_.overdue(0, 0)) << "what the faster one takes is the measure of both";
}

}  // namespace
}  // namespace strads::engine
