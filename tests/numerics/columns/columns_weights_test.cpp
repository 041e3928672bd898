// Sample weights in every storage: columns stand for sqrt(w) o x~_j, against plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

constexpr double kWeightedTolerance = 1e-11;

struct WeightedCase {
  Recipe recipe;
  Standardization how;
};

std::vector<WeightedCase> weighted_cases() {
  std::vector<WeightedCase> result;
  for (const Storage storage : kStorages) {
    for (const int options : {0, 1, 2, 3}) {
      for (const std::size_t rows : {5u, 33u, 130u}) {
        for (const std::size_t dropped : {std::size_t{0}, rows / 4}) {
          const double missing = storage == Storage::genotype_2bit || storage == Storage::dosage_u16 ? 0.2 : 0;
          const Recipe recipe{storage, rows, 9, missing, rows < 64 ? 0.7 : 0.05, dropped, rows + dropped};
          result.push_back({recipe, {(options & 1) != 0, (options & 2) != 0}});
        }
      }
    }
  }
  return result;
}

std::string describe_weighted(const WeightedCase& c) {
  return name_of(c.recipe.storage) + " rows=" + std::to_string(c.recipe.rows) +
         " dropped=" + std::to_string(c.recipe.dropped) + " center=" + std::to_string(c.how.center) +
         " scale=" + std::to_string(c.how.scale) + " " + std::string(simd_name());
}

class WeightedColumns : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(choose_simd(Simd::automatic).ok()); }

  /// Calls body(matrix, columns, references of the kept columns by number) for every case and target.
  template <class Body>
  void for_every_case(const Body& body) {
    std::size_t seen = 0;
    for (const Simd simd : targets()) {
      ASSERT_TRUE(choose_simd(simd).ok());
      for (const WeightedCase& c : weighted_cases()) {
        SCOPED_TRACE(describe_weighted(c));
        Matrix matrix(c.recipe);
        matrix.weigh(17);
        const StandardizedColumns columns(matrix.view(), c.how);
        std::vector<VarId> kept;
        for (const VarId j : matrix.all()) {
          if (columns.state(j) == ColumnState::kept) kept.push_back(j);
        }
        seen += kept.size();
        body(matrix, columns, kept, c.how);
        if (HasFatalFailure()) return;
      }
    }
    EXPECT_GT(seen, 500u);
  }
  SerialChunks chunks_;
};

TEST_F(WeightedColumns, StatisticsAreWeighted) {
  for_every_case([](const Matrix& matrix, const StandardizedColumns& columns, const auto& kept, Standardization how) {
    ASSERT_NEAR(columns.weight(), std::accumulate(matrix.weights.begin(), matrix.weights.end(), 0.0), 1e-12);
    for (const VarId j : kept) {
      const Reference expected(matrix, j, how);
      ASSERT_NEAR(columns.observed_mean(j), expected.mean, 1e-13);
      ASSERT_NEAR(columns.norm(j), expected.norm, 1e-12 * expected.norm);
      ASSERT_NEAR(columns.squared_norm(j), expected.squares, 1e-12 * expected.squares);
      ASSERT_EQ(columns.missing(j), expected.missing);
    }
  });
}

TEST_F(WeightedColumns, DotsAreThoseOfTheWeightedColumn) {
  for_every_case([&](const Matrix& matrix, const StandardizedColumns& columns, const auto& kept, Standardization how) {
    const std::vector<double> u = matrix.vector(3);
    std::vector<double> dots(kept.size());
    columns.dots(kept, u, dots, chunks_);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const Reference expected(matrix, kept[k], how);
      const double exact = plain_dot(expected.column, u);
      ASSERT_NEAR(dots[k], exact, kWeightedTolerance * (1 + expected.norm));
      ASSERT_NEAR(columns.dot(kept[k], u, columns.total(u)), exact, kWeightedTolerance * (1 + expected.norm));
    }
  });
}

