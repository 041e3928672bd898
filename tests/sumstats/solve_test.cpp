// Solutions of single blocks: what they are compared with, and hard ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sumstats/made_up_study.hpp"
#include "sumstats/problem/block_progress.hpp"
#include "sumstats/solver/block_solver.hpp"
#include "sumstats/solver/block_work.hpp"

namespace strads::sumstats {
namespace {

using made_up::figures_of;

void expect_certified(const SummaryProblem& problem, const Grid& grid, std::size_t whole_block) {
  SerialChunks serial;
  BlockSolver solver(problem, grid, serial, whole_block);
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    const auto solutions = solver.solve(block);
    ASSERT_EQ(solutions.size(), grid.size());
    for (std::size_t k = 0; k < grid.size(); ++k) {
      const auto found = figures_of(problem, grid, block, k, solutions[k]);
      EXPECT_NEAR(solutions[k].objective, found.objective, 1e-12) << block << ", " << k;
      // What cancels in the plain formula is lambda |b|.
      EXPECT_LE(found.gap, grid.tolerance * std::abs(found.objective) + 1e-15) << block << ", " << k;
      EXPECT_TRUE(is_certified(solutions[k].objective, solutions[k].gap, grid.tolerance, grid.rounding(k)))
          << block << ", " << k;
    }
  }
}

TEST(SummaryBlocks, AreSolvedToTheirCertificates) {
  const auto problem = made_up::random_problem({.rows = 40, .columns = 60, .seed = 3, .missing = 0.02}, 25, 0.3);
  const Grid grid{.shrinks = {0.05, 0.5, 1}, .lambdas = {0.4, 0.2, 0.1, 0.03, 0.01}, .tolerance = 1e-9};
  expect_certified(*problem, grid, BlockSolver::kWholeBlock);
}

TEST(SummaryBlocks, LargeOnesWithTheGramMatrixOfWhatLeftZeroComeToTheSameSolutions) {
  const auto problem =
      made_up::random_problem({.rows = 50, .columns = 90, .seed = 5, .correlation = 0.6, .missing = 0.01}, 90, 0.2);
  const Grid grid{.shrinks = {0.1, 0.9}, .lambdas = {0.12, 0.06, 0.02}, .tolerance = 1e-12};
  expect_certified(*problem, grid, 0);
  SerialChunks serial;
  BlockSolver whole(*problem, grid, serial), joined(*problem, grid, serial, 0);
  const auto a = whole.solve(0), b = joined.solve(0);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    EXPECT_NEAR(a[k].objective, b[k].objective, 2e-12 * std::abs(a[k].objective));
    EXPECT_EQ(a[k].places, b[k].places) << k;
  }
}

/// Solves a block in pieces of a step each, a new solver for each of `solver_steps` pieces, by what the record says.
std::vector<BlockSolution> solved_in_pieces(const SummaryProblem& problem, const Grid& grid, std::size_t whole_block,
                                            std::size_t solver_steps, std::size_t& pieces) {
  SerialChunks serial;
  auto solver = std::make_unique<BlockSolver>(problem, grid, serial, whole_block);
  solver->begin(0);
  std::vector<BlockSolution> solutions(grid.size());
  for (pieces = 1; !solver->advance(0, solutions); ++pieces) {
    if (pieces % solver_steps != 0) continue;
    std::vector<double> values;
    append_progress(solver->progress(), values);
    const auto progress = find_progress(values, problem.size_of(0), grid.size());
    if (!progress.has_value()) return {};
    EXPECT_EQ(*progress, solver->progress());
    solver = std::make_unique<BlockSolver>(problem, grid, serial, whole_block);
    solver->go_on(0, *progress);
  }
  return solutions;
}

TEST(SummaryBlocks, InPiecesAndByOtherSolversTheyComeToTheSameBits) {
  const auto problem =
      made_up::random_problem({.rows = 25, .columns = 60, .seed = 5, .correlation = 0.9, .missing = 0.01}, 60, 0.2);
  const Grid grid{.shrinks = {0.001, 0.9}, .lambdas = {0.12, 0.03, 0.005}, .tolerance = 1e-9};
  SerialChunks serial;
  for (const std::size_t whole_block : {std::size_t{0}, BlockSolver::kWholeBlock}) {
    BlockSolver whole(*problem, grid, serial, whole_block);
    const auto expected = whole.solve(0);
    EXPECT_GT(whole.counts().fallbacks, 0U);
    for (const std::size_t solver_steps : {1, 3}) {
      std::size_t pieces = 0;
      const auto solutions = solved_in_pieces(*problem, grid, whole_block, solver_steps, pieces);
      EXPECT_GT(pieces, 3 * grid.size());
      ASSERT_EQ(solutions.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_EQ(solutions[k].places, expected[k].places) << k;
        EXPECT_EQ(solutions[k].values, expected[k].values) << k;
        EXPECT_EQ(solutions[k].objective, expected[k].objective) << k;
        EXPECT_EQ(solutions[k].gap, expected[k].gap) << k;
      }
    }
  }
}

