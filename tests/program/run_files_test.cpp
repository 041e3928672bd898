#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "strads/program/files_of_run.hpp"
#include "strads/program/log.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/sealed_file.hpp"
#include "strads/program/summary.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kOwn = {"table.tsv", "log.txt"};

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectory open(bool force = false) {
    auto opened = RunDirectory::open(folder_.path("run"), force, kOwn);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(opened).value();
  }
  using Files = std::vector<std::pair<std::string, std::string>>;  // names and contents
  static void write_all(RunDirectory run, const Files& files) {
    for (const auto& [name, content] : files) ASSERT_TRUE(run.write(name, content).ok());
    const Status finished = run.finish(Summary());
    ASSERT_TRUE(finished.ok()) << finished.message();
  }
  void finish(const Files& files, bool force) { write_all(open(force), files); }
  void finish_a_run() { finish({{"table.tsv", "a"}, {"cohort.afreq", "b"}}, false); }
  void write_run(const std::string& name, const Files& files) {
    auto opened = RunDirectory::open(folder_.path(name), false, {});
    ASSERT_TRUE(opened.ok());
    write_all(std::move(opened).value(), files);
  }
  [[nodiscard]] Status check(const std::vector<std::string>& names) const {
    return check_run_files(folder_.path("run"), names);
  }
  TemporaryFolder folder_;
};

TEST_F(RunDirectoryTest, IsCreatedWithItsParents) {
  auto opened = RunDirectory::open(folder_.path("a/b/run"), false, kOwn);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(folder_.has("a/b/run"));
}

TEST_F(RunDirectoryTest, ListsItsFilesInTheSummaryWrittenLast) {
  finish_a_run();
  EXPECT_THAT(folder_.read("run/summary.json"),
              StartsWith("{\n  \"files\": [\n    \"table.tsv\",\n    \"cohort.afreq\",\n    \"summary.json\"\n  ],\n"));
}

TEST_F(RunDirectoryTest, NotesTheHashOfEachFileInTheSummary) {
  finish_a_run();
  // XXH3-64 of "a" and of "b", as xxhsum -H3 would print them.
  EXPECT_THAT(folder_.read("run/summary.json"),
              EndsWith("\"file_hashes\": {\n    \"table.tsv\": \"e6c632b61e964e1f\",\n"
                       "    \"cohort.afreq\": \"575a0b1c44d8843f\"\n  }\n}\n"));
}

TEST_F(RunDirectoryTest, HasItsFilesCheckedByTheirHashes) {
  finish_a_run();
  EXPECT_TRUE(check({"table.tsv", "cohort.afreq"}).ok());
  folder_.write("run/cohort.afreq", "c");
  EXPECT_TRUE(check({"table.tsv"}).ok()) << "the other one is not asked for";
  const Status changed = check({"table.tsv", "cohort.afreq"});
  EXPECT_EQ(changed.code(), StatusCode::input);
  EXPECT_THAT(changed.message(),
              AllOf(HasSubstr("run/cohort.afreq: has the hash"), HasSubstr("changed after the run")));
}

TEST_F(RunDirectoryTest, HasNoFilesThatItsSummaryDoesNotList) {
  finish_a_run();
  folder_.write("run/notes.txt", "mine");
  EXPECT_THAT(check({"notes.txt"}).message(), HasSubstr("run/notes.txt: is no file of the run"));
  std::filesystem::remove(folder_.path("run/table.tsv"));
  EXPECT_EQ(check({"table.tsv"}).message(),
            folder_.path("run/table.tsv") + ": No such file or directory; " + folder_.path("run/summary.json") +
                " says that the run wrote this file: copy the folder again, or repeat the run");
  EXPECT_TRUE(run_wrote(folder_.path("run"), "table.tsv"));
  EXPECT_FALSE(run_wrote(folder_.path("run"), "notes.txt"));
  EXPECT_FALSE(run_wrote(folder_.path("nowhere"), "table.tsv"));
}

