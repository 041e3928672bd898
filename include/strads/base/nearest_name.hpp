// What somebody may have meant who wrote a name that is not there. Layer: base.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace strads {

/// The candidate with the fewest edits to `wanted`; "" when none is near enough to be meant.
[[nodiscard]] std::string nearest_name(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace strads
