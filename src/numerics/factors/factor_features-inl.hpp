// Feature kernels, compiled once per target by factor_features.cpp. No std:: functions here: an inline function
// instantiated for AVX-512 could be the copy that the linker keeps for everyone.
#if defined(STRADS_FACTOR_FEATURES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_FACTOR_FEATURES_INL
#undef STRADS_FACTOR_FEATURES_INL
#else
#define STRADS_FACTOR_FEATURES_INL
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "numerics/factors/factor_features_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::features {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;
constexpr std::size_t kFloatLanes = hn::MaxLanes(Floats());
/// Ratings at a time: their gathered features stay in L1, and float sums stay this short.
constexpr std::size_t kPiece = 256;

/// The feature at `count` <= kPiece slots, then zeros up to a whole vector.
HWY_INLINE HWY_ATTR void gather(const FactorPages& feature, const std::uint32_t* slots, std::size_t count, float* out) {
  const float* const* const pages = feature.pages;
  const std::uint32_t shift = feature.shift, inside = (std::uint32_t{1} << shift) - 1;
  for (std::size_t i = 0; i < count; ++i)
    out[i] = pages == nullptr ? 1.0F : pages[slots[i] >> shift][slots[i] & inside];
  for (std::size_t i = count; i % kFloatLanes != 0; ++i) out[i] = 0;
}

/// Residual entries [i, i + lanes) of `count`, zeros after the last.
HWY_INLINE HWY_ATTR FloatVector load_some(const float* residual, std::size_t i, std::size_t count) {
  if (i + kFloatLanes <= count) return hn::LoadU(Floats(), residual + i);
#if HWY_TARGET == HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(Floats(), count - i), Floats(), residual + i);
#else
  HWY_ALIGN float padded[kFloatLanes] = {};
  for (std::size_t k = 0; i + k < count; ++k) padded[k] = residual[i + k];
  return hn::Load(Floats(), padded);
#endif
}

HWY_INLINE HWY_ATTR void store_some(FloatVector v, float* residual, std::size_t i, std::size_t count) {
  if (i + kFloatLanes <= count) return hn::StoreU(v, Floats(), residual + i);
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(Floats(), count - i), Floats(), residual + i);
#else
  HWY_ALIGN float padded[kFloatLanes];
  hn::Store(v, Floats(), padded);
  for (std::size_t k = 0; i + k < count; ++k) residual[i + k] = padded[k];
#endif
}

/// Ratings [begin, begin + count) of one row: entry by entry, so that the bits do not depend on where rows are cut.
HWY_INLINE HWY_ATTR void start_piece(const FeatureRows& rows, std::size_t row, std::uint64_t begin, std::size_t count,
                                     const float* const* row_features, const FactorPages* column_features,
                                     std::size_t features, float mean, float* residual) {
  HWY_ALIGN float sums[kPiece];
  HWY_ALIGN float gathered[kPiece];
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = (rows.codes != nullptr ? rows.levels[rows.codes[begin + i]] : rows.values[begin + i]) - mean;
  }
  for (std::size_t i = count; i % kFloatLanes != 0; ++i) sums[i] = 0;
  for (std::size_t f = 0; f < features; ++f) {
    gather(column_features[f], rows.slots + begin, count, gathered);
    const auto w = hn::Set(Floats(), row_features[f] == nullptr ? 1.0F : row_features[f][row]);
    for (std::size_t i = 0; i < count; i += kFloatLanes) {
      const auto left = hn::NegMulAdd(w, hn::Load(Floats(), gathered + i), hn::Load(Floats(), sums + i));
      hn::Store(left, Floats(), sums + i);
    }
  }
  for (std::size_t i = 0; i < count; ++i) residual[begin + i] = sums[i];
}

