// Heavy columns packed by rows, and their products, against those of the columns themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Columns of given numbers of entries, each in the first rows.
struct Staircase {
  std::vector<std::uint64_t> starts{0};
  std::vector<std::uint32_t> row_numbers;
  std::vector<float> values;
  std::size_t rows;

  Staircase(std::size_t row_count, const std::vector<std::size_t>& sizes) : rows(row_count) {
    for (const std::size_t size : sizes) {
      for (std::uint32_t i = 0; i < size; ++i) {
        row_numbers.push_back(i);
        values.push_back(1.0F + static_cast<float>(i % 7));
      }
      starts.push_back(values.size());
    }
  }
  ColumnsView view() const {
    ColumnsView made;
    made.storage = Storage::sparse_f32;
    made.rows = rows;
    made.columns = static_cast<VarId>(starts.size() - 1);
    made.values = reinterpret_cast<const std::byte*>(values.data());
    made.row_numbers = row_numbers;
    made.starts = starts;
    return made;
  }
};

TEST(ColumnsHeavy, AreThoseWithEntriesInASixteenthOfTheRows) {
  const Staircase data(160, {9, 10, 0, 160, 11, 1});
  const StandardizedColumns columns(data.view(), {false, true});
  EXPECT_THAT(StandardizedColumns::Heavy::choose(columns), ElementsAre(1, 3, 4));
}

TEST(ColumnsHeavy, AreTheHeaviestWhereTooManyAreHeavy) {
  std::vector<std::size_t> sizes;
  for (std::size_t j = 0; j < 300; ++j) sizes.push_back(j < 100 ? 20 : 30);
  const Staircase data(100, sizes);
  const StandardizedColumns columns(data.view(), {});
  const std::vector<VarId> chosen = StandardizedColumns::Heavy::choose(columns);
  EXPECT_THAT(chosen, SizeIs(256));
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(chosen[56], 100U) << "all 200 of 30 entries, and the first of those of 20";
  EXPECT_EQ(chosen[55], 55U);
}

TEST(ColumnsHeavy, AreNoneWhereColumnsAreNotSparseOrHaveWeights) {
  const Matrix dense({Storage::dense_f64, 40, 5, 0, 0.5, 0, 3});
  EXPECT_THAT(StandardizedColumns::Heavy::choose(StandardizedColumns(dense.view(), {})), IsEmpty());
  Matrix weighted({Storage::sparse_f64, 40, 5, 0, 0.5, 0, 3});
  weighted.weigh(4);
  EXPECT_THAT(StandardizedColumns::Heavy::choose(StandardizedColumns(weighted.view(), {})), IsEmpty());
  const Matrix plain({Storage::sparse_f64, 40, 5, 0, 0.5, 0, 3});
  const StandardizedColumns projected(plain.view(), {}, {plain.vector(1)});
  EXPECT_THAT(StandardizedColumns::Heavy::choose(projected), IsEmpty());
}

struct HeavyCase {
  Storage storage;
  bool center, scale;
  std::size_t rows, dropped;
};

class HeavyColumns : public ::testing::TestWithParam<HeavyCase> {
 protected:
  static Matrix matrix() {
    const HeavyCase& c = GetParam();
    Matrix made({c.storage, c.rows, 12, 0, 0.3, c.dropped, c.rows + c.dropped});
    made.excluded.assign(12, 0);
    made.excluded[4] = 1;
    return made;
  }
  static Standardization how() { return {GetParam().center, GetParam().scale}; }
  static double tolerance() { return 1e-13 * std::sqrt(static_cast<double>(GetParam().rows)) * 10; }
  static std::vector<double> numbers(std::size_t size) {
    Numbers random(size);
    std::vector<double> made(size);
    for (double& value : made) value = random.centred();
    return made;
  }

  const std::vector<VarId> heavy_list_{1, 2, 4, 7, 8, 11};
};

TEST_P(HeavyColumns, MultiplyAVectorAsTheColumnsDo) {
  const Matrix made = matrix();
  const StandardizedColumns columns(made.view(), how());
  ShuffledChunks chunks;
  const StandardizedColumns::Heavy heavy(columns, heavy_list_, chunks);
  const std::vector<double> u = made.vector(3);
  std::vector<double> found(heavy_list_.size());
  heavy.dots(u, sum(u), found, chunks);
  for (std::size_t h = 0; h < found.size(); ++h) {
    EXPECT_NEAR(found[h], columns.dot(heavy_list_[h], u, sum(u)), tolerance()) << h;
  }
}

TEST_P(HeavyColumns, AddEntriesAsTheColumnsDo) {
  const Matrix made = matrix();
  const StandardizedColumns columns(made.view(), how());
  ShuffledChunks chunks;
  const StandardizedColumns::Heavy heavy(columns, heavy_list_, chunks);
  const std::vector<double> by = numbers(heavy_list_.size());
  std::vector<double> expected = made.vector(5), found = expected;
  double level = 0;
  for (std::size_t h = 0; h < by.size(); ++h) level += columns.add_entries(heavy_list_[h], by[h], expected);
  EXPECT_NEAR(heavy.add_entries(by, found, chunks), level, tolerance());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance()) << i;
}

