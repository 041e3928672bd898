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

/// How many processes the kernel has killed for lack of memory so far, by its own count.
struct OomKills {
  std::uint64_t group = 0;    ///< in this process's control groups (version 1 or 2) and those below them
  std::uint64_t machine = 0;  ///< on the whole machine, control groups included
};
/// Zeros where the system does not say. `root`: as of memory_limit().
[[nodiscard]] OomKills oom_kills(const std::string& root = "");

/// Whether so much more memory can be had. Asked before it is taken: the system ends a process that goes beyond its
/// control group without a word.
///   what:   what takes it, "its columns take"
///   remedy: what a user can do, "write it column by column"
///   left:   0: memory_left(), which is not asked for less than 16 MiB; for tests
/// Errors: input, with both figures.
[[nodiscard]] Status expect_memory(const std::string& path, const std::string& what, std::uint64_t bytes,
                                   const std::string& remedy, std::uint64_t left = 0);

/// Room for `more` bytes of a file that is being unpacked, at least twice what was there, if the memory for it can be
/// had: what a packed file says of its size may be a lie. Errors: as expect_memory().
[[nodiscard]] Status make_room(const std::string& path, std::uint64_t more, std::uint64_t left, std::string& out);

}  // namespace strads::data
