// Doubles as floats that are all finite, so that messages share them instead of copying. Private to apps/sumstats.
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"

namespace strads::sumstats {

/// The bits of the doubles, one after the other, 31 in each float: the highest bit of the exponent stays 0, without
/// which no float is infinite or NaN. ceil(64 n / 31) floats for n doubles.
[[nodiscard]] SharedFloats packed(std::span<const double> values);
/// How many floats packed() has for so many doubles.
[[nodiscard]] std::size_t packed_size(std::size_t count);
/// The doubles again. REQUIRES: floats.size() == packed_size(count). Floats that packed() does not give become some
/// doubles.
[[nodiscard]] std::vector<double> unpacked(std::span<const float> floats, std::size_t count);

}  // namespace strads::sumstats
