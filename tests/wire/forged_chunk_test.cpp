// Chunks with right checksums and wrong shapes: each check of the decoder holds by itself, not because a checksum fails
// before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "forge.hpp"
#include "wire/framing.hpp"

namespace strads::wire {
namespace {

using ::testing::HasSubstr;
using testing::sign;
using testing::sign_all;

constexpr HeaderInfo kForger{.cluster = 7, .epoch = 1, .sender = 2, .incarnation = 3};
constexpr std::size_t kBulkFramesAt = 7, kIndexAt = 32, kCountAt = 34;

/// Two bulk frames: ids of 4 bytes each, values of 8.
Frames one_chunk() {
  return encode(Deltas{.deltas = {{1, 2, 3}, {0.5, 0.25, 0.125}}}, kForger).at(0);
}

void number(Frames& chunk, std::uint16_t index, std::uint16_t count) {
  std::memcpy(chunk[0].data() + kIndexAt, &index, sizeof index);
  std::memcpy(chunk[0].data() + kCountAt, &count, sizeof count);
}

/// What the last of these chunks is answered with.
std::string answer_to(const std::vector<Frames>& chunks) {
  Decoder decoder;
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
    const auto result = decoder.feed(chunks[i]);
    EXPECT_TRUE(result.ok()) << result.status().message();
  }
  const auto result = decoder.feed(chunks.back());
  if (!result.ok()) return result.status().message();
  return result.value().has_value() ? "decoded" : "waits";
}

std::string answer_to_signed(Frames chunk) {
  sign(chunk);
  return answer_to({std::move(chunk)});
}

TEST(ForgedChunk, OfTheRightShapeIsTaken) {
  std::vector<Frames> chunks{one_chunk()};
  const Frames whole = chunks[0];
  sign_all(chunks);
  EXPECT_EQ(chunks[0], whole) << "the forger signs as encode() does";
  EXPECT_EQ(answer_to(chunks), "decoded");
}

TEST(ForgedChunk, OfAWrongShapeIsRefusedByItsShape) {
  for (std::size_t bytes = 8; bytes < kTrailerBytes; ++bytes) {
    Frames chunk = encode(Finish{}, kForger).at(0);
    chunk[1].resize(bytes);
    EXPECT_THAT(answer_to_signed(chunk), HasSubstr("a body of " + std::to_string(bytes) + " bytes"));
  }
  Frames chunk = one_chunk();
  chunk[0][kBulkFramesAt] = std::byte{1};
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("4 frames, expected 3"));
  chunk[0][kBulkFramesAt] = std::byte{3};
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("4 frames, expected 5"));
  chunk[0][kBulkFramesAt] = std::byte{2};
  chunk[3].clear();
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("bulk frames of 12 bytes in one chunk"));
  chunk = one_chunk();
  chunk[1].resize(kFrameBytesMax + 1);
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("a body of 1048577 bytes"));
}

TEST(ForgedChunk, OfMoreThanAMebibyteIsRefused) {
  const auto with_bulk = [](std::size_t first, std::size_t second) {
    std::vector<Frames> chunks{one_chunk()};
    chunks[0][2].assign(first, std::byte{0});
    chunks[0][3].assign(second, std::byte{0});
    sign_all(chunks);
    return answer_to(chunks);
  };
  EXPECT_THAT(with_bulk(kFrameBytesMax, 1), HasSubstr("bulk frames of 1048577 bytes in one chunk"));
  EXPECT_THAT(with_bulk(kFrameBytesMax - 8, 8), HasSubstr("Deltas.deltas")) << "that much may come";
}

TEST(ForgedChunk, BehindTheLastIsRefused) {
  for (const auto& [index, count] : {std::pair{1, 1}, {2, 2}, {3, 2}, {0, 0}, {65535, 65535}}) {
    Frames chunk = one_chunk();
    number(chunk, static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(count));
    EXPECT_THAT(answer_to_signed(chunk), HasSubstr("chunk " + std::to_string(index) + " of " + std::to_string(count)));
  }
}

TEST(ForgedChunk, OfALaterIndexHoldsBulkAndNothingElse) {
  Frames chunk = one_chunk();
  number(chunk, 1, 2);
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("a body of ")) << "control fields are in chunk 0";
  chunk[1].resize(kTrailerBytes + 1);
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("a body of 17 bytes"));
  chunk[1].resize(kTrailerBytes);
  EXPECT_EQ(answer_to_signed(chunk), "waits");
  chunk.resize(2);
  chunk[0][kBulkFramesAt] = std::byte{0};
  EXPECT_THAT(answer_to_signed(chunk), HasSubstr("a later chunk without bulk frames"));
}

TEST(ForgedChunk, UnderAnotherNameIsRefused) {
  const auto renamed = [](Frames chunk) {
    chunk[1][chunk[1].size() - kTrailerBytes] ^= std::byte{1};
    return answer_to_signed(chunk);
  };
  EXPECT_THAT(renamed(one_chunk()), HasSubstr("does not have the name that its chunks carry"));
  EXPECT_THAT(renamed(encode(Finish{}, kForger).at(0)), HasSubstr("does not have the name that its chunks carry"));
}

/// The bulk frames of a message, one in each chunk.
std::vector<Frames> scattered() {
  const Frames whole = one_chunk();
  std::vector<Frames> chunks{{whole[0], whole[1], whole[2]}, {whole[0], Frame(kTrailerBytes), whole[3]}};
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    chunks[i][0][kBulkFramesAt] = std::byte{1};
    number(chunks[i], static_cast<std::uint16_t>(i), 2);
  }
  return chunks;
}

