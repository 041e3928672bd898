#include "wire/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strads::wire {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

struct Inner {
  std::int64_t number = 0;
  template <class Archive>
  void serialize(Archive& ar, unsigned int) {
    ar& number;
  }
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  std::uint8_t small = 0;
  std::string text;
  std::vector<double> numbers;
  Inner inner;
  Payload payload;
  template <class Archive>
  void serialize(Archive& ar, unsigned int) {
    ar& small& text& numbers& inner& payload;
  }
  friend bool operator==(const Outer&, const Outer&) = default;
};

Outer example() {
  return {.small = 7, .text = "hi", .numbers = {0.5, -2}, .inner = {-3}, .payload = {{1, 2}, {0.25}}};
}

TEST(Archive, WritesFixedWidthLittleEndian) {
  OutArchive out;
  out& std::uint8_t{1} & std::uint32_t{0x05040302} & std::int64_t{-2};
  EXPECT_EQ(out.body(), bytes_of({1, 2, 3, 4, 5, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
}

TEST(Archive, WritesCountsAsU64BeforeStringsAndVectors) {
  OutArchive out;
  out& std::string("ab") & std::vector<std::uint32_t>{3};
  EXPECT_EQ(out.body(), bytes_of({2, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_TRUE(out.bulk().empty());
}

TEST(Archive, PutsArraysOfAPayloadBesideTheBodyWithoutCopying) {
  const Payload payload{{1, 2, 3}, {0.5}};
  OutArchive out;
  out& payload;
  EXPECT_EQ(out.body(), bytes_of({3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  ASSERT_EQ(out.bulk().size(), 2U);
  EXPECT_EQ(out.bulk()[0].data(), static_cast<const void*>(payload.ids.data()));
  EXPECT_EQ(out.bulk()[0].size(), 12U);
  EXPECT_EQ(out.bulk()[1].size(), 8U);
}

TEST(Archive, NestedStructsComeBackEqual) {
  const Outer before = example();
  OutArchive out;
  out << before;
  InArchive in(out.body(), out.bulk());
  Outer after;
  in >> after;
  EXPECT_TRUE(in.finish().ok());
  EXPECT_EQ(after, before);
}

TEST(Archive, EveryCutOfTheBodyIsRefused) {
  const Outer before = example();
  OutArchive out;
  out << before;
  for (std::size_t size = 0; size < out.body().size(); ++size) {
    InArchive in(FrameView(out.body()).first(size), out.bulk());
    Outer after;
    in >> after;
    EXPECT_FALSE(in.finish().ok()) << size;
  }
}

TEST(Archive, LeftOverBytesAndFramesAreRefused) {
  const std::vector<std::byte> body = bytes_of({1, 2});
  std::uint8_t value = 0;
  InArchive in(body, {});
  in& value;
  EXPECT_THAT(in.finish().message(), HasSubstr("1 bytes of the body are left over"));
  const FrameView frame(body);
  InArchive with_bulk({}, std::span(&frame, 1));
  EXPECT_THAT(with_bulk.finish().message(), HasSubstr("1 bulk frames are left over"));
}

TEST(Archive, HostileCountsOfVectorsAndStringsAreRefusedBeforeAllocating) {
  // 2^61 + 1 numbers of 8 bytes: the product would wrap around to 8.
  for (const std::uint64_t count :
       {std::uint64_t{17}, std::uint64_t{1} << 40, (std::uint64_t{1} << 61) + 1, ~std::uint64_t{0}}) {
    OutArchive out;
    out& count & 1.0;
    std::vector<double> numbers;
    InArchive in(out.body(), {});
    in& numbers;
    EXPECT_THAT(in.finish().message(), HasSubstr("a count of " + std::to_string(count)));
    EXPECT_EQ(numbers.capacity(), 0U);
    std::string text;
    InArchive in_text(out.body(), {});
    in_text& text;
    EXPECT_FALSE(in_text.finish().ok());
    EXPECT_TRUE(text.empty());
  }
}

TEST(Archive, HostileCountsOfPayloadsAreRefusedBeforeAllocating) {
  const std::vector<std::byte> frame(16);
  const FrameView view(frame);
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [ids, values] : {Counts{5, 0}, Counts{0, 3}, Counts{2, 2}, Counts{~0ULL, 0}, Counts{0, ~0ULL},
                                    Counts{1ULL << 62, 2}, Counts{4, 1ULL << 61}}) {
    OutArchive out;
    out& ids& values;
    Payload payload;
    InArchive in(out.body(), std::span(&view, 1));
    in& payload;
    EXPECT_THAT(in.finish().message(), HasSubstr("bytes of bulk frames are left"));
    EXPECT_EQ(payload.ids.capacity() + payload.values.capacity(), 0U);
  }
}

TEST(Archive, BulkFramesOfAnotherSizeThanTheCountsSayAreRefused) {
  const std::vector<std::byte> bytes(12);
  const std::vector<FrameView> cut_in_two{FrameView(bytes).first(4), FrameView(bytes).first(8)};
  OutArchive out;
  out& std::uint64_t{3} & std::uint64_t{0};
  Payload payload;
  InArchive in(out.body(), cut_in_two);
  in& payload;
  EXPECT_THAT(in.finish().message(), HasSubstr("a bulk frame of 4 bytes, expected 12"));
}

TEST(Archive, NamesTheFieldAndTheBadValue) {
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    const Payload payload{{}, {1, 2, bad}};
    OutArchive out;
    out& payload;
    Payload decoded;
    InArchive in(out.body(), out.bulk());
    in.at("Deltas", "deltas");
    in& decoded;
    const Status status = in.finish();
    EXPECT_EQ(status.code(), StatusCode::cluster);
    EXPECT_THAT(status.message(), HasSubstr("Deltas.deltas: values[2] is "));
  }
}

TEST(Archive, MinusZeroAndDenormalsKeepTheirBits) {
  const Payload payload{{}, {-0.0, 5e-324, std::numeric_limits<double>::max()}};
  OutArchive out;
  out& payload;
  Payload decoded;
  InArchive in(out.body(), out.bulk());
  in& decoded;
  ASSERT_TRUE(in.finish().ok());
  EXPECT_TRUE(std::signbit(decoded.values[0]));
  EXPECT_EQ(decoded, payload);
}

TEST(Archive, TheFirstErrorIsKeptAndLaterValuesAreLeftAlone) {
  const std::vector<std::byte> body = bytes_of({1, 2, 3});
  InArchive in(body, {});
  std::uint32_t first = 11;
  std::uint8_t second = 12;
  in.at("M", "first");
  in& first;
  in.at("M", "second");
  in& second;
  EXPECT_EQ(first, 11U);
  EXPECT_EQ(second, 12U);
  EXPECT_THAT(in.finish().message(), HasSubstr("M.first: 4 bytes expected"));
}

}  // namespace
}  // namespace strads::wire
