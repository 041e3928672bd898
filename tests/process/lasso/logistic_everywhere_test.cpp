// Logistic regression on processes and over tcp: the bits of the embedded run, also where nodes are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/run_daemons.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;

using Words = std::vector<std::string>;

class LogisticFits : public DaemonFixture {
 protected:
  /// The table's X, and one class where y is above its mean without noise.
  Words data(const std::string& name, std::uint64_t rows, std::uint64_t columns) const {
    const Table table(rows, columns);
    std::string classes = "case\n";
    for (const double y : table.y) classes += y > 10 ? "1\n" : "0\n";
    return {"fit",
            "--x",
            folder_.write(name + ".npy", table.npy()),
            "--y",
            folder_.write(name + ".csv", classes),
            "--family",
            "binomial",
            "--threads",
            "1",
            "--out",
            folder_.path("run"),
            "--force"};
  }
  std::string run(const Words& command) const {
    const auto ended = Process(lasso_command(command)).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    return summary_field("beta_hash");
  }
  /// Ends after its rounds, long before it is solved.
  Words long_run() const {
    return with(data("long", 400, 4000),
                {"--policy=uniform", "--lambda-ratio=0.01", "--tolerance=0", "--max-rounds=4000", "--schedulers=3",
                 "--workers=4", "--check-interval=600"});
  }
  std::string hash_of_long_run() const {
    EXPECT_EQ(Process(lasso_command(long_run())).wait().code, 3);
    return summary_field("beta_hash");
  }
};

TEST_F(LogisticFits, HaveTheBitsOfTheEmbeddedRunOnProcessesAndOverTcp) {
  for (const char* policy : {"--policy=auto", "--policy=paper"}) {
    const auto command =
        with(data("short", 80, 30), {policy, "--schedulers=2", "--workers=3", "--depth=2", "--lambda-ratio=0.05"});
    const auto embedded = run(command);
    EXPECT_THAT(embedded, MatchesRegex("\"[0-9a-f]{16}\""));
    EXPECT_EQ(run(with(command, {"--processes=2"})), embedded) << policy;
    std::filesystem::remove(folder_.path("endpoint"));
    listen(lasso_command(command), "2");
    const auto one = join("one");
    const auto two = join("two");
    const auto ended = driver_->wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(one->wait().code, 0);
    EXPECT_EQ(two->wait().code, 0);
    EXPECT_EQ(summary_field("beta_hash"), embedded) << policy;
    EXPECT_EQ(summary_field("transport"), "\"tcp\"");
  }
  expect_nothing_left();
}

TEST_F(LogisticFits, GoOnWithTheSameBitsWhenProcessesWithSchedulersAreKilledOneAfterTheOther) {
  const auto embedded = hash_of_long_run();
  Process process(lasso_command(with(long_run(), {"--processes=3"})));
  ASSERT_TRUE(process.stderr_shows(" round "));
  const auto running = nodes();
  ASSERT_THAT(running, SizeIs(3));
  ::kill(running[1], SIGKILL);
  ASSERT_TRUE(process.stderr_shows("(Killed)"));
  ::kill(running[0], SIGKILL);
  const auto ended = process.wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(summary_field("beta_hash"), embedded);
  EXPECT_EQ(summary_field("moved"), "2");
  expect_nothing_left();
}

TEST_F(LogisticFits, GoOnWithTheSameBitsWhenAWorkerIsKilledOverTcp) {
  const auto embedded = hash_of_long_run();
  listen(lasso_command(long_run()), "3");
  const auto plans = join("plans", {"--roles", "scheduler"});
  const auto one = join("one", {"--roles", "worker"});
  const auto two = join("two", {"--roles", "worker"});
  ASSERT_TRUE(driver_->stderr_shows(" round "));
  one->signal(SIGKILL);
  const auto ended = driver_->wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(summary_field("beta_hash"), embedded);
  EXPECT_GE(std::stoi(summary_field("reassigned")), 1);
  EXPECT_THAT(folder_.read("run/log.txt"), HasSubstr("its workers' blocks go to others"));
}

}  // namespace
}  // namespace strads::test
