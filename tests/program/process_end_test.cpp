// What is said of a process that ended: which signal, and whether the kernel sent it for lack of memory.
#include "program/cluster/process_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::HasSubstr;
using testing::Not;

/// As wait() gives them.
constexpr int exited(int code) {
  return code << 8;
}
constexpr ProcessEnd by_signal(int number) {
  return {number, 800ULL << 20};
}

class ProcessEnded : public testing::Test {
 protected:
  ProcessEnded() {
    write("proc/self/cgroup", "4:memory:/job\n");
    write("proc/meminfo", "MemAvailable: 8388608 kB\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(400ULL << 20));
    kills(2, 7);
  }
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path(name);
    std::filesystem::create_directories(path.parent_path());
    folder_.write(name, text);
  }
  /// What the kernel has counted so far.
  void kills(int in_group, int on_machine) {
    write("sys/fs/cgroup/memory/job/memory.oom_control", "under_oom 0\noom_kill " + std::to_string(in_group) + "\n");
    write("proc/vmstat", "oom_kill " + std::to_string(on_machine) + "\n");
  }
  [[nodiscard]] KilledForMemory started() const { return KilledForMemory(folder_.path("")); }

  test::TemporaryFolder folder_;
};

TEST_F(ProcessEnded, ByItself) {
  EXPECT_EQ(started().how_it_ended({exited(4), 0}), "exit code 4");
}

TEST_F(ProcessEnded, BySomebodysSignal) {
  KilledForMemory killed = started();
  EXPECT_EQ(killed.how_it_ended(by_signal(SIGTERM)), "signal 15 (Terminated)");
  EXPECT_EQ(killed.how_it_ended(by_signal(SIGSEGV)), "signal 11 (Segmentation fault)");
  EXPECT_EQ(killed.how_it_ended(by_signal(SIGKILL)), "signal 9 (Killed)") << "of a kill long ago it is not the one";
}

TEST_F(ProcessEnded, ByTheKernelInAFullControlGroup) {
  KilledForMemory killed = started();
  kills(3, 8);
  EXPECT_EQ(
      killed.how_it_ended(by_signal(SIGKILL)),
      "signal 9 (Killed): by the kernel, out of memory in its control group (it held 800 MiB at most; machine and "
      "control groups allow 400 MiB); --dry-run says what a run needs");
}

TEST_F(ProcessEnded, ByTheKernelOnAFullMachine) {
  KilledForMemory killed = started();
  kills(2, 8);
  EXPECT_THAT(
      killed.how_it_ended(by_signal(SIGKILL)),
      HasSubstr("probably by the kernel, which has killed a process of this machine for lack of memory (it held "
                "800 MiB at most; "));
}

TEST_F(ProcessEnded, OneKillExplainsOneDeath) {
  KilledForMemory killed = started();
  kills(3, 8);
  EXPECT_THAT(killed.how_it_ended(by_signal(SIGKILL)), HasSubstr("by the kernel"));
  EXPECT_EQ(killed.how_it_ended(by_signal(SIGKILL)), "signal 9 (Killed)");
  kills(4, 9);
  EXPECT_THAT(killed.how_it_ended(by_signal(SIGKILL)), HasSubstr("by the kernel"));
}

TEST_F(ProcessEnded, ByAnotherSignalWhileOthersWereKilled) {
  KilledForMemory killed = started();
  kills(3, 8);
  EXPECT_THAT(killed.how_it_ended(by_signal(SIGTERM)), Not(HasSubstr("kernel")));
}

}  // namespace
}  // namespace strads
