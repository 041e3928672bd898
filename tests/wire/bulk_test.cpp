// Payloads with arrays of floats: how they look as bytes, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "wire/archive.hpp"
#include "wire/framing.hpp"
#include "wire/print.hpp"
#include "wire/size.hpp"

namespace strads::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

SharedFloats floats_of(const std::vector<float>& values) {
  SharedFloats floats(values.size());
  std::copy(values.begin(), values.end(), floats.writable().begin());
  return floats;
}

/// The words of a body, as far as it has any.
std::vector<std::uint64_t> words_of(const OutArchive& out) {
  std::vector<std::uint64_t> words;
  InArchive in(out.body(), {});
  for (std::size_t i = 0; i < out.body().size() / 8; ++i) {
    std::uint64_t word = 0;
    in& word;
    words.push_back(word);
  }
  return words;
}

Payload decoded(const OutArchive& out, Status& status) {
  Payload payload;
  InArchive in(out.body(), out.bulk());
  in& payload;
  status = in.finish();
  return payload;
}

/// What a payload with this body is refused for, with one frame of `bulk_bytes` beside it.
std::string refusal(const std::vector<std::uint64_t>& body, std::size_t bulk_bytes) {
  OutArchive out;
  for (const std::uint64_t word : body) out& word;
  const std::vector<std::byte> frame(bulk_bytes);
  const std::vector<FrameView> frames(bulk_bytes > 0 ? 1 : 0, FrameView(frame));
  Payload payload;
  InArchive in(out.body(), frames);
  in& payload;
  EXPECT_TRUE(payload.bulk.empty());
  EXPECT_EQ(payload.ids.capacity() + payload.values.capacity(), 0U);
  return in.finish().message();
}

TEST(BulkArrays, SizesFollowTheCountsAndTheArraysFollowTheValuesWithoutCopying) {
  const Payload payload{{7}, {0.5}, {floats_of({1, 2, 3}), floats_of({4})}};
  OutArchive out;
  out& payload;
  EXPECT_EQ(words_of(out), (std::vector<std::uint64_t>{1, kHasArrays | 1, 2, 3, 1}));
  ASSERT_THAT(out.bulk(), SizeIs(4));
  EXPECT_EQ(out.bulk()[2].data(), static_cast<const void*>(payload.bulk[0].data()));
  EXPECT_EQ(out.bulk()[2].size(), 12U);
  EXPECT_EQ(out.bulk()[3].data(), static_cast<const void*>(payload.bulk[1].data()));
  EXPECT_EQ(out.bulk()[3].size(), 4U);
}

TEST(BulkArrays, APayloadWithoutThemHasTwoCountsAndNothingElse) {
  OutArchive out;
  out& Payload{{7}, {0.5}};
  EXPECT_EQ(words_of(out), (std::vector<std::uint64_t>{1, 1}));
}

TEST(BulkArrays, ComeBackEqualWithTheirBits) {
  const Payload payload{{}, {}, {floats_of({-0.0F, 1e-45F, std::numeric_limits<float>::max()}), floats_of({1})}};
  OutArchive out;
  out& payload;
  Status status;
  const Payload after = decoded(out, status);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(after, payload);
  EXPECT_TRUE(std::signbit(after.bulk[0].view()[0]));
}

TEST(BulkArrays, MayBeEmpty) {
  const Payload payload{{1}, {}, {SharedFloats(), floats_of({2}), SharedFloats()}};
  OutArchive out;
  out& payload;
  EXPECT_THAT(out.bulk(), SizeIs(2)) << "an empty array has no frame";
  Status status;
  EXPECT_EQ(decoded(out, status), payload);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(BulkArrays, LongOnesAreCutIntoFramesAndComeBack) {
  SharedFloats large(600'000);  // 2.4 MB
  for (std::size_t i = 0; i < large.size(); ++i) large.writable()[i] = static_cast<float>(i) / 3;
  const Commit commit{.version = 2, .changes = {{5}, {1}, {floats_of({1, 2}), large, floats_of({3})}}};
  const auto chunks = encode(commit, {});
  EXPECT_EQ(chunks.size(), 4U) << "what comes before, twice 1 MiB, and the rest";
  const Result<Message> again = decode_encode(commit);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again.value(), Message(commit));
}

TEST(BulkArrays, SomeThousandOfThemFitOneMessage) {
  Commit commit;
  for (int i = 0; i < 5000; ++i) commit.changes.bulk.push_back(floats_of({static_cast<float>(i), 1}));
  const Result<Message> again = decode_encode(commit);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again.value(), Message(commit));
}

