// Exact tests of Hardy-Weinberg equilibrium against sums of fractions (Python's Fraction, over all tables).
#include "data/filters/hardy_weinberg.hpp"

#include <gtest/gtest.h>

namespace strads::data {
namespace {

constexpr double kRounding = 1e-12;  // of p: some hundred products and sums

void expect_p(HardyCounts counts, double expected) {
  EXPECT_NEAR(hardy_p(counts), expected, kRounding * expected);
}

void expect_p_x(HardyCounts counts, double expected) {
  EXPECT_NEAR(hardy_p_x(counts), expected, 100 * kRounding * expected);  // logarithms of factorials
}

TEST(HardyWeinberg, IsTheShareOfTablesThatAreNoMoreProbable) {
  expect_p({.hets = 3, .hom_a = 5, .hom_b = 2}, 0.47987616099071206);
  expect_p({.hets = 10}, 0.00690640628721124);
  expect_p({.hets = 0, .hom_a = 10, .hom_b = 10}, 1.3403021576354265e-06);
  expect_p({.hets = 57, .hom_a = 14, .hom_b = 50}, 0.8422797565707926);
  expect_p({.hets = 20, .hom_a = 30, .hom_b = 40}, 1.390832806062546e-07);
}

TEST(HardyWeinberg, IsOneWhereNoOtherTableIsLessProbableOrThereAreNoCalls) {
  expect_p({.hets = 50, .hom_a = 25, .hom_b = 25}, 1);
  expect_p({}, 1);
  expect_p({.hom_a = 7}, 1);
}

TEST(HardyWeinberg, DoesNotDependOnWhichAlleleIsCalledA) {
  EXPECT_DOUBLE_EQ(hardy_p({.hets = 57, .hom_a = 14, .hom_b = 50}), hardy_p({.hets = 57, .hom_a = 50, .hom_b = 14}));
}

TEST(HardyWeinberg, OfAHalfMillionCallsIsAProbabilityAndOfNoHetsAmongThemZero) {
  const double p = hardy_p({.hets = 250200, .hom_a = 125000, .hom_b = 124800});
  EXPECT_GT(p, 0.3);
  EXPECT_LE(p, 1);
  EXPECT_EQ(hardy_p({.hets = 0, .hom_a = 250000, .hom_b = 250000}), 0);
}

TEST(HardyWeinberg, OfChromosomeXCountsTheAllelesOfMales) {
  expect_p_x({.hets = 3, .hom_a = 5, .hom_b = 2, .male_a = 4, .male_b = 6}, 0.2808648307425235);
  expect_p_x({.hets = 10, .hom_a = 20, .hom_b = 3, .male_a = 15, .male_b = 9}, 0.2653946088763652);
  expect_p_x({.hets = 0, .hom_a = 10, .hom_b = 10, .male_a = 10, .male_b = 10}, 2.5553554712089013e-06);
  expect_p_x({.hets = 12, .hom_a = 3, .hom_b = 9, .male_a = 2, .male_b = 30}, 0.002771423243629083);
  expect_p_x({.hets = 0, .hom_a = 0, .hom_b = 5, .male_a = 3, .male_b = 2}, 0.02197802197802198);
  expect_p_x({.hets = 5, .hom_a = 0, .hom_b = 3, .male_a = 0, .male_b = 7}, 0.09465363012273767);
}

TEST(HardyWeinberg, OfChromosomeXWithoutMalesIsThatOfFemales) {
  expect_p_x({.hets = 3, .hom_a = 5, .hom_b = 2}, 0.47987616099071206);
}

TEST(HardyWeinberg, OfChromosomeXStopsWhereEnoughIsKnown) {
  const HardyCounts counts{.hets = 10, .hom_a = 20, .hom_b = 3, .male_a = 15, .male_b = 9};
  const double known = hardy_p_x(counts, 0.01);
  EXPECT_GE(known, 0.01);
  EXPECT_LE(known, hardy_p_x(counts));
}

}  // namespace
}  // namespace strads::data