HWY_ATTR void start(const FeatureRows& rows, const float* const* row_features, const FactorPages* column_features,
                    std::size_t features, float mean, float* residual) {
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::uint64_t end = rows.begins[row + 1];
    for (std::uint64_t begin = rows.begins[row]; begin < end; begin += kPiece) {
      const std::size_t count = end - begin < kPiece ? end - begin : kPiece;
      start_piece(rows, row, begin, count, row_features, column_features, features, mean, residual);
    }
  }
}

HWY_INLINE HWY_ATTR void move_piece(const std::uint32_t* slots, std::size_t count, float old_row, float new_row,
                                    const FactorPages& old_column, const FactorPages& new_column, float* residual) {
  HWY_ALIGN float old_features[kPiece];
  HWY_ALIGN float new_features[kPiece];
  gather(old_column, slots, count, old_features);
  gather(new_column, slots, count, new_features);
  const auto old_w = hn::Set(Floats(), old_row), new_w = hn::Set(Floats(), new_row);
  for (std::size_t i = 0; i < count; i += kFloatLanes) {
    const auto without = hn::MulAdd(old_w, hn::Load(Floats(), old_features + i), load_some(residual, i, count));
    store_some(hn::NegMulAdd(new_w, hn::Load(Floats(), new_features + i), without), residual, i, count);
  }
}

HWY_ATTR void move(const FeatureRows& rows, const float* old_row, const float* new_row, const FactorPages& old_column,
                   const FactorPages& new_column, float* residual) {
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const float old_w = old_row == nullptr ? 1.0F : old_row[row], new_w = new_row == nullptr ? 1.0F : new_row[row];
    const std::uint64_t end = rows.begins[row + 1];
    for (std::uint64_t begin = rows.begins[row]; begin < end; begin += kPiece) {
      const std::size_t count = end - begin < kPiece ? end - begin : kPiece;
      move_piece(rows.slots + begin, count, old_w, new_w, old_column, new_column, residual + begin);
    }
  }
}

HWY_INLINE HWY_ATTR void add_piece(const std::uint32_t* slots, std::size_t count, float old_row,
                                   const FactorPages& old_column, const FactorPages& h, const float* residual,
                                   FeatureSums& sums) {
  HWY_ALIGN float old_features[kPiece];
  HWY_ALIGN float other[kPiece];
  gather(old_column, slots, count, old_features);
  const float* features = old_features;
  if (h.pages != old_column.pages) {
    gather(h, slots, count, other);
    features = other;
  }
  const auto old_w = hn::Set(Floats(), old_row);
  auto target = hn::Zero(Floats()), squares = target, without = target, before = target;
  for (std::size_t i = 0; i < count; i += kFloatLanes) {
    const auto r = load_some(residual, i, count), feature = hn::Load(Floats(), features + i);
    const auto left = hn::MulAdd(old_w, hn::Load(Floats(), old_features + i), r);
    target = hn::MulAdd(left, feature, target);
    squares = hn::MulAdd(feature, feature, squares);
    without = hn::MulAdd(left, left, without);
    before = hn::MulAdd(r, r, before);
  }
  sums.target += static_cast<double>(hn::GetLane(hn::SumOfLanes(Floats(), target)));
  sums.squares += static_cast<double>(hn::GetLane(hn::SumOfLanes(Floats(), squares)));
  sums.without += static_cast<double>(hn::GetLane(hn::SumOfLanes(Floats(), without)));
  sums.before += static_cast<double>(hn::GetLane(hn::SumOfLanes(Floats(), before)));
}

HWY_ATTR void feature_sums(const std::uint32_t* slots, std::size_t count, float old_row, const FactorPages& old_column,
                           const FactorPages& h, const float* residual, FeatureSums& sums) {
  for (std::size_t begin = 0; begin < count; begin += kPiece) {
    const std::size_t piece = count - begin < kPiece ? count - begin : kPiece;
    add_piece(slots + begin, piece, old_row, old_column, h, residual + begin, sums);
  }
}

}  // namespace strads::HWY_NAMESPACE::features
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