TEST_F(WeightedColumns, AddDecodeAndCombineGiveTheWeightedColumn) {
  for_every_case([&](const Matrix& matrix, const StandardizedColumns& columns, const auto& kept, Standardization how) {
    std::vector<double> sum(matrix.recipe.rows, 0.0), combined(matrix.recipe.rows), decoded(matrix.recipe.rows);
    std::vector<double> coefficients;
    for (const VarId j : kept) {
      coefficients.push_back(0.5 + j);
      const Reference expected(matrix, j, how);
      columns.decode(j, decoded);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        ASSERT_NEAR(decoded[i], expected.column[i], kWeightedTolerance);
        sum[i] += coefficients.back() * expected.column[i];
      }
      std::vector<double> added = matrix.vector(5);
      const std::vector<double> before = added;
      columns.add(j, -2, added);
      for (std::size_t i = 0; i < sum.size(); ++i)
        ASSERT_NEAR(added[i], before[i] - 2 * expected.column[i], kWeightedTolerance);
    }
    columns.combine(kept, coefficients, combined, chunks_);
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(combined[i], sum[i], 1e-10);
  });
}

TEST_F(WeightedColumns, PairsGramsAndPreparedPairsAgree) {
  for_every_case([&](const Matrix& matrix, const StandardizedColumns& columns, const auto& kept, Standardization how) {
    std::vector<double> gram(kept.size() * kept.size());
    columns.gram(kept, gram, chunks_);
    StandardizedColumns::Pairs pairs(columns);
    pairs.prepare(kept, chunks_);
    for (std::size_t a = 0; a < kept.size(); ++a) {
      const Reference left(matrix, kept[a], how);
      for (std::size_t b = 0; b < kept.size(); ++b) {
        const Reference right(matrix, kept[b], how);
        const double exact = plain_dot(left.column, right.column);
        const double scale =
            kWeightedTolerance * (1 + left.norm * right.norm * std::sqrt(left.squares * right.squares));
        ASSERT_NEAR(gram[a * kept.size() + b], exact, scale);
        ASSERT_NEAR(columns.pair(kept[a], kept[b]), exact, scale);
        ASSERT_EQ(pairs.product(a, b), columns.pair(kept[a], kept[b]));
        ASSERT_EQ(columns.pair(kept[a], kept[b]), columns.pair(kept[b], kept[a]));
      }
    }
  });
}

TEST_F(WeightedColumns, WithCovariatesColumnsAreOrthogonalToThemAndTheMean) {
  for (const Storage storage : kStorages) {
    SCOPED_TRACE(name_of(storage));
    Matrix matrix({storage, 60, 9, 0.1, 0.5, 7, 3});
    matrix.weigh(23);
    const std::vector<double> covariate = matrix.vector(29);
    const StandardizedColumns columns(matrix.view(), {}, {covariate});
    std::vector<double> weighted = covariate;
    for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= columns.roots()[i];
    for (const VarId j : matrix.all()) {
      if (columns.state(j) != ColumnState::kept) continue;
      std::vector<double> column(60);
      columns.decode(j, column);
      EXPECT_NEAR(columns.total(column), 0, kWeightedTolerance);
      EXPECT_NEAR(plain_dot(column, weighted), 0, kWeightedTolerance);
      EXPECT_NEAR(plain_dot(column, column), columns.squared_norm(j), kWeightedTolerance);
      EXPECT_NEAR(columns.pair(j, j), columns.squared_norm(j), kWeightedTolerance);
    }
  }
}

TEST_F(WeightedColumns, CoefficientsOfCovariatesAreThoseOfWeightedLeastSquares) {
  Matrix matrix({Storage::dense_f64, 40, 3, 0, 1, 5, 3});
  matrix.weigh(31);
  const std::vector<double> first = matrix.vector(1), second = matrix.vector(2);
  const StandardizedColumns columns(matrix.view(), {}, {first, second});
  std::vector<double> e(40);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = columns.roots()[i] * (1.5 - 2 * first[i] + 0.25 * second[i]);
  const std::vector<double> found = columns.covariate_coefficients(e);
  EXPECT_NEAR(found[0], 1.5, 1e-12);
  EXPECT_NEAR(found[1], -2, 1e-12);
  EXPECT_NEAR(found[2], 0.25, 1e-12);
}

TEST_F(WeightedColumns, AColumnThatOnlyVariesAtDroppedRowsIsConstant) {
  for (const Storage storage : kStorages) {
    Matrix matrix({storage, 40, 2, 0, 1, 10, 3});
    for (std::size_t i = 0; i < 40; ++i) matrix.raw[i] = matrix.keeps(i) ? 1.0 : 2.0;
    matrix.store();
    matrix.weigh(5);
    EXPECT_EQ(StandardizedColumns(matrix.view(), {}).state(0), ColumnState::constant) << name_of(storage);
  }
}

}  // namespace
}  // namespace strads::test
