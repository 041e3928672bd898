// The document and the schema of events are what the writer says; lines of handlers are events as well.
#include "program/process/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "program/process/last_words.hpp"
#include "strads/base/last_words.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/progress_line.hpp"

namespace strads {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool rewrites_events() {
  return std::getenv("STRADS_REWRITE") != nullptr;
}

TEST(EventLogDocument, ListsTheFieldsThatAreWritten) {
  const std::string path = std::string(STRADS_SOURCE_DIR) + "/docs/OUTPUT.md";
  const std::string begin = "<!-- written by the program -->\n\n", end = "\n<!-- end of written by the program -->";
  std::string text = text_of(path);
  const auto from = text.find(begin) + begin.size(), to = text.find(end);
  ASSERT_LT(from, to);
  ASSERT_NE(to, std::string::npos);
  if (rewrites_events()) {
    text.replace(from, to - from, event_log_markdown());
    std::ofstream(path) << text;
  } else {
    EXPECT_EQ(text.substr(from, to - from), event_log_markdown()) << "docs/OUTPUT.md: rewrite it with STRADS_REWRITE=1";
  }
}

TEST(EventLogDocument, HasTheSchemaOfTheWriter) {
  const std::string path = std::string(STRADS_SOURCE_DIR) + "/docs/events.schema.json";
  if (rewrites_events()) std::ofstream(path) << event_log_schema();
  EXPECT_EQ(text_of(path), event_log_schema()) << "docs/events.schema.json: rewrite it with STRADS_REWRITE=1";
}

/// What goes to stderr while `act` runs, as events.
template <class Act>
std::string events_of(const Act& act) {
  use_log_format("json");
  name_program("lasso");
  testing::internal::CaptureStderr();
  act();
  std::string said = testing::internal::GetCapturedStderr();
  use_log_format("text");
  return said;
}

constexpr const char* kTime =
    R"("time":"20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9][0-9][0-9]Z")";

TEST(EventLog, WritesALineAnEvent) {
  const std::string said = events_of([] {
    log_note("a \"note\"\nof two lines");
    log_error("it failed", 4);
    log_end(4, 1.5);
  });
  EXPECT_THAT(
      said, MatchesRegex(R"(\{"event":"note",)" + std::string(kTime) +
                         R"(,"program":"lasso","message":"a \\"note\\"\\nof two lines"\}.)" + R"(\{"event":"error",)" +
                         kTime + R"(,"program":"lasso","message":"it failed","exit_code":4\}.)" +
                         R"(\{"event":"end",)" + kTime + R"(,"program":"lasso","exit_code":4,"seconds":1.5\}.)"));
}

TEST(EventLog, SaysNothingWhereTheLogIsText) {
  testing::internal::CaptureStderr();
  log_note("a note");
  log_end(0, 1);
  log_progress(ProgressLine(1), nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(EventLog, HasTheCountAndTheFiguresOfALine) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.totals.rounds = 20;
  ProgressLine line(2);
  line.count({"sweep", 8, 20})
      .left(3.5)
      .figure(ProgressRank::quality, "test_rmse", "test", 0.875, 5)
      .figure(ProgressRank::figure, "train_rmse", "train", std::numeric_limits<double>::quiet_NaN(), 5)
      .text(ProgressRank::figure, "a word");
  const std::string said = events_of([&] { log_progress(line, &event); });
  EXPECT_THAT(said, AllOf(HasSubstr(R"("seconds":2.0,"text":"2.0 s  sweep 8 of 20  about 4 s left  test 0.875  )"),
                          HasSubstr(R"("kind":"barrier","round":20,"phase":0,"updates":0)"),
                          HasSubstr(R"("unit":"sweep","done":8,"total":20,"at_most":false,"seconds_left":3.5)"),
                          HasSubstr(R"("figures":{"test_rmse":0.875,"train_rmse":null}})")));
}

TEST(EventLog, IsValidWhereANameIsNoText) {
  const std::string said = events_of([] { log_note("\xff\x01"); });
  EXPECT_THAT(said, AllOf(HasSubstr("\xef\xbf\xbd"), Not(HasSubstr("\xff\x01"))));
}

TEST(EventLog, ReadsItsFormatFromArgumentsThatNobodyUnderstandsYet) {
  choose_log_format(std::vector<std::string>{"fit", "--bogus", "--log-format", "json"});
  EXPECT_TRUE(logs_json());
  choose_log_format(std::vector<std::string>{"fit", "--log-format=json", "--log-format=text"});
  EXPECT_FALSE(logs_json()) << "the last one counts";
  choose_log_format(std::vector<std::string>{"fit", "--log-format"});
  EXPECT_FALSE(logs_json());
}

TEST(LastWords, AreAnEventWithoutMemoryOrLocks) {
  const std::string said = events_of([] {
    LastWords words(LastWords::Kind::error, 4, "\r\033[K");
    words << "a\"b\\c\nd\xff: has " << std::uint64_t{123} << " bytes";
    words.say();
    LastWords note(LastWords::Kind::note, 0, "\n");
    note << "stopping";
    note.say();
  });
  EXPECT_THAT(said, MatchesRegex(R"(\{"event":"error",)" + std::string(kTime) +
                                 R"(,"program":"lasso","message":"a\\"b\\\\c d\?: has 123 bytes","exit_code":4\}.)" +
                                 R"(\{"event":"note",)" + kTime + R"(,"program":"lasso","message":"stopping"\}.)"));
}

TEST(LastWords, OfAHugeNameStayAWholeLine) {
  const std::string said = events_of([] {
    LastWords words(LastWords::Kind::error, 4, "");
    words << std::string(100'000, '"');
    words.say();
  });
  EXPECT_THAT(said, testing::EndsWith("\\\"\",\"exit_code\":4}\n"));
}

TEST(LastWords, OfANoteWaitForNobody) {
  const std::string said = events_of([] {
    const LineBeingWritten line;
    LastWords note(LastWords::Kind::note, 0, "\n");
    note << "in the middle of a line";
    note.say();
  });
  EXPECT_EQ(said, "") << "it would cut the line in two";
}

TEST(LastWords, AreThoseOfAFailedCheckAsWell) {
  EXPECT_EQ(last_words(), nullptr);
  const std::string said = events_of([] { last_words()("internal error", 134); });
  EXPECT_THAT(said, HasSubstr(R"("message":"internal error","exit_code":134})"));
}

}  // namespace
}  // namespace strads
