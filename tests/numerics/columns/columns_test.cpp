// StandardizedColumns against plain dense arithmetic: every storage, dropped rows, missing calls, all options.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

/// Columns have norm about 1 (or sqrt(rows)) and vectors entries up to 1.
constexpr double kTolerance = 1e-11;

struct Case {
  Recipe recipe;
  Standardization how;
};

std::string describe(const Case& c) {
  return name_of(c.recipe.storage) + " rows=" + std::to_string(c.recipe.rows) +
         " dropped=" + std::to_string(c.recipe.dropped) + " center=" + std::to_string(c.how.center) +
         " scale=" + std::to_string(c.how.scale) + " " + std::string(simd_name());
}

/// Every storage x options x a few shapes.
std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Storage storage : kStorages) {
    for (const int options : {0, 1, 2, 3}) {
      for (const std::size_t rows : {5u, 8u, 31u, 33u, 64u, 70u, 463u}) {
        for (const std::size_t dropped : {std::size_t{0}, rows / 4}) {
          for (const double missing : {0.0, 0.2}) {
            if (missing > 0 && storage != Storage::genotype_2bit && storage != Storage::dosage_u16) continue;
            const Recipe recipe{storage, rows, 11, missing, rows < 64 ? 0.7 : 0.05, dropped, rows + dropped};
            result.push_back({recipe, {(options & 1) != 0, (options & 2) != 0}});
          }
        }
      }
    }
  }
  return result;
}

class Columns : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }
  SerialChunks chunks_;
};

/// Calls body(matrix, columns, reference of j, j) for every kept column of every case and target.
template <class Body>
void for_every_column(const Body& body) {
  SerialChunks chunks;
  std::size_t seen = 0;
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Case& c : cases()) {
      SCOPED_TRACE(describe(c));
      const Matrix matrix(c.recipe);
      StandardizedColumns columns(matrix.view(), c.how);
      columns.scan(matrix.all(), chunks);
      for (const VarId j : matrix.all()) {
        if (columns.state(j) != ColumnState::kept) continue;
        ++seen;
        body(matrix, columns, Reference(matrix, j, c.how), j);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(seen, 1000u);
}

TEST_F(Columns, StatisticsAgreeWithPlainArithmetic) {
  for_every_column([](const Matrix& matrix, const StandardizedColumns& columns, const Reference& expected, VarId j) {
    ASSERT_NEAR(columns.observed_mean(j), expected.mean, 1e-13);
    ASSERT_NEAR(columns.norm(j), expected.norm, 1e-12 * expected.norm);
    ASSERT_NEAR(columns.squared_norm(j), expected.squares, 1e-12 * expected.squares);
    ASSERT_EQ(columns.missing(j), expected.missing);
    ASSERT_EQ(columns.samples(), matrix.recipe.rows - matrix.dropped.size());
  });
}

TEST_F(Columns, DotAgreesWithTheStandardisedColumn) {
  for_every_column([](const Matrix& matrix, const StandardizedColumns& columns, const Reference& expected, VarId j) {
    const auto u = matrix.vector(17);
    ASSERT_NEAR(columns.dot(j, u, sum(u)), plain_dot(expected.column, u), kTolerance);
  });
}

TEST_F(Columns, AddAgreesWithTheStandardisedColumnAndLeavesDroppedRowsAtZero) {
  for_every_column([](const Matrix& matrix, const StandardizedColumns& columns, const Reference& expected, VarId j) {
    auto v = matrix.vector(18);
    const auto before = v;
    columns.add(j, -0.75, v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      ASSERT_NEAR(v[i], before[i] - 0.75 * expected.column[i], kTolerance);
      if (!matrix.keeps(i)) {
        ASSERT_EQ(v[i], 0.0);
      }
    }
  });
}

TEST_F(Columns, DecodeWritesTheStandardisedColumn) {
  for_every_column([](const Matrix& matrix, const StandardizedColumns& columns, const Reference& expected, VarId j) {
    std::vector<double> out(matrix.recipe.rows, 5.0);
    columns.decode(j, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_NEAR(out[i], expected.column[i], kTolerance);
      if (!matrix.keeps(i)) {
        ASSERT_EQ(out[i], 0.0);
      }
    }
  });
}

TEST_F(Columns, PairAndGramAgreeWithTheStandardisedColumns) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Case& c : cases()) {
      SCOPED_TRACE(describe(c));
      const Matrix matrix(c.recipe);
      StandardizedColumns columns(matrix.view(), c.how);
      const auto all = matrix.all();
      columns.scan(all, chunks_);
      std::vector<double> out(all.size() * all.size());
      columns.gram(all, out, chunks_);
      std::vector<Reference> expected;
      for (const VarId j : all) expected.emplace_back(matrix, j, c.how);
      for (const VarId j : all) {
        for (const VarId k : all) {
          const bool kept = columns.state(j) == ColumnState::kept && columns.state(k) == ColumnState::kept;
          const double exact = kept ? plain_dot(expected[j].column, expected[k].column) : 0.0;
          const double size = 1 + (c.how.scale ? 0.0 : static_cast<double>(matrix.recipe.rows));
          ASSERT_NEAR(columns.pair(j, k), exact, kTolerance * size);
          ASSERT_NEAR(out[j * all.size() + k], exact, kTolerance * size);
          ASSERT_EQ(columns.pair(j, k), columns.pair(k, j));
        }
      }
    }
  }
}