TEST_F(RunDirectoryTest, SaysWhereAFileLiesThatTheRunRead) {
  folder_.write("here.csv", "a");
  Summary summary;
  summary.add("read", path_from_root(folder_.path("here.csv")));
  ASSERT_TRUE(open().finish(summary).ok());
  const std::string run = folder_.path("run");
  const auto found = [&](const std::string& given) { return file_of_run(run, given, "read"); };
  EXPECT_EQ(found(folder_.path("here.csv")), folder_.path("here.csv"));
  EXPECT_EQ(found(folder_.path("./here.csv")), folder_.path("./here.csv")) << "as it was given";
  EXPECT_EQ(found("elsewhere/here.csv"), folder_.path("here.csv")) << "a relative path, seen from another folder";
  folder_.write("other/here.csv", "of somebody else");
  EXPECT_EQ(found(folder_.path("other/here.csv")), folder_.path("here.csv"));
  std::filesystem::remove(folder_.path("here.csv"));
  EXPECT_EQ(found(folder_.path("other/here.csv")), folder_.path("other/here.csv"));
  EXPECT_EQ(found("gone/here.csv"), "gone/here.csv");
  folder_.write("run/here.csv", "in it");
  EXPECT_EQ(found("gone/here.csv"), run + "/here.csv");
  folder_.write("here.csv", "beside it");
  EXPECT_EQ(found("gone/here.csv"), folder_.path("here.csv"));
  EXPECT_EQ(file_of_run(run, "gone/here.csv", "unknown"), run + "/../here.csv");
}

TEST_F(RunDirectoryTest, IsNotTakenUncheckedWhenItsSummaryHasNoHashes) {
  finish_a_run();
  std::string summary = folder_.read("run/summary.json");
  summary.replace(summary.find("file_hashes"), 4, "fime");
  folder_.write("run/summary.json", summary);
  EXPECT_THAT(check({"table.tsv"}).message(), HasSubstr("run/summary.json: has no file_hashes"));
  folder_.write("run/summary.json", "{");
  EXPECT_THAT(check({"table.tsv"}).message(), HasSubstr("run/summary.json: has no file_hashes"));
  std::filesystem::remove(folder_.path("run/summary.json"));
  EXPECT_THAT(check({"table.tsv"}).message(), HasSubstr("run/summary.json: No such file"));
}

TEST_F(RunDirectoryTest, IsRefusedWhenItHoldsAFinishedRun) {
  finish_a_run();
  const auto opened = RunDirectory::open(folder_.path("run"), false, kOwn);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), StatusCode::usage);
  EXPECT_THAT(opened.status().message(), HasSubstr("--force"));
  EXPECT_TRUE(folder_.has("run/table.tsv"));
}

TEST_F(RunDirectoryTest, StaysAsItWasWhenTheRunThatIsForcedFails) {
  finish_a_run();
  const auto before = folder_.list("run");
  {
    RunDirectory run = open(true);
    ASSERT_TRUE(run.write("table.tsv", "half a run").ok());
    run.keep_log_of_failure("the log of the failure");
  }
  EXPECT_EQ(folder_.list("run"), before);
  EXPECT_EQ(folder_.read("run/table.tsv"), "a");
  EXPECT_TRUE(check({"table.tsv", "cohort.afreq"}).ok());
}

TEST_F(RunDirectoryTest, HoldsTheOldRunUntilTheNewOneIsFinished) {
  finish_a_run();
  RunDirectory run = open(true);
  ASSERT_TRUE(run.write("table.tsv", "new").ok());
  EXPECT_EQ(folder_.read("run/table.tsv"), "a");
  ASSERT_TRUE(run.finish(Summary()).ok());
  EXPECT_EQ(folder_.read("run/table.tsv"), "new");
  EXPECT_EQ(run.path_of("table.tsv"), folder_.path("run/table.tsv"));
}

