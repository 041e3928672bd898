// Combinations and products of columns packed by rows, against those of the columns themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "columns_fixture.hpp"
#include "support/sanitized.hpp"

namespace strads::test {
namespace {

class ColumnsByRows : public ::testing::TestWithParam<Storage> {
 protected:
  /// Coefficients of a list: some are 0.
  static std::vector<double> coefficients(std::size_t size) {
    Numbers numbers(size);
    std::vector<double> made(size);
    for (std::size_t k = 0; k < size; ++k) made[k] = k % 4 == 2 ? 0.0 : numbers.centred();
    return made;
  }

  static Matrix matrix(std::size_t rows, std::size_t dropped, bool weighted = false) {
    Matrix made({GetParam(), rows, 13, 0.1, 0.4, dropped, rows + dropped});
    made.excluded.assign(13, 0);
    made.excluded[4] = 1;
    if (weighted) made.weigh(rows);
    return made;
  }

  static std::vector<VarId> list_of(const Matrix& matrix) {
    std::vector<VarId> list = matrix.all();
    std::reverse(list.begin(), list.end());
    return list;
  }

  static void expect_products_up_to_rounding(const StandardizedColumns& columns, const std::vector<VarId>& list) {
    BackwardChunks chunks;
    StandardizedColumns::ByRows by_rows(columns, list, chunks);
    const auto by = coefficients(list.size());
    std::vector<double> image(columns.rows()), expected(list.size()), product(list.size());
    columns.combine(list, by, image, chunks);
    columns.dots(list, image, expected, chunks);
    by_rows.multiply(by, product, chunks);
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_NEAR(product[k], expected[k], 1e-13 * std::sqrt(static_cast<double>(columns.rows()))) << k;
    }
  }
};

TEST_P(ColumnsByRows, CombineWithTheBitsOfTheColumns) {
  BackwardChunks backward;
  for (const int options : {0, 1, 2, 3}) {
    for (const std::size_t rows : {1U, 5U, 64U, 463U, 33000U}) {
      if (support::kSanitized && rows > 1000 && options != 3) continue;
      for (const std::size_t dropped : {std::size_t{0}, rows / 4}) {
        for (const bool weighted : {false, true}) {
          SCOPED_TRACE("rows=" + std::to_string(rows) + " dropped=" + std::to_string(dropped) +
                       " options=" + std::to_string(options) + (weighted ? " weighted" : ""));
          const Matrix made = matrix(rows, dropped, weighted);
          const StandardizedColumns columns(made.view(), {(options & 1) != 0, (options & 2) != 0});
          const auto list = list_of(made);
          const auto by = coefficients(list.size());
          std::vector<double> expected(rows), combined(rows, 7.0);
          columns.combine(list, by, expected, backward);
          StandardizedColumns::ByRows by_rows(columns, list, backward);
          by_rows.combine(by, combined, backward);
          EXPECT_TRUE(same_bits(combined, expected));
        }
      }
    }
  }
}

TEST_P(ColumnsByRows, MultiplyAsTheColumnsDo) {
  for (const int options : {0, 1, 2, 3}) {
    for (const std::size_t dropped : {0U, 20U}) {
      for (const bool weighted : {false, true}) {
        SCOPED_TRACE("options=" + std::to_string(options) + " dropped=" + std::to_string(dropped) +
                     (weighted ? " weighted" : ""));
        const Matrix made = matrix(120, dropped, weighted);
        expect_products_up_to_rounding(StandardizedColumns(made.view(), {(options & 1) != 0, (options & 2) != 0}),
                                       list_of(made));
      }
    }
  }
}

TEST_P(ColumnsByRows, MultiplyWithCovariatesProjectedOut) {
  const Matrix made = matrix(90, 6);
  expect_products_up_to_rounding(StandardizedColumns(made.view(), {}, {made.vector(1), made.vector(2)}), list_of(made));
}

TEST_P(ColumnsByRows, GiveTheSameBitsInAnyOrderOfPieces) {
  const Matrix made = matrix(463, 9);
  const StandardizedColumns columns(made.view(), {});
  const auto list = list_of(made);
  const auto by = coefficients(list.size());
  SerialChunks serial;
  BackwardChunks backward;
  ShuffledChunks shuffled;
  const auto product = [&](Chunks& chunks) {
    StandardizedColumns::ByRows by_rows(columns, list, chunks);
    std::vector<double> out(list.size());
    by_rows.multiply(by, out, chunks);
    std::vector<double> again(list.size());
    by_rows.multiply(by, again, chunks);
    EXPECT_TRUE(same_bits(again, out));
    return out;
  };
  const auto expected = product(serial);
  EXPECT_TRUE(same_bits(product(backward), expected));
  EXPECT_TRUE(same_bits(product(shuffled), expected));
}

INSTANTIATE_TEST_SUITE_P(Storages, ColumnsByRows, ::testing::ValuesIn(kStorages),
                         [](const auto& storage) { return name_of(storage.param); });

TEST(ColumnsAddEntries, IsAddOnceTheRestIsLowered) {
  for (const Storage storage : {Storage::sparse_f32, Storage::sparse_f64}) {
    for (const bool center : {true, false}) {
      for (const std::size_t dropped : {0U, 7U}) {
        const Matrix made({storage, 50, 6, 0, 0.3, dropped, 8});
        const StandardizedColumns columns(made.view(), {center, true});
        ASSERT_TRUE(columns.can_add_entries());
        for (VarId j = 0; j < 6; ++j) {
          std::vector<double> added = made.vector(3), entries = added;
          columns.add(j, -0.7, added);
          const double level = columns.add_entries(j, -0.7, entries);
          EXPECT_EQ(level != 0.0, center);
          columns.lower(level, entries);
          for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(entries[i], added[i], 1e-15);
          for (const std::uint32_t row : made.dropped) EXPECT_EQ(entries[row], 0.0);
        }
      }
    }
  }
}

TEST(ColumnsAddEntries, IsNotOfferedWhereRowsOrStorageWantMore) {
  const Matrix dense({Storage::dense_f64, 20, 3, 0, 0.3, 0, 8}), plain({Storage::sparse_f64, 20, 3, 0, 0.3, 0, 8});
  Matrix weighted({Storage::sparse_f64, 20, 3, 0, 0.3, 0, 8});
  weighted.weigh(1);
  EXPECT_FALSE(StandardizedColumns(dense.view(), {}).can_add_entries());
  EXPECT_FALSE(StandardizedColumns(weighted.view(), {}).can_add_entries());
  EXPECT_FALSE(StandardizedColumns(plain.view(), {}, {plain.vector(1)}).can_add_entries());
  EXPECT_TRUE(StandardizedColumns(plain.view(), {}).can_add_entries());
}

}  // namespace
}  // namespace strads::test
