#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "strads/run.hpp"
#include "strads/run_files.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
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
  void finish_a_run() {
    RunDirectory run = open();
    ASSERT_TRUE(run.write("table.tsv", "a").ok());
    ASSERT_TRUE(run.write("cohort.afreq", "b").ok());
    ASSERT_TRUE(run.finish(Summary()).ok());
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
  EXPECT_THAT(check({"table.tsv"}).message(), HasSubstr("run/table.tsv: No such file"));
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

TEST_F(RunDirectoryTest, LosesTheOldRunsFilesWithForceAndNothingElse) {
  finish_a_run();
  folder_.write("run/notes.txt", "mine");
  (void)open(true);
  EXPECT_FALSE(folder_.has("run/summary.json"));
  EXPECT_FALSE(folder_.has("run/table.tsv"));
  EXPECT_FALSE(folder_.has("run/cohort.afreq"));
  EXPECT_TRUE(folder_.has("run/notes.txt"));
}

TEST_F(RunDirectoryTest, RemovesNothingOutsideEvenIfASummaryAsksForIt) {
  folder_.write("precious.txt", "x");
  std::filesystem::create_directory(folder_.path("run"));
  folder_.write("run/summary.json", R"({"files": ["../precious.txt", "..", ".", "", 7]})");
  (void)open(true);
  EXPECT_TRUE(folder_.has("precious.txt"));
  EXPECT_FALSE(folder_.has("run/summary.json"));
}

TEST_F(RunDirectoryTest, LosesTheFoldersOfItsPartsWithForceUnlessTheyHoldMore) {
  RunDirectory run = open();
  for (const std::string part : {"height", "bmi"}) {
    auto folder = RunDirectory::open(run.path_of(part), false, {});
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(folder.value().write("cv.tsv", "x").ok());
    ASSERT_TRUE(folder.value().finish(Summary()).ok());
    for (const auto& file : folder.value().files()) run.note_file(part + "/" + file);
  }
  ASSERT_TRUE(run.finish(Summary()).ok());
  folder_.write("run/bmi/notes.txt", "mine");
  (void)open(true);
  EXPECT_FALSE(folder_.has("run/height"));
  EXPECT_FALSE(folder_.has("run/bmi/summary.json"));
  EXPECT_FALSE(folder_.has("run/bmi/cv.tsv"));
  EXPECT_TRUE(folder_.has("run/bmi/notes.txt"));
}

TEST_F(RunDirectoryTest, FollowsNoLinkOutOfTheDirectory) {
  folder_.write("precious.txt", "x");
  std::filesystem::create_directory(folder_.path("run"));
  std::filesystem::create_symlink(folder_.path("."), folder_.path("run/link"));
  folder_.write("run/summary.json", R"({"files": ["link/precious.txt", "a/../precious.txt", "/precious.txt", "a/"]})");
  (void)open(true);
  EXPECT_TRUE(folder_.has("precious.txt"));
  EXPECT_TRUE(folder_.has("run/link"));
}

TEST_F(RunDirectoryTest, AcceptsAFolderWithoutAFinishedRun) {
  std::filesystem::create_directory(folder_.path("run"));
  folder_.write("run/log.txt", "of a run that failed");
  RunDirectory run = open();
  EXPECT_TRUE(folder_.has("run/log.txt"));
  ASSERT_TRUE(run.write("log.txt", "new").ok());
  EXPECT_EQ(folder_.read("run/log.txt"), "new");
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
    const auto read = read_sealed_file(path_, "TESTFILE", 3);
    EXPECT_EQ(read.status().code(), StatusCode::input);
    return read.status().message();
  }
  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(SealedFile, ReadsBackWhatWasWritten) {
  EXPECT_EQ(read_sealed_file(path_, "TESTFILE", 3).value(), "content");
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
  EXPECT_THAT(refusal(), HasSubstr("version 4, expected 3"));
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
