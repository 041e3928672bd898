// A factorisation that follows its support gives what a fresh one gives.
#include "numerics/quadratic/l1_quadratic_factor.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "numerics/columns/columns_fixture.hpp"
#include "numerics/quadratic/l1_quadratic_problems.hpp"
#include "support/sanitized.hpp"

namespace strads::l1 {
namespace {

constexpr double kRidge = 1e-3;

struct Bench {
  test::BlockProblem made;
  SerialChunks serial;
  Problem problem;

  explicit Bench(std::size_t n, std::size_t k)
      : made(test::random_problem({.n = n, .k = k, .correlation = 0.5, .copies = k / 5}, 3)),
        problem(made.quadratic(), made.start, serial) {}

  /// Largest entry of (G_JJ + ridge I) v - right.
  [[nodiscard]] double miss(const std::vector<std::uint32_t>& support, const std::vector<double>& v,
                            const std::vector<double>& right) const {
    double worst = 0;
    for (std::size_t a = 0; a < support.size(); ++a) {
      double sum = kRidge * v[a] - right[a];
      for (std::size_t b = 0; b < support.size(); ++b) sum += made.gram[support[a] * made.k + support[b]] * v[b];
      worst = std::max(worst, std::abs(sum));
    }
    return worst;
  }
};

TEST(SupportFactor, FollowsVariablesThatComeAndGo) {
  Bench bench(60, 200);  // supports larger than the rank as well
  SupportFactor factor(bench.problem, kRidge);
  std::mt19937_64 random(5);
  std::set<std::uint32_t> members;
  for (std::uint32_t j = 0; j < 80; ++j) members.insert(j * 2);
  std::uint64_t flops_of_updates = 0;
  for (int change = 0; change < 200; ++change) {
    const std::vector<std::uint32_t> support(members.begin(), members.end());
    const std::uint64_t before = bench.problem.flops();
    ASSERT_TRUE(factor.follow(support)) << change;
    flops_of_updates += bench.problem.flops() - before;
    std::vector<double> right(support.size());
    for (double& value : right) value = std::sin(static_cast<double>(random() % 100));
    std::vector<double> v = right;
    factor.solve(v);
    ASSERT_LE(bench.miss(support, v, right), 1e-9) << change;
    for (int draw = 0; draw < 3; ++draw) {
      const auto j = static_cast<std::uint32_t>(random() % 200);
      if (members.erase(j) == 0) members.insert(j);
    }
  }
  const std::uint64_t size = members.size();
  EXPECT_LT(flops_of_updates, 200 * (size * size * size / 3)) << "cheaper than 200 factorisations";
}

TEST(SupportFactor, TakesUpTheEmptySupport) {
  Bench bench(10, 12);
  SupportFactor factor(bench.problem, kRidge);
  EXPECT_TRUE(factor.follow({}));
  const std::vector<std::uint32_t> support{3, 7};
  ASSERT_TRUE(factor.follow(support));
  const std::vector<double> right{1, -2};
  std::vector<double> v = right;
  factor.solve(v);
  EXPECT_LE(bench.miss(support, v, right), 1e-12);
}

TEST(SupportFactor, RefusesASingularMatrixAndRecovers) {
  test::BlockProblem made = test::random_problem({.n = 4, .k = 8}, 1);
  SerialChunks serial;
  Problem problem(made.quadratic(), made.start, serial);
  SupportFactor factor(problem, 0);
  EXPECT_FALSE(factor.follow(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7})) << "rank 4";
  EXPECT_TRUE(factor.follow(std::vector<std::uint32_t>{0, 1}));
}

TEST(L1QuadraticThreads, NeverChangeABit) {
  const std::uint64_t seeds = support::repetitions(20U, 4U);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto problem = test::random_problem(
        {.n = 150, .k = 600, .fraction = 0.02, .correlation = 0.9, .copies = 40, .warm = seed % 2 == 0}, seed);
    std::vector<double> x = problem.start, y = problem.start;
    SerialChunks serial;
    test::BackwardChunks backward;
    const auto a = solve_l1_quadratic(problem.quadratic(), x, {.gap_max = 1e-9}, serial);
    const auto b = solve_l1_quadratic(problem.quadratic(), y, {.gap_max = 1e-9}, backward);
    EXPECT_EQ(x, y) << seed;
    EXPECT_EQ(a.flops, b.flops) << seed;
    EXPECT_GT(a.newton_steps, 0U) << seed;
    EXPECT_LE(a.gap, 1e-9) << seed;
  }
}

}  // namespace
}  // namespace strads::l1
