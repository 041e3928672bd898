#include "data/files/unpack.hpp"

#include <zstd.h>

#include "data/files/mapped_file.hpp"
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string long_text() {
  std::string text;
  for (int k = 0; k < 200'000; ++k) text += std::to_string(k * 7919 % 10'007) + '\n';
  return text;
}

TEST(Zstd, UnpacksFramesOneAfterTheOther) {
  const std::string text = long_text();
  EXPECT_TRUE(is_zstd(zstd_of(text)));
  EXPECT_EQ(unpack_zstd(zstd_of(text), "f").value(), text);
  EXPECT_EQ(unpack_zstd(zstd_of(text) + zstd_of("more"), "f").value(), text + "more");
  EXPECT_EQ(unpack_zstd(zstd_of(""), "f").value(), "");
}

TEST(Zstd, IsReadWhereverGzipIs) {
  const TempFolder folder;
  const auto source = InputFile::open(folder.write("t.zst", zstd_of("a b\n")));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().bytes(), "a b\n");
  EXPECT_FALSE(source.value().mapped());
}

TEST(Zstd, RefusesWhatIsCutOffDamagedOrTooLarge) {
  const std::string packed = zstd_of(long_text());
  for (const std::size_t size : {std::size_t{4}, std::size_t{100}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_THAT(unpack_zstd(packed.substr(0, size), "f.zst"), FailsWith("f.zst: the zstd data end in the middle"));
  }
  EXPECT_THAT(unpack_zstd(packed + "junk", "f.zst"), FailsWith("f.zst: damaged zstd data after"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  EXPECT_FALSE(unpack_zstd(damaged + zstd_of("x"), "f.zst").ok() &&
               unpack_zstd(damaged, "f.zst").value() == long_text());
  EXPECT_THAT(unpack_zstd(packed, "f.zst", 1000), FailsWith("unpacks to more than 1000 bytes"));
  EXPECT_THAT(unpack_zstd(packed, "f.zst", 1U << 30, 1000), FailsWith("f.zst: unpacked, the file takes"));
}

}  // namespace
}  // namespace strads::data
