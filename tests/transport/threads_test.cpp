#include "strads/transport/threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace strads {
namespace {

namespace fs = std::filesystem;

/// A root with control groups as /proc and /sys show them.
class Quotas : public testing::Test {
 protected:
  Quotas() : root_(fs::temp_directory_path() / ("strads-quotas-" + std::to_string(::getpid()))) {}
  ~Quotas() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] unsigned threads() const { return available_threads(root_.string()); }

  fs::path root_;
  const unsigned cores_ = available_threads("/no such root");
};

TEST_F(Quotas, AreNoLimitWhereThereAreNone) {
  EXPECT_GE(cores_, 1U);
  EXPECT_EQ(threads(), cores_);
  write("proc/self/mountinfo", "30 22 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/a\n");
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(threads(), cores_);
}

TEST_F(Quotas, OfVersion2CountAlsoInGroupsAbove) {
  write("proc/self/mountinfo", "30 22 0:27 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(threads(), 1U);
  write("sys/fs/cgroup/a/cpu.max", std::to_string(cores_ * 200000) + " 100000\n");
  EXPECT_EQ(threads(), cores_) << "a quota above the cores is none";
}

TEST_F(Quotas, OfVersion1CountWhereverTheyAreMounted) {
  write("proc/self/mountinfo",
        "30 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "31 22 0:28 / /elsewhere/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/job\n0::/\n");
  write("elsewhere/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n");
  write("elsewhere/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(threads(), 1U);
  write("elsewhere/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(threads(), cores_);
}

TEST_F(Quotas, OfAContainerAreAtTheTopOfWhatItSees) {
  write("proc/self/mountinfo", "30 22 0:27 /docker/7f3a /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  write("proc/self/cgroup", "4:cpu:/docker/7f3a\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "20000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(threads(), 1U);
}

TEST(AvailableThreads, AreThoseOfTheAffinity) {
  unsigned bound = 0;
  std::thread([&bound] {  // the bounds of a thread end with it
    cpu_set_t set;
    ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
    bound = available_threads();
  })
      .join();
  EXPECT_EQ(bound, 1U);
}

TEST(AvailableThreads, AreTakenWhereNoneAreAskedFor) {
  EXPECT_EQ(threads_wanted(0), available_threads());
  EXPECT_EQ(threads_wanted(7), 7U);
}

TEST(AvailableThreads, AreSharedByTheProcessesOfAMachine) {
  const unsigned all = available_threads();
  EXPECT_EQ(threads_wanted(0, 1), all);
  EXPECT_EQ(threads_wanted(0, 2), std::max(1U, all / 2));
  EXPECT_EQ(threads_wanted(0, all), 1U);
  EXPECT_EQ(threads_wanted(0, 9999), 1U) << "each has one";
  EXPECT_EQ(threads_wanted(7, 9999), 7U) << "what is asked for is for each";
}

}  // namespace
}  // namespace strads