TEST_F(RunDirectoryTest, LosesTheOldRunsFilesToTheNewOneAndNothingElse) {
  finish_a_run();
  folder_.write("run/notes.txt", "mine");
  finish({{"table.tsv", "new"}}, true);
  EXPECT_THAT(folder_.list("run"), ElementsAre("notes.txt", "summary.json", "table.tsv"));
}

TEST_F(RunDirectoryTest, KeepsAFileOfTheOldRunThatWasChangedSince) {
  finish_a_run();
  folder_.write("run/cohort.afreq", "mine now");
  finish({{"table.tsv", "new"}}, true);
  EXPECT_EQ(folder_.read("run/cohort.afreq"), "mine now");
}

TEST_F(RunDirectoryTest, IsRefusedAtOnceWhenAFileInTheWayIsNotTheOldRuns) {
  finish_a_run();
  folder_.write("run/table.tsv", "mine now");
  const auto changed = RunDirectory::open(folder_.path("run"), true, kOwn);
  EXPECT_EQ(changed.status().code(), StatusCode::usage);
  EXPECT_THAT(changed.status().message(), AllOf(HasSubstr("run/table.tsv: would be overwritten"), HasSubstr("--out")));
  std::filesystem::create_directory(folder_.path("other"));
  folder_.write("other/table.tsv", "mine");
  for (const bool force : {false, true}) {
    EXPECT_EQ(RunDirectory::open(folder_.path("other"), force, kOwn).status().code(), StatusCode::usage);
  }
  EXPECT_THAT(folder_.list("other"), ElementsAre("table.tsv"));
}

TEST_F(RunDirectoryTest, IsNotTakenFromASummaryThatIsNoRuns) {
  std::filesystem::create_directory(folder_.path("run"));
  folder_.write("run/summary.json", R"({"files": ["table.tsv"]})");
  folder_.write("run/table.tsv", "x");
  EXPECT_THAT(RunDirectory::open(folder_.path("run"), true, kOwn).status().message(),
              HasSubstr("run/summary.json: would be overwritten"));
}

TEST_F(RunDirectoryTest, LosesNoResultsToAFileThatCameInTheWayMeanwhile) {
  RunDirectory run = open();
  ASSERT_TRUE(run.write("late.tsv", "result").ok());
  folder_.write("run/late.tsv", "mine");
  const Status refused = run.finish(Summary());
  EXPECT_EQ(refused.code(), StatusCode::input);
  EXPECT_THAT(refused.message(), HasSubstr("the results are complete in " + folder_.path("run/.unfinished")));
  EXPECT_EQ(folder_.read("run/late.tsv"), "mine");
  { const RunDirectory gone = std::move(run); }
  std::filesystem::remove(folder_.path("run/late.tsv"));
  EXPECT_THAT(RunDirectory::open(folder_.path("run"), false, kOwn).status().message(),
              HasSubstr("holds a finished run"));
  EXPECT_EQ(folder_.read("run/late.tsv"), "result");
}

/// The state of the disk after each step of an exchange, as a power cut leaves it.
TEST_F(RunDirectoryTest, FinishesAnExchangeThatWasCutOff) {
  for (int step = 0; step < 4; ++step) {
    const std::string name = "cut" + std::to_string(step);
    const auto at = [&](const std::string& file) { return folder_.path(name + "/" + file); };
    write_run(name, {{"table.tsv", "old"}, {"cohort.afreq", "old"}});
    write_run(name + "/.unfinished", {{"table.tsv", "new"}, {"trace.csv", "new"}});
    if (step > 0) std::filesystem::rename(at("summary.json"), at(".unfinished/earlier_summary.json"));
    if (step > 1) std::filesystem::rename(at(".unfinished/table.tsv"), at("table.tsv"));
    if (step > 2) std::filesystem::remove(at("cohort.afreq"));
    EXPECT_THAT(RunDirectory::open(folder_.path(name), false, kOwn).status().message(),
                HasSubstr("holds a finished run"));
    EXPECT_THAT(folder_.list(name), ElementsAre("summary.json", "table.tsv", "trace.csv")) << "after step " << step;
    const std::string files[] = {"table.tsv", "trace.csv"};
    EXPECT_TRUE(check_run_files(folder_.path(name), files).ok()) << "after step " << step;
    EXPECT_EQ(folder_.read(name + "/table.tsv"), "new");
  }
}