TEST_P(HeavyColumns, KnowTheProductsOfTheirPairs) {
  const Matrix made = matrix();
  const StandardizedColumns columns(made.view(), how());
  BackwardChunks chunks;
  const StandardizedColumns::Heavy heavy(columns, heavy_list_, chunks);
  for (std::size_t a = 0; a < heavy_list_.size(); ++a) {
    for (std::size_t b = 0; b < heavy_list_.size(); ++b) {
      EXPECT_NEAR(heavy.products(a)[b], columns.pair(heavy_list_[a], heavy_list_[b]), tolerance()) << a << ' ' << b;
      EXPECT_EQ(heavy.products(a)[b], heavy.products(b)[a]);
    }
  }
}

TEST_P(HeavyColumns, GiveTheSameBitsInAnyOrderOfPieces) {
  const Matrix made = matrix();
  const StandardizedColumns columns(made.view(), how());
  const std::vector<double> by = numbers(heavy_list_.size());
  const auto all_of = [&](Chunks& chunks) {
    const StandardizedColumns::Heavy heavy(columns, heavy_list_, chunks);
    std::vector<double> out(by.size()), v = made.vector(6);
    heavy.dots(v, sum(v), out, chunks);
    out.push_back(heavy.add_entries(by, v, chunks));
    out.insert(out.end(), v.begin(), v.end());
    for (std::size_t h = 0; h < by.size(); ++h) {
      out.insert(out.end(), heavy.products(h).begin(), heavy.products(h).end());
    }
    return out;
  };
  SerialChunks serial;
  BackwardChunks backward;
  ShuffledChunks shuffled;
  const std::vector<double> expected = all_of(serial);
  EXPECT_TRUE(same_bits(all_of(backward), expected));
  EXPECT_TRUE(same_bits(all_of(shuffled), expected));
}

/// Lists that hold some of the heavy columns, all and nothing else, and none.
TEST_P(HeavyColumns, AreLeftOutWhereOthersArePackedByRowsWithoutAChangeOfTheProducts) {
  const Matrix made = matrix();
  const StandardizedColumns columns(made.view(), how());
  ShuffledChunks chunks;
  const StandardizedColumns::Heavy heavy(columns, heavy_list_, chunks);
  for (const std::vector<VarId>& list :
       {made.all(), heavy_list_, std::vector<VarId>{0, 2, 3, 11}, std::vector<VarId>{3, 5}}) {
    SCOPED_TRACE(::testing::PrintToString(list));
    StandardizedColumns::ByRows by_rows(columns, list, chunks, &heavy);
    for (int round = 0; round < 2; ++round) {
      std::vector<double> by = numbers(list.size() + static_cast<std::size_t>(round));
      by.resize(list.size());
      std::vector<double> image(columns.rows()), combined(columns.rows(), 7.0), expected(list.size()),
          product(list.size());
      columns.combine(list, by, image, chunks);
      by_rows.combine(by, combined, chunks);
      for (std::size_t i = 0; i < image.size(); ++i) ASSERT_NEAR(combined[i], image[i], tolerance()) << i;
      columns.dots(list, image, expected, chunks);
      by_rows.multiply(by, product, chunks);
      for (std::size_t k = 0; k < list.size(); ++k) EXPECT_NEAR(product[k], expected[k], tolerance()) << k;
    }
  }
}

std::vector<HeavyCase> heavy_cases() {
  std::vector<HeavyCase> all;
  for (const Storage storage : {Storage::sparse_f32, Storage::sparse_f64}) {
    for (const int options : {0, 1, 2, 3}) {
      for (const std::size_t rows : {50U, 700U, 5000U}) {
        for (const std::size_t dropped : {std::size_t{0}, rows / 5}) {
          all.push_back({storage, (options & 1) != 0, (options & 2) != 0, rows, dropped});
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, HeavyColumns, ::testing::ValuesIn(heavy_cases()), [](const auto& shape) {
  const HeavyCase& c = shape.param;
  return name_of(c.storage) + (c.center ? "Centred" : "") + (c.scale ? "Scaled" : "") + "Of" + std::to_string(c.rows) +
         (c.dropped > 0 ? "SomeDropped" : "");
});

TEST(ColumnsHeavy, CountRowsBehindTheLastLightEntryToo) {
  // The light column ends early; the heavy ones go on to the last row.
  const Staircase data(400, {400, 3, 380});
  const StandardizedColumns columns(data.view(), {false, false});
  SerialChunks chunks;
  const StandardizedColumns::Heavy heavy(columns, std::vector<VarId>{0, 2}, chunks);
  const std::vector<VarId> list{0, 1, 2};
  StandardizedColumns::ByRows by_rows(columns, list, chunks, &heavy);
  std::vector<double> out(3);
  by_rows.multiply(std::vector<double>{1, 0, 0}, out, chunks);
  for (const VarId j : list) EXPECT_DOUBLE_EQ(out[j], columns.pair(0, j)) << j;
}

}  // namespace
}  // namespace strads::test
