// Approximate inverses for conjugate gradients, against matrices written down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

using Vector = std::vector<double>;

/// `light` columns of two entries, each sharing a row with the next one, and `heavy` ones with an entry in every row.
Matrix chain(Storage storage, std::size_t light, std::size_t heavy, bool weighted = false, std::size_t dropped = 0) {
  Matrix matrix({.storage = storage, .rows = light + 1, .columns = light + heavy, .dropped = dropped});
  const std::size_t n = matrix.recipe.rows;
  Numbers numbers(7);
  for (std::size_t j = 0; j < light + heavy; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool stored = j >= light || i == j || i == j + 1;
      matrix.raw[j * n + i] = stored ? static_cast<double>(static_cast<float>(1 + numbers.uniform())) : 0.0;
    }
  }
  matrix.store();
  if (weighted) matrix.weigh(3);
  return matrix;
}

Vector random_direction(std::size_t size, std::uint64_t seed) {
  Numbers numbers(seed);
  Vector made(size);
  for (double& x : made) x = numbers.centred();
  return made;
}

/// sum w_i x_ij x_ik / (s_j s_k) over the samples.
double raw_product(const Matrix& matrix, const StandardizedColumns& columns, VarId j, VarId k) {
  const std::size_t n = matrix.recipe.rows;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (matrix.keeps(i)) sum += matrix.weight(i) * matrix.raw[j * n + i] * matrix.raw[k * n + i];
  }
  return sum / (columns.norm(j) * columns.norm(k));
}

constexpr double kAdded = 0.01;

TEST(Preconditioner, InvertsTheGramMatrixOfLightColumnsAndTheDiagonalOfOthers) {
  for (const Storage storage : {Storage::sparse_f32, Storage::sparse_f64}) {
    for (const bool weighted : {false, true}) {
      for (const std::size_t dropped : {std::size_t{0}, std::size_t{9}}) {
        SCOPED_TRACE(std::string(weighted ? "weighted " : "") + std::to_string(dropped) + " dropped");
        constexpr std::size_t kLight = 60, kHeavy = 4;
        const Matrix matrix = chain(storage, kLight, kHeavy, weighted, dropped);
        const StandardizedColumns columns(matrix.view(), {.center = false, .scale = true});
        SerialChunks serial;
        columns.scan(matrix.all(), serial);
        Vector l2(kLight + kHeavy, 0.0);
        for (std::size_t k = 0; k < l2.size(); k += 3) l2[k] = 0.2;
        const StandardizedColumns::Preconditioner made(columns, matrix.all(), l2);
        ASSERT_EQ(made.light(), kLight);
        EXPECT_GT(made.work(), l2.size());
        EXPECT_GT(made.work_made(), 0U);
        const Vector r = random_direction(l2.size(), 5);
        Vector z(l2.size());
        made.apply(r, z);
        for (VarId j = 0; j < kLight; ++j) {
          double product = 0;
          for (VarId k = 0; k < kLight; ++k) {
            const double entry = raw_product(matrix, columns, j, k) + (j == k ? l2[j] : 0.0);
            product += (j == k ? 1 + kAdded : 1.0) * entry * z[k];
          }
          EXPECT_NEAR(product, r[j], 1e-12) << j;
        }
        for (VarId j = kLight; j < kLight + kHeavy; ++j) EXPECT_NEAR(z[j] * (1 + l2[j]), r[j], 1e-14) << j;
      }
    }
  }
}

TEST(Preconditioner, IsSymmetricAndPositive) {
  const Matrix matrix = chain(Storage::sparse_f64, 200, 10);
  const StandardizedColumns columns(matrix.view(), {});
  const StandardizedColumns::Preconditioner made(columns, matrix.all(), Vector(210, 0.0));
  ASSERT_GT(made.light(), 100U);
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Vector a = random_direction(210, seed), b = random_direction(210, seed + 100);
    Vector of_a(210), of_b(210);
    made.apply(a, of_a);
    made.apply(b, of_b);
    EXPECT_NEAR(plain_dot(a, of_b), plain_dot(b, of_a), 1e-11);
    EXPECT_GT(plain_dot(a, of_a), 0.0);
  }
}

