#include "sumstats/problem/packed_doubles.hpp"

#include <bit>
#include <cstdint>

namespace strads::sumstats {

namespace {

constexpr unsigned kBitsOfDouble = 64, kBitsOfFloat = 31;
constexpr std::uint32_t kLow = 0x3fffffff, kHigh = 0x40000000;  // of such 31 bits

__extension__ using WideBits = unsigned __int128;

/// The upper one of 31 bits becomes the sign, the others what is below the exponent's highest bit.
float float_of(std::uint32_t bits) {
  return std::bit_cast<float>((bits & kLow) | ((bits & kHigh) << 1U));
}

std::uint32_t bits_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kLow) | ((bits >> 1U) & kHigh);
}

}  // namespace

std::size_t packed_size(std::size_t count) {
  return (count * kBitsOfDouble + kBitsOfFloat - 1) / kBitsOfFloat;
}

SharedFloats packed(std::span<const double> values) {
  SharedFloats floats(packed_size(values.size()));
  const std::span<float> out = floats.writable();
  std::size_t at = 0;
  WideBits waiting = 0;
  unsigned count = 0;
  for (const double value : values) {
    waiting |= static_cast<WideBits>(std::bit_cast<std::uint64_t>(value)) << count;
    for (count += kBitsOfDouble; count >= kBitsOfFloat; count -= kBitsOfFloat) {
      out[at++] = float_of(static_cast<std::uint32_t>(waiting) & (kLow | kHigh));
      waiting >>= kBitsOfFloat;
    }
  }
  if (count > 0) out[at] = float_of(static_cast<std::uint32_t>(waiting));
  return floats;
}

std::vector<double> unpacked(std::span<const float> floats, std::size_t count) {
  std::vector<double> values(count);
  std::size_t at = 0;
  WideBits waiting = 0;
  unsigned bits = 0;
  for (double& value : values) {
    for (; bits < kBitsOfDouble; bits += kBitsOfFloat) waiting |= static_cast<WideBits>(bits_of(floats[at++])) << bits;
    value = std::bit_cast<double>(static_cast<std::uint64_t>(waiting));
    waiting >>= kBitsOfDouble;
    bits -= kBitsOfDouble;
  }
  return values;
}

}  // namespace strads::sumstats
