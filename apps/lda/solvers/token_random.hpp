// The random numbers of tokens: each is a function of what it is for, wherever and whenever it is asked. Pure.
#pragma once

#include <cstdint>

#include "strads/base/hash.hpp"

namespace strads::lda {

/// What numbers of one sweep are for.
enum class TokenDraw : std::uint64_t { start = 1, words = 2, documents = 3, cells = 4, infer = 5 };

/// The finaliser of SplitMix64 [Steele, Lea, Flood 2014].
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

/// Of all rows of a half-sweep.
[[nodiscard]] inline std::uint64_t sweep_key(std::uint64_t seed, TokenDraw draw, std::uint64_t sweep) {
  Hash64 hash;
  hash.update_u64(seed);
  hash.update_u64(static_cast<std::uint64_t>(draw));
  hash.update_u64(sweep);
  return hash.digest();
}
/// Of one row: a document, a word or a cell.
[[nodiscard]] inline std::uint64_t row_key(std::uint64_t sweep_key, std::uint64_t row) {
  return mixed(sweep_key + (row + 1) * kGolden);
}
/// Number n of a row.
[[nodiscard]] inline std::uint64_t number_of(std::uint64_t row_key, std::uint64_t n) {
  return mixed(row_key + (n + 1) * kGolden);
}
/// Uniform in [0, 1), a multiple of 2^-24, from the low bits.
[[nodiscard]] inline float unit_of_low(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::uint32_t>(bits & 0xffffffU)) * (1.0F / 16777216.0F);
}
/// Uniform in [0, 1), a multiple of 2^-40, from the other bits.
[[nodiscard]] inline double unit_of_high(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits >> 24)) * (1.0 / 1099511627776.0);
}
/// Uniform in 0 ... bound - 1, up to bound / 2^64.
[[nodiscard]] inline std::uint32_t below(std::uint64_t bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>(((bits >> 32) * bound) >> 32);
}

}  // namespace strads::lda
