// What a file that was written survives: the bytes are on the disk before the name is, and the name before anybody is
// told that it is done. A crash of the machine cannot be made here; which calls ask for it can be listened to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "data/files/atomic_file.hpp"
#include "support/temporary_folder.hpp"

namespace {

/// What has been asked to be on the disk, in this program: "folder", or the size of a file.
struct Listener {
  std::mutex mutex;
  std::vector<std::string> synced;
  std::string name;  ///< of a file; whether it is there is noted, too
};

Listener& listener() {
  static Listener* const all = new Listener;
  return *all;
}

}  // namespace

/// In place of the C library's, for this whole program: notes who asks, and does it.
extern "C" int fsync(int descriptor) {
  struct stat found {};
  if (::fstat(descriptor, &found) == 0) {
    const std::lock_guard lock(listener().mutex);
    std::string what = S_ISDIR(found.st_mode) ? "folder" : std::to_string(found.st_size) + " bytes";
    if (!listener().name.empty()) what += std::filesystem::exists(listener().name) ? ", named" : ", not named";
    listener().synced.push_back(what);
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace strads::data {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> synced_by(const std::string& name, const std::string& bytes) {
  {
    const std::lock_guard lock(listener().mutex);
    listener().name = name;
    listener().synced.clear();
  }
  EXPECT_TRUE(write_file_atomically(name, bytes).ok());
  const std::lock_guard lock(listener().mutex);
  listener().name.clear();
  return std::exchange(listener().synced, {});
}

TEST(SyncedFiles, HaveTheirBytesOnTheDiskBeforeTheirNameAndThenTheirName) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(synced_by(folder.path("new"), std::string(1000, 'x')),
              ElementsAre("1000 bytes, not named", "folder, named"));
  EXPECT_THAT(synced_by(folder.path("empty"), ""), ElementsAre("0 bytes, not named", "folder, named"));
}

TEST(SyncedFiles, ThatReplaceOthersAreSyncedAsWell) {
  const test::TemporaryFolder folder;
  (void)synced_by(folder.path("name"), "first");
  EXPECT_THAT(synced_by(folder.path("name"), "the second"), ElementsAre("10 bytes, named", "folder, named"));
}

}  // namespace
}  // namespace strads::data
