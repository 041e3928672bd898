// stradsd started by hand, lasso fit --listen: who joins, who leaves, what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "run_daemons.hpp"
#include "strads/transport/threads.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Ge;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class Daemons : public DaemonFixture {};

TEST_F(Daemons, GiveTheBitsOfTheEmbeddedRun) {
  const std::vector<std::string> sizes = {"--schedulers=2", "--workers=3", "--depth=2", "--lambda-ratio=0.05"};
  const auto embedded = hash_of(sizes, "embedded");
  auto command = fit(sizes);
  command.insert(command.end(), {"--out", folder_.path("run")});
  listen(command, "2");
  const auto one = join("one");
  const auto two = join("two");
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(one->wait().code, 0);
  EXPECT_EQ(two->wait().code, 0);
  EXPECT_EQ(summary_field("beta_hash"), embedded);
  EXPECT_EQ(summary_field("transport"), "\"tcp\"");
  EXPECT_THAT(ended.out, HasSubstr(", 2 nodes over tcp\n"));
}

std::size_t threads_of(const Process& process) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(process.id()) + "/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(Daemons, ShareTheCoresOfTheirMachine) {
  listen(long_fit({"--workers=2"}), "2");
  const auto node = [this](const std::string& slots) {
    return std::make_unique<Process>(stradsd_command(with({"--join", endpoint_, "--slots", slots}, keys_)));
  };
  const auto alone = node("1"), one_of_many = node("9999");
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  EXPECT_EQ(threads_of(*alone) - threads_of(*one_of_many), available_threads() - 1) << "one executes tasks there";
  driver_->signal(SIGINT);
  EXPECT_EQ(driver_->wait().code, 3);
}

TEST_F(Daemons, TakeOnlyRolesThatTheyAccept) {
  auto command = fit({"--schedulers=2", "--workers=4", "--out", folder_.path("run")});
  listen(command, "2");
  const auto plans = join("plans", {"--roles", "scheduler"});
  const auto works = join("works", {"--roles", "worker"});
  EXPECT_EQ(driver_->wait().code, 0);
  EXPECT_THAT(plans->wait().err, AllOf(HasSubstr("schedulers 0 1"), Not(HasSubstr("workers"))));
  EXPECT_THAT(works->wait().err, AllOf(HasSubstr("workers 0 1 2 3"), Not(HasSubstr("schedulers"))));
}

TEST_F(Daemons, ThatOnlyWorkMayBeKilled) {
  const std::vector<std::string> rounds = {"--max-rounds=6000", "--workers=4"};
  auto embedded = long_fit(rounds);
  ASSERT_EQ(Process(embedded).wait().code, 3);
  const auto hash = summary_field("beta_hash");
  auto command = long_fit(rounds);
  command.emplace_back("--force");
  listen(command, "3");
  const auto plans = join("plans", {"--roles", "scheduler"});
  const auto one = join("one", {"--roles", "worker"});
  const auto two = join("two", {"--roles", "worker"});
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  one->signal(SIGKILL);
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(summary_field("beta_hash"), hash);
  EXPECT_GE(std::stoi(summary_field("reassigned")), 1);
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr("its workers' blocks go to others"));
}

TEST_F(Daemons, ThatOnlyWorkAreNotWaitedForWhileTheyAreStopped) {
  const std::vector<std::string> rounds = {"--max-rounds=6000", "--workers=4"};
  auto embedded = long_fit(rounds);
  ASSERT_EQ(Process(embedded).wait().code, 3);
  const auto hash = summary_field("beta_hash");
  auto command = long_fit(rounds);
  command.insert(command.end(), {"--force", "--lease", "600"});  // so long that it is not silent before the run is over
  listen(command, "3");
  const auto plans = join("plans", {"--roles", "scheduler"});
  const auto one = join("one", {"--roles", "worker"});
  const auto two = join("two", {"--roles", "worker"});
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  one->signal(SIGSTOP);
  const auto ended = driver_->wait();
  one->signal(SIGCONT);
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(summary_field("beta_hash"), hash);
  EXPECT_EQ(summary_field("reassigned"), "0") << "no second worker was asked before the node was silent";
  EXPECT_THAT(json_numbers(folder_.read("run/summary.json"), "second_workers"), Contains(Ge(100)));
  EXPECT_THAT(folder_.read("run/log.txt"),
              ContainsRegex("rank [0-2] \\(one, process [0-9]+\\) is late with its blocks"));
}

