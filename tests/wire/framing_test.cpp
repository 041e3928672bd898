#include "wire/framing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "random_message.hpp"
#include "wire/size.hpp"

namespace strads::wire {
namespace {

using ::testing::HasSubstr;
using testing::one_of_each;

constexpr HeaderInfo kFrom{.cluster = 0x1122334455667788, .epoch = 3, .sender = 5, .incarnation = 9, .run = 2};

// Feeds all chunks and returns the message, which must come with the last one.
Result<Message> decode(const std::vector<Frames>& chunks) {
  Decoder decoder;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    auto result = decoder.feed(chunks[i]);
    if (!result.ok()) return result.status();
    if (result.value().has_value() != (i + 1 == chunks.size()))
      return Status::internal("the message came too early or late");
    if (result.value().has_value()) return *result.value();
  }
  return Status::internal("no message");
}

Deltas large_deltas(std::size_t ids, std::size_t values) {
  Deltas deltas{.round = 12, .index = 1, .predicted = 0.5, .flops = 1, .bytes = 2, .updates = 3, .deltas = {}};
  for (std::size_t i = 0; i < ids; ++i) deltas.deltas.ids.push_back(static_cast<VarId>(i * 7));
  for (std::size_t i = 0; i < values; ++i) deltas.deltas.values.push_back(static_cast<double>(i) / 3);
  return deltas;
}

// A refusal as seen by a caller: either an error, or nothing decoded.
bool refused(std::span<const Frame> chunk) {
  Decoder decoder;
  return !decoder.feed(chunk).ok();
}

TEST(Framing, EveryTypeComesBackEqual) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Message& message : one_of_each(seed, seed < 5 ? 0 : 300)) {
      const Result<Message> result = decode(encode(message, kFrom));
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(result.value(), message);
      EXPECT_EQ(decode_encode(message).value(), message);
    }
  }
}

TEST(Framing, TypesAreDifferentAndNotZero) {
  std::set<int> types;
  for_each_message_type([&]<class M>(std::type_identity<M>) { types.insert(M::kType); });
  EXPECT_EQ(types.size(), std::variant_size_v<Message>);
  EXPECT_FALSE(types.contains(0));
}

TEST(Framing, TheHeaderSaysWhoSentIt) {
  const auto chunks = encode(Finish{.reason = 2}, kFrom);
  const Result<Header> header = read_header(chunks[0][0]);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header.value(), (Header{.from = kFrom, .type = Finish::kType, .bulk_frames = 0, .index = 0, .count = 1}));
}

// Made by an independent implementation (Python's struct and libxxhash). Pins the byte layout that docs/PROTOCOL.md and
// the tables in framing.hpp and archive.hpp promise.
TEST(Framing, OneMessageHasTheseBytes) {
  const Ready ready{.scheduler = 0x01020304, .summary = {{0xa1a2a3a4}, {1.0}}};
  const auto chunks = encode(ready, kFrom);
  ASSERT_EQ(chunks.size(), 1U);
  std::string hex;
  for (const Frame& frame : chunks[0]) {
    for (const std::byte b : frame) {
      hex += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
      hex += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
    }
    hex += '\n';
  }
  EXPECT_EQ(hex,
            "535452440800010288776655443322110300000005000000090000000200000000000100\n"
            "0403020101000000000000000100000000000000a30f6a13e6b1730386d836c0a6fbb916\n"
            "a4a3a2a1\n"
            "000000000000f03f\n");
}

TEST(Framing, EveryTruncationIsRefused) {
  for (const Message& message : one_of_each(3, 6)) {
    const Frames whole = encode(message, kFrom).front();
    for (std::size_t f = 0; f < whole.size(); ++f) {
      for (std::size_t size = 0; size < whole[f].size(); ++size) {
        Frames cut = whole;
        cut[f].resize(size);
        EXPECT_TRUE(refused(cut)) << message.index() << " frame " << f << " cut to " << size;
      }
    }
    for (std::size_t frames = 0; frames < whole.size(); ++frames) {
      EXPECT_TRUE(refused(std::span(whole).first(frames))) << frames;
    }
  }
}

