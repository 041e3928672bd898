#include "strads/base/hash.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <string_view>
#include <vector>

namespace strads {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Hash, OfNothingIsTheKnownValueOfXxh3) {
  EXPECT_EQ(xxh3({}), 0x2d06800538d394c2U);  // the empty input's value in the xxHash specification
  EXPECT_EQ(Hash64().digest(), 0x2d06800538d394c2U);
}

TEST(Hash, AgreesWithTheLibraryForEveryLengthAroundItsInternalLimits) {
  std::vector<std::byte> bytes(1100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 % 251);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(xxh3(std::span(bytes).first(size)), XXH3_64bits(bytes.data(), size)) << size;
  }
}

TEST(Hash, DoesNotDependOnHowTheBytesWereCut) {
  std::vector<std::byte> bytes(3000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 % 255);
  for (const std::size_t piece : {1U, 7U, 64U, 1023U, 3000U}) {
    Hash64 hash;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hash.update(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    EXPECT_EQ(hash.digest(), xxh3(bytes)) << piece;
  }
}

TEST(Hash, WritesWordsLittleEndian) {
  Hash64 words;
  words.update_u64(0x0807060504030201);
  const std::array<std::byte, 8> same{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                      std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
  EXPECT_EQ(words.digest(), xxh3(same));
}

TEST(Hash, TakesMinusZeroForZeroAndTellsOtherDoublesApart) {
  const auto of = [](double value) {
    Hash64 hash;
    hash.update_f64(value);
    return hash.digest();
  };
  EXPECT_EQ(of(-0.0), of(0.0));
  EXPECT_NE(of(1.0), of(-1.0));
  EXPECT_NE(of(5e-324), of(0.0));
  Hash64 bits;
  bits.update_u64(std::bit_cast<std::uint64_t>(-1.25));
  EXPECT_EQ(of(-1.25), bits.digest());
}

TEST(Hash, GoesOnAfterADigestAndAfterAMove) {
  Hash64 first;
  first.update(bytes_of("stra"));
  EXPECT_EQ(first.digest(), xxh3(bytes_of("stra")));
  Hash64 second = std::move(first);
  second.update(bytes_of("ds"));
  EXPECT_EQ(second.digest(), xxh3(bytes_of("strads")));
}

}  // namespace
}  // namespace strads