TEST(SummaryBlocks, WhereTheyStandIsTakenOnlyIfItCanBe) {
  const BlockProgress somewhere{.stage = BlockProgress::Stage::join,
                                .point = 1,
                                .joins = 2,
                                .sweeps = 3,
                                .fallbacks = 4,
                                .gap_max = 0.5,
                                .joined = {4, 0},
                                .waiting = {3},
                                .b = {0.25, -1},
                                .h = {2, 0}};
  std::vector<double> values;
  append_progress(somewhere, values);
  const auto is_taken = [&values](std::size_t at, double value) {
    std::vector<double> changed = values;
    changed[at] = value;
    return find_progress(changed, 5, 2).has_value();
  };
  ASSERT_EQ(find_progress(values, 5, 2), somewhere);
  EXPECT_FALSE(find_progress(values, 4, 2).has_value());
  EXPECT_FALSE(find_progress(values, 5, 1).has_value());
  EXPECT_FALSE(find_progress(std::span<const double>(values).first(values.size() - 1), 5, 2).has_value());
  EXPECT_FALSE(is_taken(0, 2));   // a stage in which nobody waits
  EXPECT_FALSE(is_taken(0, 4));   // done
  EXPECT_FALSE(is_taken(6, 2));   // one more that waits
  EXPECT_FALSE(is_taken(9, 4));   // the same place twice
  EXPECT_FALSE(is_taken(10, 0));  // one that has joined already
  EXPECT_FALSE(is_taken(10, 0.5));
  EXPECT_TRUE(is_taken(10, 2));
}

// Most variants never leave 0: whoever looks at the others only once, before the point, leaves some out.
TEST(SummaryBlocks, AreLookedAtOutsideOfWhatHasJoined) {
  const auto problem = made_up::random_problem({.rows = 60, .columns = 200, .seed = 11, .correlation = 0.8}, 200, 0.4);
  const double largest = lambda_max_of(*problem);
  const Grid grid{
      .shrinks = {0.05, 0.9}, .lambdas = {0.6 * largest, 0.58 * largest, 0.3 * largest}, .tolerance = 1e-10};
  expect_certified(*problem, grid, BlockSolver::kWholeBlock);
  SerialChunks serial;
  BlockSolver solver(*problem, grid, serial), columns(*problem, grid, serial, 0);
  const auto own = solver.solve(0), others = columns.solve(0);
  for (std::size_t k = 0; k < grid.size(); ++k) EXPECT_EQ(own[k].places, others[k].places) << k;
  // Rows of those that joined, not the whole matrix twice.
  EXPECT_LT(solver.counts().products, 2 * problem->columns->rows() * 200 * 190);
}

TEST(SummaryBlocks, ArePlannedWithTheSweepsOfDenseSolutions) {
  SerialChunks serial;
  for (const double s : {0.05, 0.2, 0.9}) {
    const auto problem = made_up::random_problem({.rows = 60, .columns = 150, .seed = 4, .correlation = 0.7}, 150, 0.1);
    const double largest = lambda_max_of(*problem);
    Grid grid{.shrinks = {s}, .lambdas = {}, .tolerance = 1e-6};
    for (double ratio = 1; ratio > 0.02; ratio *= 0.8) grid.lambdas.push_back(ratio * largest);
    BlockSolver solver(*problem, grid, serial);
    static_cast<void>(solver.solve(0));
    const BlockWork planned = work_of_block(*problem, grid, 0);
    const auto done = solver.counts();
    EXPECT_GT(static_cast<double>(planned.sweeps), 0.25 * static_cast<double>(done.local)) << s;
    EXPECT_LT(static_cast<double>(planned.sweeps), 4.0 * static_cast<double>(done.local)) << s;
    EXPECT_GT(static_cast<double>(planned.products), 0.5 * static_cast<double>(done.products)) << s;
    EXPECT_LT(static_cast<double>(planned.products), 2.0 * static_cast<double>(done.products)) << s;
  }
}

