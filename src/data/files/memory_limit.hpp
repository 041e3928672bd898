// How much memory this process may use, as the system says. Layer: data.
#pragma once

#include <cstdint>
#include <string>

#include "strads/base/status.hpp"

namespace strads::data {

/// The least of: the memory that the machine can give without swapping, the limits of this process's control groups
/// and of those above them (versions 1 and 2, where they are mounted as usual; page cache counts in them). All ones
/// where nothing is known.
///   root: what comes before /proc and /sys; for tests
[[nodiscard]] std::uint64_t memory_limit(const std::string& root = "");

/// How much more this process can take: as memory_limit(), less what the control groups use already, their page cache
/// left out, which the system takes back.
[[nodiscard]] std::uint64_t memory_left(const std::string& root = "");

/// Whether so much more memory can be had. Asked before it is taken: the system ends a process that goes beyond its
/// control group without a word.
///   what:   what takes it, "its columns take"
///   remedy: what a user can do, "write it column by column"
///   left:   0: memory_left(), which is not asked for less than 16 MiB; for tests
/// Errors: input, with both figures.
[[nodiscard]] Status expect_memory(const std::string& path, const std::string& what, std::uint64_t bytes,
                                   const std::string& remedy, std::uint64_t left = 0);

}  // namespace strads::data
