// Cross-validations that are killed and go on from their checkpoint, with the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The file as the disk has it now; "": it is not there.
std::string read_now(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ResumedCv : public MfFixture {
 protected:
  ResumedCv() {
    const Table table(120, 600);
    folder_.write("x.npy", table.npy());
    folder_.write("y.csv", table.y_csv());
  }
  [[nodiscard]] std::vector<std::string> lasso_cv(const std::string& run, const std::vector<std::string>& more,
                                                  const std::string& tolerance = "0.01") const {
    return lasso_command(with({"cv",
                               "--x",
                               folder_.path("x.npy"),
                               "--y",
                               folder_.path("y.csv"),
                               "--folds",
                               "3",
                               "--policy",
                               "paper",
                               "--schedulers",
                               "2",
                               "--lambdas",
                               "8",
                               "--lambda-min-ratio",
                               "0.1",
                               "--check-interval",
                               "200",
                               "--tolerance",
                               tolerance,
                               "--out",
                               folder_.path(run)},
                              more));
  }
  [[nodiscard]] std::vector<std::string> mf_cv(const std::string& run, const std::vector<std::string>& more) const {
    return mf_command(with({"cv", "--ratings", ratings_, "--ranks", "2,4", "--lambdas", "0.05,0.2", "--folds", "3",
                            "--sweeps", "12", "--out", folder_.path(run)},
                           more));
  }
  [[nodiscard]] std::vector<std::string> resume(const std::vector<std::string>& command, const std::string& run,
                                                const std::vector<std::string>& more = {}) const {
    return with({command[0], command[1], "--resume", folder_.path(run)}, more);
  }
  /// When the newest checkpoint was written.
  [[nodiscard]] std::filesystem::file_time_type newest(const std::string& run) const {
    auto found = std::filesystem::file_time_type::min();
    for (const char* name : {"/.checkpoint/checkpoint-0.bin", "/.checkpoint/checkpoint-1.bin"}) {
      std::error_code none;
      const auto when = std::filesystem::last_write_time(folder_.path(run) + name, none);
      if (!none) found = std::max(found, when);
    }
    return found;
  }
  /// Starts a command and kills it when it has written so many checkpoints, or a few more.
  void kill_after(const std::vector<std::string>& command, const std::string& run, std::size_t checkpoints) const {
    Process process(command);
    auto last = newest(run);
    for (std::size_t written = 0, tries = 0; written < checkpoints && tries < 600000; ++tries) {
      const auto now = newest(run);
      if (now != last) ++written;
      last = now;
      if (folder_.has(run + "/summary.json")) break;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    process.signal(SIGKILL);
    (void)process.wait();
  }
  /// Goes on until the end, and expects what a run that was not cut has.
  void expect_same_end(const std::vector<std::string>& command, const std::string& run, const std::string& whole,
                       const std::vector<std::string>& more = {}) {
    const bool none = !std::filesystem::exists(folder_.path(run) + "/.checkpoint");
    const auto ended = Process(none ? with(command, {"--force"}) : resume(command, run, more)).wait();
    ASSERT_EQ(ended.code, 0) << ended.err;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(whole))) {
      const std::string name = entry.path().filename().string();
      // Times and paths; path.tsv has seconds, and what else it has is in path_coefficients.tsv.
      if (entry.is_directory() || name == "log.txt" || name == "trace.csv" || name == "config.ini" ||
          name == "summary.json" || name == "path.tsv")
        continue;
      EXPECT_EQ(folder_.read(run + "/" + name), folder_.read(whole + "/" + name)) << name;
    }
    for (const char* field : {"path_hash", "rounds", "phases", "updates", "flops", "stop_reason"}) {
      EXPECT_EQ(json_field(folder_.read(run + "/summary.json"), field),
                json_field(folder_.read(whole + "/summary.json"), field))
          << field;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path(run) + "/.checkpoint"));
  }
  /// Returns the number of its checkpoints.
  std::size_t make_whole(const std::vector<std::string>& command) {
    const auto ended = Process(command).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto out = std::find(command.begin(), command.end(), "--out") + 1;
    return static_cast<std::size_t>(json_number(read_now(*out + "/summary.json"), "written"));
  }
  /// Kills at `points` moments from the start to the end, each time anew. Returns how many runs had ended, by moment.
  std::multiset<std::string> expect_same_from(std::size_t points, std::size_t of,
                                              const std::vector<std::string>& command,
                                              const std::vector<std::string>& more) {
    std::multiset<std::string> ended;
    for (std::size_t k = 0; k < points; ++k) {
      kill_after(command, "run", k * of / points);
      expect_same_end(command, "run", "whole", more);
      ended.insert(json_field(folder_.read("run/summary.json"), "runs_ended_before"));
      if (testing::Test::HasFailure()) ADD_FAILURE() << "killed after " << k * of / points << " checkpoints of " << of;
      if (testing::Test::HasFailure()) break;
      std::filesystem::remove_all(folder_.path("run"));
    }
    return ended;
  }
  /// Killed on so many threads at eight moments, going on with two. A test for each: they run beside each other.
  void expect_factorization_goes_on_with(const std::string& threads) {
    const auto count = make_whole(mf_cv("whole", {"--checkpoint-rounds", "1", "--threads", "1"}));
    ASSERT_GE(count, 24U);
    const auto ended = expect_same_from(8, count, mf_cv("run", {"--checkpoint-rounds", "1", "--threads", threads}),
                                        {"--threads", "2"});
    EXPECT_GE(std::set<std::string>(ended.begin(), ended.end()).size(), 4U);
  }
};

