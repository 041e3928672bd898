#include "transport/quiet.hpp"

#include <gtest/gtest.h>

namespace strads::transport {
namespace {

using std::chrono::milliseconds;

class Silence : public testing::Test {
 protected:
  /// Asked every 10 ms from `from` on: after how many milliseconds it is due.
  int due_after(std::uint64_t mark, int from) {
    for (int ms = from; ms < from + 5000; ms += 10) {
      if (quiet_.due(mark, false, at(ms))) return ms - from;
    }
    return -1;
  }
  static Quiet::Clock::time_point at(int ms) { return Quiet::Clock::time_point{} + milliseconds(ms); }
  Quiet quiet_;
};

TEST_F(Silence, IsNotedAfterATenthOfASecond) {
  EXPECT_EQ(due_after(1, 0), 100);
}

TEST_F(Silence, IsNotedLessAndLessOften) {
  int now = due_after(1, 0);
  const int second = due_after(1, now);
  const int third = due_after(1, now + second);
  EXPECT_EQ(second, 200);
  EXPECT_EQ(third, 400);
}

TEST_F(Silence, IsNotedAtLeastEverySecond) {
  int now = 0;
  for (int i = 0; i < 8; ++i) now += due_after(1, now);
  EXPECT_EQ(due_after(1, now), 1000);
}

TEST_F(Silence, BeginsAnewWithEveryProgress) {
  int now = 0;
  for (int i = 0; i < 4; ++i) now += due_after(1, now);
  EXPECT_EQ(due_after(2, now), 100);
}

TEST_F(Silence, DoesNotCountWhileATaskRuns) {
  EXPECT_FALSE(quiet_.due(1, false, at(0)));
  for (int ms = 10; ms < 3000; ms += 10) EXPECT_FALSE(quiet_.due(1, true, at(ms)));
  EXPECT_FALSE(quiet_.due(1, false, at(3010)));
  EXPECT_TRUE(quiet_.due(1, false, at(3100)));
}

}  // namespace
}  // namespace strads::transport