TEST(Preconditioner, KeepsEqualColumnsApart) {
  Matrix matrix({.storage = Storage::sparse_f64, .rows = 30, .columns = 30});
  for (std::size_t j = 0; j < 30; ++j) {
    for (std::size_t i = 0; i < 30; ++i) matrix.raw[j * 30 + i] = i == j / 2 ? 1.0 : 0.0;
  }
  matrix.store();
  const StandardizedColumns columns(matrix.view(), {.center = false, .scale = true});
  const StandardizedColumns::Preconditioner made(columns, matrix.all(), Vector(30, 0.0));
  ASSERT_EQ(made.light(), 30U);
  Vector z(30);
  made.apply(Vector(30, 1.0), z);
  // (1.01, 1; 1, 1.01) z = (1, 1)
  for (const double each : z) EXPECT_NEAR(each, 1 / 2.01, 1e-12);
}

TEST(Preconditioner, IsTheDiagonalWhereColumnsAreNotSparseOrMostAreHeavy) {
  for (const auto& [storage, light, heavy] :
       {std::tuple{Storage::dense_f64, 60U, 4U}, {Storage::sparse_f64, 20U, 60U}}) {
    const Matrix matrix = chain(storage, light, heavy);
    const StandardizedColumns columns(matrix.view(), {.center = true, .scale = false});
    const std::size_t size = light + heavy;
    const StandardizedColumns::Preconditioner made(columns, matrix.all(), Vector(size, 0.5));
    EXPECT_EQ(made.light(), 0U);
    const Vector r = random_direction(size, 2);
    Vector z(size);
    made.apply(r, z);
    for (VarId j = 0; j < size; ++j) EXPECT_NEAR(z[j] * (columns.squared_norm(j) + 0.5), r[j], 1e-13) << j;
  }
}

TEST(Preconditioner, LeavesOutLightColumnsWhereTheirFactorWouldFill) {
  // Columns of three entries in rows far apart: a random graph, whose factor is full.
  constexpr std::size_t kColumns = 900, kRows = 1000;
  Matrix matrix({.storage = Storage::sparse_f64, .rows = kRows, .columns = kColumns});
  std::fill(matrix.raw.begin(), matrix.raw.end(), 0.0);
  Numbers numbers(11);
  for (std::size_t j = 0; j < kColumns; ++j) {
    for (int e = 0; e < 3; ++e) matrix.raw[j * kRows + numbers.below(kRows)] = 1 + numbers.uniform();
  }
  matrix.store();
  const StandardizedColumns columns(matrix.view(), {.center = false, .scale = true});
  const StandardizedColumns::Preconditioner made(columns, matrix.all(), Vector(kColumns, 0.0));
  EXPECT_LT(made.light(), kColumns);
  EXPECT_LT(made.work(), 20 * matrix.row_numbers.size());
  Vector z(kColumns);
  const Vector r = random_direction(kColumns, 3);
  made.apply(r, z);
  EXPECT_GT(plain_dot(r, z), 0.0);
}

TEST(Preconditioner, GivesNothingToColumnsThatTakeNoPart) {
  Matrix matrix = chain(Storage::sparse_f64, 40, 0);
  matrix.excluded.assign(40, 0);
  matrix.excluded[7] = 1;
  const StandardizedColumns columns(matrix.view(), {.center = false, .scale = true});
  const StandardizedColumns::Preconditioner made(columns, matrix.all(), Vector(40, 0.0));
  EXPECT_EQ(made.light(), 39U);
  Vector z(40, 1.0);
  made.apply(Vector(40, 1.0), z);
  EXPECT_EQ(z[7], 0.0);
  EXPECT_GT(z[8], 0.0);
}

}  // namespace
}  // namespace strads::test
