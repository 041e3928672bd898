// How much memory there is, as the system says; and which files are too large for it.
#include "data/files/memory_limit.hpp"

#include "data/files/mapped_file.hpp"

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr const char* kUnlimited = "9223372036854771712\n";

class MemoryLimit : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder.path(name);
    std::filesystem::create_directories(path.parent_path());
    folder.write(name, text);
  }
  void available(std::uint64_t kibibytes) {
    write("proc/meminfo", "MemTotal: 99999999 kB\nMemFree: 1 kB\nMemAvailable:   " + std::to_string(kibibytes) +
                              " kB\nBuffers: 3 kB\n");
  }
  std::uint64_t limit() { return memory_limit(folder.path("").substr(0, folder.path("").size() - 1)); }

  TempFolder folder;
};

TEST(MemoryOfAPipe, IsBoundedWhileItIsRead) {
  const auto file = MappedFile::open("/dev/zero", 5 * kMegabyte);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::input);
  EXPECT_EQ(
      file.status().message(),
      "/dev/zero: is no regular file, and reading on after 3145728 bytes takes 7 MB of memory, but 5 MB can still "
      "be had (machine and control groups); write it into a file, which is mapped, or use a larger machine");
}

TEST_F(MemoryLimit, IsWhatTheMachineHasLeft) {
  available(4096);
  EXPECT_EQ(limit(), 4 * kMegabyte);
}

TEST_F(MemoryLimit, IsUnknownWhereTheSystemSaysNothing) {
  EXPECT_EQ(limit(), std::numeric_limits<std::uint64_t>::max());
}

TEST_F(MemoryLimit, IsThatOfTheGroupAboveInVersion1) {
  available(1 << 20);
  write("proc/self/cgroup", "7:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", kUnlimited);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3145728\n");
  write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "5242880\n");
  EXPECT_EQ(limit(), 3 * kMegabyte);
}

TEST_F(MemoryLimit, IsThatOfTheGroupInVersion2) {
  available(1 << 20);
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "2097152\n");
  EXPECT_EQ(limit(), 2 * kMegabyte);
}

TEST_F(MemoryLimit, InAContainerIsThatOfTheTop) {
  available(1 << 20);
  write("proc/self/cgroup", "4:memory:/docker/0123\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "7340032\n");
  EXPECT_EQ(limit(), 7 * kMegabyte);
}

class MemoryLeft : public MemoryLimit {
 protected:
  std::uint64_t left() { return memory_left(folder.path("").substr(0, folder.path("").size() - 1)); }
};

TEST_F(MemoryLeft, IsWithoutWhatTheGroupUsesInVersion1) {
  available(1 << 20);
  write("proc/self/cgroup", "4:memory:/a\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", kUnlimited);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(10 * kMegabyte));
  EXPECT_EQ(left(), 10 * kMegabyte) << "nobody says what is used";
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", std::to_string(7 * kMegabyte));
  write("sys/fs/cgroup/memory/a/memory.stat", "cache 1\ntotal_cache " + std::to_string(3 * kMegabyte) + "\n");
  EXPECT_EQ(left(), 6 * kMegabyte) << "page cache can be taken back";
  EXPECT_EQ(limit(), 10 * kMegabyte);
}

TEST_F(MemoryLeft, IsWithoutWhatTheGroupAboveUsesInVersion2) {
  available(1 << 20);
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/memory.max", std::to_string(8 * kMegabyte));
  write("sys/fs/cgroup/user.slice/memory.current", std::to_string(6 * kMegabyte));
  write("sys/fs/cgroup/user.slice/memory.stat", "anon 5\nfile " + std::to_string(kMegabyte) + "\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", std::to_string(5 * kMegabyte));
  EXPECT_EQ(left(), 3 * kMegabyte);
}

TEST_F(MemoryLeft, IsNothingWhereMoreIsUsedThanTheLimit) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1000\n");
  write("sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(left(), 0U);
}

class OomKilled : public MemoryLimit {
 protected:
  OomKills kills() { return oom_kills(folder.path("").substr(0, folder.path("").size() - 1)); }
};

TEST_F(OomKilled, AreNoneWhereTheSystemSaysNothing) {
  EXPECT_EQ(kills().group, 0U);
  EXPECT_EQ(kills().machine, 0U);
}