TEST_F(Daemons, MayJoinInTheMiddleAndLeaveAgain) {
  const std::vector<std::string> rounds = {"--max-rounds=12000", "--schedulers=2", "--workers=4",
                                           "--check-interval=600"};
  ASSERT_EQ(Process(long_fit(rounds)).wait().code, 3);
  const auto hash = summary_field("beta_hash");
  auto command = long_fit(rounds);
  command.emplace_back("--force");
  listen(command, "2");
  const auto one = join("one");
  const auto two = join("two");
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  const auto three = join("three");
  const auto four = join("four");
  // While a run goes on its files lie in a folder of their own.
  const auto log_has = [this](const std::string& text) {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path("run"), error)) {
      if (entry.path().filename() != "log.txt") continue;
      std::ostringstream log;
      log << std::ifstream(entry.path()).rdbuf();
      if (log.str().find(text) != std::string::npos) return true;
    }
    return false;
  };
  ASSERT_TRUE(soon([&] { return log_has("on 2 nodes with schedulers"); })) << "they take part";
  ASSERT_TRUE(three->stderr_shows("no role"));
  ASSERT_TRUE(three->stderr_shows("from now on: "));
  for (const auto& first : {one.get(), two.get()}) first->signal(SIGTERM);
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  for (const auto& node : {one.get(), two.get(), three.get(), four.get()}) EXPECT_EQ(node->wait().code, 0);
  EXPECT_EQ(summary_field("beta_hash"), hash);
  const auto updates = json_numbers(folder_.read("run/summary.json"), "updates");  // of the run, then of each node
  ASSERT_EQ(updates.size(), 5U);
  EXPECT_GT(updates[3], 0);
  EXPECT_GT(updates[4], 0);
}

TEST_F(Daemons, ThatJoinLateWithOtherDataAreSentAwayAlone) {
  listen(long_fit({"--check-interval=600"}), "1");
  const auto one = join("one");
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  std::filesystem::create_directory(folder_.path("other"));
  folder_.write("other/long.npy", Table(400, 4000, 99).npy());
  folder_.write("other/long.csv", Table(400, 4000, 99).y_csv());
  const auto two = join("two", {"--data-dir", folder_.path("other")});
  const auto sent_away = two->wait();
  EXPECT_EQ(sent_away.code, 5) << sent_away.err;
  EXPECT_THAT(sent_away.err, HasSubstr("reads other data"));
  driver_->signal(SIGINT);
  EXPECT_EQ(driver_->wait().code, 3);
}

TEST_F(Daemons, ReadDataFromAFolderOfTheirOwn) {
  std::filesystem::create_directory(folder_.path("copy"));
  std::filesystem::copy_file(folder_.path("x.csv"), folder_.path("copy/x.csv"));
  listen(fit({}), "1");
  const auto node = join("one", {"--data-dir", folder_.path("copy")});
  EXPECT_EQ(driver_->wait().code, 0);
  EXPECT_EQ(node->wait().code, 0);
}

TEST_F(Daemons, RunTheShippedConfigForHosts) {
  const std::string root = "cd " + std::string(STRADS_SOURCE_DIR) + " && exec " + lasso_command({}).front() + " fit ";
  const auto embedded = Process({"/bin/sh", "-c", root + "--config configs/lasso-embedded.ini"}).wait();
  ASSERT_EQ(embedded.code, 0) << embedded.err;
  listen({"/bin/sh", "-c", root + "--config configs/lasso-hosts.ini \"$@\"", "sh"}, "2");
  const auto one = join("one");
  const auto two = join("two");
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto hash_in = [](const std::string& out) { return out.substr(out.find("beta_hash "), 26); };
  EXPECT_EQ(hash_in(ended.out), hash_in(embedded.out));
}

