// Any bytes into the decoder: no crash, no undefined behaviour, no memory beyond what came in, and whatever decodes is
// exactly what encode() gives for it. The first byte chooses how the rest is used, modulo 4:
//   0     one chunk as received: frames of u16 length each
//   1, 3  the content of a whole message of type (first byte / 2), behind the checksums that random bytes never pass:
//         u16 length of the body, the body, and one bulk frame after the other, each with a u16 length
//   2     chunks that somebody forged: u8 number of frames, then the frames, chunk after chunk, all under the right
//   name
//         and with right checksums, whatever else is wrong with them
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "wire/forge.hpp"
#include "wire/framing.hpp"
#include "wire/print.hpp"

namespace {

using strads::wire::FrameView;

FrameView take_frame(FrameView& bytes) {
  std::size_t size = 0;
  for (int i = 0; i < 2 && !bytes.empty(); ++i) {
    size = (size << 8) | std::to_integer<std::size_t>(bytes.front());
    bytes = bytes.subspan(1);
  }
  size = std::min(size, bytes.size());
  const FrameView frame = bytes.first(size);
  bytes = bytes.subspan(size);
  return frame;
}

void require(bool condition) {
  if (!condition) std::abort();
}

/// NaN control fields are not equal to themselves, so that encodings are compared instead of messages.
void check_round_trip(const strads::wire::Message& message) {
  const auto chunks = strads::wire::encode(message, {});
  const auto again = strads::wire::decode_encode(message);
  require(again.ok());
  require(strads::wire::encode(again.value(), {}) == chunks);
  require(!strads::wire::to_text(message).empty());
}

/// Length, magic and version are right, so that the fuzzer need not guess them; the rest is as it came.
void make_header(strads::wire::Frame& header) {
  static const strads::wire::Frame right = strads::wire::encode(strads::wire::Finish{}, {}).front().front();
  constexpr std::size_t kMagicAndVersion = 6;
  header.resize(right.size());
  std::copy_n(right.begin(), kMagicAndVersion, header.begin());
}

/// The chunks of one message. A body that is too short for a checksum is made as long as one.
std::vector<strads::wire::Frames> take_forged_chunks(FrameView bytes) {
  std::vector<strads::wire::Frames> chunks;
  while (!bytes.empty()) {
    const auto count = std::to_integer<std::size_t>(bytes.front());
    bytes = bytes.subspan(1);
    strads::wire::Frames& chunk = chunks.emplace_back();
    for (std::size_t f = 0; f < std::max<std::size_t>(2, count); ++f) {
      const FrameView frame = take_frame(bytes);
      chunk.emplace_back(frame.begin(), frame.end());
    }
    make_header(chunk[0]);
    chunk[1].resize(std::max(chunk[1].size(), sizeof(std::uint64_t)));
  }
  strads::wire::testing::sign_all(chunks);
  return chunks;
}

/// Whatever is taken is what encode() makes of it, to the last bit.
void check_forged(const std::vector<strads::wire::Frames>& chunks) {
  strads::wire::Decoder decoder(1 << 20);
  for (const auto& chunk : chunks) {
    const auto result = decoder.feed(chunk);
    if (!result.ok() || !result.value().has_value()) continue;
    check_round_trip(*result.value());
    const auto header = strads::wire::read_header(chunk[0]);
    for (const auto& encoded : strads::wire::encode(*result.value(), header.value().from)) {
      require(std::ranges::count(chunks, encoded) > 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FrameView bytes = std::as_bytes(std::span(data, size));
  if (bytes.empty()) return 0;
  const auto mode = std::to_integer<std::uint8_t>(bytes.front());
  bytes = bytes.subspan(1);
  if (mode % 4 == 2) {
    if (!bytes.empty()) check_forged(take_forged_chunks(bytes));
    return 0;
  }
  std::vector<FrameView> frames;
  while (!bytes.empty()) frames.push_back(take_frame(bytes));
  if (mode % 2 == 0) {
    strads::wire::Decoder decoder(1 << 20);
    const auto result = decoder.feed(std::span<const FrameView>(frames));
    if (result.ok() && result.value().has_value()) check_round_trip(*result.value());
  } else if (!frames.empty()) {
    const auto bulk = std::span<const FrameView>(frames).subspan(1);
    const auto result = strads::wire::decode_content(static_cast<std::uint8_t>(mode / 2), frames.front(), bulk);
    if (result.ok()) check_round_trip(result.value());
  }
  return 0;
}
