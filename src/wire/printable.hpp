// Text that came from another process, as people may see it. Layer: wire. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strads::wire {

/// Lengths of such text in bytes: of a name, an address, a build id; of a reason.
inline constexpr std::size_t kNameMax = 300;
inline constexpr std::size_t kReasonMax = 2000;

/// `text` with a question mark for each byte or character that could do something to a terminal or a log: control
/// characters (escape sequences begin with one), changes of the direction of writing, what is no UTF-8. Cut after
/// `most` bytes, and three dots say so.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = kReasonMax);

}  // namespace strads::wire
