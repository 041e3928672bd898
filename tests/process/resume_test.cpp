// Runs that are killed and go on from their checkpoint, with the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "run_mf.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A path of the Lasso with many barriers.
class ResumedRun : public testing::Test {
 protected:
  ResumedRun() {
    const Table table(120, 1500);
    folder_.write("x.npy", table.npy());
    folder_.write("y.csv", table.y_csv());
  }
  [[nodiscard]] std::vector<std::string> path(const std::string& run, const std::vector<std::string>& more = {}) const {
    return lasso_command(with(
        {"path", "--x", folder_.path("x.npy"), "--y", folder_.path("y.csv"), "--policy", "paper", "--schedulers", "3",
         "--lambdas", "12", "--lambda-min-ratio", "0.1", "--check-interval", "300", "--out", folder_.path(run)},
        more));
  }
  [[nodiscard]] std::vector<std::string> resume(const std::string& run,
                                                const std::vector<std::string>& more = {}) const {
    return lasso_command(with({"path", "--resume", folder_.path(run)}, more));
  }
  [[nodiscard]] std::string checkpoint(const std::string& run) const { return folder_.path(run) + "/.checkpoint"; }
  [[nodiscard]] std::string whole(const std::string& file) {
    if (!folder_.has("whole/summary.json")) {
      const auto ended = Process(path("whole")).wait();
      EXPECT_EQ(ended.code, 0) << ended.err;
    }
    return folder_.read("whole/" + file);
  }
  /// Starts a run and kills it when it has written a checkpoint.
  void kill_after_a_checkpoint(const std::vector<std::string>& command, const std::string& run) const {
    const auto before = newest(run);
    Process process(command);
    for (int tries = 0; tries < 20000 && newest(run) == before; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  }
  /// When the newest checkpoint was written, and its name.
  [[nodiscard]] std::pair<std::filesystem::file_time_type, std::string> newest(const std::string& run) const {
    std::pair<std::filesystem::file_time_type, std::string> found{std::filesystem::file_time_type::min(), ""};
    for (const char* name : {"/checkpoint-0.bin", "/checkpoint-1.bin"}) {
      std::error_code none;
      const auto when = std::filesystem::last_write_time(checkpoint(run) + name, none);
      if (!none) found = std::max(found, {when, checkpoint(run) + name});
    }
    return found;
  }
  void stop_after(const std::string& run, const std::string& rounds) {
    const auto ended = Process(path(run, {"--checkpoint-rounds", "40", "--max-rounds", rounds})).wait();
    ASSERT_EQ(ended.code, 3) << ended.err;
    ASSERT_THAT(ended.err, HasSubstr("--resume " + folder_.path(run) + " goes on from the last checkpoint"));
  }
  Folder folder_;
};

TEST_F(ResumedRun, ThatALimitEndedAtItsFirstBarrierHasNoneAndSaysSo) {
  const auto ended = Process(path("run", {"--checkpoint-rounds", "1", "--max-rounds", "1"})).wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("no checkpoint was written: none was due at a barrier before the one that the limit"));
  EXPECT_FALSE(std::filesystem::exists(checkpoint("run")));
}

TEST_F(ResumedRun, ThatWasStoppedHasTheFilesOfOneThatWasNot) {
  stop_after("run", "400");
  const auto ended = Process(resume("run", {"--max-rounds", "0", "--threads", "2"})).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resumed after "));
  for (const char* file : {"path_coefficients.tsv", "path.bin"}) {
    EXPECT_EQ(folder_.read(std::string("run/") + file), whole(file)) << file;
  }
  for (const char* field : {"path_hash", "rounds", "updates", "phases"}) {
    EXPECT_EQ(json_field(folder_.read("run/summary.json"), field), json_field(whole("summary.json"), field)) << field;
  }
  EXPECT_FALSE(std::filesystem::exists(checkpoint("run"))) << "nobody needs it any more";
}

TEST_F(ResumedRun, ThatWasKilledTwiceHasTheFilesOfOneThatWasNot) {
  kill_after_a_checkpoint(path("run", {"--checkpoint-rounds", "1"}), "run");
  kill_after_a_checkpoint(resume("run", {"--checkpoint-rounds", "2"}), "run");
  const auto ended = Process(resume("run")).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(folder_.read("run/path_coefficients.tsv"), whole("path_coefficients.tsv"));
}

TEST_F(ResumedRun, GoesOnFromACheckpointThatASignalAskedFor) {
  Process process(path("run", {"--checkpoint-seconds", "1000"}));
  for (int tries = 0; tries < 20000 && newest("run").second.empty(); ++tries) {
    if (process.catches(SIGUSR1)) process.signal(SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.signal(SIGKILL);
  ASSERT_EQ(process.wait().code, 128 + SIGKILL);
  const auto ended = Process(resume("run")).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(folder_.read("run/path_coefficients.tsv"), whole("path_coefficients.tsv"));
}

TEST_F(ResumedRun, IsRefusedWithAnotherOptionThatIsNamed) {
  stop_after("run", "200");
  const auto ended = Process(resume("run", {"--eta", "0.5"})).wait();
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("eta"));
  EXPECT_TRUE(folder_.has("run/summary.json")) << "what was there stays";
  EXPECT_TRUE(std::filesystem::exists(checkpoint("run")));
}

TEST_F(ResumedRun, IsRefusedWithOtherData) {
  stop_after("run", "200");
  const Table other(120, 1500, 7);
  folder_.write("x.npy", other.npy());
  const auto ended = Process(resume("run", {"--max-rounds", "0"})).wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("data"));
}

