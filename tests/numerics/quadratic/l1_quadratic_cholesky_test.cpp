#include "numerics/quadratic/l1_quadratic_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace strads::l1 {
namespace {

SerialChunks cholesky_chunks;

/// B B' + I for a random size x 3 matrix B, row-major: condition number about 3 size.
std::vector<double> positive_definite(std::size_t size) {
  std::mt19937_64 random(size);
  std::normal_distribution<double> normal;
  std::vector<double> b(size * 3), matrix(size * size, 0.0);
  for (double& value : b) value = normal(random);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t t = 0; t < 3; ++t) matrix[i * size + j] += b[i * 3 + t] * b[j * 3 + t];
    }
    matrix[i * size + i] += 1;
  }
  return matrix;
}

TEST(Cholesky, SolvesSystemsOfAnySizeAroundTheTile) {
  Cholesky cholesky;
  for (const std::size_t size : {1U, 2U, 5U, 31U, 32U, 33U, 64U, 97U, 600U, 40U}) {
    const auto matrix = positive_definite(size);
    std::copy(matrix.begin(), matrix.end(), cholesky.reset(size).begin());
    ASSERT_TRUE(cholesky.factorise(cholesky_chunks)) << size;
    std::vector<double> right(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) right[i] += matrix[i * size + j] * std::sin(static_cast<double>(j));
    }
    cholesky.solve(right);
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(right[i], std::sin(static_cast<double>(i)), 1e-11) << size;
  }
}

TEST(Cholesky, ReadsOnlyTheLowerTriangle) {
  Cholesky cholesky;
  const auto matrix = cholesky.reset(2);
  matrix[0] = 4;
  matrix[1] = std::numeric_limits<double>::quiet_NaN();
  matrix[2] = 2;
  matrix[3] = 5;
  ASSERT_TRUE(cholesky.factorise(cholesky_chunks));
  std::vector<double> right{8, 12};  // 4a + 2b, 2a + 5b at a = 1, b = 2
  cholesky.solve(right);
  EXPECT_DOUBLE_EQ(right[0], 1);
  EXPECT_DOUBLE_EQ(right[1], 2);
}

TEST(Cholesky, RefusesAMatrixThatIsNotPositiveDefinite) {
  Cholesky cholesky;
  for (const std::size_t bad : {0U, 7U, 39U}) {
    auto matrix = positive_definite(40);
    matrix[bad * 41] = -1;
    std::copy(matrix.begin(), matrix.end(), cholesky.reset(40).begin());
    EXPECT_FALSE(cholesky.factorise(cholesky_chunks)) << bad;
  }
}

TEST(Cholesky, RefusesNotANumber) {
  Cholesky cholesky;
  auto matrix = positive_definite(40);
  matrix[35 * 40 + 3] = std::numeric_limits<double>::quiet_NaN();
  std::copy(matrix.begin(), matrix.end(), cholesky.reset(40).begin());
  EXPECT_FALSE(cholesky.factorise(cholesky_chunks));
}

TEST(Cholesky, AcceptsTheEmptyMatrix) {
  Cholesky cholesky;
  EXPECT_TRUE(cholesky.reset(0).empty());
  EXPECT_TRUE(cholesky.factorise(cholesky_chunks));
  cholesky.solve({});
}

}  // namespace
}  // namespace strads::l1
