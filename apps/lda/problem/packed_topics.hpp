// Topics as the bits of floats: two in each, both below kTopicsMax, so that every float is finite and equal bits are
// equal floats. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "lda/problem/lda.hpp"
#include "strads/base/payload.hpp"

namespace strads::lda {

static_assert(std::endian::native == std::endian::little, "the second topic has the bits of the exponent");
static_assert(kTopicsMax <= 0x7f80, "no bits of infinity or NaN, and no sign");

/// Floats that `topics` topics take.
[[nodiscard]] constexpr std::size_t packed_size(std::size_t topics) {
  return (topics + 1) / 2;
}
[[nodiscard]] inline SharedFloats pack_topics(std::span<const std::uint16_t> topics) {
  SharedFloats packed(packed_size(topics.size()));
  float* const to = packed.writable().data();
  if (topics.size() % 2 == 1) to[packed.size() - 1] = 0;
  if (!topics.empty()) std::memcpy(to, topics.data(), topics.size() * sizeof(std::uint16_t));
  return packed;
}
[[nodiscard]] inline std::vector<std::uint16_t> unpack_topics(const SharedFloats& packed, std::size_t topics) {
  std::vector<std::uint16_t> to(topics);
  if (topics > 0) std::memcpy(to.data(), packed.data(), topics * sizeof(std::uint16_t));
  return to;
}
/// Whether everything in there is below `bound`: what other processes send is used as places in arrays.
[[nodiscard]] inline bool all_below(const SharedFloats& packed, std::uint32_t bound) {
  bool good = true;
  for (const float pair : packed.view()) {
    const auto bits = std::bit_cast<std::uint32_t>(pair);
    good &= (bits & 0xffffU) < bound && (bits >> 16) < bound;
  }
  return good;
}

}  // namespace strads::lda
