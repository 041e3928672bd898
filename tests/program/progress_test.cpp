#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "strads/engine/progress.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/trace.hpp"

namespace strads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

ProgressEvent commit(std::uint64_t round) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::commit;
  event.totals.rounds = round;
  event.totals.updates = 100 * round;
  event.objective = 0.5;
  event.blocks = 8;
  return event;
}

ProgressEvent barrier(std::uint64_t round, double gap) {
  ProgressEvent event = commit(round);
  event.kind = ProgressEvent::Kind::barrier;
  event.certificate = {.objective = 0.25, .gap = gap, .relative_gap = 4 * gap, .dual = 0, .nonzeros = 7};
  return event;
}

struct Printed {
  std::vector<std::string> texts;
  ProgressPrinter printer(bool live) {
    return ProgressPrinter(live, [this](std::string_view text) { texts.emplace_back(text); });
  }
};

TEST(ProgressPrinter, PrintsPlainLinesAtGrowingIntervals) {
  Printed printed;
  auto printer = printed.printer(false);
  std::vector<double> shown;
  for (int tenth = 0; tenth <= 400; ++tenth) {
    const auto before = printed.texts.size();
    printer.show(commit(1), tenth / 10.0);
    if (printed.texts.size() > before) shown.push_back(tenth / 10.0);
  }
  EXPECT_THAT(shown, ElementsAre(1, 2, 4, 8, 16, 32));
}

TEST(ProgressPrinter, SaysNoObjectiveBeforeThereIsOne) {
  Printed printed;
  auto printer = printed.printer(false);
  ProgressEvent started;
  started.kind = ProgressEvent::Kind::started;
  printer.show(started, 1.0);
  EXPECT_THAT(printed.texts, ElementsAre("1.0 s  columns scanned\n"));
}

TEST(ProgressPrinter, SaysOfACommitThatGapAndNonzerosAreOfTheBarrierBefore) {
  Printed printed;
  auto printer = printed.printer(false);
  ProgressEvent event = commit(21);
  event.certificate = barrier(20, 0.001).certificate;
  printer.show(event, 2.0);
  EXPECT_THAT(printed.texts, ElementsAre(HasSubstr("objective 0.5  gap (last barrier) 0.004  7 nonzeros  ")));
}

TEST(ProgressPrinter, SaysRoundObjectiveGapNonzerosAndRate) {
  Printed printed;
  auto printer = printed.printer(false);
  printer.show(barrier(20, 0.001), 2.0);
  ASSERT_THAT(printed.texts, SizeIs(1));
  EXPECT_EQ(printed.texts[0], "2.0 s  round 20  objective 0.25  gap 0.004  7 nonzeros  1e+03 updates/s\n");
}

TEST(ProgressPrinter, RedrawsOneLineOnATerminalAndClearsItAtTheEnd) {
  Printed printed;
  auto printer = printed.printer(true);
  printer.show(commit(1), 0.01);
  printer.show(commit(2), 0.05);  // too soon
  printer.show(commit(3), 0.2);
  printer.finish();
  ASSERT_THAT(printed.texts, SizeIs(3));
  EXPECT_THAT(printed.texts[1], StartsWith("\r\033[K0.2 s  round 3"));
  EXPECT_EQ(printed.texts[2], "\r\033[K");
}

TEST(ProgressPrinter, ClearsNothingWhenNothingWasDrawn) {
  Printed printed;
  auto printer = printed.printer(true);
  printer.finish();
  EXPECT_TRUE(printed.texts.empty());
}

TEST(ProgressPrinter, NeverFillsTheTerminalThatItHasNow) {
  std::size_t columns = 40;
  std::vector<std::string> texts;
  ProgressPrinter printer(
      true, [&](std::string_view text) { texts.emplace_back(text); }, {}, [&] { return columns; });
  printer.show(barrier(20, 0.001), 1);
  columns = 200;  // resized
  printer.show(barrier(20, 0.001), 2);
  columns = 5;
  printer.show(barrier(20, 0.001), 3);
  EXPECT_THAT(texts, ElementsAre("\r\033[K1.0 s  objective 0.25  gap 0.004",
                                 "\r\033[K2.0 s  round 20  objective 0.25  gap 0.004  7 nonzeros  1e+03 updates/s",
                                 "\r\033[K"));
}

