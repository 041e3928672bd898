#include "transport/sockets/control.hpp"

#include <string>
#include <type_traits>

#include "wire/printable.hpp"

namespace strads::transport {
namespace {

/// Names and reasons of other processes are shown to people and written to logs: here, and nowhere else, they become
/// harmless. The options of a run are read by a parser; what a node says about them is its own affair.
void make_printable(wire::Message& message) {
  const auto fields = [](std::size_t most) {
    return [most](const char*, auto& field, const char*) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) field = wire::printable(field, most);
    };
  };
  std::visit(
      [&](auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, wire::Hello>) Held::fields(held, fields(wire::kNameMax));
        if constexpr (std::is_same_v<Held, wire::Loaded> || std::is_same_v<Held, wire::Leave> ||
                      std::is_same_v<Held, wire::Reject>) {
          Held::fields(held, fields(wire::kReasonMax));
        }
      },
      message);
}

}  // namespace

Result<ControlMessage> decode_control(const wire::Frames& frames) {
  const auto header = wire::read_header(frames.empty() ? wire::FrameView{} : wire::FrameView(frames.front()));
  if (!header.ok()) return header.status();
  if (header.value().count != 1) return Status::cluster("a control message of several chunks, expected one");
  if (header.value().from.run != wire::kNoRun) return Status::cluster("a message of a run among those of the cluster");
  wire::Decoder decoder(wire::kFrameBytesMax * 2);
  auto message = decoder.feed(std::span<const wire::Frame>(frames));
  if (!message.ok()) return message.status();
  if (!message.value().has_value()) return Status::cluster("an incomplete control message");
  make_printable(*message.value());
  return ControlMessage{header.value().from, std::move(*message.value())};
}

wire::Frames encode_control(const wire::Message& message, wire::HeaderInfo from) {
  from.run = wire::kNoRun;
  auto chunks = wire::encode(message, from);
  STRADS_CHECK(chunks.size() == 1, "control messages carry no bulk");
  return std::move(chunks.front());
}

}  // namespace strads::transport
