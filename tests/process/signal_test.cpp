#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "run_cluster.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Whether the process is over; nobody need have waited for it.
bool has_ended(pid_t process) {
  siginfo_t found{};
  return ::waitid(P_PID, static_cast<id_t>(process), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid != 0;
}

/// A problem that no policy finishes within seconds: every coordinate active, a tolerance of zero, one update a round.
class LongRun : public testing::Test {
 protected:
  LongRun() {
    const Table table(400, 4000);
    folder_.write("x.npy", table.npy());
    folder_.write("y.csv", table.y_csv());
  }
  std::vector<std::string> command(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"fit",      "--x",     folder_.path("x.npy"), "--y",    folder_.path("y.csv"),
                                          "--policy", "uniform", "--lambda-ratio",      "0.0005", "--tolerance",
                                          "0",        "--out",   folder_.path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso_command(arguments);
  }
  Folder folder_;
};

TEST_F(LongRun, EndsInOrderAfterOneInterrupt) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
  EXPECT_TRUE(folder_.has("run/coefficients.tsv"));
  EXPECT_GT(json_number(folder_.read("run/summary.json"), "relative_gap"), 0);
}

// What `kill -9` and the kernel's memory killer leave.
TEST_F(LongRun, LeavesLogTraceAndStatusWhenItIsKilled) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  for (int k = 0; k < 300 && !folder_.has("run/.unfinished/status.json"); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  EXPECT_THAT(folder_.read("run/.unfinished/log.txt"), AllOf(HasSubstr("lasso fit, strads"), HasSubstr("400 samples")));
  EXPECT_THAT(folder_.read("run/.unfinished/trace.csv"), AllOf(StartsWith("seconds,event,"), HasSubstr(",barrier,")));
  EXPECT_GT(json_number(folder_.read("run/.unfinished/status.json"), "objective"), 0);
  EXPECT_FALSE(folder_.has("run/summary.json"));
}

TEST_F(LongRun, EndsInOrderWhenItIsTerminated) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_TRUE(folder_.has("run/summary.json"));
}

TEST_F(LongRun, EndsInOrderWhenItsTerminalGoesAlsoIfThatIsSaidTwice) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGHUP);
  process.signal(SIGHUP);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
}

TEST_F(LongRun, GoesOnWithoutATerminalUnderNohup) {
  auto words = command({"--max-seconds", "1"});
  words.insert(words.begin(), {"nohup"});
  Process process(words);
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGHUP);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_seconds\"");
}

TEST_F(LongRun, EndsInOrderWhenItIsTerminatedTwiceAtOnceAsTimeoutDoes) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGTERM);
  ASSERT_TRUE(process.stderr_shows("results will be written"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_TRUE(folder_.has("run/summary.json"));
}

TEST_F(LongRun, EndsAtASecondTerminationThoughItWaitsForAFileThatNobodyWrites) {
  ASSERT_EQ(::mkfifo(folder_.path("pipe.csv").c_str(), 0600), 0);
  Process process(lasso_command({"fit", "--x", folder_.path("pipe.csv"), "--y", folder_.path("y.csv")}));
  // Until it has its handlers a signal would end it.
  while (!process.catches(SIGTERM)) std::this_thread::yield();
  process.signal(SIGTERM);
  ASSERT_TRUE(process.stderr_shows("results will be written"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a second request, not the first one again
  process.signal(SIGTERM);
  ASSERT_TRUE(soon([&] { return has_ended(process.id()); })) << "it waits for the file";
  EXPECT_EQ(process.wait().code, 128 + SIGTERM);
}

TEST_F(LongRun, KeepsASecondRunOutOfItsDirectory) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  const auto second = Process(command({"--force"})).wait();
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("another run uses this directory now"));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 3);
  EXPECT_TRUE(folder_.has("run/summary.json"));
}

TEST_F(LongRun, EndsAtOnceAfterTwoInterrupts) {
  Process process(command());
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGINT);
  ASSERT_TRUE(process.stderr_shows("stops at once"));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  EXPECT_FALSE(folder_.has("run/summary.json"));
  for (const auto& name : folder_.list("run")) EXPECT_THAT(name, Not(HasSubstr("tmp"))) << name;
}

TEST_F(LongRun, EndsInOrderAfterMaxSeconds) {
  const auto ended = Process(command({"--max-seconds", "0.2"})).wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_seconds\"");
}

TEST_F(LongRun, ShowsNoProgressWhenQuiet) {
  const auto ended = Process(command({"--quiet", "--max-seconds", "1.2"})).wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace strads::test