TEST_F(RunDirectoryTest, ForgetsWhatARunThatWasKilledLeftUnfinished) {
  std::filesystem::create_directories(folder_.path("run/.unfinished"));
  folder_.write("run/.unfinished/table.tsv", "half");
  finish({{"log.txt", "new"}}, false);
  EXPECT_THAT(folder_.list("run"), ElementsAre("log.txt", "summary.json"));
}

TEST_F(RunDirectoryTest, IsOneRunsAtATime) {
  const RunDirectory first = open();
  const auto second = RunDirectory::open(folder_.path("a/../run/."), true, kOwn);
  EXPECT_EQ(second.status().code(), StatusCode::usage);
  EXPECT_THAT(second.status().message(), HasSubstr("another run uses this directory now"));
}

TEST_F(RunDirectoryTest, IsGoneWithARunThatMadeItAndFailed) {
  { const RunDirectory run = open(); }
  EXPECT_FALSE(folder_.has("run"));
  std::filesystem::create_directory(folder_.path("run"));
  { const RunDirectory run = open(); }
  EXPECT_TRUE(folder_.has("run")) << "it was there before";
}

TEST_F(RunDirectoryTest, LosesNothingOutsideEvenIfASummaryAsksForIt) {
  folder_.write("precious.txt", "x");
  std::filesystem::create_directory(folder_.path("run"));
  std::filesystem::create_symlink(folder_.path("."), folder_.path("run/link"));
  // The hash of "x".
  std::string hashes;
  for (const char* name : {"../precious.txt", "..", ".", "", "link/precious.txt", "a/../precious.txt", "a/"}) {
    hashes += (hashes.empty() ? "\"" : ", \"") + std::string(name) + "\": \"eaf06c6480b2cd11\"";
  }
  folder_.write("run/summary.json", R"({"files": ["../precious.txt", 7], "file_hashes": {)" + hashes + "}}");
  finish({{"table.tsv", "new"}}, true);
  EXPECT_TRUE(folder_.has("precious.txt"));
  EXPECT_TRUE(folder_.has("run/link"));
}

TEST_F(RunDirectoryTest, WritesThroughNoLink) {
  folder_.write("precious.txt", "x");
  std::filesystem::create_directory(folder_.path("run"));
  std::filesystem::create_symlink(folder_.path("precious.txt"), folder_.path("run/table.tsv"));
  std::filesystem::create_symlink(folder_.path("."), folder_.path("run/part"));
  EXPECT_THAT(RunDirectory::open(folder_.path("run"), false, kOwn).status().message(), HasSubstr("run/table.tsv: "));
  const std::vector<std::string> of_a_part = {"part/cv.tsv"};
  EXPECT_THAT(RunDirectory::open(folder_.path("run"), false, of_a_part).status().message(), HasSubstr("run/part: "));
}

TEST_F(RunDirectoryTest, HasFoldersOfPartsThatComeAndGoWithIt) {
  {
    RunDirectory run = open();
    for (const std::string name : {"height", "bmi"}) {
      RunDirectory part = run.part(name);
      ASSERT_TRUE(part.write("cv.tsv", "x").ok());
      std::filesystem::create_directory(part.path_of("lambda_min"));
      ASSERT_TRUE(part.write("lambda_min/model.bin", "x").ok());
      ASSERT_TRUE(part.finish(Summary()).ok());
      for (const auto& file : part.files()) run.note_file(name + "/" + file);
      EXPECT_FALSE(folder_.has("run/" + name));
    }
    ASSERT_TRUE(run.finish(Summary()).ok());
  }
  EXPECT_THAT(folder_.list("run/height"), ElementsAre("cv.tsv", "lambda_min", "summary.json"));
  EXPECT_TRUE(check({"height/lambda_min/model.bin", "height/cv.tsv", "bmi/summary.json"}).ok());
  folder_.write("run/bmi/notes.txt", "mine");
  finish({{"table.tsv", "new"}}, true);
  EXPECT_FALSE(folder_.has("run/height"));
  EXPECT_THAT(folder_.list("run/bmi"), ElementsAre("notes.txt"));
}

