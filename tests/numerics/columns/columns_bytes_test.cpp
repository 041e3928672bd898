// Columns of bytes that are hard: no spread under a large mean, extremes, and the same numbers stored as doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "columns_fixture.hpp"
#include "strads/base/hash.hpp"

namespace strads::test {
namespace {

constexpr Standardization kHows[] = {{true, true}, {true, false}, {false, true}, {false, false}};

/// Entries of row i.
using Entry = std::function<double(std::size_t i)>;

/// Columns by their entries.
Matrix matrix_of(Storage storage, std::size_t rows, const std::vector<Entry>& entries, std::size_t dropped = 0) {
  Matrix matrix({.storage = storage, .rows = rows, .columns = entries.size(), .dropped = dropped});
  for (std::size_t j = 0; j < entries.size(); ++j) {
    for (std::size_t i = 0; i < rows; ++i) matrix.raw[j * rows + i] = entries[j](i);
  }
  matrix.store();
  return matrix;
}

std::vector<Entry> hard_columns(Storage storage) {
  const double low = storage == Storage::dense_i8 ? -128 : 0, high = low + 255;
  return {[=](std::size_t) { return high; },
          [=](std::size_t) { return low; },
          [=](std::size_t) { return low + 200; },
          [=](std::size_t i) { return i == 3 ? high - 1 : high; },
          [=](std::size_t i) { return i == 5 ? low + 1 : low; },
          [=](std::size_t i) { return i == 1 ? high : low; },
          [=](std::size_t i) { return i % 2 == 0 ? high : low; },
          [=](std::size_t i) { return i % 3 == 0 ? 1 : 0; },
          [=](std::size_t i) { return low + static_cast<double>(i % 256); }};
}

/// The largest share of its bound that an approximate product is off.
double worst(const StandardizedColumns& columns, const std::vector<VarId>& all, const std::vector<double>& u) {
  SerialChunks serial;
  QuantisedVector q;
  q.assign(u, columns.roots(), columns.quantised_order());
  std::vector<double> exact(all.size()), near(all.size());
  columns.dots(all, u, exact, serial);
  columns.approximate_dots(all, q, near, serial);
  double share = 0;
  for (const VarId j : all) {
    const double bound = columns.length_bound(j) * (q.error + columns.rounding_bound(j) * q.length);
    if (exact[j] != near[j]) share = std::max(share, std::abs(near[j] - exact[j]) / bound);
  }
  return share;
}

class EveryByte : public ::testing::TestWithParam<Storage> {};

TEST_P(EveryByte, HasStatisticsOfPlainArithmeticInHardColumns) {
  SerialChunks serial;
  for (const std::size_t rows : {10U, 64U, 463U, 70000U}) {
    for (const std::size_t dropped : {0U, 5U}) {
      const Matrix matrix = matrix_of(GetParam(), rows, hard_columns(GetParam()), dropped);
      for (const Standardization how : kHows) {
        const StandardizedColumns columns(matrix.view(), how);
        for (const VarId j : matrix.all()) {
          const Reference expected(matrix, j, how);
          const bool nothing = expected.squares == 0 || std::isnan(expected.column[rows - 1]);
          ASSERT_EQ(columns.state(j), nothing ? ColumnState::constant : ColumnState::kept) << rows << " " << j;
          ASSERT_NEAR(columns.observed_mean(j), expected.mean, 1e-13);
          if (nothing) continue;
          ASSERT_NEAR(columns.norm(j), expected.norm, 1e-14 * expected.norm) << rows << " " << j;
          ASSERT_NEAR(columns.squared_norm(j), expected.squares, 1e-14 * expected.squares) << rows << " " << j;
        }
      }
    }
  }
}

// n times a sum of squares leaves 64 bits with 16.8 M rows of 255.
TEST(LongColumnsOfBytes, HaveAnExactSpread) {
  constexpr std::size_t kRows = 18'000'000;
  std::vector<std::uint8_t> column(kRows, 255);
  column[kRows / 2] = 254;
  ColumnsView view;
  view.storage = Storage::dense_u8;
  view.rows = view.column_stride = kRows;
  view.columns = 1;
  view.values = reinterpret_cast<const std::byte*>(column.data());
  const StandardizedColumns columns(view, {});
  constexpr double kShare = 1.0 / kRows;
  EXPECT_DOUBLE_EQ(columns.norm(0), std::sqrt(1 - kShare));
  EXPECT_DOUBLE_EQ(columns.mean(0), 255 - kShare);
}

TEST_P(EveryByte, HoldsItsBoundInHardColumns) {
  for (const std::size_t rows : {10U, 64U, 463U, 5000U}) {
    for (const std::size_t dropped : {0U, 3U}) {
      Matrix matrix = matrix_of(GetParam(), rows, hard_columns(GetParam()), dropped);
      if (rows == 463) matrix.weigh(3);
      for (const Standardization how : kHows) {
        const StandardizedColumns columns(matrix.view(), how);
        for (std::uint64_t seed = 1; seed < 8; ++seed) {
          std::vector<double> u = matrix.vector(seed);
          if (seed % 3 == 0) u[matrix.keeps(1) ? 1 : 2] *= 1000;
          EXPECT_LE(worst(columns, matrix.all(), u), 1.0) << "as it is, rows " << rows;
          columns.project(u);
          EXPECT_LE(worst(columns, matrix.all(), u), 1.0) << "projected, rows " << rows;
        }
      }
    }
  }
}

// Multiples of the unit lose nothing: what is left of the bound is that of the roundings, and a vector far from
// centred meets columns with next to no spread. Largest where the mean goes: 255 sqrt(n) times their length.
TEST_P(EveryByte, HoldsItsBoundWhereOnlyRoundingIsLost) {
  Numbers numbers(11);
  double largest = 0;
  for (const std::size_t rows : {33U, 64U, 100U}) {
    const Matrix matrix = matrix_of(GetParam(), rows, hard_columns(GetParam()));
    for (const Standardization how : kHows) {
      const StandardizedColumns columns(matrix.view(), how);
      for (int repeat = 0; repeat < 40; ++repeat) {
        std::vector<double> u(rows);
        for (double& value : u) value = static_cast<double>(10000 + numbers.below(6383));
        u[0] = kQuantisedMax;
        QuantisedVector q;
        q.assign(u, {}, QuantisedOrder::bytes);
        ASSERT_EQ(q.error, 0.0);
        largest = std::max(largest, worst(columns, matrix.all(), u));
      }
    }
  }
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.01) << "the bound is of the right size";
}

TEST_P(EveryByte, HasProductsLikeTheSameNumbersInDoubles) {
  SerialChunks serial;
  for (const std::size_t dropped : {0U, 7U}) {
    Matrix bytes({.storage = GetParam(), .rows = 130, .columns = 20, .dropped = dropped});
    Matrix doubles = bytes;
    doubles.recipe.storage = Storage::dense_f64;
    doubles.store();
    for (const Standardization how : kHows) {
      const StandardizedColumns here(bytes.view(), how), there(doubles.view(), how);
      std::vector<double> gram_here(400), gram_there(400);
      here.gram(bytes.all(), gram_here, serial);
      there.gram(bytes.all(), gram_there, serial);
      const std::vector<double> u = bytes.vector(4);
      for (VarId j = 0; j < 20; ++j) {
        const double tolerance = 1e-13 * std::max(1.0, there.squared_norm(j));
        EXPECT_NEAR(here.dot(j, u, sum(u)), there.dot(j, u, sum(u)), tolerance);
        for (VarId k = 0; k < 20; ++k) {
          const double both = 1e-13 * std::max(1.0, std::sqrt(there.squared_norm(j) * there.squared_norm(k)));
          EXPECT_NEAR(gram_here[20 * j + k], gram_there[20 * j + k], both);
          EXPECT_NEAR(here.pair(j, k), there.pair(j, k), both);
        }
      }
    }
  }
}

// Ran on x86 and, by scripts/test_neon, on emulated ARM: statistics and products are made of whole numbers.
TEST(ApproximateDotsOfBytes, HaveTheseBitsOnEveryTargetAndArchitecture) {
  BackwardChunks chunks;
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    Hash64 hash;
    for (const Storage storage : {Storage::dense_i8, Storage::dense_u8}) {
      for (const Standardization how : kHows) {
        const Matrix matrix({.storage = storage, .rows = 463, .columns = 30, .dropped = 9});
        const StandardizedColumns columns(matrix.view(), how);
        QuantisedVector q;
        q.assign(matrix.vector(8), {}, QuantisedOrder::bytes);
        std::vector<double> found(30);
        columns.approximate_dots(matrix.all(), q, found, chunks);
        for (const double value : found) hash.update_f64(value);
      }
    }
    EXPECT_EQ(hash.digest(), 17890776958381503485U) << simd_name();
  }
  ASSERT_TRUE(choose_simd(Simd::automatic).ok());
}

INSTANTIATE_TEST_SUITE_P(Storages, EveryByte, ::testing::Values(Storage::dense_i8, Storage::dense_u8),
                         [](const auto& one) { return name_of(one.param); });

}  // namespace
}  // namespace strads::test
