#include "wire/framing.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "strads/base/hash.hpp"

namespace strads::wire {
namespace {

constexpr std::array<std::byte, 4> kMagic{std::byte{'S'}, std::byte{'T'}, std::byte{'R'}, std::byte{'D'}};
constexpr std::size_t kChunkFramesMax = std::numeric_limits<std::uint8_t>::max();
constexpr std::size_t kChunksMax = std::numeric_limits<std::uint16_t>::max();
// What a stored chunk costs besides its bytes: nodes of maps and vectors, rounded up, so that a flood of tiny chunks
// meets the limit as well.
constexpr std::size_t kChunkOverheadBytes = 512;

template <class T>
void append_number(Frame& frame, T number) {
  const std::size_t at = frame.size();
  frame.reserve(kHeaderBytes);
  frame.resize(at + sizeof number);
  std::memcpy(frame.data() + at, &number, sizeof number);
}

template <class T>
T number_at(FrameView frame, std::size_t at) {
  T number;
  std::memcpy(&number, frame.data() + at, sizeof number);
  return number;
}

std::size_t bytes_in(std::span<const FrameView> frames) {
  std::size_t bytes = 0;
  for (const FrameView frame : frames) bytes += frame.size();
  return bytes;
}

Frame write_header(const Header& header) {
  Frame frame(kMagic.begin(), kMagic.end());
  append_number(frame, kProtocolVersion);
  append_number(frame, header.type);
  append_number(frame, header.bulk_frames);
  append_number(frame, header.from.cluster);
  append_number(frame, header.from.epoch);
  append_number(frame, header.from.sender);
  append_number(frame, header.from.incarnation);
  append_number(frame, header.from.run);
  append_number(frame, header.index);
  append_number(frame, header.count);
  return frame;
}

std::uint64_t name_of(std::uint8_t type, FrameView body, std::span<const FrameView> bulk) {
  Hash64 hash;
  hash.update_u64(type);
  hash.update(body);  // holds the lengths of the arrays
  for (const FrameView frame : bulk) hash.update(frame);
  return hash.digest();
}

/// `body`: up to the checksum.
std::uint64_t checksum_of(FrameView header, FrameView body, std::span<const FrameView> bulk) {
  Hash64 hash;
  hash.update(header);
  hash.update_u64(body.size());
  hash.update(body);
  for (const FrameView frame : bulk) {
    hash.update_u64(frame.size());
    hash.update(frame);
  }
  return hash.digest();
}

/// How many of the frames, from the first on, go into one chunk.
std::size_t frames_that_fit(std::span<const FrameView> frames) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < frames.size() && count < kChunkFramesMax && bytes + frames[count].size() <= kFrameBytesMax) {
    bytes += frames[count++].size();
  }
  return count;
}

std::vector<std::span<const FrameView>> group(std::span<const FrameView> frames) {
  std::vector<std::span<const FrameView>> groups;
  do {
    const std::size_t count = frames_that_fit(frames);
    groups.push_back(frames.first(count));
    frames = frames.subspan(count);
  } while (!frames.empty());
  return groups;
}

Frames write_chunk(const Header& header, FrameView body, std::span<const FrameView> bulk, std::uint64_t name) {
  Frames chunk;
  chunk.reserve(2 + bulk.size());
  chunk.push_back(write_header(header));
  Frame& frame = chunk.emplace_back();
  frame.reserve(body.size() + kTrailerBytes);
  frame.assign(body.begin(), body.end());
  append_number(frame, name);
  append_number(frame, checksum_of(chunk.front(), frame, bulk));
  for (const FrameView view : bulk) chunk.emplace_back(view.begin(), view.end());
  return chunk;
}

Status damaged(const std::string& what) {
  return Status::cluster("message: " + what + "; it was damaged, or its sender runs another build");
}

/// Lengths and number of the frames of one chunk.
Status check_shape(const Header& header, std::span<const FrameView> chunk) {
  if (chunk.size() != std::size_t{2} + header.bulk_frames) {
    return damaged(std::to_string(chunk.size()) + " frames, expected " + std::to_string(2 + header.bulk_frames));
  }
  const std::size_t body = chunk[1].size();
  if (body < kTrailerBytes || body > kFrameBytesMax || (header.index > 0 && body != kTrailerBytes)) {
    return damaged("a body of " + std::to_string(body) + " bytes");
  }
  const auto bulk = chunk.subspan(2);
  if (header.index > 0 && bulk.empty()) return damaged("a later chunk without bulk frames");
  const bool has_empty = std::any_of(bulk.begin(), bulk.end(), [](FrameView frame) { return frame.empty(); });
  if (has_empty || bytes_in(bulk) > kFrameBytesMax) {
    return damaged("bulk frames of " + std::to_string(bytes_in(bulk)) + " bytes in one chunk, expected at most " +
                   std::to_string(kFrameBytesMax) + " and none of them empty");
  }
  return {};
}

