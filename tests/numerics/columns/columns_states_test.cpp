// Columns that take no part, hard numerics, and covariates.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

SerialChunks state_chunks;

/// One column given by its values (NaN = missing call), scanned.
struct OneColumn {
  Matrix matrix;
  StandardizedColumns columns;

  OneColumn(Storage storage, const std::vector<double>& values, Standardization how = {},
            std::vector<std::uint32_t> dropped = {})
      : matrix(build(storage, values, std::move(dropped))), columns(matrix.view(), how) {
    columns.scan(matrix.all(), state_chunks);
  }
  static Matrix build(Storage storage, const std::vector<double>& values, std::vector<std::uint32_t> dropped) {
    Matrix matrix({storage, values.size(), 1, 0, 1, 0, 1});
    matrix.raw = values;
    matrix.dropped = std::move(dropped);
    matrix.store();
    return matrix;
  }
  [[nodiscard]] ColumnState state() const { return columns.state(0); }
};

const double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(ColumnStates, ConstantColumnsAreDroppedInEveryStorage) {
  for (const Storage storage : kStorages) {
    for (const double value : {0.0, 1.0, 2.0}) {
      EXPECT_EQ(OneColumn(storage, {value, value, value, value, value}).state(), ColumnState::constant)
          << name_of(storage) << " " << value;
    }
  }
}

TEST(ColumnStates, AValueThatCannotBeWrittenInBinaryIsStillConstant) {
  EXPECT_EQ(OneColumn(Storage::dense_f64, std::vector<double>(7, 0.1)).state(), ColumnState::constant);
  EXPECT_EQ(OneColumn(Storage::sparse_f64, std::vector<double>(7, 0.1)).state(), ColumnState::constant);
}

TEST(ColumnStates, ASingleDifferentSampleMakesAColumn) {
  for (const Storage storage : kStorages) {
    EXPECT_EQ(OneColumn(storage, {1, 1, 1, 1, 2}).state(), ColumnState::kept) << name_of(storage);
    EXPECT_EQ(OneColumn(storage, {0, 0, 0, 0, 1}).state(), ColumnState::kept) << name_of(storage);
  }
}

TEST(ColumnStates, OnlySamplesDecideWhetherAColumnIsConstant) {
  for (const Storage storage : kStorages) {
    EXPECT_EQ(OneColumn(storage, {1, 1, 1, 1, 2}, {}, {4}).state(), ColumnState::constant) << name_of(storage);
    EXPECT_EQ(OneColumn(storage, {1, 0, 1, 1, 2}, {}, {4}).state(), ColumnState::kept) << name_of(storage);
  }
}

TEST(ColumnStates, GenotypesWithoutACallOrWithOneValueAreConstant) {
  EXPECT_EQ(OneColumn(Storage::genotype_2bit, {kMissing, kMissing, kMissing}).state(), ColumnState::constant);
  EXPECT_EQ(OneColumn(Storage::genotype_2bit, {1, kMissing, 1}).state(), ColumnState::constant);
  EXPECT_EQ(OneColumn(Storage::genotype_2bit, {1, kMissing, 1, kMissing, kMissing}).columns.missing(0), 3u);
}

TEST(ColumnStates, SquaredNormsAndMissingCallsAreKeptToTheLastBit) {
  Matrix matrix({Storage::genotype_2bit, 70, 300, 0.05, 0.4, 0, 3});
  matrix.store();
  const StandardizedColumns scaled(matrix.view(), {}), plain(matrix.view(), {true, false});
  std::set<double> met;
  for (const VarId j : matrix.all()) {
    std::uint64_t missing = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < 70; ++i) {
      const double value = matrix.raw[j * 70 + i];
      if (std::isnan(value)) {
        ++missing;
        continue;
      }
      const auto copies = static_cast<std::uint64_t>(value);
      sum += copies;
      squares += copies * copies;
    }
    ASSERT_EQ(scaled.missing(j), missing);
    const auto observed = 70 - missing;
    const double l = static_cast<double>(observed * squares - sum * sum) / static_cast<double>(observed);
    if (l == 0) continue;
    ASSERT_EQ(plain.squared_norm(j), l);
    ASSERT_EQ(scaled.squared_norm(j), l / (scaled.norm(j) * scaled.norm(j)));
    met.insert(scaled.squared_norm(j));
  }
  EXPECT_GE(met.size(), 3U) << "1, and numbers next to it";
}

TEST(ColumnStates, WithoutCentringOnlyAllZeroColumnsAreConstant) {
  for (const Storage storage : kStorages) {
    EXPECT_EQ(OneColumn(storage, {1, 1, 1, 1, 1}, {false, true}).state(), ColumnState::kept) << name_of(storage);
    EXPECT_EQ(OneColumn(storage, {0, 0, 0, 0, 0}, {false, true}).state(), ColumnState::constant) << name_of(storage);
  }
}

