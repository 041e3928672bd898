// How much memory this process may use, as the system says. Layer: data.
#pragma once

#include <cstdint>
#include <string>

namespace strads::data {

/// The least of: the memory that the machine can give without swapping, the limits of this process's control groups
/// and of those above them (versions 1 and 2, where they are mounted as usual; page cache counts in them). All ones
/// where nothing is known.
///   root: what comes before /proc and /sys; for tests
[[nodiscard]] std::uint64_t memory_limit(const std::string& root = "");

}  // namespace strads::data