TEST_F(ResumedRun, TakesTheOlderCheckpointWhereTheNewerOneIsDamaged) {
  stop_after("run", "400");
  const std::string newest_file = newest("run").second;
  std::filesystem::resize_file(newest_file, std::filesystem::file_size(newest_file) / 2);
  const auto ended = Process(resume("run", {"--max-rounds", "0"})).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(folder_.read("run/path_coefficients.tsv"), whole("path_coefficients.tsv"));
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr(std::filesystem::path(newest_file).filename().string()));
}

TEST_F(ResumedRun, ANewRunDoesNotReplaceACheckpointByAccident) {
  kill_after_a_checkpoint(path("run", {"--checkpoint-rounds", "1"}), "run");
  const auto refused = Process(path("run")).wait();
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("--resume " + folder_.path("run") + " goes on with it, --force begins anew"));
  const auto anew = Process(path("run", {"--force"})).wait();
  EXPECT_EQ(anew.code, 0) << anew.err;
  EXPECT_FALSE(std::filesystem::exists(checkpoint("run")));
}

TEST_F(ResumedRun, GoesOnWhereNoCheckpointCanBeWrittenAndSaysSo) {
  stop_after("run", "200");
  const std::string second = checkpoint("run") + "/checkpoint-1.bin";
  const std::string first = checkpoint("run") + "/checkpoint-0.bin";
  std::filesystem::copy_file(second, first, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(second);
  std::filesystem::create_directories(second + "/in the way");
  const auto ended = Process(resume("run", {"--max-rounds", "0"})).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("could not be written"));
  const std::string summary = folder_.read("run/summary.json");
  EXPECT_GT(json_number(summary, "failed"), 0);
  EXPECT_THAT(summary, HasSubstr("checkpoint-1.bin"));
  EXPECT_EQ(folder_.read("run/path_coefficients.tsv"), whole("path_coefficients.tsv"));
}

TEST_F(ResumedRun, IsAnErrorWithoutACheckpoint) {
  const auto none = Process(resume("nowhere")).wait();
  EXPECT_EQ(none.code, 4) << none.err;
  EXPECT_THAT(none.err, HasSubstr("nowhere"));
  const auto nowhere = Process(lasso_command({"fit", "--x", folder_.path("x.npy"), "--y", folder_.path("y.csv"),
                                              "--lambda-ratio", "0.5", "--checkpoint-rounds", "5"}))
                           .wait();
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("need --out DIR"));
  const auto twice = Process(resume("run", {"--out", folder_.path("other")})).wait();
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("leave out --out"));
  (void)whole("path.tsv");
  const auto again = Process(resume("whole")).wait();
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, HasSubstr("has ended; its results are there"));
}

TEST_F(MfFixture, AFitThatWasStoppedGoesOnToTheSameFactors) {
  const std::vector<std::string> sweeps = {"--solver", "ccd", "--sweeps", "12", "--validation", "0.1"};
  const std::string whole = hash_of(sweeps, "whole");
  const auto stopped =
      fit(with(sweeps, {"--checkpoint-rounds", "3", "--max-rounds", "50", "--out", folder_.path("run")}));
  ASSERT_EQ(stopped.code, 3) << stopped.err;
  const auto ended = mf({"fit", "--resume", folder_.path("run"), "--max-rounds", "0"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "model_hash"), whole);
}

// --- on several processes ---

/// Where the driver of a path on processes is killed: so many checkpoints after its beginning, on so many of them. The
/// path goes on in one process or on others.
struct Cut {
  int checkpoints;
  const char* before;
  const char* after;
};

class ResumedClusterRun : public ResumedRun, public testing::WithParamInterface<Cut> {};

TEST_P(ResumedClusterRun, HasTheFilesOfOneThatWasNotCut) {
  const Cut& cut = GetParam();
  auto command = path("run", {"--checkpoint-rounds", "30", "--threads", "1", "--processes", cut.before});
  for (int times = 0; times < cut.checkpoints; ++times) {
    kill_after_a_checkpoint(command, "run");
    command = resume("run", {"--processes", cut.before});
  }
  const auto ended = Process(resume("run", {"--processes", cut.after})).wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(folder_.read("run/path_coefficients.tsv"), whole("path_coefficients.tsv"));
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "rounds"), json_field(whole("summary.json"), "rounds"));
}

INSTANTIATE_TEST_SUITE_P(Cuts, ResumedClusterRun, testing::Values(Cut{2, "2", "3"}, Cut{1, "2", "0"}, Cut{1, "0", "2"}),
                         [](const auto& of) {
                           return std::to_string(of.param.checkpoints) + "TimesOn" + of.param.before + "Then" +
                                  of.param.after;
                         });

}  // namespace
}  // namespace strads::test