TEST(Framing, EverySingleBitFlipIsRefused) {
  for (const Message& message : one_of_each(4, 3)) {
    const Frames whole = encode(message, kFrom).front();
    for (std::size_t f = 0; f < whole.size(); ++f) {
      for (std::size_t at = 0; at < whole[f].size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
          Frames flipped = whole;
          flipped[f][at] ^= static_cast<std::byte>(1U << bit);
          ASSERT_TRUE(refused(flipped)) << message.index() << " frame " << f << " byte " << at << " bit " << bit;
        }
      }
    }
  }
}

TEST(Framing, LongerFramesAndMoreFramesAreRefused) {
  for (const Message& message : one_of_each(5, 4)) {
    const Frames whole = encode(message, kFrom).front();
    for (std::size_t f = 0; f < whole.size(); ++f) {
      Frames longer = whole;
      longer[f].push_back(std::byte{0});
      EXPECT_TRUE(refused(longer)) << f;
    }
    Frames more = whole;
    more.emplace_back();
    EXPECT_TRUE(refused(more));
  }
}

TEST(Framing, SwappedBulkFramesAreRefused) {
  Deltas deltas = large_deltas(2, 1);  // two arrays of eight bytes
  Frames chunk = encode(deltas, kFrom).front();
  ASSERT_EQ(chunk.size(), 4U);
  std::swap(chunk[2], chunk[3]);
  EXPECT_TRUE(refused(chunk));
}

TEST(Framing, AnotherProtocolVersionIsNamed) {
  Frames chunk = encode(Finish{}, kFrom).front();
  chunk[0][4] = std::byte{kProtocolVersion + 1};
  chunk[0].resize(kHeaderBytes + 4);  // whose header has another length
  Decoder decoder;
  EXPECT_THAT(decoder.feed(chunk).status().message(), HasSubstr("protocol version 9, expected 8; run the same build"));
}

TEST(Framing, AnUnknownTypeIsNamed) {
  const Result<Message> result = decode_content(200, {}, {});
  EXPECT_THAT(result.status().message(), HasSubstr("unknown type 200"));
}

TEST(Framing, NonFinitePayloadValuesAreRefusedByName) {
  Commit commit;
  commit.changes.values = {1, 2, std::nan("")};
  EXPECT_THAT(decode_encode(commit).status().message(), HasSubstr("Commit.changes: values[2] is NaN"));
  commit.changes.values = {-std::numeric_limits<double>::infinity()};
  EXPECT_THAT(decode_encode(commit).status().message(), HasSubstr("Commit.changes: values[0] is infinite"));
}

TEST(Chunking, LargePayloadsTravelInPiecesOfOneMebibyte) {
  const Deltas deltas = large_deltas(300'000, 500'000);  // 1.2 MB and 4 MB
  const auto chunks = encode(deltas, kFrom);
  EXPECT_EQ(chunks.size(), 6U);
  for (const Frames& chunk : chunks) {
    std::size_t bulk = 0;
    for (std::size_t f = 2; f < chunk.size(); ++f) bulk += chunk[f].size();
    EXPECT_LE(bulk, kFrameBytesMax);
    EXPECT_EQ(read_header(chunk[0]).value().count, chunks.size());
  }
  const Result<Message> result = decode(chunks);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result.value(), Message(deltas));
}

TEST(Framing, TheSizeOfOneChunkIsKnownWithoutEncoding) {
  for (const Message& message : one_of_each(6, 50)) {
    std::size_t bytes = 0;
    for (const Frames& chunk : encode(message, kFrom)) {
      for (const Frame& frame : chunk) bytes += frame.size();
    }
    EXPECT_EQ(encoded_size(message), bytes);
  }
}

TEST(Chunking, OrderAndRepetitionOfChunksDoNotMatter) {
  const Message deltas = large_deltas(300'000, 500'000);
  auto chunks = encode(deltas, kFrom);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CounterRng random(seed, Purpose::tests);
    shuffle(chunks, random);
    Decoder decoder;
    for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
      for (int times = 0; times < 2; ++times) {
        const auto result = decoder.feed(chunks[i]);
        ASSERT_TRUE(result.ok());
        EXPECT_FALSE(result.value().has_value());
      }
    }
    const auto result = decoder.feed(chunks.back());
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result.value(), std::optional(deltas));
    EXPECT_EQ(decoder.held_bytes(), 0U);
  }
}

