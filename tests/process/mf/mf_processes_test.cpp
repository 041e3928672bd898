// mf fit --processes: the same bits, and an account of who held and sent what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_cluster.hpp"
#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class MfProcesses : public MfFixture {};

TEST_F(MfProcesses, GiveTheBitsOfTheEmbeddedRun) {
  int run = 0;
  for (const auto& size : std::vector<std::vector<std::string>>{{"--schedulers=1", "--workers=2", "--depth=1"},
                                                                {"--schedulers=3", "--workers=4", "--depth=3"}}) {
    for (const char* solver : {"cd", "als"}) {
      auto options = size;
      options.insert(options.end(), {"--solver", solver, "--holdout", "0.1", "--threads", "1"});
      const auto embedded = hash_of(options, "embedded" + std::to_string(++run));
      options.emplace_back("--processes=2");
      EXPECT_EQ(hash_of(options, "run" + std::to_string(++run)), embedded) << size[0] << " " << solver;
    }
  }
}

TEST_F(MfProcesses, AccountForRatingsAndBytes) {
  const auto summary = summary_of({"--processes=2", "--holdout", "0.1"}, "run");
  EXPECT_EQ(json_field(summary, "transport"), "\"ipc\"");
  EXPECT_THAT(json_numbers(summary, "bytes_per_sweep"), testing::AllOf(SizeIs(3), Each(Gt(0))));
  const auto shares = json_numbers(summary, "ratings_share");
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_NEAR(shares[0] + shares[1], 1, 0.01) << "each rating once by user and once by item";
  EXPECT_NEAR(shares[0], 0.5, 0.1);
  const auto embedded = summary_of({"--holdout", "0.1"}, "embedded");
  for (const char* name : {"test_rmse", "test_mae", "objective", "train_rmse", "model_hash", "sweeps"}) {
    EXPECT_EQ(json_field(summary, name), json_field(embedded, name)) << name;
  }
}

TEST_F(MfProcesses, EndWithTheExitCodeOfAMissingFile) {
  ratings_ = folder_.path("absent.csv");
  const auto ended = fit({"--processes"});
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("absent.csv"));
}

/// What `ClusterFixture` does, for ratings that are learnt from so slowly that no sweep is the last one.
class MfLosses : public ClusterFixture {
 protected:
  MfLosses() { folder_.write("ratings.csv", ratings_text(made_up_ratings(300, 200, 9000))); }
  /// The only scheduler is the first node's.
  [[nodiscard]] std::vector<std::string> endless(const std::string& command, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {command, "--ratings", folder_.path("ratings.csv"), "--out",
                                          folder_.path("run")};
    for (const char* option :
         {"--solver=sgd", "--rate=1e-7", "--tolerance=0", "--sweeps=10000000", "--early-stopping=off",
          "--max-seconds=30", "--processes=2", "--schedulers=1", "--workers=4"}) {
      arguments.emplace_back(option);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mf_command(arguments);
  }
  /// Ends the node that has workers only.
  void kill_workers() const {
    for (const pid_t node : nodes()) {
      std::ostringstream line;
      line << std::ifstream("/proc/" + std::to_string(node) + "/cmdline", std::ios::binary).rdbuf();
      if (line.str().find(std::string("/2\0", 3)) != std::string::npos) ::kill(node, SIGKILL);  // "HOST/2" is its name
    }
  }
};

TEST_F(MfLosses, OfWorkersWhoseRatingsCannotBeReadAgainEndTheRunInOrder) {
  for (const bool is_gone : {true, false}) {
    Process process(endless("fit", {"--force"}));
    ASSERT_TRUE(process.stderr_shows(" sweep "));
    if (is_gone) {
      std::filesystem::rename(folder_.path("ratings.csv"), folder_.path("elsewhere.csv"));
    } else {
      folder_.write("ratings.csv", ratings_text(made_up_ratings(300, 200, 8999)));
    }
    kill_workers();
    const auto ended = process.wait();
    EXPECT_EQ(ended.code, 4) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("ratings.csv: the ratings of a lost worker could not be read from it again"));
    EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"ratings unread\"");
    EXPECT_EQ(json_field(folder_.read("run/summary.json"), "finished"), "false");
    EXPECT_THAT(folder_.read("run/log.txt"),
                HasSubstr(is_gone ? "ratings.csv: cannot open" : "ratings.csv: has changed since the run began"));
    EXPECT_TRUE(folder_.has("run/user_factors.npy")) << "those of the last finished sweep";
    expect_nothing_left();
    if (is_gone) std::filesystem::rename(folder_.path("elsewhere.csv"), folder_.path("ratings.csv"));
  }
}

TEST_F(MfLosses, OfWorkersWhoseRatingsAreReadAgainLetTheRunGoOn) {
  Process process(endless("fit", {}));
  ASSERT_TRUE(process.stderr_shows(" sweep "));
  kill_workers();
  ASSERT_TRUE(process.stderr_shows("its blocks go to other workers"));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
  expect_nothing_left();
}

TEST_F(MfLosses, OfWorkersWhoseRatingsCannotBeReadAgainFailTheFitsOfACrossValidation) {
  Process process(endless("cv", {"--folds=2", "--ranks=4", "--lambdas=0.1"}));
  ASSERT_TRUE(process.stderr_shows(" sweep "));
  std::filesystem::remove(folder_.path("ratings.csv"));
  kill_workers();
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("fits have failed: fold 1, rank 4, lambda 0.1: ratings unread"));
  EXPECT_THAT(ended.err, HasSubstr("ratings.csv: the ratings of a lost worker could not be read from it again"));
  EXPECT_THAT(folder_.read("run/summary.json"), HasSubstr("\"ratings unread\""));
  expect_nothing_left();
}

}  // namespace
}  // namespace strads::test
