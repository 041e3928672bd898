#include "mf/check/double_products.hpp"

#include <array>
#include <cstring>

namespace strads::mf {
namespace {

constexpr std::uint32_t kProductSums = 8;
// The compiler makes of these what the function that they are in may use.
using EightFloats = float __attribute__((vector_size(kProductSums * sizeof(float))));
using EightDoubles = double __attribute__((vector_size(kProductSums * sizeof(double))));

/// A function of its own for each instruction set, since code that is shared keeps that of all processors.
#define STRADS_PRODUCTS(name, target)                                                                          \
  target void name(const float* const* left, const float* const* right, std::size_t count, std::uint32_t rank, \
                   double* out) {                                                                              \
    for (std::size_t r = 0; r < count; ++r) {                                                                  \
      const float *const w = left[r], *const h = right[r];                                                     \
      EightDoubles sums{};                                                                                     \
      std::uint32_t k = 0;                                                                                     \
      for (; k + kProductSums <= rank; k += kProductSums) {                                                    \
        EightFloats a, b;                                                                                      \
        std::memcpy(&a, w + k, sizeof a);                                                                      \
        std::memcpy(&b, h + k, sizeof b);                                                                      \
        sums += __builtin_convertvector(a, EightDoubles) * __builtin_convertvector(b, EightDoubles);           \
      }                                                                                                        \
      double s[kProductSums];                                                                                  \
      std::memcpy(s, &sums, sizeof s);                                                                         \
      for (std::uint32_t rest = 0; k < rank; ++k, ++rest) s[rest] += double{w[k]} * double{h[k]};              \
      out[r] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));                              \
    }                                                                                                          \
  }

constexpr std::size_t kTileRows = 4, kTileVectors = 2, kTileWide = kTileVectors * kProductSums;

/// 4 x 16 sums stay in registers, where there are as many.
#define STRADS_TILES(name, target)                                                       \
  target void name(const double* a, const double* b, std::size_t count, double* sums) {  \
    for (std::size_t l = 0; l < kTileSide; l += kTileWide) {                             \
      for (std::size_t k = 0; k < kTileSide; k += kTileRows) {                           \
        double* const to = sums + k * kTileSide + l;                                     \
        EightDoubles own[kTileRows][kTileVectors];                                       \
        for (std::size_t i = 0; i < kTileRows; ++i) {                                    \
          std::memcpy(own[i], to + i * kTileSide, sizeof own[i]);                        \
        }                                                                                \
        for (std::size_t r = 0; r < count; ++r) {                                        \
          EightDoubles right[kTileVectors];                                              \
          std::memcpy(right, b + r * kTileSide + l, sizeof right);                       \
          for (std::size_t i = 0; i < kTileRows; ++i) {                                  \
            const double left = a[r * kTileSide + k + i];                                \
            for (std::size_t v = 0; v < kTileVectors; ++v) own[i][v] += left * right[v]; \
          }                                                                              \
        }                                                                                \
        for (std::size_t i = 0; i < kTileRows; ++i) {                                    \
          std::memcpy(to + i * kTileSide, own[i], sizeof own[i]);                        \
        }                                                                                \
      }                                                                                  \
    }                                                                                    \
  }

STRADS_PRODUCTS(products_plain, )
STRADS_TILES(tiles_plain, )
#if defined(__x86_64__)
STRADS_PRODUCTS(products_avx2, __attribute__((target("avx2"))))
STRADS_TILES(tiles_avx2, __attribute__((target("avx2"))))
STRADS_PRODUCTS(products_avx512, __attribute__((target("avx512f"))))
STRADS_TILES(tiles_avx512, __attribute__((target("avx512f"))))
#endif
#undef STRADS_PRODUCTS
#undef STRADS_TILES

struct KnownProducts {
  std::array<NamedProducts, 3> list{};
  std::size_t count = 0;

  KnownProducts() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) list[count++] = {"avx512", &products_avx512, &tiles_avx512};
    if (__builtin_cpu_supports("avx2") != 0) list[count++] = {"avx2", &products_avx2, &tiles_avx2};
#endif
    list[count++] = {"plain", &products_plain, &tiles_plain};
  }
};

}  // namespace

std::span<const NamedProducts> all_double_products() {
  static const KnownProducts known;
  return std::span(known.list).first(known.count);
}

}  // namespace strads::mf
