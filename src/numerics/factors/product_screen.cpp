#include "strads/numerics/product_screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/factors/product_screen_kernels.hpp"
#include "numerics/kernels/kernels.hpp"
#include "numerics/kernels/simd_targets.hpp"

// The targets of kernels.cpp, which says which one is chosen.
#define HWY_DISABLED_TARGETS (~(HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON | HWY_EMU128 | HWY_SCALAR))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/factors/product_screen.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/factors/product_screen-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE::screening {

extern const ScreenKernels kTable;
const ScreenKernels kTable = {STRADS_TARGET_NAME, &screen};

}  // namespace strads::HWY_NAMESPACE::screening
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strads {
namespace {

constexpr const ScreenKernels* kScreenTables[] = {
#if HWY_TARGETS & HWY_AVX3
    &N_AVX3::screening::kTable,
#endif
#if HWY_TARGETS & HWY_AVX2
    &N_AVX2::screening::kTable,
#endif
#if HWY_TARGETS & HWY_SSE4
    &N_SSE4::screening::kTable,
#endif
    &HWY_NAMESPACE::screening::kTable,
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Half the distance from 1 to the next float: the relative error of one rounding.
constexpr double kRounding = 0x1p-24;

/// Floors of lengths and slacks: their product, a normal float, is 2^-120, of which 8 / (2 depth + 8) are not taken by
/// roundings: more than products lose below the smallest normal float, 2^-149 for each feature.
constexpr float kShortest = 0x1p-40F;
constexpr float kLeastSlack = 0x1p-80F;

/// A longer row is told to be endless, and so is its slack: each of its products is told. Where a product of the plain
/// loop is too large for a float, a fused sum need not be, and no bound holds between them.
constexpr double kLongest = 0x1p62;

/// The next float that is not below.
float rounded_up(double value) {
  const auto nearest = static_cast<float>(value);
  return double{nearest} < value ? std::nextafter(nearest, kInfinity) : nearest;
}

/// What is no number stays: no bound holds then.
float larger_or_nan(float a, float b) {
  return std::isnan(a) || b <= a ? a : b;
}

/// gamma of [Higham02, 3.1]: what a sum of `depth` products is off by, of the sum of their
/// absolute values, in whatever order and with or without fused additions.
double gamma_of(std::size_t depth) {
  const double all = static_cast<double>(depth) * kRounding;
  return all / (1 - all);
}

}  // namespace

const ScreenKernels& screen_kernels() {
  return table_of(kernels().name, kScreenTables);
}

float length_above(const float* row, std::size_t count) {
  double squared = 0;
  for (std::size_t k = 0; k < count; ++k) squared += double{row[k]} * double{row[k]};
  // Of the sum in double precision a share of count x 2^-53 may be lost.
  const double length = std::sqrt(squared) * (1 + static_cast<double>(count + 2) * 0x1p-52);
  if (length > kLongest) return kInfinity;
  // The first of two arguments is what std::max() returns where one is no number.
  return std::max(rounded_up(length), kShortest);
}

float product_above(std::size_t depth) {
  return rounded_up(1 + gamma_of(depth) + 4 * kRounding);
}

ColumnPanels::ColumnPanels(std::span<const float> rows, std::size_t depth, std::span<const float> biases,
                           std::span<const std::uint32_t> order)
    : depth_(depth) {
  const std::size_t panels = (order.size() + kPanelColumns - 1) / kPanelColumns;
  features_.assign(panels * kPanelColumns * depth, 0.0F);
  lengths_.assign(panels * kPanelColumns, 0.0F);
  biases_.assign(panels * kPanelColumns, -kInfinity);
  for (std::size_t c = 0; c < order.size(); ++c) {
    const float* const row = rows.data() + order[c] * depth;
    float* const out = features_.data() + c / kPanelColumns * kPanelColumns * depth + c % kPanelColumns;
    for (std::size_t k = 0; k < depth; ++k) out[k * kPanelColumns] = row[k];
    lengths_[c] = length_above(row, depth);
    biases_[c] = biases[order[c]];
  }
  longest_.assign(panels, 0.0F);
  most_bias_.assign(panels, -kInfinity);
  for (std::size_t p = panels; p-- > 0;) {
    if (p + 1 < panels) {
      longest_[p] = longest_[p + 1];
      most_bias_[p] = most_bias_[p + 1];
    }
    for (std::size_t c = p * kPanelColumns; c < std::min(order.size(), (p + 1) * kPanelColumns); ++c) {
      longest_[p] = larger_or_nan(longest_[p], lengths_[c]);
      most_bias_[p] = larger_or_nan(most_bias_[p], biases_[c]);
    }
  }
}

RowStrip::RowStrip(std::size_t depth) : depth_(depth), features_(depth * kStripRows, 0.0F) {
  clear_from(0);
}

void RowStrip::set(std::size_t r, const float* row, float base) {
  for (std::size_t k = 0; k < depth_; ++k) features_[k * kStripRows + r] = row[k];
  bases_[r] = base;
  const float length = length_above(row, depth_);
  // Both sums are off by gamma, and slack x length + product is rounded twice; the rest is for what underflows.
  slacks_[r] = std::max(rounded_up((2 * gamma_of(depth_) + 8 * kRounding) * double{length}), kLeastSlack);
  reaches_[r] = rounded_up(double{length} * double{product_above(depth_)});
  least[r] = -kInfinity;
}

void RowStrip::clear_from(std::size_t r) {
  for (; r < kStripRows; ++r) {
    for (std::size_t k = 0; k < depth_; ++k) features_[k * kStripRows + r] = 0;
    bases_[r] = slacks_[r] = reaches_[r] = 0;
    least[r] = kInfinity;
  }
}

bool RowStrip::is_done(const ColumnPanels& columns, std::size_t panel) const {
  const float longest = columns.longest_from(panel), bias = columns.most_bias_from(panel);
  for (std::size_t r = 0; r < kStripRows; ++r) {
    const float most = (bases_[r] + bias) + rounded_up(double{reaches_[r]} * double{longest});
    if (!(most < least[r])) return false;
  }
  return true;
}

bool screen_products(const RowStrip& rows, const ColumnPanels& columns, std::size_t panel, LargeProducts& out) {
  out.large.fill(0);
  const ScreenTask task{rows.features(),      columns.features(panel), columns.depth(),       rows.bases().data(),
                        rows.slacks().data(), rows.least.data(),       columns.biases(panel), columns.lengths(panel),
                        out.large.data(),     out.products[0].data()};
  return screen_kernels().screen(task) != 0;
}

}  // namespace strads
#endif  // HWY_ONCE
