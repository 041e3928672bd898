// Every column whose plain product is large enough is told, and few others, on each SIMD target.
#include "strads/numerics/product_screen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {
namespace {

struct ScreenCase {
  std::size_t depth, columns, rows;
  float scale, centre;  ///< entries are centre + scale times what is uniform between -1 and 1
};

std::vector<float> entries(std::size_t count, const ScreenCase& one, CounterRng& random) {
  std::vector<float> out(count);
  for (float& value : out) value = one.centre + one.scale * static_cast<float>(2 * random.unit() - 1);
  return out;
}

float plain_product(const float* a, const float* b, std::size_t depth) {
  float sum = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    const float product = a[k] * b[k];
    sum += product;
  }
  return sum;
}

void expect_all_large_told(const ScreenCase& one) {
  CounterRng random(one.depth + one.columns, Purpose::tests);
  const auto rows = entries(one.rows * one.depth, one, random), columns = entries(one.columns * one.depth, one, random);
  const auto biases = entries(one.columns, one, random);
  std::vector<std::uint32_t> order(one.columns);
  std::iota(order.rbegin(), order.rend(), 0U);
  const ColumnPanels panels(columns, one.depth, biases, order);
  ASSERT_EQ(panels.panels(), (one.columns + kPanelColumns - 1) / kPanelColumns);
  RowStrip strip(one.depth);
  std::vector<std::vector<float>> worths(one.rows);
  for (std::size_t r = 0; r < one.rows; ++r) {
    strip.set(r, rows.data() + r * one.depth, 0.25F);
    for (const std::uint32_t c : order) {
      const float product = plain_product(&rows[r * one.depth], &columns[c * one.depth], one.depth);
      worths[r].push_back((0.25F + biases[c]) + product);
    }
    // Exactly what one of them is worth: whoever is worth as much is told.
    strip.least[r] = worths[r][(r * 7) % one.columns];
  }
  std::size_t small_ones = 0;
  for (std::size_t panel = 0; panel < panels.panels(); ++panel) {
    LargeProducts found;
    (void)screen_products(strip, panels, panel, found);
    for (std::size_t r = 0; r < kStripRows; ++r) {
      if (r >= one.rows) {
        ASSERT_EQ(found.large[r], 0U) << "nobody's place";
        continue;
      }
      for (std::size_t c = 0; c < kPanelColumns && panel * kPanelColumns + c < one.columns; ++c) {
        const float worth = worths[r][panel * kPanelColumns + c];
        const bool told = ((found.large[r] >> c) & 1U) != 0;
        ASSERT_TRUE(told || worth < strip.least[r]) << "row " << r << ", column " << c << " of panel " << panel;
        ASSERT_FALSE(strip.is_done(panels, panel) && worth >= strip.least[r]);
        const float near = 3 * strip.slack(r) * panels.lengths(panel)[c] + std::abs(worth) * 0x1p-20F;
        if (told && worth < strip.least[r] - near) ++small_ones;
      }
    }
  }
  EXPECT_EQ(small_ones, 0U) << "what is told is large but for rounding";
}

TEST(ProductScreen, TellsAllThatIsLarge) {
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512, Simd::automatic}) {
    if (!choose_simd(simd).ok()) continue;  // this CPU has none
    SCOPED_TRACE(std::string(simd_name()));
    for (const ScreenCase& one : {ScreenCase{1, 1, 1, 1, 0}, ScreenCase{5, 31, 3, 1, 0}, ScreenCase{16, 64, 12, 1, 0},
                                  ScreenCase{100, 70, 11, 1, 0}, ScreenCase{128, 150, 12, 0x1p-20F, 1.2345678F},
                                  ScreenCase{20, 40, 7, 0x1p-74F, 0}, ScreenCase{7, 45, 12, 0x1p60F, 0},
                                  ScreenCase{3, 40, 12, 0x1p64F, 0}, ScreenCase{129, 33, 12, 1, 0}}) {
      SCOPED_TRACE(std::to_string(one.depth) + " features, " + std::to_string(one.columns) + " columns");
      expect_all_large_told(one);
    }
  }
}

TEST(ProductScreen, TellsWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> columns = {1, nan, 2}, biases = {0, 0, 0};
  const std::vector<std::uint32_t> order = {0, 1, 2};
  const ColumnPanels panels(columns, 1, biases, order);
  RowStrip strip(1);
  const float row = 1;
  strip.set(0, &row, 0);
  strip.least[0] = 10;
  LargeProducts found;
  EXPECT_TRUE(screen_products(strip, panels, 0, found));
  EXPECT_EQ(found.large[0], 2U);
  EXPECT_FALSE(strip.is_done(panels, 0));
}

TEST(ProductScreen, IsNotDoneWhereABiasIsEnough) {
  const std::vector<float> columns(40, 0.5F);
  std::vector<float> biases(40, 0);
  biases[39] = 5;
  std::vector<std::uint32_t> order(40);
  std::iota(order.begin(), order.end(), 0U);
  const ColumnPanels panels(columns, 1, biases, order);
  RowStrip strip(1);
  const float row = 1;
  strip.set(0, &row, 0);
  strip.least[0] = 3;
  EXPECT_FALSE(strip.is_done(panels, 0)) << "the second panel's bias counts for the first";
  EXPECT_FALSE(strip.is_done(panels, 1));
  strip.least[0] = 6;
  EXPECT_TRUE(strip.is_done(panels, 0));
}

TEST(ProductScreen, LengthsAreNotBelowTheTruth) {
  const float row[] = {3, 4};
  EXPECT_GE(length_above(row, 2), 5);
  EXPECT_LT(length_above(row, 2), 5 * (1 + 0x1p-20));
  const float endless[] = {0x1p62F, 0x1p62F};
  EXPECT_EQ(length_above(endless, 2), std::numeric_limits<float>::infinity()) << "its products may be";
  const float zero[] = {0};
  EXPECT_GT(length_above(zero, 1), 0) << "what underflows is covered by it";
}

}  // namespace
}  // namespace strads
