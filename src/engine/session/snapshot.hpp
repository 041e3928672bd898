// A checkpoint on its way to a node: bytes that PARTs carry. Layer: engine. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/rounds/node_checkpoint.hpp"
#include "strads/base/status.hpp"

namespace strads::engine {

/// Of one PART: so much goes over a connection at a time, and beats have to wait for no more.
inline constexpr std::size_t kPartBytes = std::size_t{512} << 10;

/// SNAPSHOT and one MEMORY for each scheduler, encoded as messages are, each chunk behind its length (u64).
/// Cost: two copies of the checkpoint.
[[nodiscard]] std::string encode_snapshot(const NodeCheckpoint& checkpoint);
/// Errors: cluster: bytes that encode_snapshot() does not give for so many schedulers.
[[nodiscard]] Result<NodeCheckpoint> decode_snapshot(std::string_view bytes, std::uint32_t schedulers);

[[nodiscard]] inline std::uint32_t parts_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kPartBytes - 1) / kPartBytes);
}
/// REQUIRES: part < parts_of(bytes.size()).
[[nodiscard]] inline std::string part_of(const std::string& bytes, std::uint32_t part) {
  return bytes.substr(part * kPartBytes, kPartBytes);
}

}  // namespace strads::engine
