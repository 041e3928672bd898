// Memory of long arrays, in large pages where the system has them. Layer: program. Private.
#pragma once

#include <cstddef>

namespace strads {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
inline constexpr std::size_t kCacheLine = 64;

/// Memory of `bytes`, for free(). From kLargePage on it begins at a large page. Throws std::bad_alloc.
[[nodiscard]] void* take_array(std::size_t bytes);

}  // namespace strads
