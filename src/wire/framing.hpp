// From messages to frames and back. Layer: wire. Pure.
//
// A message travels as one or more *chunks*; a chunk is several frames. Between driver and node it is one multipart
// message of the transport; messages of the round protocol travel packed (wire/batch.hpp).
//
//   frame 0   header, 36 bytes
//   frame 1   body: in chunk 0 the control fields (wire/archive.hpp), in others nothing; then 16 bytes of trailer
//   frame 2.. bulk: the payloads' arrays, each cut into frames of at most 1 MiB (kFrameBytesMax)
//
// Header. All numbers little-endian. There are no reserved bytes: each one is checked or means something.
//
//   offset  bytes  field
//        0      4  magic: the characters S T R D
//        4      2  protocol version, kProtocolVersion
//        6      1  type of the message, kType
//        7      1  bulk frames in this chunk
//        8      8  id of the cluster, drawn by its driver
//       16      4  epoch of the run
//       20      4  sender: rank of the node
//       24      4  incarnation of the sender
//       28      4  run of the cluster, from 0; of the control channel 2^32 - 1: its messages are about the cluster
//       32      2  index of the chunk, from 0
//       34      2  count of chunks of the message, at least 1
//
// Trailer: u64 name, u64 checksum. The name is XXH3-64 over type, control fields and bulk of the whole message: chunks
// with the same sender, incarnation, run, type, count and name belong together, in whatever order and however often
// they come. The checksum is XXH3-64 over every length and byte of this chunk before it, so that any flip is refused.
//
// Frames fill chunks in order, as many as fit into 1 MiB of bulk. There is exactly one encoding of a message.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "strads/base/status.hpp"
#include "wire/archive.hpp"
#include "wire/messages.hpp"

namespace strads::wire {

inline constexpr std::uint16_t kProtocolVersion = 8;
inline constexpr std::size_t kHeaderBytes = 36;
inline constexpr std::size_t kTrailerBytes = 16;

using Frame = std::vector<std::byte>;
/// The frames of one chunk, or of any multipart message.
using Frames = std::vector<Frame>;

/// What a message says about its sender, and which run it belongs to.
struct HeaderInfo {
  std::uint64_t cluster = 0;      ///< id of the cluster: messages of others are not taken
  std::uint32_t epoch = 0;        ///< 0: runs that go back get new numbers instead
  std::uint32_t sender = 0;       ///< rank of the node
  std::uint32_t incarnation = 0;  ///< of the sender; a fenced one is not listened to
  std::uint32_t run = 0;          ///< number of the run in its cluster
  friend auto operator<=>(const HeaderInfo&, const HeaderInfo&) = default;
};

/// The first frame of a chunk.
struct Header {
  HeaderInfo from;
  std::uint8_t type = 0;
  std::uint8_t bulk_frames = 0;
  std::uint16_t index = 0;
  std::uint16_t count = 1;
  friend bool operator==(const Header&, const Header&) = default;
};

/// Reads frame 0 alone: a transport looks here whether cluster, epoch and incarnation are its own before it spends
/// anything on the rest. Errors: cluster, for a wrong length, magic, version, or chunk numbers.
[[nodiscard]] Result<Header> read_header(FrameView frame);

/// The chunks of a message, in order. Cost: one copy of the bulk, two hashes of it.
/// REQUIRES: at most 65,535 chunks (about 64 GiB).
[[nodiscard]] std::vector<Frames> encode(const Message& message, const HeaderInfo& from);

/// Puts chunks together and decodes them. Bytes may be anything; it never throws and never allocates more than the
/// chunks hold. Not thread-safe.
class Decoder {
 public:
  /// `memory_limit`: bytes of chunks of unfinished messages that are held. When more would be needed, the messages
  /// that were begun longest ago are dropped (their senders repeat what stays open).
  explicit Decoder(std::size_t memory_limit = std::size_t{1} << 30);

  /// One chunk, as received. Returns the message that it completes, or nothing while chunks are missing or when the
  /// chunk had already come.
  /// Errors: cluster, for whatever is not exactly what encode() gives, for a NaN or an infinity among payload values or
  /// floats, and for a message that alone needs more than the limit. The decoder stays usable.
  [[nodiscard]] Result<std::optional<Message>> feed(std::span<const FrameView> chunk);
  [[nodiscard]] Result<std::optional<Message>> feed(std::span<const Frame> chunk);

  /// Bytes of unfinished messages held now, bookkeeping included.
  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

 private:
  struct Key {
    HeaderInfo from;
    std::uint8_t type = 0;
    std::uint16_t count = 0;
    std::uint64_t name = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Partial {
    std::uint64_t began = 0;                 // place in the order in which messages were begun
    std::size_t bytes = 0;                   // of its chunks
    std::map<std::uint16_t, Frames> chunks;  // by index; body without trailer, then bulk
  };

  [[nodiscard]] Result<std::optional<Message>> store(const Key& key, std::uint16_t index, FrameView body,
                                                     std::span<const FrameView> bulk);
  Status make_room(const Key& key, std::size_t bytes);
  void drop(std::map<Key, Partial>::iterator partial);

  std::size_t memory_limit_;
  std::size_t held_bytes_ = 0;
  std::uint64_t messages_begun_ = 0;
  std::map<Key, Partial> partials_;
};

/// The control fields and bulk frames of a whole message of type `type`, without header and trailer.
[[nodiscard]] Result<Message> decode_content(std::uint8_t type, FrameView body, std::span<const FrameView> bulk);

/// encode, then decode: what a message is after a journey. The embedded transport's test mode sends every message
/// through it. Errors: as Decoder::feed.
[[nodiscard]] Result<Message> decode_encode(const Message& message);

}  // namespace strads::wire
