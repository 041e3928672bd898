// The guard's step length against a fine grid, and its corner cases by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/columns/columns_fixture.hpp"
#include "strads/numerics/line_search.hpp"

namespace strads::test {
namespace {

/// F(b + a delta) - F(b).
double change(double rv, double vv, const std::vector<LineTerm>& terms, double a) {
  double f = -a * rv + a * a * vv / 2;
  for (const LineTerm& t : terms) {
    const double b = t.value + a * t.delta;
    f += t.l1 * (std::abs(b) - std::abs(t.value)) + t.l2 * (b * b - t.value * t.value) / 2;
  }
  return f;
}

TEST(LineSearch, FindsTheMinimumOfAGrid) {
  Numbers numbers(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<LineTerm> terms(numbers.below(8));
    for (LineTerm& t : terms) {
      t = {numbers.below(3) == 0 ? 0.0 : numbers.centred(), 2 * numbers.centred(), numbers.uniform(),
           round % 2 == 0 ? 0.0 : numbers.uniform()};
    }
    const double rv = 3 * numbers.centred(), vv = numbers.below(5) == 0 ? 0.0 : 4 * numbers.uniform();
    const LineStep found = line_search(rv, vv, terms);
    const double reached = change(rv, vv, terms, found.step);
    for (int k = 0; k <= 1000; ++k) ASSERT_LE(reached, change(rv, vv, terms, k / 1000.0) + 1e-13) << "round " << round;
    EXPECT_NEAR(found.decrease, -reached, 1e-12);
    EXPECT_GE(found.decrease, 0.0);
    EXPECT_GE(found.step, 0.0);
    EXPECT_LE(found.step, 1.0);
  }
}

TEST(LineSearch, StaysWhenTheDirectionAscends) {
  const std::vector<LineTerm> terms = {{0.0, 1.0, 2.0, 0.0}};
  const LineStep found = line_search(1.5, 1.0, terms);
  EXPECT_EQ(found.step, 0.0);
  EXPECT_EQ(found.zeroed, -1);
  EXPECT_EQ(found.decrease, 0.0);
}

TEST(LineSearch, TakesTheFullStepWhenItFallsAllTheWay) {
  const LineStep found = line_search(2.0, 1.0, {});
  EXPECT_EQ(found.step, 1.0);
  EXPECT_EQ(found.zeroed, -1);
  EXPECT_DOUBLE_EQ(found.decrease, 1.5);
}

TEST(LineSearch, StopsInsideAPiece) {
  const LineStep found = line_search(1.0, 4.0, {});
  EXPECT_EQ(found.step, 0.25);
  EXPECT_DOUBLE_EQ(found.decrease, 0.125);
}

TEST(LineSearch, NamesTheTermWhoseBreakpointIsChosen) {
  // Falls with slope 1 + 0.5 - 1 < 0 until b_1 crosses zero at 1/2, rises after.
  const std::vector<LineTerm> terms = {{5.0, 1.0, 0.0, 0.0}, {0.5, -1.0, 2.0, 0.0}};
  const LineStep found = line_search(1.0, 1.0, terms);
  EXPECT_EQ(found.step, 0.5);
  EXPECT_EQ(found.zeroed, 1);
  EXPECT_NEAR(found.decrease, -change(1.0, 1.0, terms, 0.5), 1e-15);
}

TEST(LineSearch, NamesTheFirstOfTermsWithOneBreakpoint) {
  const std::vector<LineTerm> terms = {{0.5, -1.0, 1.0, 0.0}, {-0.25, 0.5, 3.0, 0.0}};
  const LineStep found = line_search(0.0, 0.1, terms);
  EXPECT_EQ(found.step, 0.5);
  EXPECT_EQ(found.zeroed, 0);
}

TEST(LineSearch, PassesABreakpointThatDoesNotTurnTheSlope) {
  const std::vector<LineTerm> terms = {{0.5, -1.0, 0.25, 0.0}};
  const LineStep found = line_search(10.0, 1.0, terms);
  EXPECT_EQ(found.step, 1.0);
  EXPECT_EQ(found.zeroed, -1);
}

TEST(LineSearch, WalksToABreakpointWhenThereIsNoCurvature) {
  const std::vector<LineTerm> terms = {{0.5, -1.0, 2.0, 0.0}};
  const LineStep found = line_search(0.0, 0.0, terms);
  EXPECT_EQ(found.step, 0.5);
  EXPECT_EQ(found.zeroed, 0);
  EXPECT_DOUBLE_EQ(found.decrease, 1.0);
}

TEST(LineSearch, StaysOnAFlatLine) {
  const LineStep found = line_search(0.0, 0.0, {});
  EXPECT_EQ(found.step, 0.0);
  EXPECT_EQ(found.decrease, 0.0);
}

TEST(LineSearch, StaysWhenTheNumbersAreNotNumbers) {
  EXPECT_EQ(line_search(std::nan(""), 1.0, {}).step, 0.0);
}

TEST(LineSearch, KeepsItsPrecisionWhenTheFallIsTiny) {
  // F itself would be of size 1e6: its difference could not show 5e-17.
  const std::vector<LineTerm> terms = {{1e6, 1e-8, 1.0, 0.0}};
  const LineStep found = line_search(2e-8, 1e-16, terms);
  EXPECT_EQ(found.step, 1.0);
  EXPECT_NEAR(found.decrease, 1e-8, 1e-15);
}

}  // namespace
}  // namespace strads::test
