// Unpacks gzip, and Zstandard, as plink2 writes its .pvar.zst. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// True iff the bytes start like a gzip file (1f 8b).
bool is_gzip(std::string_view bytes);

/// Unpacks a gzip file of one or more members (bgzip writes many).
///   path:     for messages
///   size_max: largest size accepted after unpacking, bytes
///   memory:   bytes that can be had; 0: as the system says
/// Errors: StatusCode::input when the file is cut off, damaged, followed by something else, or larger than size_max or
/// than memory allows.
/// Cost: about 300 MB/s.
Result<std::string> gunzip(std::string_view bytes, const std::string& path,
                           std::uint64_t size_max = std::uint64_t{1} << 40, std::uint64_t memory = 0);

/// True iff the bytes start like a Zstandard frame (28 b5 2f fd) or like one that is to be skipped.
bool is_zstd(std::string_view bytes);

/// Unpacks one or more frames. Arguments and errors as gunzip(); a frame that needs a window of more than
/// 128 MiB is refused.
/// Cost: about 1 GB/s.
Result<std::string> unpack_zstd(std::string_view bytes, const std::string& path,
                                std::uint64_t size_max = std::uint64_t{1} << 40, std::uint64_t memory = 0);

}  // namespace strads::data
