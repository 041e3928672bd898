// A small file as one string. Layer: program.
#pragma once

#include <cstddef>
#include <string>

#include "strads/base/status.hpp"

namespace strads {

/// Of whole files: what is longer is none of those that are read like this, and may be longer than the memory.
inline constexpr std::size_t kWholeFileMax = std::size_t{256} << 20;

/// `most`: it may have so many bytes. Errors: input, with the path and the system's reason, or both sizes; then no more
/// than `most` bytes were read.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path, std::size_t most = kWholeFileMax);

}  // namespace strads
