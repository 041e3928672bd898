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

/// One for each instruction set of this processor; the widest first, plain C++ last.
struct NamedProducts {
  std::string_view name;
  DoubleProducts products;
};
[[nodiscard]] std::span<const NamedProducts> all_double_products();
[[nodiscard]] inline DoubleProducts double_products() {
  return all_double_products().front().products;
}

}  // namespace strads::mf
