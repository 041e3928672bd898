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

/// One accumulator for each product, whatever is computed beside it.
template <std::size_t kRows, std::size_t kColumns>
HWY_INLINE HWY_ATTR void inner_tile(const ImplicitDots& p, std::size_t i, std::size_t j) {
  const Floats d;
  FloatVector sums[kRows][kColumns];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) sums[r][c] = hn::Zero(d);
  }
  const float* const a = p.rows + i * p.row;
  const float* const b = p.rows + j * p.row;
  for (std::size_t k = 0; k < p.depth; k += kFloatLanes) {
    const FloatVector between = hn::LoadU(d, p.between + k);
    FloatVector left[kRows];
    for (std::size_t r = 0; r < kRows; ++r) left[r] = hn::Mul(between, hn::LoadU(d, a + r * p.row + k));
    for (std::size_t c = 0; c < kColumns; ++c) {
      const FloatVector right = hn::LoadU(d, b + c * p.row + k);
      for (std::size_t r = 0; r < kRows; ++r) sums[r][c] = hn::MulAdd(left[r], right, sums[r][c]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      p.out[(i + r) * p.out_row + j + c] += hn::GetLane(hn::SumOfLanes(d, sums[r][c]));
    }
  }
}

HWY_ATTR void inner(const ImplicitDots& p) {
  constexpr std::size_t kSide = HWY_TARGET == HWY_AVX3 ? 4 : 2;
  std::size_t i = 0;
  for (; i + kSide <= p.count; i += kSide) {
    for (std::size_t j = 0; j <= i; j += kSide) inner_tile<kSide, kSide>(p, i, j);
  }
  for (; i < p.count; ++i) {
    std::size_t j = 0;
    for (; j + kSide <= i + 1; j += kSide) inner_tile<1, kSide>(p, i, j);
    for (; j <= i; ++j) inner_tile<1, 1>(p, i, j);
  }
}

HWY_ATTR void dots(const float* rows, std::size_t row, std::size_t count, const float* x, std::size_t depth,
                   float* out) {
  for (std::size_t j = 0; j < count; ++j) out[j] = dot(rows + j * row, x, depth);
}

HWY_ATTR void add_panels(const float* panels, std::size_t depth, std::size_t size, double* gram) {
  constexpr std::size_t kRows = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  const hn::CappedTag<double, kImplicitLanes / 2> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  constexpr std::size_t kWideLanes = hn::MaxLanes(wide);
  for (std::size_t i = 0; i < size; i += kRows) {
    const float* const own = panels + i / kImplicitPanel * depth * kImplicitPanel + i % kImplicitPanel;
    for (std::size_t j = 0; j <= i; j += kImplicitPanel) {
      const std::size_t columns = size - j < kImplicitPanel ? size - j : kImplicitPanel;
      float sums[kRows * kImplicitPanel] = {};
      const ImplicitProduct p = {.a = own,
                                 .a_row = 1,
                                 .a_deep = kImplicitPanel,
                                 .b = panels + j * depth,
                                 .b_row = kImplicitPanel,
                                 .depth = depth,
                                 .rows = kRows,
                                 .columns = columns,
                                 .out = sums,
                                 .out_row = kImplicitPanel};
      strip<kRows>(p, 0);
      for (std::size_t r = 0; r < kRows; ++r) {
        double* const to = gram + (i + r) * size + j;
        for (std::size_t c = 0; c < columns; c += kWideLanes) {
          const auto more = hn::PromoteTo(wide, hn::LoadU(narrow, sums + r * kImplicitPanel + c));
          hn::StoreU(hn::Add(hn::LoadU(wide, to + c), more), wide, to + c);
        }
      }
    }
  }
}

HWY_ATTR void fetch(const float* const* rows, const float* roots, std::size_t count, std::size_t width, std::size_t row,
                    float* out) {
  const Floats d;
  for (std::size_t j = 0; j < count; ++j, out += row) {
    const FloatVector root = hn::Set(d, roots[j]);
    for (std::size_t k = 0; k < row; k += kFloatLanes) {
      hn::StoreU(hn::Mul(root, hn::LoadU(d, rows[j] + k)), d, out + k);
    }
    for (std::size_t k = width; k < row; ++k) out[k] = 0;
  }
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
