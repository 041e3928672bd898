// A checkpoint as bytes: Boost.Serialization's binary archive. Layer: program.
#pragma once

#include <string>
#include <string_view>

#include "strads/base/status.hpp"
#include "strads/program/checkpoint_file.hpp"

namespace strads {

/// Appends the archive to `front`. Errors: input: no memory.
[[nodiscard]] Result<std::string> archive_checkpoint(std::string front, const Checkpoint& checkpoint);

/// Any bytes may be given. Errors: input: this is no such archive. The message has no path.
[[nodiscard]] Result<Checkpoint> read_checkpoint_archive(std::string_view archive);

}  // namespace strads
