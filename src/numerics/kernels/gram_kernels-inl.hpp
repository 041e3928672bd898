// Products of many dense columns, compiled once per target by kernels.cpp.
#if defined(STRADS_GRAM_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_GRAM_KERNELS_INL
#undef STRADS_GRAM_KERNELS_INL
#else
#define STRADS_GRAM_KERNELS_INL
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "numerics/kernels/dense_kernels-inl.hpp"
#include "numerics/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {

// 4 x 4 accumulators need AVX-512's 32 registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr std::size_t kTileLeft = 4;
#else
constexpr std::size_t kTileLeft = 2;
#endif
constexpr std::size_t kTileRight = 4;

HWY_INLINE HWY_ATTR double* partial_of(double* partials, std::size_t a, std::size_t b) {
  return partials + (a * kGramColumns + b) * kLanesMax;
}

/// One vector accumulator per entry, rows in order: an entry's bits do not know the tile's shape or place.
HWY_INLINE HWY_ATTR void gram_tile(const double* const* left, const double* const* right, std::size_t rows,
                                   double* partials, std::size_t a, std::size_t b) {
  Vector acc[kTileLeft][kTileRight];
  for (std::size_t s = 0; s < kTileLeft; ++s) {
    for (std::size_t t = 0; t < kTileRight; ++t) acc[s][t] = load(partial_of(partials, a + s, b + t));
  }
  std::size_t i = 0;
  for (; i + kLanes <= rows; i += kLanes) {
    Vector columns[kTileRight];
    for (std::size_t t = 0; t < kTileRight; ++t) columns[t] = load(right[t] + i);
    for (std::size_t s = 0; s < kTileLeft; ++s) {
      const Vector x = load(left[s] + i);
      for (std::size_t t = 0; t < kTileRight; ++t) acc[s][t] = hn::MulAdd(x, columns[t], acc[s][t]);
    }
  }
  if (i < rows) {
    for (std::size_t s = 0; s < kTileLeft; ++s) {
      const Vector x = load_tail(left[s] + i, rows - i);
      for (std::size_t t = 0; t < kTileRight; ++t) {
        acc[s][t] = hn::MulAdd(x, load_tail(right[t] + i, rows - i), acc[s][t]);
      }
    }
  }
  for (std::size_t s = 0; s < kTileLeft; ++s) {
    for (std::size_t t = 0; t < kTileRight; ++t) hn::StoreU(acc[s][t], Doubles(), partial_of(partials, a + s, b + t));
  }
}

/// Tiles at the edge repeat the last column; what they compute twice falls into partials that nobody reads.
HWY_ATTR void gram_add(const double* left, std::size_t left_stride, std::size_t left_count, const double* right,
                       std::size_t right_stride, std::size_t right_count, std::size_t rows, double* partials) {
  const double* lefts[kTileLeft];
  const double* rights[kTileRight];
  for (std::size_t a = 0; a < left_count; a += kTileLeft) {
    for (std::size_t s = 0; s < kTileLeft; ++s) {
      lefts[s] = left + (a + s < left_count ? a + s : left_count - 1) * left_stride;
    }
    for (std::size_t b = 0; b < right_count; b += kTileRight) {
      for (std::size_t t = 0; t < kTileRight; ++t) {
        rights[t] = right + (b + t < right_count ? b + t : right_count - 1) * right_stride;
      }
      gram_tile(lefts, rights, rows, partials, a, b);
    }
  }
}

HWY_ATTR double gram_entry(const double* partials, std::size_t a, std::size_t b) {
  return reduce(load(partials + (a * kGramColumns + b) * kLanesMax));
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