TEST(ColumnStates, NoiseAtTheLevelOfRoundingIsConstant) {
  EXPECT_EQ(OneColumn(Storage::dense_f64, {1e6, 1e6 + 1e-9, 1e6, 1e6}).state(), ColumnState::constant);
}

TEST(ColumnStates, DroppedColumnsGiveZerosEverywhere) {
  for (const Storage storage : kStorages) {
    Matrix matrix({storage, 9, 2, 0, 1, 0, 1});
    matrix.excluded = {0, 1};
    for (std::size_t i = 0; i < 9; ++i) matrix.raw[i] = 1;
    matrix.store();
    StandardizedColumns columns(matrix.view(), {});
    columns.scan(matrix.all(), state_chunks);
    EXPECT_EQ(columns.state(0), ColumnState::constant);
    EXPECT_EQ(columns.state(1), ColumnState::excluded);
    for (const VarId j : matrix.all()) {
      std::vector<double> v(9, 3.0), out(9, 3.0);
      columns.add(j, 2.0, v);
      columns.decode(j, out);
      EXPECT_EQ(v, std::vector<double>(9, 3.0));
      EXPECT_EQ(out, std::vector<double>(9, 0.0));
      EXPECT_EQ(columns.dot(j, v, 27.0), 0.0);
      EXPECT_EQ(columns.squared_norm(j), 0.0);
      EXPECT_EQ(columns.pair(j, 0), 0.0);
    }
  }
}

TEST(ColumnStates, StandardisesSmallNoiseOnALargeMean) {
  for (const double noise : {1.0, 1e3}) {
    Numbers numbers(3);
    std::vector<double> values(1000);
    for (double& value : values) value = 1e6 + noise * numbers.centred();
    const OneColumn one(Storage::dense_f64, values);
    ASSERT_EQ(one.state(), ColumnState::kept);
    const Reference expected(one.matrix, 0, {});
    const auto u = one.matrix.vector(9);
    // The mean itself has a relative error of 1e-16, that is 1e-10 / noise after division.
    EXPECT_NEAR(one.columns.norm(0), expected.norm, 1e-9 * expected.norm);
    EXPECT_NEAR(one.columns.dot(0, u, sum(u)), plain_dot(expected.column, u), 1e-9);
  }
}

TEST(ColumnStates, MeanOfManySamplesDoesNotCollectRounding) {
  // Adding 0.1 over and over rounds to the same side for long stretches.
  std::vector<double> values(300000, 0.1);
  values.back() = 0.2;
  const OneColumn one(Storage::dense_f64, values);
  constexpr double kLastPlaces = 3e-17;  // two units of 0.1
  EXPECT_NEAR(one.columns.mean(0), 0.1 + 0.1 / 300000, kLastPlaces);
}

TEST(ColumnStates, ExplicitZerosOfASparseColumnAreZeros) {
  Matrix matrix({Storage::sparse_f64, 4, 1, 0, 1, 0, 1});
  matrix.values64 = {0.0, 0.0};
  matrix.row_numbers = {1, 3};
  matrix.starts = {0, 2};
  StandardizedColumns columns(matrix.view(), {});
  columns.scan(matrix.all(), state_chunks);
  EXPECT_EQ(columns.state(0), ColumnState::constant);
}

/// Covariates on every storage: P x~ from a dense Gram-Schmidt of [1, C] in the test itself.
struct Projected {
  Matrix matrix;
  std::vector<std::vector<double>> covariates, basis;

  explicit Projected(Storage storage, std::size_t dropped) : matrix({storage, 60, 8, 0.1, 0.5, dropped, 5}) {
    covariates = {matrix.vector(31), matrix.vector(32), matrix.vector(31)};
    for (std::size_t i = 0; i < 60; ++i) {
      if (!matrix.keeps(i)) continue;
      covariates[0][i] += 10;
      // The third depends on the constant and the first.
      covariates[2][i] = 2 * covariates[0][i] - 3;
    }
    std::vector<double> ones(60, 0.0);
    for (std::size_t i = 0; i < 60; ++i) ones[i] = matrix.keeps(i) ? 1.0 : 0.0;
    add_direction(ones), add_direction(covariates[0]), add_direction(covariates[1]);
  }
  void add_direction(std::vector<double> rest) {
    project(rest), project(rest);
    const double length = std::sqrt(plain_dot(rest, rest));
    for (double& value : rest) value /= length;
    basis.push_back(rest);
  }
  void project(std::vector<double>& v) const {
    for (const auto& q : basis) {
      const double share = plain_dot(q, v);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share * q[i];
    }
  }
};

