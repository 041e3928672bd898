// What a summary says of a file's content. Layer: program.
#pragma once

#include <string>

#include "strads/base/status.hpp"

namespace strads {

/// XXH3-64 of the whole file, as 16 hex digits. Errors: input, with the path and the system's reason. Cost: the file is
/// read once, piece by piece.
[[nodiscard]] Result<std::string> hash_of_file(const std::string& path);

}  // namespace strads
