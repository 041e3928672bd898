// Messages as text: one line for logs and transcripts, one table for docs/PROTOCOL.md. Layer: wire. Pure.
#pragma once

#include <string>

#include "wire/messages.hpp"

namespace strads::wire {

/// "Assign round=3 index=0 ... block.ids=[4 7] block.values=[0.5 -1]". Doubles with as many digits as they need to be
/// read back exactly. Arrays longer than 8 show their first 8 and their length: "[0 1 2 3 4 5 6 7 ... 100]". Strings
/// are quoted, other bytes than printable ASCII escaped, and after 64 characters the length follows: "tcp://..." ...
/// 200.
[[nodiscard]] std::string to_text(const Message& message);

/// The Markdown table of all messages and their fields, ended by a newline.
[[nodiscard]] std::string message_table();

}  // namespace strads::wire
