// Opening a file that somebody else is going to read. Layer: data. Private.
#pragma once

#include <string>

#include "data/files/mapped_file.hpp"
#include "strads/data/data_shape.hpp"

namespace strads::data {

/// Errors: input: as Source::open(); what is no regular file, since its bytes can be read once only; with Look::quick a
/// gzip file, which would be unpacked for it.
[[nodiscard]] Result<InputFile> open_to_look(const std::string& path, Look look);

}  // namespace strads::data
