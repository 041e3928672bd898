// lasso fit --processes: the same bits, and nothing left behind, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "run_cluster.hpp"
#include "strads/program/program.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

class Processes : public ClusterFixture {};

TEST_F(Processes, GiveTheBitsOfTheEmbeddedRun) {
  const std::vector<std::vector<std::string>> sizes = {{"--schedulers=1", "--workers=1"},
                                                       {"--schedulers=2", "--workers=2", "--depth=2"},
                                                       {"--schedulers=4", "--workers=3", "--depth=2"}};
  int run = 0;
  for (const auto& size : sizes) {
    for (const char* policy : {"auto", "paper"}) {
      auto options = size;
      options.insert(options.end(), {"--policy", policy, "--lambda-ratio", "0.05"});
      const auto embedded = hash_of(options, "embedded" + std::to_string(++run));
      for (const char* processes : {"--processes=1", "--processes=3"}) {
        auto more = options;
        more.emplace_back(processes);
        EXPECT_EQ(hash_of(more, "run" + std::to_string(++run)), embedded) << size[0] << " " << policy << processes;
      }
    }
  }
  expect_nothing_left();
}

TEST_F(Processes, SayHowTheRunWasExecuted) {
  const auto ended = Process(fit({"--processes", "--out", folder_.path("run")})).wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, Not(HasSubstr("lasso: ")));
  EXPECT_THAT(rows_of(ended.out), SizeIs(5));
  EXPECT_THAT(ended.out, HasSubstr(", 2 processes over ipc\n"));
  EXPECT_THAT(folder_.read("run/log.txt"), AllOf(HasSubstr("joined"), HasSubstr("stradsd: ")));
  EXPECT_THAT(folder_.read("run/config.ini"), HasSubstr("processes = 2"));
}

TEST_F(Processes, AccountForEveryUpdate) {
  (void)hash_of({"--processes=2", "--schedulers=2", "--workers=4", "--policy=uniform", "--lambda-ratio=0.1"}, "run");
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "transport"), "\"ipc\"");
  EXPECT_EQ(json_field(summary, "nodes"), "2");
  const auto updates = json_numbers(summary, "updates");  // of the run, then of each node
  ASSERT_THAT(updates, SizeIs(3));
  const auto second_workers = json_numbers(summary, "second_workers");
  ASSERT_THAT(second_workers, SizeIs(2));
  if (second_workers[0] + second_workers[1] == 0) {
    EXPECT_EQ(updates[0], updates[1] + updates[2]);
  } else {  // this machine was busy: a node was late, and its blocks were computed twice
    EXPECT_LE(updates[0], updates[1] + updates[2]);
  }
  EXPECT_THAT(updates, Each(Gt(0)));
  EXPECT_THAT(summary, Not(HasSubstr("\"last_report\": false")));
  const auto shares = json_numbers(summary, "updates_share");
  EXPECT_DOUBLE_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1);
  EXPECT_THAT(json_numbers(summary, "peak_rss_bytes"), AllOf(SizeIs(3), Each(Gt(1e6))));
}

TEST_F(Processes, FindRelativePathsFromTheDriversFolder) {
  const auto command =
      "cd " + folder_.path(".") + " && exec " + lasso_command({}).front() + " fit --x x.csv --y-name y --processes=2";
  EXPECT_EQ(Process({"/bin/sh", "-c", command}).wait().code, 0);
}

TEST_F(Processes, EndWithTheExitCodeOfAMissingFile) {
  const auto ended = lasso({"fit", "--x", folder_.path("absent.csv"), "--y-name", "y", "--processes"});
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("absent.csv"));
  expect_nothing_left();
}

TEST_F(Processes, NeedTheProgramStradsd) {
  const auto ended =
      Process(fit({"--processes", "--stradsd", folder_.path("stradsd"), "--out", folder_.path("run")})).wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, AllOf(HasSubstr(folder_.path("stradsd")), HasSubstr("--stradsd PATH")));
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr("cannot be started"));
  EXPECT_FALSE(folder_.has("run/summary.json"));
  expect_nothing_left();
}

