// Processes that stay between the runs of the program that has started them.
#include "strads/program/standing_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "strads/program/progress_printer.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double kStandingSoon = 10;  // seconds; only a failing test waits so long

class StandingProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string program = folder_.write("stradsd", "#!/bin/sh\necho \"$@\"\nexec sleep 1000\n");
    fs::permissions(program, fs::perms::owner_all);
    auto started = StandingProcesses::start(2, program, 3);
    ASSERT_TRUE(started.ok()) << started.status().message();
    standing_ = std::move(started).value();
  }
  static bool exists(std::int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH; }
  void wait_until_running(std::size_t count) {
    const Stopwatch watch;
    while (standing_->running().size() != count && watch.seconds() < kStandingSoon) {
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<StandingProcesses> standing_;
};

TEST_F(StandingProcessesTest, StayInAFolderThatTheOptionsOfARunName) {
  const Stopwatch watch;
  while (standing_->output().size() < 2 && watch.seconds() < kStandingSoon) {
  }
  const auto options = standing_->options();
  ASSERT_THAT(options, SizeIs(3));
  EXPECT_EQ(options[0].value, "ipc://" + standing_->folder() + "/driver");
  EXPECT_EQ(options[1].value, "2");
  EXPECT_THAT(standing_->output(), Contains(HasSubstr("--stay --join " + options[0].value)));
  EXPECT_THAT(standing_->output(), Contains(HasSubstr("--threads 3 --die-with-parent")));
}

TEST_F(StandingProcessesTest, AreReplacedWhenTheyAreLost) {
  const auto before = standing_->running();
  ASSERT_THAT(before, SizeIs(2));
  ::kill(static_cast<pid_t>(before[0]), SIGKILL);
  wait_until_running(1);
  ASSERT_TRUE(standing_->replace_lost().ok());
  const auto after = standing_->running();
  ASSERT_THAT(after, SizeIs(2));
  EXPECT_THAT(after, Contains(before[1]));
  EXPECT_THAT(after, Not(Contains(before[0])));
  EXPECT_TRUE(standing_->ended().empty()) << "the next run hears of none";
}

TEST_F(StandingProcessesTest, EndWithTheirOwner) {
  const auto processes = standing_->running();
  const std::string folder = standing_->folder();
  standing_.reset();
  for (const auto process : processes) EXPECT_FALSE(exists(process));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(StandingProcessesTest, DoNotEndWithAForkOfTheirOwner) {
  const pid_t child = ::fork();
  if (child == 0) {
    standing_.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_THAT(standing_->running(), SizeIs(2));
  EXPECT_TRUE(fs::exists(standing_->folder()));
}

TEST(StandingProcesses, SayWhichProgramCannotBeStarted) {
  const auto none = StandingProcesses::start(1, "/nowhere/stradsd", 1);
  EXPECT_EQ(none.status().code(), StatusCode::cluster);
  EXPECT_THAT(none.status().message(), HasSubstr("/nowhere/stradsd"));
}

}  // namespace
}  // namespace strads