TEST_F(Columns, GramOfGenotypesIsTheSameInStripsThatHoldTheirBitPlanesInLittleMemory) {
  // Of so many rows about 560 columns make a strip. A list may name a column again.
  const Matrix matrix({Storage::genotype_2bit, 120'000, 7, 0.1, 0.3, 50, 6});
  StandardizedColumns columns(matrix.view(), {});
  const auto all = matrix.all();
  columns.scan(all, chunks_);
  std::vector<VarId> many;
  for (std::size_t i = 0; i < 1200; ++i) many.push_back(all[(3 * i + i / 7) % all.size()]);
  const std::vector<VarId> few{5, 1, 2};
  std::vector<double> wide(few.size() * many.size()), high(wide.size());
  columns.gram(few, many, wide, chunks_);
  columns.gram(many, few, high, chunks_);
  for (std::size_t a = 0; a < few.size(); ++a) {
    for (std::size_t b = 0; b < many.size(); ++b) {
      ASSERT_EQ(wide[a * many.size() + b], columns.pair(few[a], many[b])) << a << " " << b;
      ASSERT_EQ(high[b * few.size() + a], columns.pair(few[a], many[b])) << a << " " << b;
    }
  }
}

TEST_F(Columns, CombineAgreesWithASeriesOfAdds) {
  for (const Storage storage : kStorages) {
    for (const std::size_t rows : {37u, 4095u, 4096u, 4097u, 9000u}) {
      for (const bool center : {true, false}) {
        const Matrix matrix({storage, rows, 7, 0.1, 0.1, rows / 5, 3});
        StandardizedColumns columns(matrix.view(), {center, true});
        const auto all = matrix.all();
        columns.scan(all, chunks_);
        const std::vector<double> coefficients = {0.5, 0.0, -2.0, 1.0, 3.0, -0.25, 0.125};
        std::vector<double> v(rows, 9.0), expected(rows, 0.0);
        columns.combine(all, coefficients, v, chunks_);
        for (const VarId j : all) columns.add(j, coefficients[j], expected);
        for (std::size_t i = 0; i < rows; ++i) {
          ASSERT_NEAR(v[i], expected[i], 1e-13) << name_of(storage) << " rows=" << rows << " i=" << i;
          if (!matrix.keeps(i)) {
            ASSERT_EQ(v[i], 0.0);
          }
        }
      }
    }
  }
}

TEST_F(Columns, ResultsHaveTheSameBitsInAnyOrderOfPieces) {
  BackwardChunks backward;
  ShuffledChunks shuffled;
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Storage storage : kStorages) {
      SCOPED_TRACE(name_of(storage));
      const Matrix matrix({storage, 5000, 70, 0.1, 0.02, 100, 4});
      StandardizedColumns columns(matrix.view(), {}), other(matrix.view(), {});
      const auto all = matrix.all();
      columns.scan(all, chunks_);
      other.scan(all, backward);
      const auto u = matrix.vector(5);
      std::vector<double> g(all.size()), h(all.size()), v(5000), w(5000);
      columns.dots(all, u, g, shuffled);
      other.dots(all, u, h, backward);
      EXPECT_TRUE(same_bits(g, h));
      for (const VarId j : all) ASSERT_EQ(columns.dot(j, u, sum(u)), g[j]);
      columns.combine(all, g, v, shuffled);
      other.combine(all, h, w, backward);
      EXPECT_TRUE(same_bits(v, w));
      std::vector<double> a(all.size() * all.size()), b(a.size());
      columns.gram(all, a, shuffled);
      other.gram(all, b, backward);
      EXPECT_TRUE(same_bits(a, b));
    }
  }
}

TEST_F(Columns, GramOfAPermutedListPermutesTheEntriesBitForBit) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Storage storage : kStorages) {
      for (const double fill : {0.03, 0.5}) {
        SCOPED_TRACE(name_of(storage));
        const Matrix matrix({storage, 700, 45, 0.1, fill, 20, 6});
        StandardizedColumns columns(matrix.view(), {});
        const auto all = matrix.all();
        columns.scan(all, chunks_);
        std::vector<VarId> permuted;
        for (std::size_t i = 0; i < all.size(); ++i) permuted.push_back(all[(i * 26 + 7) % all.size()]);
        std::vector<double> a(all.size() * all.size()), b(a.size());
        columns.gram(all, a, chunks_);
        columns.gram(permuted, b, chunks_);
        for (std::size_t i = 0; i < all.size(); ++i) {
          for (std::size_t k = 0; k < all.size(); ++k) {
            ASSERT_EQ(b[i * all.size() + k], a[permuted[i] * all.size() + permuted[k]]);
            ASSERT_EQ(a[i * all.size() + k], a[k * all.size() + i]);
          }
        }
      }
    }
  }
}

