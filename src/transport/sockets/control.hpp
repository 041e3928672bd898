// Encoding of the control channel, where senders may be unknown peers. Layer: transport.
#pragma once

#include <optional>
#include <string>

#include "transport/sockets/sockets.hpp"
#include "wire/framing.hpp"

namespace strads::transport {

/// Rank of a node that has none yet.
inline constexpr std::uint32_t kNoRank = 0xffffffff;

/// A control message and what its header says about its sender.
struct ControlMessage {
  wire::HeaderInfo from;
  wire::Message message;
};

/// Control messages are short: one chunk. Text for people is printable and of bounded length. Errors: cluster: what is
/// wrong with it.
[[nodiscard]] Result<ControlMessage> decode_control(const wire::Frames& frames);
[[nodiscard]] wire::Frames encode_control(const wire::Message& message, wire::HeaderInfo from);

}  // namespace strads::transport
