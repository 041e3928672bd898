// Processes that are started here end here, whatever they do.
#include "program/cluster/local_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "strads/program/progress_printer.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kSoon = 10;  // seconds; only a failing test waits so long

class LocalProcessesTest : public testing::Test {
 protected:
  Status start(const std::string& script, const std::string& name = "one") {
    return local_.start("/bin/sh", {"-c", script}, name);
  }
  /// The news of the first process that ends.
  std::vector<EndedProcess> first_news() {
    const Stopwatch watch;
    while (watch.seconds() < kSoon) {
      auto news = local_.ended();
      if (!news.empty()) return news;
    }
    return {};
  }
  /// Waits until the processes have written so many lines.
  std::vector<std::string> lines(std::size_t count) {
    const Stopwatch watch;
    while (local_.output().size() < count && watch.seconds() < kSoon) {
    }
    return local_.output();
  }
  static bool exists(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

  LocalProcesses local_;
};

TEST_F(LocalProcessesTest, HaveAPrivateFolderThatGoesWithThem) {
  ASSERT_TRUE(local_.make_folder().ok());
  const auto folder = local_.folder();
  struct stat facts {};
  ASSERT_EQ(::stat(folder.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  std::ofstream(folder + "/left") << "x";
  local_.end(false);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(LocalProcessesTest, TellOnceHowTheyEnded) {
  ASSERT_TRUE(start("echo reading; echo no such file >&2; exit 4").ok());
  const auto news = first_news();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_EQ(news[0].how, "exit code 4, its last words: no such file");
  EXPECT_THAT(local_.ended(), IsEmpty());
  EXPECT_THAT(local_.output(), ElementsAre("one: reading", "one: no such file"));
}

TEST_F(LocalProcessesTest, TellTheSignalThatEndedThem) {
  ASSERT_TRUE(start("kill -9 $$").ok());
  const auto news = first_news();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_EQ(news[0].how, "signal 9 (Killed)");
}

TEST_F(LocalProcessesTest, AreTerminatedWhenTheyDoNotEndByThemselves) {
  ASSERT_TRUE(start("echo $$; exec sleep 1000").ok());
  const auto written = lines(1);
  ASSERT_THAT(written, SizeIs(1));
  const auto process = static_cast<pid_t>(std::stol(written[0].substr(5)));
  ASSERT_TRUE(exists(process));
  local_.end(false);
  EXPECT_FALSE(exists(process));
}

TEST_F(LocalProcessesTest, AreKilledWhenTheyIgnoreThat) {
  ASSERT_TRUE(start("trap '' TERM; echo $$; while :; do sleep 0.1; done").ok());
  const auto written = lines(1);
  ASSERT_THAT(written, SizeIs(1));
  const auto process = static_cast<pid_t>(std::stol(written[0].substr(5)));
  const Stopwatch watch;
  local_.end(false);
  EXPECT_FALSE(exists(process));
  EXPECT_LT(watch.seconds(), kSoon);
}

TEST_F(LocalProcessesTest, MayEndInOrderWithoutASignal) {
  ASSERT_TRUE(start("trap 'echo disturbed' TERM; echo begun; sleep 0.2; echo done").ok());
  ASSERT_THAT(lines(1), SizeIs(1));
  local_.end(true);
  EXPECT_THAT(local_.output(), ElementsAre("one: begun", "one: done"));
}

TEST_F(LocalProcessesTest, HaveProcessGroupsOfTheirOwn) {
  ASSERT_TRUE(start("cut -d ' ' -f 5 /proc/$$/stat; echo $$").ok());
  const auto written = lines(2);
  ASSERT_THAT(written, SizeIs(2));
  EXPECT_EQ(std::stol(written[0].substr(5)), std::stol(written[1].substr(5)));
}

TEST_F(LocalProcessesTest, ReadNothingFromTheTerminal) {
  ASSERT_TRUE(start("cat; echo end of input").ok());
  EXPECT_THAT(lines(1), ElementsAre("one: end of input"));
}

TEST_F(LocalProcessesTest, SayWhichProgramCannotBeStarted) {
  TemporaryFolder folder;
  const auto missing = check_program(folder.path("stradsd"));
  EXPECT_EQ(missing.code(), StatusCode::cluster);
  EXPECT_THAT(missing.message(), AllOf(HasSubstr(folder.path("stradsd")), HasSubstr("--stradsd PATH")));
  const auto no_program = folder.write("stradsd", "x");
  EXPECT_EQ(check_program(no_program).code(), StatusCode::cluster);
  EXPECT_EQ(local_.start(no_program, {}, "one").code(), StatusCode::cluster);
}

/// A socket file, as a process leaves it that was killed.
void leave_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int file = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  ::close(file);
}

TEST(AbandonedFolder, GoesWithItsSockets) {
  TemporaryFolder folder;
  fs::create_directory(folder.path("strads-run-abcdef"));
  leave_socket(folder.path("strads-run-abcdef/driver"));
  leave_socket(folder.path("strads-run-abcdef/node"));
  remove_abandoned_folder("ipc://" + folder.path("strads-run-abcdef/driver"));
  EXPECT_FALSE(folder.has("strads-run-abcdef"));
}

TEST(AbandonedFolder, StaysWhenThereIsSomethingElseInIt) {
  TemporaryFolder folder;
  fs::create_directory(folder.path("strads-run-abcdef"));
  folder.write("strads-run-abcdef/notes.txt", "mine");
  remove_abandoned_folder("ipc://" + folder.path("strads-run-abcdef/driver"));
  EXPECT_TRUE(folder.has("strads-run-abcdef/notes.txt"));
}

TEST(AbandonedFolder, OfAnotherNameIsNotTouched) {
  TemporaryFolder folder;
  fs::create_directory(folder.path("sockets"));
  leave_socket(folder.path("sockets/driver"));
  remove_abandoned_folder("ipc://" + folder.path("sockets/driver"));
  remove_abandoned_folder("tcp://127.0.0.1:5570");
  EXPECT_TRUE(folder.has("sockets/driver"));
}

TEST(AbandonedFolder, OfProcessesThatAreGoneIsRemovedByTheNextRun) {
  TemporaryFolder folder;
  fs::create_directory(folder.path("strads-run-abcdef"));
  leave_socket(folder.path("strads-run-abcdef/driver"));
  remove_abandoned_folders(folder.path("."), 60);
  EXPECT_TRUE(folder.has("strads-run-abcdef")) << "it may just have been made";
  remove_abandoned_folders(folder.path("."), 0);
  EXPECT_FALSE(folder.has("strads-run-abcdef"));
}

TEST(AbandonedFolder, IsNoneWhileItsProcessLives) {
  TemporaryFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string restored = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", folder.path(".").c_str(), 1);
  LocalProcesses local;
  ASSERT_TRUE(local.make_folder().ok());
  ::setenv("TMPDIR", restored.c_str(), 1);
  remove_abandoned_folders(folder.path("."), 0);
  EXPECT_TRUE(fs::exists(local.folder()));
  local.end(true);
  EXPECT_FALSE(fs::exists(local.folder()));
}

}  // namespace
}  // namespace strads
