// What a run shows on disk while it goes on.
#include "strads/program/live_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "strads/engine/progress.hpp"
#include "strads/program/log.hpp"
#include "strads/program/trace.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::HasSubstr;

class LiveFilesTest : public testing::Test {
 protected:
  std::shared_ptr<LiveFiles> live_in_folder() const { return std::make_shared<LiveFiles>(folder_.path(".")); }
  test::TemporaryFolder folder_;
};

ProgressEvent barrier_of(std::uint64_t round, double objective) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.totals.rounds = round;
  event.certificate.objective = objective;
  event.certificate.gap = 0.5;
  event.certificate.relative_gap = 0.25;
  return event;
}

TEST_F(LiveFilesTest, HoldWhatWasToldAfterAFlush) {
  LiveFiles live(folder_.path("."));
  live.append("a.txt", "one\n");
  live.flush();
  EXPECT_EQ(folder_.read("a.txt"), "one\n");
  live.append("a.txt", "two\n");
  live.append("b.txt", "other\n");
  live.flush();
  EXPECT_EQ(folder_.read("a.txt"), "one\ntwo\n");
  EXPECT_EQ(folder_.read("b.txt"), "other\n");
}

TEST_F(LiveFilesTest, HoldAllAtTheirEndAndNothingLater) {
  LiveFiles live(folder_.path("."));
  live.append("a.txt", "one\n");
  live.finish();
  live.append("a.txt", "late\n");
  live.flush();
  EXPECT_EQ(folder_.read("a.txt"), "one\n");
}

TEST_F(LiveFilesTest, TakeLinesOfManyThreadsWhole) {
  {
    LiveFiles live(folder_.path("."));
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&live] {
        for (int k = 0; k < 500; ++k) {
          live.append("a.txt", "a line\n");
          if (k % 50 == 0) live.flush();
        }
      });
    }
  }
  std::string whole;
  for (int k = 0; k < 2000; ++k) whole += "a line\n";
  EXPECT_EQ(folder_.read("a.txt"), whole);
}

TEST_F(LiveFilesTest, AreGivenUpWhereTheyCannotBeWritten) {
  std::filesystem::create_directory(folder_.path("a.txt"));
  LiveFiles live(folder_.path("."));
  live.append("a.txt", "in vain\n");
  live.append("b.txt", "here\n");
  live.flush();
  EXPECT_EQ(folder_.read("b.txt"), "here\n");
}

TEST_F(LiveFilesTest, ShowTheLastStatusWhole) {
  LiveFiles live(folder_.path("."));
  live.show_status("seconds,event", "1,barrier");
  live.show_status("seconds,event", "2,verified");
  live.flush();
  EXPECT_EQ(folder_.read("status.json"), "{\n  \"seconds\": 2,\n  \"event\": \"verified\"\n}\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("status.json.next")));
}

TEST(JsonOfRow, QuotesWhatIsNoNumberAndKnowsWhatIsMissing) {
  EXPECT_EQ(json_of_row("a,b,c,d", "1.5e-07,,inf,"),
            "{\n  \"a\": 1.5e-07,\n  \"b\": null,\n  \"c\": \"inf\",\n  \"d\": null\n}\n");
}

TEST_F(LiveFilesTest, OfALogAreItsText) {
  const auto live = live_in_folder();
  Log log;
  log.info("before");
  log.show(live, "log.txt");
  log.warn("after {}");
  live->flush();
  EXPECT_EQ(folder_.read("log.txt"), log.text());
  EXPECT_THAT(log.text(), HasSubstr("after {}"));
}

TEST_F(LiveFilesTest, OfATraceAreItsRowsAndTheLastBarrier) {
  const auto live = live_in_folder();
  Trace trace;
  trace.show(live, "trace.csv");
  trace.record(barrier_of(3, 7.5), 0.5);
  trace.record({}, 0.75);
  live->flush();
  EXPECT_EQ(folder_.read("trace.csv"), trace.csv());
  EXPECT_THAT(folder_.read("status.json"), HasSubstr("\"round\": 3,"));
  EXPECT_THAT(folder_.read("status.json"),
              HasSubstr("\"objective\": 7.5,\n  \"gap\": 0.5,\n  \"relative_gap\": 0.25,"));
}

TEST_F(LiveFilesTest, OfALongTraceHoldTheRowsThatItLeavesOutLater) {
  const auto live = live_in_folder();
  Trace trace;
  trace.show(live, "trace.csv");
  ProgressEvent commit;
  commit.kind = ProgressEvent::Kind::commit;
  for (int k = 0; k < 5000; ++k) trace.record(commit, k);
  live->flush();
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_LT(lines(trace.csv()), 2100);
  EXPECT_GT(lines(folder_.read("trace.csv")), 3000);
}

}  // namespace
}  // namespace strads
