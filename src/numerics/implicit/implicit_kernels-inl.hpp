// Dense kernels for rows of implicit feedback, compiled once per target by implicit_kernels.cpp. No std:: functions
// here: an inline function instantiated for AVX-512 could be the copy that the linker keeps for everyone.
#if defined(STRADS_IMPLICIT_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_IMPLICIT_KERNELS_INL
#undef STRADS_IMPLICIT_KERNELS_INL
#else
#define STRADS_IMPLICIT_KERNELS_INL
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "numerics/implicit/implicit_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::implicit {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kImplicitLanes>;
using FloatVector = hn::Vec<Floats>;
constexpr std::size_t kFloatLanes = hn::MaxLanes(Floats());

/// kRows x kVectors vectors of sums stay in registers.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE HWY_ATTR void tile(const ImplicitProduct& p, std::size_t i, std::size_t j) {
  const Floats d;
  FloatVector sums[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const float* a = p.a + i * p.a_row;
  const float* b = p.b + j;
  for (std::size_t k = 0; k < p.depth; ++k, a += p.a_deep, b += p.b_row) {
    FloatVector right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * kFloatLanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVector left = hn::Set(d, a[r * p.a_row]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const out = p.out + (i + r) * p.out_row + j;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const FloatVector held = hn::LoadU(d, out + v * kFloatLanes);
      hn::StoreU(p.minus ? hn::Sub(held, sums[r][v]) : hn::Add(held, sums[r][v]), d, out + v * kFloatLanes);
    }
  }
}

template <std::size_t kRows>
HWY_INLINE HWY_ATTR void strip(const ImplicitProduct& p, std::size_t i) {
  const std::size_t asked = i + kRows;
  const std::size_t padded = (asked + kImplicitLanes - 1) / kImplicitLanes * kImplicitLanes;
  const std::size_t end = p.lower && padded < p.columns ? padded : p.columns;
  std::size_t j = 0;
  for (; j + 2 * kFloatLanes <= end; j += 2 * kFloatLanes) tile<kRows, 2>(p, i, j);
  for (; j < end; j += kFloatLanes) tile<kRows, 1>(p, i, j);
}

HWY_ATTR void product(const ImplicitProduct& p) {
  // As many rows as there are registers for.
  constexpr std::size_t kRows = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  std::size_t i = 0;
  for (; i + kRows <= p.rows; i += kRows) strip<kRows>(p, i);
  for (; i + 2 <= p.rows; i += 2) strip<2>(p, i);
  for (; i < p.rows; ++i) strip<1>(p, i);
}

HWY_ATTR float dot(const float* a, const float* b, std::size_t count) {
  const Floats d;
  FloatVector first = hn::Zero(d), second = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * kFloatLanes <= count; i += 2 * kFloatLanes) {
    first = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), first);
    second = hn::MulAdd(hn::LoadU(d, a + i + kFloatLanes), hn::LoadU(d, b + i + kFloatLanes), second);
  }
  for (; i < count; i += kFloatLanes) first = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), first);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
}

HWY_ATTR void add(float factor, const float* x, float* y, std::size_t count) {
  const Floats d;
  const FloatVector times = hn::Set(d, factor);
  for (std::size_t i = 0; i < count; i += kFloatLanes) {
    hn::StoreU(hn::MulAdd(times, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  }
}

}  // namespace strads::HWY_NAMESPACE::implicit
HWY_AFTER_NAMESPACE();

#endif
