// What programs add to progress lines and traces, long results, threads of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "strads/base/payload.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProgressEvent barrier() {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.certificate.figures = {7};
  return event;
}

TEST(LargePages, GiveTheMemoryOfAnArrayThatIsGoneToTheNextOfAboutItsLength) {
  use_large_pages();
  const float* first = nullptr;
  {
    const SharedFloats gone(1'000'000);
    first = gone.data();
  }
  const SharedFloats next(999'000);
  EXPECT_EQ(next.data(), first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(next.data()) % 64, 0U);
  const SharedFloats beside(1'000'000);
  EXPECT_NE(beside.data(), first) << "the first array's memory is taken";
}

TEST(ProgressPrinter, ShowsTheProgramsLine) {
  std::vector<std::string> written;
  ProgressPrinter printer(
      false, [&](std::string_view text) { written.emplace_back(text); },
      [](const ProgressEvent& event, double seconds) {
        return ProgressLine(seconds).figure(ProgressRank::figure, "figures", "figures", event.certificate.figures.at(0),
                                            3);
      });
  printer.show(barrier(), 1.5);
  EXPECT_THAT(written, ElementsAre("1.5 s  figures 7\n"));
}

TEST(ProgressPrinter, AsksForATextOnlyWhenItIsShown) {
  int asked = 0;
  std::string written;
  ProgressPrinter printer(false, [&](std::string_view text) { written += text; });
  const auto line = [&] { return ProgressLine(1.5).count({"row", static_cast<std::uint64_t>(++asked), 9}); };
  printer.show_line(line, 0.5);
  printer.show_line(line, 1.5);
  printer.show_line(line, 1.6);
  EXPECT_EQ(asked, 1) << "after one second, not before and not again at once";
  EXPECT_EQ(written, "1.5 s  row 1 of 9\n") << "every line begins with the seconds";
}

TEST(Trace, HasTheProgramsColumns) {
  Trace trace({"seconds,figure", [](const ProgressEvent& event, double seconds) {
                 return event.kind == ProgressEvent::Kind::barrier
                            ? exact_text(seconds) + "," + exact_text(event.certificate.figures.at(0))
                            : std::string();
               }});
  trace.record(barrier(), 0.5);
  trace.record(ProgressEvent{}, 0.75);
  trace.record(barrier(), 1.5);
  EXPECT_EQ(trace.csv(), "seconds,figure\n0.5,7\n1.5,7\n");
}

TEST(ResultWriter, ShowsAFileWhenItIsComplete) {
  const test::TemporaryFolder folder;
  const auto path = folder.path("out.tsv");
  auto writer = ResultWriter::open(path);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  EXPECT_TRUE(writer.value().write("one ").ok());
  EXPECT_TRUE(writer.value().write("two").ok());
  EXPECT_FALSE(folder.has("out.tsv"));
  EXPECT_TRUE(writer.value().commit().ok());
  EXPECT_EQ(folder.read("out.tsv"), "one two");
}

TEST(ResultWriter, LeavesNothingWithoutCommit) {
  const test::TemporaryFolder folder;
  {
    auto writer = ResultWriter::open(folder.path("out.tsv"));
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE(writer.value().write("half").ok());
  }
  EXPECT_TRUE(folder.list(".").empty());
}

TEST(ResultWriter, TakesNoFileOfAFinishedRun) {
  const test::TemporaryFolder folder;
  {
    auto run = RunDirectory::open(folder.path("run"), false, {});
    ASSERT_TRUE(run.ok() && run.value().write("model.bin", "model").ok() && run.value().finish(Summary()).ok());
  }
  for (const char* name : {"run/model.bin", "run/summary.json"}) {
    const Status taken = ResultWriter::open(folder.path(name)).status();
    EXPECT_EQ(taken.code(), StatusCode::usage);
    EXPECT_THAT(taken.message(), HasSubstr("is a file of the finished run there"));
  }
  EXPECT_TRUE(write_result(folder.path("run/predictions.tsv"), "text").ok());
  EXPECT_EQ(folder.read("run/predictions.tsv"), "text");
  EXPECT_EQ(folder.read("run/model.bin"), "model");
}

TEST(ResultWriter, SaysWhichFileCannotBeMade) {
  const auto writer = ResultWriter::open("/nowhere at all/out.tsv");
  EXPECT_FALSE(writer.ok());
  EXPECT_THAT(writer.status().message(), HasSubstr("/nowhere at all/out.tsv"));
}

TEST(ReadFile, ReadsBytesAndSaysWhatIsMissing) {
  const test::TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  EXPECT_EQ(read_file(folder.write("file", bytes)).value(), bytes);
  EXPECT_THAT(read_file(folder.path("absent")).status().message(), HasSubstr("absent"));
}

TEST(MakeThreads, RunEveryPieceOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 5U}) {
    std::vector<std::atomic<int>> calls(1000);
    make_threads(threads)->for_each(calls.size(), [&](std::size_t piece) { ++calls[piece]; });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace strads