TEST_F(Columns, GramOfManyRowsAgreesWithPairs) {
  for (const Simd simd : targets()) {
    ASSERT_TRUE(choose_simd(simd).ok());
    for (const Storage storage : kStorages) {
      for (const std::size_t rows : {513u, 1100u, 8300u}) {
        SCOPED_TRACE(name_of(storage) + " rows=" + std::to_string(rows));
        const Matrix matrix({storage, rows, 6, 0.1, 0.04, 30, 6});
        StandardizedColumns columns(matrix.view(), {});
        columns.scan(matrix.all(), chunks_);
        std::vector<double> out(36);
        columns.gram(matrix.all(), out, chunks_);
        for (const VarId j : matrix.all()) {
          const Reference expected(matrix, j, {});
          for (const VarId k : matrix.all()) {
            const double exact = plain_dot(expected.column, Reference(matrix, k, {}).column);
            ASSERT_NEAR(out[j * 6 + k], exact, kTolerance);
            ASSERT_NEAR(columns.pair(j, k), exact, kTolerance);
          }
        }
      }
    }
  }
}

TEST_F(Columns, PairOfALongAndAShortSparseColumnFindsTheCommonRows) {
  Matrix matrix({Storage::sparse_f64, 1000, 2, 0, 0.6, 3, 6});
  for (std::size_t i = 0; i < 1000; ++i) {
    if (i % 111 != 5) matrix.raw[1000 + i] = 0;
  }
  matrix.store();
  StandardizedColumns columns(matrix.view(), {});
  columns.scan(matrix.all(), chunks_);
  const double exact = plain_dot(Reference(matrix, 0, {}).column, Reference(matrix, 1, {}).column);
  EXPECT_NEAR(columns.pair(0, 1), exact, kTolerance);
  EXPECT_NEAR(columns.pair(1, 0), exact, kTolerance);
}

TEST_F(Columns, ListsMayBeEmptyOrRepeatAColumn) {
  const Matrix matrix({Storage::genotype_2bit, 20, 4, 0.1, 0, 0, 2});
  StandardizedColumns columns(matrix.view(), {});
  columns.scan({}, chunks_);
  columns.scan(matrix.all(), chunks_);
  std::vector<double> none, v(20, 1.0), out(4);
  columns.combine({}, none, v, chunks_);
  EXPECT_EQ(v, std::vector<double>(20, 0.0));
  columns.gram({}, none, chunks_);
  const std::vector<VarId> twice = {2, 2};
  columns.gram(twice, out, chunks_);
  for (const double entry : out) EXPECT_NEAR(entry, 1.0, 1e-14);
}

TEST_F(Columns, WorkCountsTheFlopsOfADot) {
  const Matrix dense({Storage::dense_f32, 20, 3, 0, 0, 0, 1}), sparse({Storage::sparse_f64, 20, 3, 0, 0.5, 0, 1});
  const StandardizedColumns a(dense.view(), {}), b(sparse.view(), {});
  EXPECT_EQ(a.work(1), 40u);
  EXPECT_EQ(b.work(1), 2 * (sparse.starts[2] - sparse.starts[1]));
}

TEST(SparseColumns, MeetNothingOfTheColumnBehindThem) {
  // Short columns of every length; between them excluded ones with which products are infinite.
  constexpr std::size_t kRows = 12, kColumns = 26;
  Matrix matrix({.storage = Storage::sparse_f64, .rows = kRows, .columns = kColumns});
  matrix.excluded.assign(kColumns, 0);
  for (std::size_t j = 0; j < kColumns; ++j) {
    const bool huge = j % 2 == 1;
    matrix.excluded[j] = huge ? 1 : 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double x = static_cast<double>(i + j) - 3.5;
      matrix.raw[j * kRows + i] = huge ? 1e300 : i < 1 + j / 2 % 11 ? x : 0;
    }
  }
  matrix.store();
  const StandardizedColumns columns(matrix.view(), {.center = false, .scale = true});
  SerialChunks serial;
  std::vector<double> u(kRows, 1e10), found(kColumns);
  columns.dots(matrix.all(), u, found, serial);
  for (const VarId j : matrix.all()) {
    if (matrix.excluded[j] != 0) {
      EXPECT_EQ(found[j], 0.0) << j;
    } else {
      EXPECT_TRUE(std::isfinite(found[j])) << j;
      EXPECT_EQ(found[j], columns.dot(j, u, 0)) << j;
    }
  }
}

}  // namespace
}  // namespace strads::test
