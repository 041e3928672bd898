// Any bytes into the decoder: no crash, no undefined behaviour, no memory beyond what came in, and whatever decodes is
// exactly what encode() gives for it. The first byte chooses how the rest is used:
//   even  one chunk as received: frames of u16 length each
//   odd   the content of a whole message of type (first byte / 2), behind the checksums that random bytes never pass:
//         u16 length of the body, the body, and one bulk frame after the other, each with a u16 length
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FrameView bytes = std::as_bytes(std::span(data, size));
  if (bytes.empty()) return 0;
  const auto mode = std::to_integer<std::uint8_t>(bytes.front());
  bytes = bytes.subspan(1);
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
