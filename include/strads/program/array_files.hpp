// Arrays of a run directory as NumPy's files. Layer: program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"
#include "strads/program/run_directory.hpp"

namespace strads {

/// Writes an .npy of float32 in C order. `values`: as many as the product of `shape`. Errors: input, with the file and
/// the system's reason.
[[nodiscard]] Status write_array(RunDirectory& directory, std::string_view name, std::span<const std::uint64_t> shape,
                                 std::span<const float> values);

/// Whether the file at `path` is that array, to the last bit. In pieces, since arrays are the largest thing that there
/// is. Errors: internal: it is another one; input: it cannot be read.
[[nodiscard]] Status check_array(const std::string& path, std::span<const std::uint64_t> shape,
                                 std::span<const float> values);

/// The error of check_array() for any file that was written and is another one.
[[nodiscard]] Status is_not_as_written(const std::string& path);

}  // namespace strads
