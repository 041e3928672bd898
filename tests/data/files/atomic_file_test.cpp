#include "data/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <thread>

#include "data/fixtures.hpp"

namespace strads::data {
namespace {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t files_in(const TempFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path("")), {});
}

struct Wrapped {  // gives a Status the shape that the matchers want
  Status inner;
  [[nodiscard]] const Status& status() const { return inner; }
};

TEST(WriteFileAtomically, WritesBinaryBytesAndLeavesNothingElse) {
  const TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(folder.path("out"), bytes).ok());
  EXPECT_EQ(content(folder.path("out")), bytes);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteFileAtomically, ReplacesAnOlderFile) {
  const TempFolder folder;
  folder.write("out", "a longer older text");
  ASSERT_TRUE(write_file_atomically(folder.path("out"), "new").ok());
  EXPECT_EQ(content(folder.path("out")), "new");
}

TEST(WriteFileAtomically, FailsWhenTheFolderIsMissing) {
  const TempFolder folder;
  const Wrapped result{write_file_atomically(folder.path("none/out"), "x")};
  EXPECT_THAT(result, FailsWith("none/out: cannot write: No such file or directory"));
}

TEST(AtomicFile, ShowsNothingUnderItsNameBeforeCommit) {
  const TempFolder folder;
  auto file = AtomicFile::create(folder.path("out"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file.value().write("one ").ok());
  ASSERT_TRUE(file.value().write("two").ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  ASSERT_TRUE(file.value().commit().ok());
  EXPECT_EQ(content(folder.path("out")), "one two");
}

TEST(AtomicFile, RemovesItsBytesWhenItGoesWithoutCommit) {
  const TempFolder folder;
  folder.write("out", "older");
  {
    auto file = AtomicFile::create(folder.path("out"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file.value().write("half").ok());
    const AtomicFile moved = std::move(file).value();
  }
  EXPECT_EQ(content(folder.path("out")), "older");
  EXPECT_EQ(files_in(folder), 1);
}

// --- what stands at the name already ---

TEST(AtomicFile, FollowsLinksAndLeavesThem) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("far"));
  folder.write("far/target", "older");
  std::filesystem::create_symlink("far/target", folder.path("link"));
  std::filesystem::create_symlink(folder.path("link"), folder.path("link_to_link"));
  std::filesystem::create_symlink("far/new", folder.path("dangling"));
  ASSERT_TRUE(write_file_atomically(folder.path("link_to_link"), "one").ok());
  EXPECT_EQ(content(folder.path("far/target")), "one");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link_to_link")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  ASSERT_TRUE(write_file_atomically(folder.path("dangling"), "two").ok());
  EXPECT_EQ(content(folder.path("far/new")), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("dangling")));
}

TEST(AtomicFile, RefusesLinksInACircleAndFolders) {
  const TempFolder folder;
  std::filesystem::create_symlink("b", folder.path("a"));
  std::filesystem::create_symlink("a", folder.path("b"));
  EXPECT_THAT(Wrapped{write_file_atomically(folder.path("a"), "x")}, FailsWith("Too many levels of symbolic links"));
  std::filesystem::create_directory(folder.path("d"));
  EXPECT_THAT(Wrapped{write_file_atomically(folder.path("d"), "x")}, FailsWith("d: cannot write: Is a directory"));
}

TEST(AtomicFile, KeepsTheModeOfWhatItReplaces) {
  const TempFolder folder;
  for (const mode_t mode : {0600U, 0640U, 0444U, 0755U}) {
    const std::string path = folder.write("out", "older");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(write_file_atomically(path, "new").ok());
    struct stat now {};
    ASSERT_EQ(::stat(path.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 07777U, mode);
    EXPECT_EQ(content(path), "new");
    std::filesystem::remove(path);
  }
}

TEST(AtomicFile, KeepsTheOwnerWhereItMay) {
  const TempFolder folder;
  const std::string path = folder.write("out", "older");
  const bool gives = ::geteuid() == 0;  // only root gives files away
  const uid_t owner = gives ? 4321 : ::geteuid();
  const gid_t group = gives ? 1234 : ::getegid();
  ASSERT_EQ(::chown(path.c_str(), owner, group), 0);
  ASSERT_TRUE(write_file_atomically(path, "new").ok());
  struct stat now {};
  ASSERT_EQ(::stat(path.c_str(), &now), 0);
  EXPECT_EQ(now.st_uid, owner);
  EXPECT_EQ(now.st_gid, group);
}

TEST(AtomicFile, LeavesTheOtherNamesOfAFileTheirBytes) {
  const TempFolder folder;
  folder.write("out", "older");
  std::filesystem::create_hard_link(folder.path("out"), folder.path("other"));
  ASSERT_TRUE(write_file_atomically(folder.path("out"), "new").ok());
  EXPECT_EQ(content(folder.path("out")), "new");
  EXPECT_EQ(content(folder.path("other")), "older");
}

TEST(AtomicFile, WritesToANamedPipeAndLeavesIt) {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder.path("link"));
  for (const char* name : {"pipe", "link"}) {
    std::string got;
    std::thread reader([&] { got = content(path); });
    EXPECT_TRUE(write_file_atomically(folder.path(name), "all of it").ok());
    reader.join();
    EXPECT_EQ(got, "all of it") << name;
    EXPECT_TRUE(std::filesystem::is_fifo(path));
  }
  EXPECT_EQ(files_in(folder), 2);
}

TEST(AtomicFile, WritesToDevicesAndSaysWhenTheyAreFull) {
  EXPECT_TRUE(write_file_atomically("/dev/null", "nothing").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(Wrapped{write_file_atomically("/dev/full", "x")}, FailsWith("/dev/full: cannot write: No space left"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// A descriptor that is a file goes on where it is, as the shell's >> and a second writer expect.
TEST(AtomicFile, WritesToDescriptorsBehindWhatIsThere) {
  const TempFolder folder;
  const std::string path = folder.write("out", "");
  const int file = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::write(file, "first ", 6), 6);
  const std::string name = "/dev/fd/" + std::to_string(file);
  std::filesystem::create_symlink(name, folder.path("link"));
  EXPECT_TRUE(write_file_atomically(name, "second ").ok());
  EXPECT_TRUE(write_file_atomically(folder.path("link"), "third ").ok());
  ASSERT_EQ(::write(file, "last", 4), 4);
  ::close(file);
  EXPECT_EQ(content(path), "first second third last");
  EXPECT_THAT(Wrapped{write_file_atomically(name, "x")}, FailsWith("cannot write: Bad file descriptor"));
}

TEST(AtomicFile, WritesToASocketThatIsADescriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_TRUE(write_file_atomically("/dev/fd/" + std::to_string(ends[0]), "hello").ok());
  std::array<char, 8> got{};
  EXPECT_EQ(::read(ends[1], got.data(), got.size()), 5);
  EXPECT_EQ(std::string(got.data()), "hello");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace strads::data
