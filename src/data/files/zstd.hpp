// Unpacks Zstandard, as plink2 writes its .pvar.zst. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// True iff the bytes start like a Zstandard frame (28 b5 2f fd) or like one that is to be skipped.
bool is_zstd(std::string_view bytes);

/// Unpacks one or more frames. Arguments and errors as gunzip() (gzip.hpp); a frame that needs a window of more than
/// 128 MiB is refused.
/// Cost: about 1 GB/s.
Result<std::string> unpack_zstd(std::string_view bytes, const std::string& path,
                                std::uint64_t size_max = std::uint64_t{1} << 40, std::uint64_t memory = 0);

}  // namespace strads::data