TEST(BulkArrays, AListOfNoArraysIsRefused) {
  EXPECT_THAT(refusal({0, kHasArrays, 0}, 0), HasSubstr("a list of no arrays of floats"));
}

TEST(BulkArrays, HostileNumbersOfArraysAreRefusedBeforeAllocating) {
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 40, std::uint64_t{1} << 61, ~std::uint64_t{0}})
    EXPECT_THAT(refusal({0, kHasArrays, count, 1}, 4), HasSubstr("a count of " + std::to_string(count)));
}

TEST(BulkArrays, SizesAreAddedUpBeforeAnythingIsAllocated) {
  // 16 bytes: each array would fit alone.
  EXPECT_THAT(refusal({0, kHasArrays, 2, 3, 2}, 16), HasSubstr("but only 4 bytes of bulk frames are left"));
  // Beside one id and one value 4 bytes are left.
  EXPECT_THAT(refusal({1, kHasArrays | 1, 1, 2}, 16), HasSubstr("but only 4 bytes of bulk frames are left"));
  // Sums and products that would wrap around to something small.
  EXPECT_THAT(refusal({0, kHasArrays, 1, (std::uint64_t{1} << 62) + 1}, 4), HasSubstr("bytes of bulk frames are left"));
  EXPECT_THAT(refusal({0, kHasArrays, 2, 1, ~std::uint64_t{0}}, 4), HasSubstr("bytes of bulk frames are left"));
  EXPECT_THAT(refusal({0, kHasArrays | (kHasArrays - 1), 1, 1}, 4), HasSubstr("bytes of bulk frames are left"));
}

TEST(BulkArrays, AListThatIsCutIsRefused) {
  EXPECT_THAT(refusal({0, kHasArrays}, 0), HasSubstr("8 bytes expected"));
  EXPECT_THAT(refusal({0, kHasArrays, 1}, 4), HasSubstr("8 bytes expected"));
  EXPECT_THAT(refusal({0, kHasArrays, 2, 1}, 4), HasSubstr("8 bytes expected"));
}

TEST(BulkArrays, NonFiniteFloatsAreRefusedByPlace) {
  const float infinity = std::numeric_limits<float>::infinity();
  Deltas deltas;
  deltas.deltas.bulk = {floats_of({1, 2}), floats_of({1, 2, 3, 4, 5, 6, 7, 8, 9, std::nanf(""), infinity})};
  const Status nan = decode_encode(deltas).status();
  EXPECT_EQ(nan.code(), StatusCode::cluster);
  EXPECT_THAT(nan.message(), HasSubstr("Deltas.deltas: bulk[1][9] is NaN, expected a finite number"));
  deltas.deltas.bulk = {floats_of({1, -infinity})};
  EXPECT_THAT(decode_encode(deltas).status().message(), HasSubstr("Deltas.deltas: bulk[0][1] is infinite"));
}

TEST(BulkArrays, ReplaceWhatThePayloadHeld) {
  const Payload other{{}, {}, {floats_of({1})}};
  OutArchive out;
  out& other;
  Payload payload{{1}, {2}, {floats_of({3}), floats_of({4})}};
  InArchive in(out.body(), out.bulk());
  in& payload;
  ASSERT_TRUE(in.finish().ok());
  EXPECT_EQ(payload, other);
}

TEST(BulkArrays, CountInTheSizeOfAMessage) {
  const std::size_t without = encoded_size(Start{{{1}, {2}}});
  EXPECT_EQ(encoded_size(Start{{{1}, {2}, {floats_of({1, 2, 3}), SharedFloats()}}}), without + 8 + 2 * 8 + 12);
}

TEST(BulkArrays, ArePrintedAsTheirSizes) {
  EXPECT_EQ(to_text(Start{{{1}, {0.5}, {floats_of({1, 2, 3}), SharedFloats()}}}),
            "Start problem.ids=[1] problem.values=[0.5] problem.bulk_sizes=[3 0]");
}

}  // namespace
}  // namespace strads::wire
