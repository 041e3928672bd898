// fsync() of this program is its own, so that a test can have signals cut it off: on a disk behind a network they do.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "data/files/atomic_file.hpp"

namespace {

std::atomic<int> fsyncs_to_fail{0};  ///< so many calls to come fail
std::atomic<int> fsync_error{EINTR};
std::atomic<int> fsyncs_done{0};

}  // namespace

extern "C" int fsync(int descriptor) {
  if (fsyncs_to_fail > 0) {
    --fsyncs_to_fail;
    errno = fsync_error;
    return -1;
  }
  ++fsyncs_done;
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace strads::data {
namespace {

class SyncedFiles : public testing::Test {
 protected:
  SyncedFiles() { std::filesystem::create_directory(folder_); }
  ~SyncedFiles() override {
    fsyncs_to_fail = 0;
    fsync_error = EINTR;
    std::filesystem::remove_all(folder_);
  }
  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("strads-fsyncs_done-" + std::to_string(::getpid()))).string();
  const std::string path_ = folder_ + "/file";
};

TEST_F(SyncedFiles, AreWholeWhereASignalComesMeanwhile) {
  fsyncs_to_fail = 3;
  fsyncs_done = 0;
  const Status written = write_file_atomically(path_, "content");
  EXPECT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(fsyncs_done, 2) << "the file, and its folder";
  std::string text;
  std::ifstream(path_) >> text;
  EXPECT_EQ(text, "content");
}

TEST_F(SyncedFiles, AreNoneWhereTheDiskFails) {
  fsyncs_to_fail = 1;
  fsync_error = EIO;
  EXPECT_FALSE(write_file_atomically(path_, "content").ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace strads::data