TEST_F(Daemons, WithoutTheDataEndTheRunAndNameTheFile) {
  listen(fit({}), "1");
  const auto node = join("one", {"--data-dir", folder_.path("nowhere")});
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("one"), HasSubstr(folder_.path("nowhere/x.csv"))));
}

TEST_F(Daemons, WithOtherDataEndTheRun) {
  std::filesystem::create_directory(folder_.path("other"));
  folder_.write("other/x.csv", Table(80, 30, 2).csv());
  listen(fit({}), "1");
  const auto node = join("one", {"--data-dir", folder_.path("other")});
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 5) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("one"), HasSubstr("fingerprints differ")));
}

TEST_F(Daemons, ThatAreMissingAreNamed) {
  listen(fit({"--start-seconds", "0.5", "--expect", "one,two"}), "2");
  const auto one = join("one");
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("1 of 2 nodes joined"), HasSubstr("missing: two")));
  EXPECT_EQ(one->wait().code, 5);
}

TEST_F(Daemons, EndWithTheirDriver) {
  listen(long_fit({"--lease=3"}), "1");
  const auto one = join("one");
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  driver_->signal(SIGKILL);
  (void)driver_->wait();
  const auto ended = one->wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, HasSubstr("stradsd: error: "));
}

// --- keys ---

TEST_F(Daemons, NeedAKeyToListenOrToJoin) {
  const auto driver = Process(fit({"--listen", "tcp://127.0.0.1:0"})).wait();
  EXPECT_EQ(driver.code, 2);
  EXPECT_THAT(driver.err, AllOf(HasSubstr("stradsd --new-key FILE"), HasSubstr("--insecure")));
  const auto node = Process(stradsd_command({"--join", "tcp://127.0.0.1:1"})).wait();
  EXPECT_EQ(node.code, 2);
  EXPECT_THAT(node.err, AllOf(HasSubstr("stradsd --new-key FILE"), HasSubstr("--insecure")));
}

TEST_F(Daemons, RefuseAKeyThatOthersCanRead) {
  ::chmod(folder_.path("run.key").c_str(), 0644);
  for (const auto& command : {fit({"--listen", "tcp://127.0.0.1:0", "--key", folder_.path("run.key")}),
                              stradsd_command({"--join", "tcp://127.0.0.1:1", "--key", folder_.path("run.key")})}) {
    const auto ended = Process(command).wait();
    EXPECT_EQ(ended.code, 4);
    EXPECT_THAT(ended.err, HasSubstr("mode 0644 lets others at this key, expected 0600; chmod 600"));
  }
}

TEST_F(Daemons, WithoutTheKeyOfTheRunLearnNothingAndAreCounted) {
  listen(fit({"--start-seconds", "60", "--out", folder_.path("run")}), "1");
  const auto right = keys_;
  ASSERT_EQ(Process(stradsd_command({"--new-key", folder_.path("other.key")})).wait().code, 0);
  for (const auto& wrong : {std::vector<std::string>{"--key", folder_.path("other.key")}, {"--insecure"}}) {
    keys_ = wrong;
    const auto ended = join("uninvited", {"--start-seconds", "0.3"})->wait();
    EXPECT_EQ(ended.code, 5);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("does not take this node's connection"), HasSubstr("same key"),
                                 HasSubstr("no driver answered"), Not(HasSubstr("waits for the other nodes"))));
  }
  keys_ = right;
  const auto node = join("one");
  EXPECT_EQ(driver_->wait().code, 0);
  EXPECT_EQ(node->wait().code, 0);
  EXPECT_GE(std::stoi(summary_field("refused")), 2);
  EXPECT_THAT(folder_.read("run/log.txt"), Not(HasSubstr("uninvited"))) << "it came too near to say its name";
}