/// A whole message: its name must be right, and its frames must lie in the chunks where encode() puts them.
Result<Message> decode_whole(std::uint8_t type, std::uint64_t name, FrameView body, std::span<const FrameView> bulk,
                             std::span<const std::size_t> frames_per_chunk) {
  if (name_of(type, body, bulk) != name) return damaged("the content does not have the name that its chunks carry");
  const auto groups = group(bulk);
  const bool as_encoded = std::equal(groups.begin(), groups.end(), frames_per_chunk.begin(), frames_per_chunk.end(),
                                     [](const auto& frames, std::size_t count) { return frames.size() == count; });
  if (!as_encoded) return damaged("bulk frames lie in other chunks than expected");
  return decode_content(type, body, bulk);
}

Result<std::optional<Message>> maybe(Result<Message> result) {
  if (!result.ok()) return result.status();
  return std::optional<Message>(std::move(result).value());
}

std::vector<FrameView> views_of(std::span<const Frame> frames) {
  return {frames.begin(), frames.end()};
}

}  // namespace

Result<Header> read_header(FrameView frame) {
  const auto bad_length = [frame] {
    return damaged("a header of " + std::to_string(frame.size()) + " bytes, expected " + std::to_string(kHeaderBytes));
  };
  // Headers of other versions have other lengths: the version says more.
  if (frame.size() < kMagic.size() + sizeof kProtocolVersion) return bad_length();
  if (!std::equal(kMagic.begin(), kMagic.end(), frame.begin())) {
    return Status::cluster("message: it does not begin with STRD; the sender is no STRADS process");
  }
  const auto version = number_at<std::uint16_t>(frame, 4);
  if (version != kProtocolVersion) {
    return Status::cluster("message: protocol version " + std::to_string(version) + ", expected " +
                           std::to_string(kProtocolVersion) + "; run the same build on all nodes");
  }
  if (frame.size() != kHeaderBytes) return bad_length();
  Header header;
  header.type = number_at<std::uint8_t>(frame, 6);
  header.bulk_frames = number_at<std::uint8_t>(frame, 7);
  header.from.cluster = number_at<std::uint64_t>(frame, 8);
  header.from.epoch = number_at<std::uint32_t>(frame, 16);
  header.from.sender = number_at<std::uint32_t>(frame, 20);
  header.from.incarnation = number_at<std::uint32_t>(frame, 24);
  header.from.run = number_at<std::uint32_t>(frame, 28);
  header.index = number_at<std::uint16_t>(frame, 32);
  header.count = number_at<std::uint16_t>(frame, 34);
  if (header.index >= header.count) {
    return damaged("chunk " + std::to_string(header.index) + " of " + std::to_string(header.count));
  }
  return header;
}

std::vector<Frames> encode(const Message& message, const HeaderInfo& from) {
  OutArchive archive;
  std::uint8_t type = 0;
  std::visit(
      [&]<class M>(const M& m) {
        type = M::kType;
        archive& m;
      },
      message);
  const auto groups = group(archive.bulk());
  STRADS_CHECK(groups.size() <= kChunksMax, "a message stays below 64 GiB");
  STRADS_CHECK(archive.body().size() + kTrailerBytes <= kFrameBytesMax, "control fields are few; arrays are bulk");
  const std::uint64_t name = name_of(type, archive.body(), archive.bulk());
  std::vector<Frames> chunks;
  chunks.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Header header{.from = from,
                        .type = type,
                        .bulk_frames = static_cast<std::uint8_t>(groups[i].size()),
                        .index = static_cast<std::uint16_t>(i),
                        .count = static_cast<std::uint16_t>(groups.size())};
    chunks.push_back(write_chunk(header, i == 0 ? FrameView(archive.body()) : FrameView(), groups[i], name));
  }
  return chunks;
}

