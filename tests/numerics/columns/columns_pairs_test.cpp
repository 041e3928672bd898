// Products of prepared columns against products of single pairs.
#include <gtest/gtest.h>

#include <algorithm>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

class ColumnsPairs : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }

  static void expect_the_bits_of_pair(const Matrix& matrix, const StandardizedColumns& columns, Chunks& chunks) {
    StandardizedColumns::Pairs pairs(columns);
    std::vector<VarId> list = matrix.all();
    std::reverse(list.begin(), list.end());
    pairs.prepare(list, chunks);
    std::vector<double> prepared, single;
    for (std::size_t a = 0; a < list.size(); ++a) {
      for (std::size_t b = 0; b < list.size(); ++b) {
        prepared.push_back(pairs.product(a, b));
        single.push_back(columns.pair(list[a], list[b]));
      }
    }
    EXPECT_TRUE(same_bits(prepared, single));
    const std::vector<std::uint32_t> lefts{static_cast<std::uint32_t>(list.size() - 1), 0, 2, 3, 1};
    std::vector<VarId> left_list;
    for (const std::uint32_t place : lefts) left_list.push_back(list[place]);
    std::vector<double> rows(lefts.size() * list.size()), expected(rows.size());
    pairs.products(lefts, rows, chunks);
    columns.gram(left_list, list, expected, chunks);
    EXPECT_TRUE(same_bits(rows, expected));
  }
};

TEST_F(ColumnsPairs, GiveTheBitsOfSinglePairsInEveryStorage) {
  BackwardChunks backward;
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Storage storage : kStorages) {
      for (const int options : {0, 1, 2, 3}) {
        for (const std::size_t rows : {5u, 33u, 64u, 463u}) {
          for (const std::size_t dropped : {std::size_t{0}, rows / 4}) {
            SCOPED_TRACE(name_of(storage) + " rows=" + std::to_string(rows) + " options=" + std::to_string(options));
            Matrix matrix({storage, rows, 9, 0.1, 0.5, dropped, rows});
            matrix.excluded.assign(9, 0);
            matrix.excluded[4] = 1;
            const StandardizedColumns columns(matrix.view(), {(options & 1) != 0, (options & 2) != 0});
            expect_the_bits_of_pair(matrix, columns, backward);
          }
        }
      }
    }
  }
}

TEST_F(ColumnsPairs, RespectCovariates) {
  SerialChunks chunks;
  for (const Storage storage : kStorages) {
    const Matrix matrix({storage, 70, 9, 0.1, 0.5, 6, 3});
    const StandardizedColumns columns(matrix.view(), {}, {matrix.vector(1), matrix.vector(2)});
    expect_the_bits_of_pair(matrix, columns, chunks);
  }
}

TEST_F(ColumnsPairs, ForgetTheListBefore) {
  SerialChunks chunks;
  const Matrix matrix({Storage::genotype_2bit, 100, 12, 0.1, 1, 0, 5});
  const StandardizedColumns columns(matrix.view(), {});
  StandardizedColumns::Pairs pairs(columns);
  pairs.prepare(std::vector<VarId>{0, 1, 2, 3, 4, 5, 6}, chunks);
  pairs.prepare(std::vector<VarId>{11, 3, 7}, chunks);
  EXPECT_EQ(pairs.product(0, 1), columns.pair(11, 3));
  EXPECT_EQ(pairs.product(2, 0), columns.pair(7, 11));
}

}  // namespace
}  // namespace strads::test