TEST(ForgedChunk, WithFramesOfAnotherChunkIsRefused) {
  std::vector<Frames> chunks = scattered();
  sign_all(chunks);
  EXPECT_THAT(answer_to(chunks), HasSubstr("bulk frames lie in other chunks than expected"));
}

TEST(ForgedChunk, OfAnotherMessageDoesNotCompleteThisOne) {
  std::vector<Frames> chunks = scattered();
  sign_all(chunks);
  // Another type, sender, count or name is another message.
  for (const std::size_t at :
       {std::size_t{6}, std::size_t{8}, std::size_t{16}, std::size_t{20}, std::size_t{24}, std::size_t{28}}) {
    std::vector<Frames> mixed = chunks;
    mixed[1][0][at] ^= std::byte{1};
    sign(mixed[1]);
    EXPECT_EQ(answer_to(mixed), "waits") << "byte " << at << " of the header";
  }
  std::vector<Frames> mixed = chunks;
  number(mixed[1], 1, 3);
  sign(mixed[1]);
  EXPECT_EQ(answer_to(mixed), "waits");
  mixed = chunks;
  mixed[1][1][0] ^= std::byte{1};
  sign(mixed[1]);
  EXPECT_EQ(answer_to(mixed), "waits");
}

// --- memory of unfinished messages ---

/// Chunk 0 of 2 of a message of its own, with a body of so many bytes and 12 bytes of bulk.
Frames unfinished(std::size_t body, std::uint64_t cluster) {
  Frames chunk = scattered()[0];
  std::memcpy(chunk[0].data() + 8, &cluster, sizeof cluster);
  chunk[1].assign(body + kTrailerBytes, std::byte{0});
  sign(chunk);
  return chunk;
}

std::size_t held_after(Decoder& decoder, const Frames& chunk) {
  EXPECT_TRUE(decoder.feed(chunk).ok());
  return decoder.held_bytes();
}

TEST(UnfinishedMessage, CountsItsBodyAndWhatKeepingItCosts) {
  Decoder decoder;
  const std::size_t small = held_after(decoder, unfinished(0, 1));
  EXPECT_GT(small, 300U)
      << "12 bytes of bulk, and nodes of maps and vectors: a flood of tiny chunks must meet the limit";
  EXPECT_EQ(held_after(decoder, unfinished(5000, 2)) - small, small + 5000);
}

TEST(UnfinishedMessage, MayNeedExactlyTheLimit) {
  Decoder measuring;
  const std::size_t needed = held_after(measuring, unfinished(100, 1));
  EXPECT_TRUE(Decoder(needed).feed(unfinished(100, 1)).ok());
  EXPECT_FALSE(Decoder(needed - 1).feed(unfinished(100, 1)).ok());
}

TEST(UnfinishedMessage, BegunLongestAgoMakesRoom) {
  // In the order of their keys the oldest is neither the first nor the last.
  std::vector<std::vector<Frames>> messages;
  for (const std::uint64_t cluster : {5, 3, 9}) {
    std::vector<Frames>& chunks = messages.emplace_back(scattered());
    for (Frames& chunk : chunks) std::memcpy(chunk[0].data() + 8, &cluster, sizeof cluster);
    sign_all(chunks);
  }
  Decoder measuring;
  const std::size_t one = held_after(measuring, messages[0][0]);
  Decoder decoder(3 * one - 1);
  for (const auto& chunks : messages) EXPECT_LT(held_after(decoder, chunks[0]), 3 * one);
  // Who is complete is refused for its shape.
  EXPECT_FALSE(decoder.feed(messages[1][1]).ok());
  EXPECT_FALSE(decoder.feed(messages[2][1]).ok());
  EXPECT_TRUE(decoder.feed(messages[0][1]).ok()) << "its first chunk made room for the third message";
}

TEST(UnfinishedMessage, ThatIsTooLargeIsForgottenAtOnce) {
  std::vector<Frames> chunks = scattered();
  sign_all(chunks);
  Decoder measuring;
  const std::size_t first = held_after(measuring, chunks[0]);
  Decoder decoder(first + 10);
  EXPECT_EQ(held_after(decoder, chunks[0]), first);
  EXPECT_FALSE(decoder.feed(chunks[1]).ok());
  EXPECT_EQ(decoder.held_bytes(), 0U);
}

TEST(ForgedChunk, OfAnUnknownTypeIsRefused) {
  std::vector<Frames> chunks{encode(Finish{}, kForger).at(0)};
  chunks[0][0][6] = std::byte{200};
  sign_all(chunks);
  EXPECT_THAT(answer_to(chunks), HasSubstr("unknown type 200"));
}

TEST(ForgedChunk, WithBytesThatNoFieldAsksForIsRefused) {
  std::vector<Frames> chunks{encode(Finish{}, kForger).at(0)};
  chunks[0][1].insert(chunks[0][1].begin(), std::byte{0});
  sign_all(chunks);
  EXPECT_THAT(answer_to(chunks), HasSubstr("left over after the last field"));
  chunks = {one_chunk()};
  chunks[0].push_back(Frame(4));
  chunks[0][0][kBulkFramesAt] = std::byte{3};
  sign_all(chunks);
  EXPECT_THAT(answer_to(chunks), HasSubstr("1 bulk frames are left over"));
}

}  // namespace
}  // namespace strads::wire