TEST(ProgressLine, DropsWholeFieldsFromTheLeastImportantOneOn) {
  ProgressLine line(12.3);
  line.text(ProgressRank::rate, "5 updates/s")
      .text(ProgressRank::figure, "left figure")
      .text(ProgressRank::figure, "right figure")
      .text(ProgressRank::quality, "gap 0.001")
      .count({"lambda", 37, 100});
  const std::string whole = line.text();
  EXPECT_EQ(whole, "12.3 s  5 updates/s  left figure  right figure  gap 0.001  lambda 37 of 100");
  EXPECT_EQ(line.within(whole.size()), whole);
  EXPECT_EQ(line.within(whole.size() - 1), "12.3 s  left figure  right figure  gap 0.001  lambda 37 of 100");
  EXPECT_EQ(line.within(50), "12.3 s  left figure  gap 0.001  lambda 37 of 100");
  EXPECT_EQ(line.within(35), "12.3 s  gap 0.001  lambda 37 of 100");
  EXPECT_EQ(line.within(34), "12.3 s  lambda 37 of 100");
  EXPECT_EQ(line.within(10), "12.3 s");
  EXPECT_EQ(line.within(5), "") << "nothing rather than a part of a number";
  for (std::size_t columns = 0; columns < 90; ++columns) EXPECT_LE(line.within(columns).size(), columns);
}

TEST(ProgressLine, SaysWhatIsLeftOnlyWhenThereIsSomethingToGoBy) {
  EXPECT_EQ(seconds_left(100, 2, 10), std::nullopt) << "of two units nobody knows whether they are alike";
  EXPECT_EQ(seconds_left(100, 4, 100), std::nullopt) << "less than a twentieth";
  EXPECT_EQ(seconds_left(1, 50, 100), std::nullopt) << "a moment";
  EXPECT_EQ(seconds_left(100, 25, 100), 300);
  EXPECT_EQ(seconds_left(100, 7, 0), std::nullopt) << "of nobody knows how many";
  EXPECT_EQ(about_seconds(0.2), "about 1 s");
  EXPECT_EQ(about_seconds(7.4), "about 7 s");
  EXPECT_EQ(about_seconds(61), "about 60 s");
  EXPECT_EQ(about_seconds(130), "about 2 min");
  EXPECT_EQ(about_seconds(3 * 3600), "about 3 h");
  EXPECT_EQ(about_seconds(4 * 86400), "about 4 days");
}

TEST(ProgressLine, CountsWhatHasEnded) {
  EXPECT_EQ(ProgressLine(1).count({"sweep", 8, 20}).text(), "1.0 s  sweep 8 of 20");
  EXPECT_EQ(ProgressLine(1).count({"sweep", 8, 20, true}).text(), "1.0 s  sweep 8 of at most 20");
  EXPECT_EQ(ProgressLine(1).count({"sweep", 8}).text(), "1.0 s  sweep 8");
  EXPECT_EQ(share_line("reading", 0.25, 10).text(), "10.0 s  reading  25 %  about 30 s left");
}

std::vector<std::string> lines_of(const Trace& trace) {
  std::istringstream text(trace.csv());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(Trace, HasAHeaderAndOneRowPerEvent) {
  Trace trace;
  trace.record(commit(1), 0.5);
  trace.record(barrier(2, 0.001), 0.75);
  trace.record(commit(3), 1);
  EXPECT_THAT(lines_of(trace),
              ElementsAre("seconds,event,round,phase,objective,gap,relative_gap,nonzeros,updates,updates_path,flops,"
                          "flops_path,blocks,step",
                          "0.5,commit,1,0,0.5,,,0,100,0,0,0,8,1", "0.75,barrier,2,0,0.25,0.001,0.004,7,200,0,0,0,8,1",
                          "1,commit,3,0,0.5,0.001,0.004,7,300,0,0,0,8,1"));
}

TEST(Trace, StaysSmallAndKeepsEveryBarrier) {
  Trace trace;
  for (std::uint64_t round = 1; round <= 100000; ++round) {
    trace.record(commit(round), static_cast<double>(round));
    if (round % 10000 == 0) trace.record(barrier(round, 0.01), static_cast<double>(round));
  }
  const auto lines = lines_of(trace);
  EXPECT_LT(lines.size(), 2100U);
  EXPECT_GT(lines.size(), 1000U);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& line) { return line.find("barrier") != std::string::npos; }),
            10);
  EXPECT_THAT(lines[1], HasSubstr(",commit,1,"));
}

}  // namespace
}  // namespace strads
