// Words one after the other, for messages. Layer: base.
#pragma once

#include <span>
#include <string>

namespace strads {

/// "a, b and c". `last`: what stands before the last one, " and ".
[[nodiscard]] std::string listed(std::span<const std::string> words, const char* last);

}  // namespace strads