Result<Message> decode_content(std::uint8_t type, FrameView body, std::span<const FrameView> bulk) {
  std::optional<Result<Message>> result;
  for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (M::kType != type) return;
    M message;
    InArchive archive(body, bulk);
    archive& message;
    Status status = archive.finish();
    if (status.ok()) {
      result.emplace(Message(std::move(message)));
    } else {
      result.emplace(std::move(status));
    }
  });
  if (!result.has_value()) return damaged("unknown type " + std::to_string(type));
  return *std::move(result);
}

Decoder::Decoder(std::size_t memory_limit) : memory_limit_(memory_limit) {}

Result<std::optional<Message>> Decoder::feed(std::span<const Frame> chunk) {
  return feed(std::span<const FrameView>(views_of(chunk)));
}

Result<std::optional<Message>> Decoder::feed(std::span<const FrameView> chunk) {
  if (chunk.empty()) return damaged("no frames");
  const Result<Header> read = read_header(chunk.front());
  if (!read.ok()) return read.status();
  const Header& header = read.value();
  if (Status shape = check_shape(header, chunk); !shape.ok()) return shape;

  const auto bulk = chunk.subspan(2);
  const FrameView sealed = chunk[1].first(chunk[1].size() - sizeof(std::uint64_t));
  if (checksum_of(chunk[0], sealed, bulk) != number_at<std::uint64_t>(chunk[1], sealed.size())) {
    return damaged("wrong checksum");
  }
  const FrameView body = chunk[1].first(chunk[1].size() - kTrailerBytes);
  const auto name = number_at<std::uint64_t>(chunk[1], body.size());
  if (header.count == 1) {
    const std::size_t frames = bulk.size();
    return maybe(decode_whole(header.type, name, body, bulk, std::span(&frames, 1)));
  }
  return store({.from = header.from, .type = header.type, .count = header.count, .name = name}, header.index, body,
               bulk);
}

Result<std::optional<Message>> Decoder::store(const Key& key, std::uint16_t index, FrameView body,
                                              std::span<const FrameView> bulk) {
  const auto begun = partials_.find(key);
  if (begun != partials_.end() && begun->second.chunks.contains(index)) return std::optional<Message>();
  const std::size_t bytes = body.size() + bytes_in(bulk) + kChunkOverheadBytes;
  if (Status room = make_room(key, bytes); !room.ok()) return room;

  const auto partial = partials_.try_emplace(key, Partial{.began = messages_begun_, .bytes = 0, .chunks = {}});
  if (partial.second) ++messages_begun_;
  Partial& message = partial.first->second;
  Frames& frames = message.chunks[index];
  frames.emplace_back(body.begin(), body.end());
  for (const FrameView frame : bulk) frames.emplace_back(frame.begin(), frame.end());
  message.bytes += bytes;
  held_bytes_ += bytes;
  if (message.chunks.size() < key.count) return std::optional<Message>();

  std::vector<FrameView> all;
  std::vector<std::size_t> frames_per_chunk;
  for (const auto& [at, chunk] : message.chunks) {
    all.insert(all.end(), chunk.begin() + 1, chunk.end());
    frames_per_chunk.push_back(chunk.size() - 1);
  }
  auto result = maybe(decode_whole(key.type, key.name, message.chunks.begin()->second.front(), all, frames_per_chunk));
  drop(partial.first);
  return result;
}

Status Decoder::make_room(const Key& key, std::size_t bytes) {
  while (held_bytes_ + bytes > memory_limit_) {
    auto oldest = partials_.end();
    for (auto at = partials_.begin(); at != partials_.end(); ++at) {
      if (at->first == key) continue;
      if (oldest == partials_.end() || at->second.began < oldest->second.began) oldest = at;
    }
    if (oldest == partials_.end()) {
      const auto own = partials_.find(key);
      if (own != partials_.end()) drop(own);
      return Status::cluster("message: one message of " + std::to_string(key.count) + " chunks needs more than the " +
                             std::to_string(memory_limit_) + " bytes allowed for messages in pieces; raise the limit");
    }
    drop(oldest);
  }
  return {};
}

void Decoder::drop(std::map<Key, Partial>::iterator partial) {
  held_bytes_ -= partial->second.bytes;
  partials_.erase(partial);
}

Result<Message> decode_encode(const Message& message) {
  Decoder decoder(std::numeric_limits<std::size_t>::max());
  for (const Frames& chunk : encode(message, {})) {
    Result<std::optional<Message>> result = decoder.feed(chunk);
    if (!result.ok()) return result.status();
    if (result.value().has_value()) return *std::move(result).value();
  }
  check_failed(__FILE__, __LINE__, "a message", "all chunks of a message give the message");
}

}  // namespace strads::wire
