#include "program/process/deadline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace strads {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNow = 1'764'000'000;  // 2025-11-24T16:00:00Z

double parsed(const std::string& text) {
  const auto at = parse_deadline(text, kNow);
  EXPECT_TRUE(at.ok()) << at.status().message();
  return at.ok() ? at.value() : -1;
}

TEST(ADeadline, IsATimeFromNow) {
  EXPECT_EQ(parsed("+2h30m"), kNow + 9000);
  EXPECT_EQ(parsed("+45s"), kNow + 45);
  EXPECT_EQ(parsed("+1d2h3m4s"), kNow + 86400 + 7200 + 180 + 4);
  EXPECT_EQ(parsed("+90m"), kNow + 5400);
}

TEST(ADeadline, IsACountOfSecondsAsDateTellsIt) {
  EXPECT_EQ(parsed("@1764000060"), kNow + 60);
}

TEST(ADeadline, IsATimeWithAnOffset) {
  EXPECT_EQ(parsed("2025-11-24T18:00Z"), kNow + 7200);
  EXPECT_EQ(parsed("2025-11-24T18:00:30Z"), kNow + 7230);
  EXPECT_EQ(parsed("2025-11-24T18:00:00+01:00"), kNow + 3600);
  EXPECT_EQ(parsed("2025-11-24T18:00-0530"), kNow + 7200 + 5.5 * 3600);
  EXPECT_EQ(parsed("2028-02-29T00:00Z"), 1'835'395'200);
}

TEST(ADeadline, IsLocalTimeWithoutAnOffset) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "EST5EDT", 1);
  ::tzset();
  EXPECT_EQ(parsed("2025-11-24T18:00"), kNow + 7 * 3600);
  EXPECT_EQ(parsed("2026-07-01T12:00"), 1'782'921'600) << "in summer";
  EXPECT_EQ(local_time(kNow), "2025-11-24T11:00:00");
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
  ::tzset();
}

TEST(ADeadline, ThatIsNoTimeIsRefusedWithExamples) {
  for (const char* text : {"",
                           "tomorrow",
                           "18:00",
                           "2025-11-24",
                           "2025-11-24 18:00",
                           "2025-13-01T00:00",
                           "2026-02-29T00:00",
                           "2025-11-24T24:00",
                           "2025-11-24T18:60",
                           "2025-11-24T18:00:",
                           "2025-11-24T18:00+1",
                           "2025-11-24T18:00x",
                           "+",
                           "+2",
                           "+2x",
                           "+2m2h",
                           "+1h1h",
                           "+-1h",
                           "@",
                           "@-5",
                           "@1e9",
                           "-0025-11-24T18:00",
                           "2025-11-24T18:-1"}) {
    const auto at = parse_deadline(text, kNow);
    ASSERT_FALSE(at.ok()) << text;
    EXPECT_EQ(at.status().code(), StatusCode::usage);
    EXPECT_THAT(at.status().message(), AllOf(HasSubstr(std::string("--deadline ") + text), HasSubstr("+2h30m"),
                                             HasSubstr("2026-11-24T18:00")));
  }
}

TEST(ADeadline, ThatHasPassedIsRefused) {
  for (const char* text : {"2025-11-24T15:59Z", "@1764000000", "+0s"}) {
    const auto at = parse_deadline(text, kNow);
    ASSERT_FALSE(at.ok()) << text;
    EXPECT_THAT(at.status().message(), AllOf(HasSubstr("has passed"), HasSubstr("give a later one")));
  }
}

TEST(ADeadline, LetsARunGoOnWhileItsNextBarrierIsLikelyToComeInTime) {
  Deadline deadline(1000, 2);
  deadline.note_begin(0, 0);
  deadline.note_barrier(0, 100);
  deadline.note_barrier(0, 140);
  EXPECT_FALSE(deadline.next_is_late(849));
  EXPECT_TRUE(deadline.next_is_late(850)) << "100 seconds, and half of that for what was not seen yet";
  deadline.note_writing(20);
  deadline.note_writing(10);
  EXPECT_FALSE(deadline.next_is_late(819));
  EXPECT_TRUE(deadline.next_is_late(820));
}

TEST(ADeadline, CountsFromARunsOwnBarrierAndBeginning) {
  Deadline deadline(1000, 2);
  deadline.note_begin(0, 0);
  deadline.note_barrier(0, 10);
  deadline.note_begin(1, 500);
  deadline.note_barrier(1, 520);
  EXPECT_FALSE(deadline.next_is_late(960)) << "520 seconds are between no two barriers of a run";
  EXPECT_TRUE(deadline.next_is_late(970));
}

TEST(ADeadline, IsUpWhenTimeIsLeftForWritingAlone) {
  Deadline deadline(1000, 1);
  EXPECT_FALSE(deadline.is_up(999.5));
  EXPECT_TRUE(deadline.is_up(999.8));
  deadline.note_writing(20);
  EXPECT_FALSE(deadline.is_up(969));
  EXPECT_TRUE(deadline.is_up(970));
}

}  // namespace
}  // namespace strads
