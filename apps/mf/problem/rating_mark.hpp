// A number for each rating, whose sum says whether ratings that were sorted, or moved, are still the same ones.
#pragma once

#include <bit>
#include <cstdint>

namespace strads::mf {

/// Well mixed, so that a sum of many, modulo 2^64, has another value when one is missing, is there twice or is another
/// one. Not against malice.
[[nodiscard]] constexpr std::uint64_t rating_mark(std::uint32_t user, std::uint32_t item, float value) {
  std::uint64_t x = (std::uint64_t{user} << 32 | item) * 0x9e3779b97f4a7c15U + std::bit_cast<std::uint32_t>(value);
  x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9U;
  return x ^ (x >> 29);
}

}  // namespace strads::mf