/// A stradsd that does something else.
std::string script(const Folder& folder, const std::string& lines) {
  const auto path = folder.write("stradsd", "#!/bin/sh\n" + lines + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(Processes, ThatNeverJoinAreNamedAtTheDeadline) {
  const auto program = script(folder_, "exec sleep 1000");
  const auto ended = Process(fit({"--processes", "--stradsd", program, "--start-seconds", "0.3"})).wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("0 of 2 nodes joined"), HasSubstr("/1"), HasSubstr("/2")));
  expect_nothing_left();
}

TEST_F(Processes, ThatEndAtOnceEndTheRunWithTheirLastWords) {
  const auto program = script(folder_, "echo the library is missing >&2; exit 7");
  const auto ended = Process(fit({"--processes", "--stradsd", program})).wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("exit code 7"), HasSubstr("the library is missing")));
  expect_nothing_left();
}

TEST_F(Processes, EndInOrderAfterOneInterrupt) {
  Process process(long_fit({"--processes=2"}));
  ASSERT_TRUE(process.stderr_shows(" round "));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"signal\"");
  expect_nothing_left();
}

TEST_F(Processes, EndWithTheirDriverAfterTwoInterrupts) {
  Process process(long_fit({"--processes=2"}));
  ASSERT_TRUE(process.stderr_shows(" round "));
  const auto running = nodes();
  for (const pid_t node : running) ::kill(node, SIGSTOP);  // so that the run cannot end in order
  process.signal(SIGINT);
  ASSERT_TRUE(process.stderr_shows("stops at once"));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  for (const pid_t node : running) ::kill(node, SIGCONT);
  expect_nothing_left();
}

TEST_F(Processes, EndWhenTheirDriverIsKilled) {
  Process process(long_fit({"--processes=2"}));
  ASSERT_TRUE(process.stderr_shows(" round "));
  EXPECT_THAT(nodes(), SizeIs(2));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  expect_nothing_left();
}

TEST_F(Processes, GoOnWithTheSameBitsWhenTheOnesWithSchedulersAreKilledOneAfterTheOther) {
  const std::vector<std::string> rounds = {"--max-rounds=9000", "--schedulers=3", "--check-interval=600"};
  ASSERT_EQ(Process(long_fit(rounds)).wait().code, 3);
  const auto hash = json_field(folder_.read("run/summary.json"), "beta_hash");
  auto command = rounds;
  command.insert(command.end(), {"--processes=3", "--force"});
  Process process(long_fit(command));
  ASSERT_TRUE(process.stderr_shows(" round "));
  const auto running = nodes();
  ASSERT_THAT(running, SizeIs(3));
  ::kill(running[1], SIGKILL);
  ASSERT_TRUE(process.stderr_shows("(Killed)"));
  ::kill(running[0], SIGKILL);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  const auto summary = folder_.read("run/summary.json");
  EXPECT_EQ(json_field(summary, "beta_hash"), hash);
  EXPECT_EQ(json_field(summary, "moved"), "2");
  EXPECT_THAT(ended.err, HasSubstr("others take its variables, and the runs go back to their last checkpoints"));
  expect_nothing_left();
}

TEST_F(Processes, EndTheRunWhenTheLastOneIsKilled) {
  Process process(long_fit({"--processes=1"}));
  ASSERT_TRUE(process.stderr_shows(" round "));
  const auto running = nodes();
  ASSERT_THAT(running, SizeIs(1));
  ::kill(running[0], SIGKILL);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("rank "), HasSubstr("process " + std::to_string(running[0])),
                               HasSubstr("signal 9 (Killed)"), HasSubstr("no node is left")));
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr("signal 9"));
  EXPECT_FALSE(folder_.has("run/summary.json"));
  expect_nothing_left();
}

TEST_F(Processes, GiveTheBitsOfTheShippedEmbeddedConfig) {
  const std::string root = STRADS_SOURCE_DIR;
  std::string hashes[2];
  int k = 0;
  for (const char* name : {"lasso-embedded", "lasso-processes"}) {
    const auto out = folder_.path(name);
    const auto command =
        "cd " + root + " && exec " + lasso_command({}).front() + " fit --config configs/" + name + ".ini --out " + out;
    const auto ended = Process({"/bin/sh", "-c", command}).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    hashes[k++] = json_field(folder_.read(std::string(name) + "/summary.json"), "beta_hash");
  }
  EXPECT_THAT(hashes[0], MatchesRegex("\"[0-9a-f]{16}\""));
  EXPECT_EQ(hashes[1], hashes[0]);
}

}  // namespace
}  // namespace strads::test
