// Temporary files that a process which ends at once has to take with it. Layer: data.
#pragma once

#include <cstddef>
#include <string>

namespace strads::data {

inline constexpr std::size_t kNotNoted = static_cast<std::size_t>(-1);

/// Notes a file that is to be removed when the process ends before it is complete. Thread-safe, without locks. Returns
/// its number for forget_unfinished_file(); kNotNoted: there are too many, or its path is too long. Cost: a copy.
[[nodiscard]] std::size_t note_unfinished_file(const std::string& path);
void forget_unfinished_file(std::size_t number);
/// Removes all of them. For a process that ends now: may be called in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace strads::data
