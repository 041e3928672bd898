// Products of a strip with a panel, compiled once per target by product_screen.cpp. No std:: functions here: an inline
// function instantiated for AVX-512 could be the copy that the linker keeps for everyone.
#if defined(STRADS_PRODUCT_SCREEN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_PRODUCT_SCREEN_INL
#undef STRADS_PRODUCT_SCREEN_INL
#else
#define STRADS_PRODUCT_SCREEN_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "numerics/factors/product_screen_kernels.hpp"
#include "strads/numerics/product_screen.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::screening {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using FloatVector = hn::Vec<Floats>;
constexpr std::size_t kFloatLanes = hn::MaxLanes(Floats());
constexpr std::size_t kVectors = 2;
/// Rows whose sums stay in registers: 32 of them with AVX-512 and NEON, 16 with the others.
constexpr std::size_t kTileRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 12
                                  : HWY_TARGET == HWY_AVX2                         ? 6
                                                                                   : 4;
static_assert(kStripRows % kTileRows == 0 && kPanelColumns % (kVectors * kFloatLanes) == 0);

/// One bit for each lane.
HWY_INLINE HWY_ATTR std::uint32_t bits_of(hn::Mask<Floats> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Floats(), mask, bytes);
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8U;
}

/// Rows from r and columns from c on.
HWY_INLINE HWY_ATTR std::uint32_t screen_tile(const ScreenTask& t, std::size_t r, std::size_t c) {
  const Floats d;
  FloatVector sums[kTileRows][kVectors];
  for (auto& of_row : sums) {
    for (FloatVector& sum : of_row) sum = hn::Zero(d);
  }
  const float* rows = t.rows + r;
  const float* columns = t.columns + c;
  for (std::size_t k = 0; k < t.depth; ++k, rows += kStripRows, columns += kPanelColumns) {
    FloatVector right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, columns + v * kFloatLanes);
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const FloatVector left = hn::Set(d, rows[i]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(left, right[v], sums[i][v]);
    }
  }
  std::uint32_t any = 0;
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t first = c + v * kFloatLanes;
    const FloatVector bias = hn::LoadU(d, t.biases + first), length = hn::LoadU(d, t.lengths + first);
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const FloatVector most = hn::MulAdd(hn::Set(d, t.slacks[r + i]), length, sums[i][v]);
      const FloatVector worth = hn::Add(hn::Add(hn::Set(d, t.bases[r + i]), bias), most);
      // Not "at least": what is no number is told.
      const auto small = hn::Lt(worth, hn::Set(d, t.least[r + i]));
      if (hn::AllTrue(d, small)) continue;
      const std::uint32_t large = bits_of(hn::Not(small)) << first;
      t.large[r + i] |= large;
      any |= large;
      hn::StoreU(sums[i][v], d, t.products + (r + i) * kPanelColumns + first);
    }
  }
  return any;
}

HWY_ATTR std::uint32_t screen(const ScreenTask& t) {
  std::uint32_t any = 0;
  for (std::size_t c = 0; c < kPanelColumns; c += kVectors * kFloatLanes) {
    for (std::size_t r = 0; r < kStripRows; r += kTileRows) any |= screen_tile(t, r, c);
  }
  return any;
}

}  // namespace strads::HWY_NAMESPACE::screening
HWY_AFTER_NAMESPACE();

#endif
