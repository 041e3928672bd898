// A small file as one string. Layer: program.
#pragma once

#include <string>

#include "strads/base/status.hpp"

namespace strads {

/// Errors: input, with the path and the system's reason.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

}  // namespace strads
