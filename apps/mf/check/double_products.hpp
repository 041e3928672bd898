// Inner products for recount.cpp. Private to apps/mf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace strads::mf {

/// out[r] = sum over k < rank of left[r][k] right[r][k] in double precision: eight sums, of the products whose k is the
/// same modulo 8, and these in pairs. Nothing is fused or reordered: the same bits on every processor. Pure.
using DoubleProducts = void (*)(const float* const* left, const float* const* right, std::size_t count,
                                std::uint32_t rank, double* out);

/// sums[k x kTileSide + l] += sum over r < count of a[r x kTileSide + k] b[r x kTileSide + l], in the order of r. The
/// same bits on every processor: what is multiplied is floats, so that products are exact. Pure.
inline constexpr std::size_t kTileSide = 64;
using DoubleTiles = void (*)(const double* a, const double* b, std::size_t count, double* sums);

/// One for each instruction set of this processor; the widest first, plain C++ last.
struct NamedProducts {
  std::string_view name;
  DoubleProducts products;
  DoubleTiles tiles;
};
[[nodiscard]] std::span<const NamedProducts> all_double_products();
[[nodiscard]] inline DoubleProducts double_products() {
  return all_double_products().front().products;
}
[[nodiscard]] inline DoubleTiles double_tiles() {
  return all_double_products().front().tiles;
}

}  // namespace strads::mf
