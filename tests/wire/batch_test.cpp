// Chunks packed into one frame: what comes back, and what is refused.
#include "wire/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "random_message.hpp"
#include "support/packed.hpp"

namespace strads::wire {
namespace {

using ::testing::HasSubstr;
using testing::one_of_each;

constexpr HeaderInfo kMember{.cluster = 7, .epoch = 1, .sender = 2, .incarnation = 3};

Frame batch_of(const std::vector<Frames>& chunks) {
  return packed(chunks).front();
}

Frames finish(std::uint32_t scheduler, const HeaderInfo& from = kMember) {
  return encode(Finish{.scheduler = scheduler}, from).front();
}

/// A chunk with a body of so many bytes, whatever is in them.
Frames chunk_of(std::size_t body) {
  Frames chunk = finish(0);
  chunk[1].resize(body);
  return chunk;
}

std::string refusal(FrameView batch) {
  const auto chunks = cut_batch(batch);
  return chunks.ok() ? "taken" : chunks.status().message();
}

TEST(Batch, GivesBackWhatWasPackedInItsOrder) {
  std::vector<Frames> packed_chunks;
  for (const Message& message : one_of_each(1, 5)) packed_chunks.push_back(encode(message, kMember).front());
  const Frame batch = batch_of(packed_chunks);
  const auto cut = cut_batch(batch);
  ASSERT_TRUE(cut.ok()) << cut.status().message();
  ASSERT_EQ(cut.value().size(), packed_chunks.size());
  for (std::size_t c = 0; c < packed_chunks.size(); ++c) {
    Frames chunk;
    for (const FrameView frame : cut.value()[c]) chunk.emplace_back(frame.begin(), frame.end());
    EXPECT_EQ(chunk, packed_chunks[c]);
    Decoder decoder;
    EXPECT_TRUE(decoder.feed(std::span<const FrameView>(cut.value()[c])).ok());
  }
}

TEST(Batch, OfOneMessageHasTheseBytes) {
  const Frames chunk = encode(Ready{.scheduler = 4, .summary = {{5}, {1.0}}}, kMember).front();
  ASSERT_EQ(chunk.size(), 4U);
  Frame expected = chunk[0];
  for (const std::size_t length : {chunk[1].size(), std::size_t{4}, std::size_t{8}}) {
    for (const std::size_t byte : {length, std::size_t{0}, std::size_t{0}, std::size_t{0}})
      expected.push_back(static_cast<std::byte>(byte));
  }
  for (std::size_t f = 1; f < 4; ++f) expected.insert(expected.end(), chunk[f].begin(), chunk[f].end());
  EXPECT_EQ(batch_of({chunk}), expected);
}

TEST(Batch, CutOffAnywhereBetweenItsChunksIsRefused) {
  const Frame whole = batch_of({encode(Ready{.summary = {{5}, {1.0}}}, kMember).front(), finish(1)});
  const std::size_t first = batch_of({encode(Ready{.summary = {{5}, {1.0}}}, kMember).front()}).size();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_EQ(refusal(FrameView(whole).first(bytes)) == "taken", bytes == first) << bytes;
  }
  Frame longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer), "taken");
}

TEST(Batch, WithALengthThatIsWrongIsRefusedHereOrByItsChecksum) {
  const Frame whole = batch_of({encode(Ready{.summary = {{5}, {1.0}}}, kMember).front()});
  for (std::size_t at = kHeaderBytes; at < kHeaderBytes + 3 * 4; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Frame flipped = whole;
      flipped[at] ^= static_cast<std::byte>(1U << bit);
      const auto cut = cut_batch(flipped);
      if (!cut.ok()) continue;
      Decoder decoder;
      EXPECT_FALSE(decoder.feed(std::span<const FrameView>(cut.value().front())).ok()) << at << " bit " << bit;
    }
  }
}

TEST(Batch, OfSeveralSendersIsRefused) {
  for (const HeaderInfo& other :
       {HeaderInfo{8, 1, 2, 3}, HeaderInfo{7, 2, 2, 3}, HeaderInfo{7, 1, 4, 3}, HeaderInfo{7, 1, 2, 4}}) {
    EXPECT_THAT(refusal(batch_of({finish(0), finish(1, other)})), HasSubstr("several senders"));
  }
  HeaderInfo another_run = kMember;
  ++another_run.run;
  EXPECT_EQ(refusal(batch_of({finish(0), finish(1, another_run)})), "taken") << "messages about several runs";
}

TEST(Batch, OfTooManyChunksIsRefused) {
  std::vector<Frames> chunks(kBatchChunksMax, finish(0));
  EXPECT_EQ(refusal(batch_of(chunks)), "taken");
  chunks.push_back(finish(0));
  EXPECT_THAT(refusal(batch_of(chunks)), HasSubstr("more than 64 chunks"));
}

TEST(Batch, OfTooManyBytesIsRefusedUnlessTheyAreOfOneChunk) {
  const std::size_t rest = batch_of({chunk_of(0), finish(0)}).size();
  EXPECT_EQ(refusal(batch_of({chunk_of(kBatchBytesMax - rest), finish(0)})), "taken");
  EXPECT_THAT(refusal(batch_of({chunk_of(kBatchBytesMax - rest + 1), finish(0)})),
              HasSubstr("1048577 bytes in several chunks, expected at most 1048576"));
  EXPECT_EQ(refusal(batch_of({chunk_of(2 * kBatchBytesMax)})), "taken");
}

TEST(Batch, IsFilledUpToWhatIsTaken) {
  BatchSize count;
  for (std::size_t i = 0; i < kBatchChunksMax; ++i) EXPECT_TRUE(count.add(finish(0)));
  EXPECT_FALSE(count.add(finish(0)));
  EXPECT_EQ(count.chunks(), kBatchChunksMax);

  const std::size_t rest = batch_of({chunk_of(0), finish(0)}).size();
  for (const std::size_t more : {0U, 1U}) {
    BatchSize size;
    EXPECT_TRUE(size.add(finish(0)));
    EXPECT_EQ(size.add(chunk_of(kBatchBytesMax - rest + more)), more == 0) << more;
  }
  BatchSize large;
  EXPECT_TRUE(large.add(chunk_of(2 * kBatchBytesMax))) << "it travels alone";
  EXPECT_FALSE(large.add(finish(0)));
}

}  // namespace
}  // namespace strads::wire
