/// \file
/// Whether all of many numbers are finite. Layer: base.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace strads {

[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

namespace finite_parts {

/// Not 0: some number is NaN or infinite. Without a branch, so that many are looked at in one step.
[[gnu::always_inline]] inline std::uint32_t any_bad(const float* values, std::size_t count) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all of these bits: NaN or infinite
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent);
  }
  return bad;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline std::uint32_t any_bad_of_eight(const float* values, std::size_t count) {
  return any_bad(values, count);
}
#endif

}  // namespace finite_parts

/// Factors and residuals are long: eight at a time where the machine can.
[[nodiscard]] inline bool all_finite(std::span<const float> values) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return finite_parts::any_bad_of_eight(values.data(), values.size()) == 0;
#endif
  return finite_parts::any_bad(values.data(), values.size()) == 0;
}

}  // namespace strads
