#include "data/files/unpack.hpp"

#include "data/files/mapped_file.hpp"
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

TEST(Gunzip, UnpacksWhatWasPacked) {
  const std::string text(1'000'000, 'x');
  const auto out = gunzip(gzipped(text), "f.gz");
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value(), text);
}

TEST(Gunzip, JoinsSeveralMembersAsBgzipWritesThem) {
  const auto out = gunzip(gzipped("one\n") + gzipped("two\n") + gzipped(""), "f.gz");
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ(out.value(), "one\ntwo\n");
}

TEST(Gunzip, RefusesEveryTruncation) {
  const std::string whole = gzipped("a line that is long enough to be cut\n");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_THAT(gunzip(std::string_view(whole).substr(0, size), "f.gz"), FailsWith("f.gz: ")) << size;
  }
}

TEST(Gunzip, RefusesDamageAndTrailingBytes) {
  std::string damaged = gzipped("a line that is long enough to be damaged\n");
  EXPECT_THAT(gunzip(damaged + "junk", "f.gz"), FailsWith("damaged"));
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT(gunzip(damaged, "f.gz"), FailsWith("damaged gzip data"));
}

TEST(Gunzip, StopsAtTheLimit) {
  EXPECT_THAT(gunzip(gzipped(std::string(1'000'000, 'x')), "f.gz", 1000), FailsWith("more than 1000 bytes"));
}

TEST(Gunzip, RefusesWhatMemoryCannotHoldWithBothFigures) {
  const std::string bomb = gzipped(std::string(30'000'000, 'x'));
  EXPECT_THAT(gunzip(bomb, "f.gz", std::uint64_t{1} << 40, 20'000'000),
              FailsWith("f.gz: unpacked, the file takes 30 MB of memory, but 20 MB can still be had"));
  // The end of a file of several members says nothing about the others.
  EXPECT_THAT(gunzip(bomb + gzipped("end"), "f.gz", std::uint64_t{1} << 40, 20'000'000),
              FailsWith("f.gz: unpacking the file further takes "));
  EXPECT_TRUE(gunzip(bomb, "f.gz", std::uint64_t{1} << 40, 40'000'000).ok());
}

TEST(InputFile, UnpacksByContentWhateverTheName) {
  const TempFolder folder;
  const auto source = InputFile::open(folder.write("plain.csv", gzipped("a,b\n1,2\n")));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().bytes(), "a,b\n1,2\n");
  EXPECT_FALSE(source.value().mapped());
}

TEST(MappedFile, ShowsTheBytesAndStaysValidAfterRelease) {
  const TempFolder folder;
  const std::string text(3 * 4096 + 5, 'q');
  const auto file = MappedFile::open(folder.write("f", text));
  ASSERT_TRUE(file.ok());
  file.value()->release(0, text.size());
  EXPECT_EQ(file.value()->bytes(), text);
}

TEST(MappedFile, OpensAnEmptyFileAsNoBytes) {
  const TempFolder folder;
  const auto file = MappedFile::open(folder.write("f", ""));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file.value()->bytes().empty());
}

TEST(MappedFile, SaysWhatIsMissing) {
  const TempFolder folder;
  EXPECT_THAT(MappedFile::open(folder.path("none")), FailsWith("cannot open: No such file"));
  EXPECT_THAT(MappedFile::open(folder.path("")), FailsWith("is a folder"));
}

}  // namespace
}  // namespace strads::data
