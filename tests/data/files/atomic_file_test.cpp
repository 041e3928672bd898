#include "data/files/atomic_file.hpp"

#include <iterator>

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

}  // namespace
}  // namespace strads::data