/// With one thread the runs come one after the other.
TEST_F(ResumedCv, OfTheLassoThatWasKilledAtAnyPointHasTheFilesOfOneThatWasNot) {
  const auto count = make_whole(lasso_cv("whole", {"--checkpoint-rounds", "1", "--threads", "1"}));
  ASSERT_GE(count, 24U);
  const auto ended =
      expect_same_from(12, count, lasso_cv("run", {"--checkpoint-rounds", "1", "--threads", "1"}), {"--threads", "2"});
  for (const char* runs : {"0", "1", "2", "3"}) EXPECT_TRUE(ended.contains(runs)) << runs << " runs had ended";
}

/// From some size on no checkpoint can be written whole any more, and at the end the log cannot.
TEST_F(ResumedCv, OfTheLassoThatALimitOfFileSizesEndedGoesOnFromTheLastThatFitted) {
  make_whole(lasso_cv("whole", {}));
  for (const int kilobytes : {14, 16, 18, 20, 22, 24}) {
    const auto command = lasso_cv("run", {"--checkpoint-rounds", "1", "--threads", "2"});
    std::string line = "ulimit -c 0; ulimit -f " + std::to_string(kilobytes * 2) + "; exec";
    for (const auto& word : command) line += " '" + word + "'";
    const auto ended = Process({"sh", "-c", line}).wait();
    ASSERT_EQ(ended.code, 4) << kilobytes << " KiB: " << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("checkpoints could not be written")) << kilobytes << " KiB";
    expect_same_end(command, "run", "whole");
    if (HasFailure()) FAIL() << "cut after " << kilobytes << " KiB";
    std::filesystem::remove_all(folder_.path("run"));
  }
}

TEST_F(ResumedCv, OfTheLassoDoesNotComputeAgainWhatHadEnded) {
  const auto count = make_whole(lasso_cv("whole", {"--checkpoint-rounds", "1", "--threads", "1"}));
  const auto command = lasso_cv("run", {"--checkpoint-rounds", "1", "--threads", "1"});
  kill_after(command, "run", count * 7 / 8);
  const auto ended = Process(resume(command, "run")).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  const double before = json_number(folder_.read("run/summary.json"), "runs_ended_before");
  EXPECT_GE(before, 1);
  EXPECT_THAT(ended.err, HasSubstr(std::to_string(static_cast<int>(before)) + " of 4 runs ended"));
  const std::string log = folder_.read("run/log.txt");
  EXPECT_THAT(log, Not(HasSubstr("all samples, lambda ")));
  EXPECT_THAT(log, HasSubstr("without fold 3, lambda 8 "));
}

