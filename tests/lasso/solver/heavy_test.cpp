// Blocks of sparse columns of which a few hold most entries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "lasso/run/plain_lasso.hpp"
#include "lasso/solver/gram_cache.hpp"
#include "lasso/solver/lasso_push.hpp"
#include "lasso/solver/residual_solver.hpp"

namespace strads::lasso {
namespace {

using ::testing::Eq;
using ::testing::IsNull;
using ::testing::NotNull;

/// Words: every fifth of them is in half of the rows, the others in a few.
Content words(std::size_t rows, std::size_t columns, std::uint64_t seed = 1) {
  Content content = random_content({.rows = rows, .columns = columns, .seed = seed, .shared = 0.4, .fill = 0.5});
  content.sparse = true;
  for (std::size_t j = 0; j < columns; ++j) {
    if (j % 5 == 0) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      if ((i * 7 + j * 13 + seed) % 41 != 0) content.columns[j][i] = 0;
    }
  }
  return content;
}

std::vector<VarId> first(VarId count) {
  std::vector<VarId> list(count);
  std::iota(list.begin(), list.end(), VarId{0});
  return list;
}

TEST(HeavyCache, GivesTheColumnsThatHoldMostEntriesOnceTheyDo) {
  const auto data = scanned(words(400, 50));
  SerialChunks chunks;
  HeavyCache cache;
  const auto heavy = cache.of_block(*data->columns, first(50), chunks);
  ASSERT_THAT(heavy, NotNull());
  EXPECT_EQ(heavy->size(), 10U);
  EXPECT_EQ(heavy->place(45), 9U);
  EXPECT_EQ(heavy->place(44), StandardizedColumns::Heavy::kNone);
  EXPECT_THAT(cache.of_block(*data->columns, first(49), chunks), Eq(heavy)) << "packed once";
}

TEST(HeavyCache, GivesNothingToABlockWithFewOfThem) {
  const auto data = scanned(words(400, 50));
  SerialChunks chunks;
  HeavyCache cache;
  EXPECT_THAT(cache.of_block(*data->columns, first(16), chunks), IsNull()) << "4 of 10";
  EXPECT_THAT(cache.of_block(*data->columns, std::vector<VarId>{1, 2, 3}, chunks), IsNull());
  EXPECT_THAT(cache.of_block(*data->columns, {}, chunks), IsNull());
}

TEST(HeavyCache, GivesNothingWhereTheOthersHoldMore) {
  Content content = words(400, 50);
  for (std::size_t j = 0; j < 50; ++j) {
    if (j > 0 && j % 5 == 0) std::fill(content.columns[j].begin() + 10, content.columns[j].end(), 0.0);
  }
  const auto data = scanned(content);
  SerialChunks chunks;
  HeavyCache cache;
  EXPECT_THAT(cache.of_block(*data->columns, first(50), chunks), IsNull()) << "one of 200 entries, 49 of 400 in all";
  EXPECT_THAT(cache.of_block(*data->columns, first(10), chunks), NotNull());
}

TEST(HeavyCache, GivesNothingWhereColumnsAreNotSparse) {
  const auto data = scanned(random_content({}));
  SerialChunks chunks;
  HeavyCache cache;
  EXPECT_THAT(cache.of_block(*data->columns, first(24), chunks), IsNull());
}

/// A block of all columns, with and without the heavy ones packed.
struct Both {
  std::shared_ptr<LassoData> data;
  PlainProblem plain;
  LassoState state;
  std::vector<VarId> variables;
  SerialChunks chunks;
  HeavyCache cache;
  Cost cost;

  explicit Both(const Content& content)
      : data(scanned(content)),
        plain(plain_data(content, {}).problem),
        state(data->response.standardized),
        variables(first(static_cast<VarId>(content.columns.size()))) {}

  ResidualSolver solver(const Penalty& penalty, const StandardizedColumns::Heavy* heavy) {
    const std::size_t size = variables.size();
    return {*data->columns, penalty, state, {variables, Vector(size, 0.0), Vector(size)}, heavy, cost};
  }
};

TEST(ResidualSolverWithHeavyColumns, ReachesTheSameMinimum) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const double ratio : {0.3, 0.05, 0.005}) {
      SCOPED_TRACE(std::to_string(seed) + " ratio " + std::to_string(ratio));
      Both both(words(300, 60, seed));
      const double lambda = ratio * both.plain.lambda_max();
      const auto heavy = both.cache.of_block(*both.data->columns, both.variables, both.chunks);
      ASSERT_THAT(heavy, NotNull());
      ResidualSolver with = both.solver(lambda, heavy.get()), without = both.solver(lambda, nullptr);
      const double start = both.plain.objective(Vector(60, 0.0), lambda);
      const double decrease = with.solve(1e-10 * start, 10000, both.chunks);
      static_cast<void>(without.solve(1e-10 * start, 10000, both.chunks));
      const double reached = both.plain.objective(with.local().value, lambda);
      EXPECT_NEAR(reached, both.plain.objective(without.local().value, lambda), 2e-10 * start);
      EXPECT_NEAR(start - reached, decrease, 1e-12 * start) << "what it says it gained";
    }
  }
}

TEST(ResidualSolverWithHeavyColumns, CountsItsSweepsAndStopsAtTheMost) {
  Both both(words(300, 60));
  const auto heavy = both.cache.of_block(*both.data->columns, both.variables, both.chunks);
  for (const std::uint32_t most : {1U, 2U, 3U, 6U}) {
    ResidualSolver solver = both.solver(0.01 * both.plain.lambda_max(), heavy.get());
    EXPECT_GT(solver.solve(0, most, both.chunks), 0.0);
    EXPECT_EQ(solver.counts().sweeps, most);
  }
}

TEST(ResidualSolverWithHeavyColumns, GivesTheSameBitsInAnyOrderOfPieces) {
  struct Backward final : Chunks {
    void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
      for (std::size_t i = count; i-- > 0;) piece(i);
    }
  } backward;
  Both both(words(900, 60));
  const double lambda = 0.02 * both.plain.lambda_max();
  HeavyCache other;
  const auto heavy = both.cache.of_block(*both.data->columns, both.variables, both.chunks);
  const auto same = other.of_block(*both.data->columns, both.variables, backward);
  ResidualSolver first = both.solver(lambda, heavy.get()), second = both.solver(lambda, same.get());
  EXPECT_EQ(first.solve(1e-12, 100, both.chunks), second.solve(1e-12, 100, backward));
  EXPECT_EQ(first.local().value, second.local().value);
}

TEST(FitsOfSparseColumnsOfWhichAFewAreHeavy, ReachTheOptimumOfPlainCoordinateDescent) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const bool nonnegative : {false, true}) {
      for (const double l1_ratio : {1.0, 0.5}) {
        LassoOptions options;
        options.policy = Policy::automatic;
        options.nonnegative = nonnegative;
        options.l1_ratio = l1_ratio;
        check(words(250, 40, seed), options, {.seed = seed});
      }
    }
  }
}

}  // namespace
}  // namespace strads::lasso
