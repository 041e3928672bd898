#include "transport/control.hpp"

namespace strads::transport {

Result<ControlMessage> decode_control(const wire::Frames& frames) {
  const auto header = wire::read_header(frames.empty() ? wire::FrameView{} : wire::FrameView(frames.front()));
  if (!header.ok()) return header.status();
  if (header.value().count != 1) return Status::cluster("a control message of several chunks, expected one");
  wire::Decoder decoder(wire::kFrameBytesMax * 2);
  auto message = decoder.feed(std::span<const wire::Frame>(frames));
  if (!message.ok()) return message.status();
  if (!message.value().has_value()) return Status::cluster("an incomplete control message");
  return ControlMessage{header.value().from, std::move(*message.value())};
}

wire::Frames encode_control(const wire::Message& message, const wire::HeaderInfo& from) {
  auto chunks = wire::encode(message, from);
  STRADS_CHECK(chunks.size() == 1, "control messages carry no bulk");
  return std::move(chunks.front());
}

}  // namespace strads::transport