TEST(Chunking, MessagesOfDifferentSendersRunsAndContentsDoNotMix) {
  const Message first = large_deltas(0, 200'000);
  const Message second = large_deltas(0, 200'001);
  HeaderInfo reborn = kFrom;
  ++reborn.incarnation;
  HeaderInfo elsewhere = kFrom;
  ++elsewhere.run;
  const std::vector<std::vector<Frames>> streams{encode(first, kFrom), encode(second, kFrom), encode(first, reborn),
                                                 encode(first, elsewhere)};
  ASSERT_EQ(streams[0].size(), 2U);
  Decoder decoder;
  for (const auto& stream : streams) EXPECT_FALSE(decoder.feed(stream[0]).value().has_value());
  EXPECT_EQ(decoder.feed(streams[0][1]).value(), std::optional(first));
  EXPECT_EQ(decoder.feed(streams[1][1]).value(), std::optional(second));
  EXPECT_EQ(decoder.feed(streams[2][1]).value(), std::optional(first));
  EXPECT_EQ(decoder.feed(streams[3][1]).value(), std::optional(first));
}

TEST(Chunking, AMessageThatAloneExceedsTheLimitIsRefused) {
  const auto chunks = encode(large_deltas(0, 400'000), kFrom);  // 3.2 MB
  Decoder decoder(std::size_t{2} << 20);
  Status status;
  for (const Frames& chunk : chunks) {
    const auto result = decoder.feed(chunk);
    EXPECT_LE(decoder.held_bytes(), std::size_t{2} << 20);
    if (!result.ok()) status = result.status();
  }
  EXPECT_THAT(status.message(), HasSubstr("needs more than the 2097152 bytes allowed"));
}

TEST(Chunking, TheOldestUnfinishedMessageMakesRoom) {
  const Message wanted = large_deltas(0, 260'000);
  const auto abandoned = encode(large_deltas(0, 260'001), kFrom);
  const auto chunks = encode(wanted, kFrom);
  ASSERT_EQ(chunks.size(), 2U);
  Decoder decoder((std::size_t{2} << 20) + 4096);
  EXPECT_TRUE(decoder.feed(abandoned[0]).ok());
  EXPECT_FALSE(decoder.feed(chunks[0]).value().has_value());
  EXPECT_EQ(decoder.feed(chunks[1]).value(), std::optional(wanted));
  // What was dropped is not half remembered: all of it has to come again.
  for (std::size_t i = 1; i < abandoned.size(); ++i) EXPECT_FALSE(decoder.feed(abandoned[i]).value().has_value());
  EXPECT_TRUE(decoder.feed(abandoned[0]).value().has_value());
}

TEST(Chunking, ADecoderGoesOnAfterGarbage) {
  const Message message = large_deltas(0, 200'000);
  const auto chunks = encode(message, kFrom);
  Decoder decoder;
  EXPECT_TRUE(decoder.feed(chunks[0]).ok());
  Frames damaged = chunks[1];
  damaged[2][5] ^= std::byte{1};
  EXPECT_FALSE(decoder.feed(damaged).ok());
  EXPECT_FALSE(decoder.feed(Frames{}).ok());
  EXPECT_EQ(decoder.feed(chunks[1]).value(), std::optional(message));
}

TEST(Chunking, EveryByteFlipInALaterChunkIsRefused) {
  auto chunks = encode(large_deltas(262'145, 0), kFrom);  // one id more than a frame holds
  ASSERT_EQ(chunks.size(), 2U);
  Frames& later = chunks[1];
  for (std::size_t f = 0; f < later.size(); ++f) {
    for (std::size_t at = 0; at < later[f].size(); ++at) {
      Frames flipped = later;
      flipped[f][at] ^= std::byte{0x10};
      EXPECT_TRUE(refused(flipped)) << f << ' ' << at;
    }
  }
}

}  // namespace
}  // namespace strads::wire
