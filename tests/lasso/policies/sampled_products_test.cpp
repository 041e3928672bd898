// Couplings from a sample of the rows.
#include "lasso/policies/sampled_products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lasso/run/plain_lasso.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kRows = 8300;  ///< no multiple of a run
constexpr VarId kColumns = 12;

/// Columns that share a factor: correlations of 1/5 or so, and 1 and 2 nearly alike.
Content content(std::uint64_t seed) {
  Content made = random_content({.rows = kRows, .columns = kColumns, .seed = seed, .shared = 0.5});
  CounterRng random(seed, Purpose::tests, 1);
  for (std::size_t i = 0; i < kRows; ++i) made.columns[2][i] = made.columns[1][i] + 0.1 * random.unit();
  return made;
}

std::vector<VarId> all() {
  std::vector<VarId> list(kColumns);
  for (VarId j = 0; j < kColumns; ++j) list[j] = j;
  return list;
}

TEST(SampledProducts, AreCloseToTheCorrelations) {
  SerialChunks chunks;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Content made = content(seed);
    for (std::uint32_t row = 5; row < kRows; row += 7) {
      made.dropped_rows.push_back(row);
      made.columns[4][row] = 1e9;  // what stands in a dropped row must not matter
    }
    const auto data = scanned(made);
    Vector sampled;
    EXPECT_EQ(sampled_products(*data->columns, all(), sampled, chunks), 2 * kSampledRows * 12 * 13 / 2);
    ASSERT_EQ(sampled.size(), std::size_t{kColumns} * kColumns);
    for (VarId j = 0; j < kColumns; ++j) {
      for (VarId k = 0; k < kColumns; ++k) {
        EXPECT_NEAR(sampled[j * kColumns + k], data->columns->pair(j, k), 0.1) << j << " " << k;
      }
    }
    EXPECT_GT(sampled[1 * kColumns + 2], 0.9);
  }
}

TEST(SampledProducts, SeeEveryPartOfTheRows) {
  // Column 1 follows column 0 in one half of the rows and opposes it in the other: together they are uncorrelated,
  // which a sample from either half would not see.
  Content made = content(1);
  for (std::size_t i = 0; i < kRows; ++i) {
    made.columns[0][i] = (i * 2654435761u >> 7) % 2 == 0 ? 1.0 : -1.0;
    made.columns[1][i] = i < kRows / 2 ? made.columns[0][i] : -made.columns[0][i];
  }
  SerialChunks chunks;
  Vector sampled;
  static_cast<void>(sampled_products(*scanned(made)->columns, all(), sampled, chunks));
  EXPECT_NEAR(sampled[1], 0.0, 0.1);
}

TEST(SampledProducts, DoNotDependOnTheCompanyOfAPair) {
  SerialChunks chunks;
  const auto data = scanned(content(1));
  Vector whole, part;
  static_cast<void>(sampled_products(*data->columns, all(), whole, chunks));
  static_cast<void>(sampled_products(*data->columns, std::vector<VarId>{7, 3}, part, chunks));
  EXPECT_EQ(part[1], whole[7 * kColumns + 3]);
  EXPECT_EQ(part[2], part[1]);
}

TEST(SamplingPays, OnLongColumnsStoredRowByRowWithoutCovariates) {
  EXPECT_TRUE(sampling_pays(*scanned(content(1))->columns));
  EXPECT_FALSE(sampling_pays(*scanned(random_content({.rows = 8191}))->columns)) << "short";
  Content sparse = content(1);
  sparse.sparse = true;
  EXPECT_FALSE(sampling_pays(*scanned(sparse)->columns));
  Content covariates = content(1);
  covariates.covariates = {content(2).columns[5]};
  EXPECT_FALSE(sampling_pays(*scanned(covariates)->columns));
}

TEST(SampledProducts, LeadAFitToTheSameOptimum) {
  LassoOptions options;
  options.lambda = 0.05;
  const Content made = random_content({.rows = kRows, .columns = 60, .shared = 0.5, .causes = 30});
  const Fit joint = fit(dataset_of(made), options, {.workers = 1});
  const Fit parallel = fit(dataset_of(made), options, {.schedulers = 2, .workers = 8});
  EXPECT_LE(parallel.certificate().relative_gap, 1e-6);
  EXPECT_NEAR(parallel.certificate().objective, joint.certificate().objective, 2e-6 * joint.certificate().objective);
}

}  // namespace
}  // namespace strads::lasso