TEST(ColumnsWithCovariates, DotPairGramAndDecodeAreProjected) {
  for (const Storage storage : kStorages) {
    for (const std::size_t dropped : {0u, 11u}) {
      SCOPED_TRACE(name_of(storage));
      const Projected p(storage, dropped);
      StandardizedColumns columns(p.matrix.view(), {}, p.covariates);
      const auto all = p.matrix.all();
      columns.scan(all, state_chunks);
      std::vector<double> g(all.size() * all.size());
      columns.gram(all, g, state_chunks);
      auto u = p.matrix.vector(8);
      p.project(u);
      for (const VarId j : all) {
        auto x = Reference(p.matrix, j, {}).column;
        p.project(x);
        EXPECT_EQ(columns.state(j), ColumnState::kept);
        EXPECT_NEAR(columns.squared_norm(j), plain_dot(x, x), 1e-12);
        EXPECT_NEAR(columns.dot(j, u, sum(u)), plain_dot(x, u), 1e-12);
        std::vector<double> out(60);
        columns.decode(j, out);
        for (std::size_t i = 0; i < 60; ++i) ASSERT_NEAR(out[i], x[i], 1e-12);
        for (const VarId k : all) {
          auto y = Reference(p.matrix, k, {}).column;
          p.project(y);
          EXPECT_NEAR(columns.pair(j, k), plain_dot(x, y), 1e-12);
          EXPECT_NEAR(g[j * all.size() + k], plain_dot(x, y), 1e-12);
        }
      }
    }
  }
}

TEST(ColumnsWithCovariates, ProjectAndCombineRemoveConstantAndCovariates) {
  const Projected p(Storage::genotype_2bit, 7);
  StandardizedColumns columns(p.matrix.view(), {}, p.covariates);
  columns.scan(p.matrix.all(), state_chunks);
  auto v = p.matrix.vector(4), expected = v;
  columns.project(v);
  p.project(expected);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(v[i], expected[i], 1e-13);
  columns.combine(p.matrix.all(), std::vector<double>(8, 1.0), v, state_chunks);
  for (const auto& q : p.basis) EXPECT_NEAR(plain_dot(q, v), 0.0, 1e-13);
  for (const std::uint32_t row : p.matrix.dropped) EXPECT_EQ(v[row], 0.0);
}

TEST(ColumnsWithCovariates, AColumnMadeOfCovariatesIsCollinear) {
  Matrix matrix({Storage::dense_f64, 30, 2, 0, 1, 0, 6});
  const auto covariate = matrix.vector(3);
  for (std::size_t i = 0; i < 30; ++i) matrix.raw[i] = 4 - 2 * covariate[i];
  matrix.store();
  for (const bool scale : {true, false}) {
    StandardizedColumns columns(matrix.view(), {true, scale}, {covariate});
    columns.scan(matrix.all(), state_chunks);
    EXPECT_EQ(columns.state(0), ColumnState::collinear);
    EXPECT_EQ(columns.squared_norm(0), 0.0);
    EXPECT_EQ(columns.state(1), ColumnState::kept);
  }
}

TEST(ColumnsWithCovariates, CoefficientsAreLeastSquares) {
  const Projected p(Storage::dense_f64, 9);
  const StandardizedColumns columns(p.matrix.view(), {}, p.covariates);
  std::vector<double> e(60, 0.0);
  for (std::size_t i = 0; i < 60; ++i) {
    if (p.matrix.keeps(i)) e[i] = 7 + 2 * p.covariates[0][i] - 5 * p.covariates[1][i];
  }
  const auto coefficients = columns.covariate_coefficients(e);
  ASSERT_EQ(coefficients.size(), 4u);
  EXPECT_NEAR(coefficients[0], 7, 1e-10);
  EXPECT_NEAR(coefficients[1], 2, 1e-11);
  EXPECT_NEAR(coefficients[2], -5, 1e-11);
  EXPECT_EQ(coefficients[3], 0.0) << "it depends on the first";
}

TEST(ColumnsWithCovariates, WithoutCovariatesTheCoefficientIsTheMeanOfTheSamples) {
  const Matrix matrix({Storage::dense_f64, 5, 1, 0, 1, 0, 1});
  const StandardizedColumns columns(matrix.view(), {});
  const auto coefficients = columns.covariate_coefficients(std::vector<double>{1, 2, 3, 4, 5});
  ASSERT_EQ(coefficients.size(), 1u);
  EXPECT_NEAR(coefficients[0], 3.0, 1e-15);
}

TEST(ColumnsWithCovariates, WithoutCentringProjectDoesNothing) {
  const Matrix matrix({Storage::dense_f64, 5, 1, 0, 1, 0, 1});
  const StandardizedColumns columns(matrix.view(), {false, true});
  std::vector<double> v = {1, 2, 3, 4, 5};
  columns.project(v);
  EXPECT_EQ(v, (std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace strads::test