TEST_F(Daemons, WarnWhenTheyAreInsecureEvenIfQuiet) {
  keys_ = {"--insecure"};
  listen(fit({"--quiet"}), "1");
  const auto node = join("one", {"--quiet"});
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, StartsWith("lasso: note: --insecure: nothing is encrypted"));
  EXPECT_THAT(node->wait().err, StartsWith("stradsd: note: --insecure: nothing is encrypted"));
}

TEST_F(Daemons, TakeAKeyFromStdinAsLaunchersGiveIt) {
  const std::string from_stdin = " \"$@\" --key - <" + folder_.path("run.key");
  const auto shell = [&](std::vector<std::string> command) {
    command.insert(command.begin(), {"/bin/sh", "-c", "exec" + from_stdin, "sh"});
    return command;
  };
  keys_.clear();
  listen(shell(fit({})), "1");
  const auto node = Process(shell(stradsd_command({"--join", endpoint_, "--threads", "1"}))).wait();
  EXPECT_EQ(node.code, 0) << node.err;
  EXPECT_EQ(driver_->wait().code, 0);
}

TEST(Daemon, NeedsAnEndpoint) {
  const auto ended = Process(stradsd_command({})).wait();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give --join ENDPOINT"));
  EXPECT_EQ(Process(stradsd_command({"--join", "here"})).wait().code, 2);
}

TEST(Daemon, KnowsTwoRoles) {
  const auto ended =
      Process(stradsd_command({"--join", "tcp://127.0.0.1:1", "--insecure", "--roles", "worker,cook"})).wait();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--roles: found 'cook'"));
}

TEST(Daemon, LeavesWhenNobodyAnswersUntilTheDeadline) {
  const auto ended =
      Process(stradsd_command({"--join", "tcp://127.0.0.1:1", "--insecure", "--start-seconds", "0.2"})).wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, HasSubstr("no driver answered at tcp://127.0.0.1:1"));
}

TEST(Daemon, LeavesWhenItsStdinIsClosed) {
  const auto command = stradsd_command({}).front() + " --join tcp://127.0.0.1:1 --insecure --watch-stdin </dev/null";
  const auto ended = Process({"/bin/sh", "-c", command}).wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, HasSubstr("stdin was closed"));
}

TEST(Daemon, LeavesWhenItsParentEnds) {
  // The shell's stderr is the daemon's too: it stays open until the daemon has left.
  Process shell(
      {"/bin/sh", "-c", stradsd_command({}).front() + " --join tcp://127.0.0.1:1 --insecure --die-with-parent & wait"});
  ASSERT_TRUE(shell.stderr_shows("joins"));
  shell.signal(SIGKILL);
  const auto ended = shell.wait();
  EXPECT_THAT(ended.err, HasSubstr("the process that started this one has ended"));
}

TEST(Daemon, LeavesWhenItIsTerminated) {
  Process process(stradsd_command({"--join", "tcp://127.0.0.1:1", "--insecure"}));
  ASSERT_TRUE(process.stderr_shows("joins"));
  process.signal(SIGTERM);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 5);
  EXPECT_THAT(ended.err, HasSubstr("signal 15 (Terminated)"));
}

TEST(Daemon, SaysErrorsOnlyWhenQuiet) {
  const auto ended =
      Process(stradsd_command({"--join", "tcp://127.0.0.1:1", "--insecure", "--start-seconds", "0.2", "--quiet"}))
          .wait();
  EXPECT_THAT(ended.err, MatchesRegex("stradsd: note: --insecure: [^\n]*\nstradsd: error: .*\n"));
}

TEST(Daemon, HasTheBuildOfTheDriver) {
  const auto version = Process(stradsd_command({"--version"})).wait().out;
  EXPECT_THAT(version, StartsWith("stradsd "));
  EXPECT_EQ(version.substr(version.find(' ')), lasso({"--version"}).out.substr(5));
}

TEST(Daemon, HelpFitsAScreen) {
  const auto ended = Process(stradsd_command({"--help"})).wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_LE(std::count(ended.out.begin(), ended.out.end(), '\n'), 24);
}

}  // namespace
}  // namespace strads::test