TEST_F(ResumedCv, ThatALimitEndedGoesOnWithAllItsRuns) {
  make_whole(lasso_cv("whole", {}));
  const auto command = lasso_cv("run", {"--checkpoint-rounds", "40", "--max-rounds", "90"});
  const auto stopped = Process(command).wait();
  ASSERT_EQ(stopped.code, 3) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("goes on from the last checkpoint"));
  expect_same_end(command, "run", "whole", {"--max-rounds", "0"});
}

TEST_F(ResumedCv, IsRefusedWithOtherFoldsOrOtherData) {
  const auto command = lasso_cv("run", {"--checkpoint-rounds", "1"});
  kill_after(command, "run", 1);
  const auto folds = Process(resume(command, "run", {"--folds", "4"})).wait();
  EXPECT_EQ(folds.code, 2) << folds.err;
  EXPECT_THAT(folds.err, HasSubstr("option folds"));
  const Table other(120, 600, 7);
  folder_.write("y.csv", other.y_csv());
  const auto data = Process(resume(command, "run")).wait();
  EXPECT_EQ(data.code, 4) << data.err;
  EXPECT_THAT(data.err, HasSubstr("other data"));
}

TEST_F(ResumedCv, OfAFactorizationThatWasKilledAtAnyPointHasTheFilesOfOneThatWasNot) {
  expect_factorization_goes_on_with("1");
}

TEST_F(ResumedCv, OfAFactorizationOnThreeThreadsThatWasKilledAtAnyPointHasTheFilesOfOneThatWasNot) {
  expect_factorization_goes_on_with("3");
}

/// A deadline in the middle of a run of a second or more.
TEST_F(ResumedCv, ByListsOfItemsThatWasKilledAtAnyPointHasTheFilesOfOneThatWasNot) {
  const auto command = [&](const std::string& run) {
    return mf_command({"cv", "--ratings", ratings_, "--folds", "3", "--feedback", "implicit", "--ranks", "2,3",
                       "--sweeps", "4", "--stop-metric", "ndcg", "--checkpoint-rounds", "1", "--threads", "1", "--out",
                       folder_.path(run)});
  };
  const auto count = make_whole(command("whole"));
  ASSERT_GE(count, 6U);
  expect_same_from(3, count, command("run"), {});
}

TEST_F(ResumedCv, ThatADeadlineEndedWritesNoResultsAndGoesOn) {
  const auto command = lasso_cv("run", {"--threads", "1"}, "1e-9");
  make_whole(lasso_cv("whole", {}, "1e-9"));
  const auto ended = Process(with(command, {"--deadline", "+1s"})).wait();
  ASSERT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("ended before --deadline +1s: --resume " + folder_.path("run") + " goes on after "));
  EXPECT_FALSE(folder_.has("run/summary.json"));
  EXPECT_FALSE(folder_.has("run/cv.tsv"));
  expect_same_end(command, "run", "whole");
}

TEST_F(ResumedCv, ThatADeadlineEndsLeavesEarlierResultsAlone) {
  make_whole(lasso_cv("run", {}));
  const std::string before = folder_.read("run/summary.json");
  const auto ended =
      Process(with(lasso_cv("run", {"--threads", "1"}, "1e-9"), {"--force", "--deadline", "+1s"})).wait();
  ASSERT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(folder_.read("run/summary.json"), before);
}

TEST_F(ResumedCv, RefusesADeadlineThatIsNoneOrHasPassed) {
  const auto none = Process(lasso_cv("run", {"--deadline", "noon"})).wait();
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("expected a time such as"));
  const auto passed = Process(lasso_cv("run", {"--deadline", "2020-01-01T00:00"})).wait();
  EXPECT_EQ(passed.code, 2);
  EXPECT_THAT(passed.err, HasSubstr("has passed"));
  const auto nowhere = Process(lasso_command({"fit", "--x", folder_.path("x.npy"), "--y", folder_.path("y.csv"),
                                              "--lambda-ratio", "0.5", "--deadline", "+1h"}))
                           .wait();
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--deadline need --out DIR"));
}

}  // namespace
}  // namespace strads::test