TEST_F(OomKilled, AreThoseOfTheGroupAndOfTheMachineInVersion1) {
  write("proc/self/cgroup", "4:memory:/a\n0::/\n");
  write("proc/vmstat", "nr_free_pages 12\noom_kill 7\ndrop_pagecache 0\n");
  write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  write("sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_EQ(kills().group, 2U);
  EXPECT_EQ(kills().machine, 7U);
}

TEST_F(OomKilled, AreThoseOfTheGroupInVersion2) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.events", "low 0\nhigh 4\nmax 9\noom 3\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ(kills().group, 1U);
}

TEST_F(OomKilled, InAContainerAreThoseOfTheTop) {
  write("proc/self/cgroup", "4:memory:/docker/0123\n");
  write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(kills().group, 5U);
}

TEST(ExpectedMemory, IsRefusedWithBothFiguresAndWhatToDo) {
  const Status refused = expect_memory("x.npy", "its columns take", 5'000'000, "write fewer", 4'000'000);
  EXPECT_EQ(refused.code(), StatusCode::input);
  EXPECT_EQ(refused.message(),
            "x.npy: its columns take 5 MB of memory, but 4 MB can still be had (machine and control groups); write "
            "fewer");
  EXPECT_TRUE(expect_memory("x.npy", "its columns take", 4'000'000, "write fewer", 4'000'000).ok());
}

TEST(ExpectedMemory, IsAskedForBeforeARowMajorArrayOrATableIsCopied) {
  const TempFolder folder;
  InputOptions options;
  options.source.x = folder.write("x.npy", npy("<f4", false, "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6})));
  options.response.y = folder.write("y.csv", "y\n1\n2\n3\n");
  options.source.memory = 23;
  EXPECT_THAT(load_dataset(options), FailsWith("x.npy: copied column by column, the array takes"));
  options.source.memory = 24;
  EXPECT_TRUE(load_dataset(options).ok());
  options.source.x = folder.write("x.csv", "a,b\n1,2\n3,4\n5,6\n");
  options.source.memory = 47;
  EXPECT_THAT(load_dataset(options), FailsWith("x.csv: its numbers take"));
  options.source.memory = 48;
  EXPECT_TRUE(load_dataset(options).ok());
}

TEST(ExpectedMemory, IsAskedForBeforeTextOfASparseMatrixIsRead) {
  const TempFolder folder;
  InputOptions options;
  options.response.y = folder.write("y.csv", "y\n1\n2\n3\n");
  options.source.x =
      folder.write("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 1 2\n3 2 3\n");
  options.source.memory = 83;
  EXPECT_THAT(load_dataset(options), FailsWith("x.mtx: its entries take"));
  options.source.memory = 84;
  EXPECT_TRUE(load_dataset(options).ok());
  options.response.y.clear();
  options.source.x = folder.write("x.svm", "1 1:1\n2 1:2\n3 2:3\n");
  options.source.memory = 71;
  EXPECT_THAT(load_dataset(options), FailsWith("x.svm: its entries take"));
  options.source.memory = 72;
  EXPECT_TRUE(load_dataset(options).ok());
}

class LargeFile : public ::testing::Test {
 protected:
  /// 400,000 bytes of doubles, mapped.
  std::shared_ptr<const Dataset> loaded(std::uint64_t memory) {
    std::vector<double> values(50'000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>((k * 2654435761u) % 1000);
    InputOptions options;
    options.source.x = folder.write("x.npy", npy("<f8", true, "(100, 500)", raw(values)));
    std::string y = "y\n";
    for (int i = 0; i < 100; ++i) y += std::to_string(i) + "\n";
    options.response.y = folder.write("y.csv", y);
    options.source.memory = memory;
    return load(options);
  }
  TempFolder folder;
};

TEST_F(LargeFile, WantsToHearWhatWillBeReadWhereMemoryCannotHoldIt) {
  EXPECT_NE(loaded(400'000)->columns().read_ahead, nullptr);
  EXPECT_EQ(loaded(600'000)->columns().read_ahead, nullptr);
}

TEST_F(LargeFile, HasTheSameBytesWhateverWasAnnounced) {
  const auto small = loaded(kMegabyte), large = loaded(1);
  const ColumnsView& view = large->columns();
  ASSERT_NE(view.read_ahead, nullptr);
  view.read_ahead->expect(0, 400'000);
  view.read_ahead->expect(399'999, 500'000);
  view.read_ahead->expect(1'000'000, 2'000'000);
  EXPECT_EQ(std::memcmp(view.values, small->columns().values, 400'000), 0);
  EXPECT_EQ(large->fingerprint(), small->fingerprint());
}

}  // namespace
}  // namespace strads::data
