// How much work a run is, from its shape alone.
#include "lasso/run/planned_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace strads::lasso {
namespace {

using testing::HasSubstr;
using testing::Not;

const sim::CostConstants kPrices;

WorkSizes path(std::uint64_t samples, std::uint64_t columns, double last_ratio = 0.01) {
  WorkSizes sizes;
  sizes.rows = sizes.samples = samples;
  sizes.columns = columns;
  sizes.entries = samples * columns;
  sizes.bytes = true;
  sizes.lambdas = 100;
  sizes.last_ratio = last_ratio;
  return sizes;
}

TEST(PlannedWork, GuessesAsManyNonzerosAsRealPathsHadWithinAFactorOfTwo) {
  struct Real {
    const char* name;
    std::uint64_t samples, columns;
    double last_ratio;
    std::uint64_t stop_after;
    double nonzeros;
  };
  // bench/RESULTS.md, "Paths before the start".
  const std::vector<Real> sets = {{"mice-hs, weight", 1928, 11298, 0.01, 0, 1394},
                                  {"soynam, height", 5143, 4312, 0.01, 0, 1074},
                                  {"463 x 508,999", 463, 508'999, 0.0145, 0, 441},
                                  {"10,000 x 20,000", 10'000, 20'000, 0.05, 0, 3345},
                                  {"100,000 x 200,000, to the stop on others", 80'131, 200'000, 0.001, 2, 5073}};
  for (const Real& real : sets) {
    WorkSizes sizes = path(real.samples, real.columns, real.last_ratio);
    sizes.stop_after = real.stop_after;
    const double guess = guessed_nonzeros(sizes);
    EXPECT_GT(guess, real.nonzeros / 2) << real.name;
    EXPECT_LT(guess, real.nonzeros * 2) << real.name;
  }
}

TEST(PlannedWork, GuessesAtLeastOneNonzeroAndNeverMoreThanSamplesOrVariables) {
  for (const std::uint64_t samples : {1U, 50U, 1'000'000U}) {
    for (const std::uint64_t columns : {1U, 50U, 1'000'000U}) {
      for (const double ratio : {1.0, 0.1, 1e-4}) {
        const double guess = guessed_nonzeros(path(samples, columns, ratio));
        EXPECT_GE(guess, 1) << samples << " x " << columns << ", " << ratio;
        EXPECT_LE(guess, static_cast<double>(std::min(samples, columns))) << samples << " x " << columns;
      }
    }
  }
}

TEST(PlannedWork, TakesTheNonzerosThatTheUserExpects) {
  WorkSizes sizes = path(1000, 5000);
  sizes.nonzeros = 7;
  EXPECT_EQ(planned_nonzeros(sizes), 7);
  EXPECT_EQ(planned_work(sizes, kPrices).nonzeros, 7);
}

TEST(PlannedWork, OfPairsGrowsWithTheSquareOfTheNonzerosAndOfPassesNotAtAll) {
  WorkSizes few = path(1000, 5000), many = few;
  few.nonzeros = 600;
  many.nonzeros = 1200;
  const PlannedWork a = planned_work(few, kPrices), b = planned_work(many, kPrices);
  EXPECT_DOUBLE_EQ(b.seconds_pairs, 4 * a.seconds_pairs);
  EXPECT_DOUBLE_EQ(b.seconds_passes, a.seconds_passes);
}

TEST(PlannedWork, OfAPathThatStopsOnOthersIsThatOfItsFirstLambdas) {
  WorkSizes all = path(1000, 5000, 1e-3), stops = all;
  all.nonzeros = stops.nonzeros = 100;
  stops.stop_after = 2;
  EXPECT_EQ(planned_work(all, kPrices).solutions, 100);
  EXPECT_LT(planned_work(stops, kPrices).solutions, 50);
  stops.stop_from = 70;
  EXPECT_EQ(planned_work(stops, kPrices).solutions, 70) << "they are solved in any case";
  stops.last_ratio = 0.5;  // the grid ends before
  EXPECT_EQ(planned_work(stops, kPrices).solutions, 100);
}

TEST(PlannedWork, OfARefitIsThatOfOneFitWhereThePathWasAtItsBest) {
  WorkSizes once = path(1000, 5000, 1e-3);
  once.nonzeros = 800;
  once.stop_after = 2;
  WorkSizes twice = once;
  twice.refits = 1;
  WorkSizes fit = once;
  fit.lambdas = 1;
  fit.stop_after = 0;
  fit.last_ratio = 1.0 / 16;
  const PlannedWork a = planned_work(once, kPrices), b = planned_work(twice, kPrices), c = planned_work(fit, kPrices);
  EXPECT_EQ(b.solutions, a.solutions + 1);
  EXPECT_EQ(b.phases, a.phases + c.phases);
  EXPECT_EQ(b.passes, a.passes + c.passes);
  EXPECT_LT(b.seconds_pairs, 2 * a.seconds_pairs);
  EXPECT_NEAR(b.seconds_check, a.seconds_check + c.seconds_check, 1e-12 * a.seconds_check);
}

TEST(PlannedWork, OfRidgeHasAllVariablesAndNoProductsOfPairs) {
  WorkSizes sizes = path(1000, 5000);
  sizes.nonzeros = 100;
  const PlannedWork lasso = planned_work(sizes, kPrices);
  sizes.ridge_paths = 1;
  const PlannedWork ridge = planned_work(sizes, kPrices);
  EXPECT_EQ(ridge.nonzeros, 5000);
  EXPECT_EQ(ridge.seconds_pairs, 0);
  EXPECT_EQ(ridge.solutions, lasso.solutions);
  EXPECT_GT(ridge.passes, 5 * lasso.passes);
  EXPECT_THAT(work_lines(sizes, ridge, 1, "prices"), HasSubstr("ridge: all 5000 variables in every solution"));
  sizes.paths = 2;  // the other one of the elastic net
  const PlannedWork both = planned_work(sizes, kPrices);
  EXPECT_NEAR(both.seconds(), lasso.seconds() + ridge.seconds(), 1e-12 * both.seconds());
  EXPECT_EQ(both.nonzeros, 100);
}

TEST(PlannedWork, OfRidgeGrowsAsLambdaFallsAndWithDigits) {
  WorkSizes sizes = path(1000, 5000);
  sizes.ridge_paths = 1;
  const double coarse = planned_work(sizes, kPrices).seconds_solving;
  sizes.last_ratio = 1e-4;
  EXPECT_GT(planned_work(sizes, kPrices).seconds_solving, 2 * coarse);
  sizes.last_ratio = 0.01;
  sizes.tolerance = 1e-12;
  EXPECT_NEAR(planned_work(sizes, kPrices).seconds_solving, 14.0 / 8 * coarse, 1e-9 * coarse);
}

TEST(PlannedWork, OfAClassNeedsProductsAtEveryStep) {
  WorkSizes sizes = path(1000, 5000);
  const double numbers = planned_work(sizes, kPrices).seconds_pairs;
  sizes.newton_steps = true;
  EXPECT_GT(planned_work(sizes, kPrices).seconds_pairs, 2 * numbers);
}

TEST(PlannedWork, OnMoreThreadsTakesLessTimeButNotAnEvenShareOfIt) {
  const PlannedWork work = planned_work(path(2000, 20'000), kPrices);
  EXPECT_DOUBLE_EQ(work.seconds_on(1), work.seconds());
  EXPECT_LT(work.seconds_on(2), work.seconds());
  EXPECT_GT(work.seconds_on(64), work.seconds() / 64);
}

TEST(PlannedWork, IsToldWithWhatIsAssumed) {
  WorkSizes sizes = path(1000, 5000);
  const std::string guessed = work_lines(sizes, planned_work(sizes, kPrices), 2, "prices of a file");
  EXPECT_THAT(guessed, HasSubstr("100 solutions for 1000 samples"));
  EXPECT_THAT(guessed, HasSubstr("guessed from the shape: between 1 and 1000"));
  EXPECT_THAT(guessed, HasSubstr("on 2 threads"));
  EXPECT_THAT(guessed, HasSubstr("prices of a file"));
  sizes.nonzeros = 12;
  const std::string given = work_lines(sizes, planned_work(sizes, kPrices), 1, "prices of a file");
  EXPECT_THAT(given, HasSubstr("assumed  12 nonzeros at the last lambda, as given"));
  EXPECT_THAT(given, Not(HasSubstr("threads")));
}

}  // namespace
}  // namespace strads::lasso
