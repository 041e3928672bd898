// Chunks as somebody would make them who knows the checksums: what random bytes never pass lies behind these.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "strads/base/hash.hpp"
#include "wire/framing.hpp"

namespace strads::wire::testing {

inline void write_u64(Frame& frame, std::size_t at, std::uint64_t number) {
  std::memcpy(frame.data() + at, &number, sizeof number);
}

/// The name of what these chunks hold together, in the order in which they stand.
inline std::uint64_t right_name(std::span<const Frames> chunks) {
  constexpr std::size_t kTypeAt = 6;
  Hash64 hash;
  hash.update_u64(std::to_integer<std::uint64_t>(chunks[0][0][kTypeAt]));
  const FrameView body = chunks[0][1];
  hash.update(body.first(body.size() - std::min(body.size(), kTrailerBytes)));
  for (const Frames& chunk : chunks) {
    for (std::size_t f = 2; f < chunk.size(); ++f) hash.update(chunk[f]);
  }
  return hash.digest();
}

/// Writes the right checksum into the last eight bytes of the body, whatever else is wrong. REQUIRES: they are there.
inline void sign(Frames& chunk) {
  const std::size_t at = chunk[1].size() - sizeof(std::uint64_t);
  Hash64 hash;
  hash.update(chunk[0]);
  hash.update_u64(at);
  hash.update(FrameView(chunk[1]).first(at));
  for (std::size_t f = 2; f < chunk.size(); ++f) {
    hash.update_u64(chunk[f].size());
    hash.update(chunk[f]);
  }
  write_u64(chunk[1], at, hash.digest());
}

/// Gives the chunks of one message its right name, and each its right checksum. A body too short for a name gets none.
inline void sign_all(std::span<Frames> chunks) {
  const std::uint64_t name = right_name(chunks);
  for (Frames& chunk : chunks) {
    if (chunk[1].size() >= kTrailerBytes) write_u64(chunk[1], chunk[1].size() - kTrailerBytes, name);
    sign(chunk);
  }
}

}  // namespace strads::wire::testing
