#include "engine/session/quiet.hpp"

#include <gtest/gtest.h>

namespace strads::engine {
namespace {

class Silence : public testing::Test {
 protected:
  /// Asked every 10 ticks of 1/1024 s from `from` on: after how many ticks it is due.
  int due_after(std::uint64_t mark, int from) {
    for (int tick = from; tick < from + 5000; tick += 10) {
      if (quiet_.due(mark, false, at(tick))) return tick - from;
    }
    return -1;
  }
  static double at(int tick) { return tick / 1024.0; }  // exact
  Quiet quiet_;
};

TEST_F(Silence, IsNotedAfterATenthOfASecond) {
  EXPECT_NEAR(due_after(1, 0), 102, 10);
}

TEST_F(Silence, IsNotedLessAndLessOften) {
  int now = due_after(1, 0);
  const int second = due_after(1, now);
  const int third = due_after(1, now + second);
  EXPECT_NEAR(second, 205, 10);
  EXPECT_NEAR(third, 410, 10);
}

TEST_F(Silence, IsNotedAtLeastEverySecond) {
  int now = 0;
  for (int i = 0; i < 8; ++i) now += due_after(1, now);
  EXPECT_NEAR(due_after(1, now), 1024, 10);
}

TEST_F(Silence, BeginsAnewWithEveryProgress) {
  int now = 0;
  for (int i = 0; i < 4; ++i) now += due_after(1, now);
  EXPECT_NEAR(due_after(2, now), 102, 10);
}

TEST_F(Silence, DoesNotCountWhileATaskRuns) {
  EXPECT_FALSE(quiet_.due(1, false, at(0)));
  for (int tick = 10; tick < 3000; tick += 10) EXPECT_FALSE(quiet_.due(1, true, at(tick)));
  EXPECT_FALSE(quiet_.due(1, false, at(3010)));
  EXPECT_TRUE(quiet_.due(1, false, at(3130)));
}

}  // namespace
}  // namespace strads::engine