TEST(SummaryBlocks, InTheSampleItselfTheSolutionIsTheElasticNet) {
  support::MadeUp panel{.rows = 30, .columns = 45, .seed = 8, .correlation = 0.5};
  const auto panel_problem = made_up::random_problem(panel, 100, 0.1);
  const auto columns = made_up::decoded(*panel_problem, 0);
  // A response of unit norm, centred as the columns are.
  CounterRng random(17, Purpose::tests);
  std::vector<double> y(panel.rows, 0.0);
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += columns[7 * j][i];
  }
  for (double& value : y) value += 0.1 * (random.unit() - 0.5);
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  for (double& value : y) value -= mean;
  const double norm = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 0.0));
  for (double& value : y) value /= norm;
  const auto problem = made_up::problem_on(
      panel, 100, [&](std::size_t v) { return std::inner_product(y.begin(), y.end(), columns[v].begin(), 0.0); });
  const Grid grid{.shrinks = {0.1, 0.5}, .lambdas = {0.1, 0.02}, .tolerance = 1e-20};
  SerialChunks serial;
  const auto solutions = BlockSolver(*problem, grid, serial).solve(0);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    // min 1/2 |y - X beta|^2 + lambda |beta|_1 + l2/2 |beta|^2 by residuals.
    const double s = grid.shrink(k), l2 = s / (1 - s);
    std::vector<double> beta(columns.size(), 0.0), rest = y;
    for (int sweep = 0; sweep < 3000; ++sweep) {
      for (std::size_t j = 0; j < beta.size(); ++j) {
        const double z = beta[j] + std::inner_product(rest.begin(), rest.end(), columns[j].begin(), 0.0);
        const double size = std::max(std::abs(z) - grid.lambda(k), 0.0) / (1 + l2);
        const double step = (z < 0 ? -size : size) - beta[j];
        beta[j] += step;
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= step * columns[j][i];
      }
    }
    std::vector<double> b(beta.size(), 0.0);
    for (std::size_t i = 0; i < solutions[k].places.size(); ++i) b[solutions[k].places[i]] = solutions[k].values[i];
    EXPECT_GT(solutions[k].places.size(), 3U);
    for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(b[j], beta[j] / (1 - s), 1e-10) << k << ", " << j;
  }
}

TEST(SummaryBlocks, WithoutCorrelationsTheSolutionIsSoftThresholding) {
  const auto problem = made_up::random_problem({.rows = 20, .columns = 12, .seed = 4}, 12, 0.5);
  const Grid grid{.shrinks = {1}, .lambdas = {0.1}, .tolerance = 1e-6};
  SerialChunks serial;
  const auto solution = BlockSolver(*problem, grid, serial).solve(0).front();
  EXPECT_EQ(solution.gap, 0);
  for (std::size_t i = 0; i < solution.places.size(); ++i) {
    const double r = problem->r[solution.places[i]];
    EXPECT_NEAR(solution.values[i], r - (r < 0 ? -0.1 : 0.1), 1e-15);
  }
}

// Wrong n, turned signs, doubled variants, correlations near 1, panels of ten people: whatever the numbers are, the
// problem is strongly convex.
TEST(SummaryBlocks, OfRandomStatisticsNoneDiverges) {
  SerialChunks serial;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CounterRng random(seed, Purpose::tests, 7);
    const double correlation = random.below(2) == 0 ? 0.99 : 0.3;
    const auto problem = made_up::random_problem({.rows = 10 + static_cast<std::uint32_t>(random.below(20)),
                                                  .columns = 5 + static_cast<VarId>(random.below(30)),
                                                  .seed = seed,
                                                  .correlation = correlation,
                                                  .missing = 0.05},
                                                 8 + random.below(30), random.below(3) == 0 ? 2.0 : 0.02);
    for (double& r : problem->r) {
      if (random.below(10) == 0) r = random.below(2) == 0 ? 0.9999 : -0.9999;
      if (random.below(10) == 0) r = 0;
    }
    for (std::size_t v = 1; v < problem->variants.size(); ++v) {
      if (random.below(6) == 0) problem->variants[v] = problem->variants[v - 1];  // the same column twice
    }
    for (double& w : problem->weights) w = 1 + 3 * random.unit();
    const double largest = lambda_max_of(*problem);
    const Grid grid{.shrinks = {random.below(2) == 0 ? 0.001 : 0.2, 0.9},
                    .lambdas = {largest, largest * 0.3, largest * 0.01},
                    .tolerance = 1e-6};
    BlockSolver solver(*problem, grid, serial, seed % 2 == 0 ? 0 : BlockSolver::kWholeBlock);
    for (std::uint32_t block = 0; block < problem->blocks(); ++block) {
      const auto solutions = solver.solve(block);
      for (std::size_t k = 0; k < grid.size(); ++k) {
        EXPECT_TRUE(is_certified(solutions[k].objective, solutions[k].gap, grid.tolerance, grid.rounding(k)))
            << seed << ", " << k;
        const auto found = figures_of(*problem, grid, block, k, solutions[k]);
        EXPECT_LE(found.gap, 1e-6 * std::abs(found.objective) + 1e-13) << seed << ", " << k;
      }
    }
  }
}

}  // namespace
}  // namespace strads::sumstats