TEST_F(RunDirectoryTest, KeepsTheLogOfAFailureUntilTheNextRun) {
  const std::string log = "2026-01-01T00:00:00.000+0000 info  lasso fit, strads 0.1.0, build 0123\n";
  open().keep_log_of_failure(log);
  EXPECT_EQ(folder_.read("run/log.txt"), log);
  open().keep_log_of_failure(log + "again");
  EXPECT_EQ(folder_.read("run/log.txt"), log + "again");
  finish({{"log.txt", "new"}}, false);
  EXPECT_EQ(folder_.read("run/log.txt"), "new");
}

TEST_F(RunDirectoryTest, OverwritesNoForeignLogWithTheLogOfAFailure) {
  std::filesystem::create_directory(folder_.path("run"));
  const std::vector<std::string> no_log = {"table.tsv"};
  auto run = RunDirectory::open(folder_.path("run"), false, no_log);
  ASSERT_TRUE(run.ok());
  folder_.write("run/log.txt", "mine");
  run.value().keep_log_of_failure("failed");
  EXPECT_EQ(folder_.read("run/log.txt"), "mine");
  EXPECT_EQ(RunDirectory::open(folder_.path("run"), false, kOwn).status().code(), StatusCode::usage);
}

TEST_F(RunDirectoryTest, IsRefusedWhenItIsAFile) {
  folder_.write("run", "");
  EXPECT_EQ(RunDirectory::open(folder_.path("run"), true, kOwn).status().code(), StatusCode::usage);
}

TEST_F(RunDirectoryTest, WritesNothingWithoutADirectory) {
  RunDirectory none;
  EXPECT_FALSE(none.exists());
  EXPECT_TRUE(none.write("table.tsv", "a").ok());
  EXPECT_TRUE(none.finish(Summary()).ok());
  EXPECT_TRUE(none.files().empty());
}

TEST(SummaryJson, HoldsListsOfObjectsAndOfNumbers) {
  Summary node;
  node.add("schedulers", std::vector<std::uint32_t>{0, 2});
  Summary summary;
  summary.add("nodes", std::vector<Summary>{node, Summary()});
  EXPECT_EQ(
      summary.json(),
      "{\n  \"nodes\": [\n    {\n      \"schedulers\": [\n        0,\n        2\n      ]\n    },\n    {}\n  ]\n}\n");
}

TEST(SummaryJson, KeepsOrderAndReadsBackExactly) {
  Summary nested;
  nested.add("no phenotype", std::uint64_t{12});
  Summary summary;
  summary.add("objective", 0.1);
  summary.add("converged", true);
  summary.add("policy", "auto");
  summary.add("rounds", std::uint64_t{18446744073709551615U});
  summary.add("lost", std::numeric_limits<double>::quiet_NaN());
  summary.add("dropped", nested);
  EXPECT_EQ(
      summary.json(),
      "{\n  \"objective\": 0.1,\n  \"converged\": true,\n  \"policy\": \"auto\",\n"
      "  \"rounds\": 18446744073709551615,\n  \"lost\": null,\n  \"dropped\": {\n    \"no phenotype\": 12\n  }\n}\n");
}

TEST(SummaryJson, SurvivesNamesThatAreNotUnicode) {
  Summary summary;
  summary.add("response", "caf\xe9 \"x\"");
  EXPECT_THAT(summary.json(), HasSubstr("\\\"x\\\""));
}

class SealedFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.path("model.bin");
    ASSERT_TRUE(write_sealed_file(path_, "TESTFILE", 3, "content").ok());
  }
  std::string refusal() {
    const auto read = read_sealed_file(path_, "TESTFILE", 3, "write it again");
    EXPECT_EQ(read.status().code(), StatusCode::input);
    return read.status().message();
  }
  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(SealedFile, ReadsBackWhatWasWritten) {
  EXPECT_EQ(read_sealed_file(path_, "TESTFILE", 3, "write it again").value(), "content");
}

TEST_F(SealedFile, IsRefusedWhenOneBitChanged) {
  std::string bytes = folder_.read("model.bin");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder_.write("model.bin", bytes);
  EXPECT_THAT(refusal(), HasSubstr("checksum"));
}

TEST_F(SealedFile, IsRefusedWhenCutShort) {
  const std::string bytes = folder_.read("model.bin");
  folder_.write("model.bin", bytes.substr(0, bytes.size() - 2));
  EXPECT_THAT(refusal(), HasSubstr("5 bytes after the header, expected 7"));
  folder_.write("model.bin", bytes.substr(0, 10));
  EXPECT_THAT(refusal(), HasSubstr("not a file of the kind"));
}

TEST_F(SealedFile, IsRefusedWhenItIsSomethingElse) {
  folder_.write("model.bin", std::string(100, 'x'));
  EXPECT_THAT(refusal(), HasSubstr("not a file of the kind"));
}

TEST_F(SealedFile, IsRefusedWhenItsVersionIsAnother) {
  ASSERT_TRUE(write_sealed_file(path_, "TESTFILE", 4, "content").ok());
  EXPECT_THAT(refusal(), HasSubstr("version 4, expected 3; use a later release, or write it again with this release"));
}

TEST_F(SealedFile, IsReadInAnyVersionThatIsExpected) {
  for (const auto& [oldest, newest] : {std::pair{3U, 3U}, {2U, 3U}, {3U, 4U}}) {
    const auto read = read_sealed_file(path_, "TESTFILE", SealedVersions{oldest, newest}, "");
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read.value().version, 3U);
    EXPECT_EQ(read.value().content, "content");
  }
  EXPECT_THAT(read_sealed_file(path_, "TESTFILE", SealedVersions{1, 2}, "").status().message(),
              EndsWith("version 3, expected 1 to 2"));
  EXPECT_THAT(read_sealed_file(path_, "TESTFILE", SealedVersions{4, 5}, "write it again").status().message(),
              EndsWith("version 3, expected 4 to 5; write it again with this release"));
}

TEST_F(SealedFile, IsRefusedWhenItIsNotThere) {
  path_ = folder_.path("absent.bin");
  EXPECT_THAT(refusal(), HasSubstr("absent.bin"));
}

TEST(LogText, HoldsEveryLineWithItsLevelAndTakesBracesForText) {
  Log log;
  log.info("loaded {} files");
  log.warn("2 samples left out");
  log.error("disk full");
  EXPECT_THAT(log.text(), HasSubstr("info  loaded {} files\n"));
  EXPECT_THAT(log.text(), HasSubstr("2 samples left out\n"));
  EXPECT_THAT(log.text(), HasSubstr("error disk full\n"));
}

TEST(Numbers, ReadBackAsTheSameBits) {
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(std::stod(exact_text(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(short_text(1.0 / 3.0, 3), "0.333");
}

TEST(Memory, PeakIsAtLeastAMebibyte) {
  EXPECT_GT(peak_rss_bytes(), 1024U * 1024U);
}

TEST(RunProgram, TurnsStatusesIntoExitCodes) {
  EXPECT_EQ(run_program("demo", [] { return Status(); }), 0);
  EXPECT_EQ(run_program("demo", [] { return Status(StatusCode::stopped, ""); }), 3);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program("demo", [] { return Status::input("no such file"); }), 4);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "demo: error: no such file\n");
}

TEST(RunProgram, SaysWhatAnExceptionSays) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program("demo", []() -> Status { throw std::runtime_error("what now"); }), 70);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("demo: error: internal error: what now"));
}

}  // namespace
}  // namespace strads
