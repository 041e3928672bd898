#include <gtest/gtest.h>

#include <vector>

#include "strads/numerics/losses.hpp"

namespace strads::test {
namespace {

TEST(SolveSymmetric, SolvesAndSurvivesAMatrixWithoutFullRank) {
  const std::vector<double> x = solve_symmetric(std::vector<double>{4, 1, 1, 3}, std::vector<double>{1, 2});
  EXPECT_NEAR(x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(x[1], 7.0 / 11, 1e-15);
  const std::vector<double> flat = solve_symmetric(std::vector<double>{1, 1, 1, 1}, std::vector<double>{2, 2});
  EXPECT_NEAR(flat[0] + flat[1], 2, 1e-12);
}

}  // namespace
}  // namespace strads::test
