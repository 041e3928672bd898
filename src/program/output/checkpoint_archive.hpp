// A checkpoint as bytes: Boost.Serialization's binary archive. Layer: program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/checkpoint_file.hpp"

namespace strads {

/// The format of the archives that this Boost writes.
[[nodiscard]] std::uint32_t checkpoint_archive_version();

/// Appends the archive to `front`. Errors: input: no memory.
[[nodiscard]] Result<std::string> archive_checkpoint(std::string front, const Checkpoint& checkpoint);

/// Reads the archive that begins at byte `at` and ends with `content`. REQUIRES: a checksum was found right: an archive
/// is not made to be read from strangers. Errors: input: this is no such archive. The message has no path.
[[nodiscard]] Result<Checkpoint> read_checkpoint_archive(std::string content, std::size_t at);

}  // namespace strads
