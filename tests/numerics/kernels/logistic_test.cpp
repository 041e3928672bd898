// Sums of the logistic loss against long doubles, at margins that double precision makes hard.
#include "strads/numerics/losses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/columns/columns_fixture.hpp"

namespace strads::test {
namespace {

struct Samples {
  std::vector<double> eta, y, w, v;
  explicit Samples(std::size_t rows, double spread) {
    Numbers numbers(rows + 7);
    for (std::size_t i = 0; i < rows; ++i) {
      eta.push_back(spread * numbers.centred());
      y.push_back(i % 11 == 5 ? 0.0 : numbers.centred() > 0 ? 1.0 : -1.0);
      w.push_back(y[i] == 0 ? 0.0 : 0.1 + numbers.uniform());
      v.push_back(numbers.centred());
    }
  }
  [[nodiscard]] LossSamples view(bool weighted = true) const {
    return {y, weighted ? std::span<const double>(w) : std::span<const double>()};
  }
};

long double loss_of(long double margin) {
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

/// Of the loss from one margin to another, without cancellation.
long double rise_of(long double margin, long double by) {
  const long double q = 1 / (1 + std::exp(margin));
  return std::log1p(q * std::expm1(-by));
}

TEST(LogisticTerms, AreThoseOfTheDefinitionFarFromZeroToo) {
  for (const std::size_t rows : {1U, 7U, 8U, 33U, 8192U, 20001U}) {
    for (const double spread : {0.1, 3.0, 40.0, 700.0, 3000.0}) {
      const Samples at(rows, spread);
      std::vector<double> slope(rows), curvature(rows);
      SerialChunks chunks;
      const double loss = loss_terms(at.view(), at.eta, slope, curvature, chunks);
      long double expected = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const long double m = static_cast<long double>(at.y[i]) * at.eta[i];
        const long double q = 1 / (1 + std::exp(m)), p = 1 / (1 + std::exp(-m));
        expected += at.w[i] * loss_of(m);
        const double u = static_cast<double>(at.w[i] * at.y[i] * q);
        EXPECT_NEAR(slope[i], u, 1e-15 * std::abs(u) + 1e-290) << at.eta[i];
        EXPECT_NEAR(curvature[i], static_cast<double>(at.w[i] * q * p), 2e-15 * static_cast<double>(q * p) + 1e-290);
      }
      EXPECT_NEAR(loss, static_cast<double>(expected), 1e-14 * static_cast<double>(expected) + 1e-290)
          << rows << " " << spread;
    }
  }
}

TEST(LogisticTerms, HaveWeightsOfOneWhereNoneAreGiven) {
  const Samples at(100, 4);
  std::vector<double> slope(100), curvature(100);
  SerialChunks chunks;
  const double loss = loss_terms(at.view(false), at.eta, slope, curvature, chunks);
  double expected = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    if (at.y[i] != 0) {
      expected += static_cast<double>(loss_of(at.y[i] * at.eta[i]));
    } else {
      EXPECT_EQ(slope[i] + curvature[i], 0.0);
    }
  }
  EXPECT_NEAR(loss, expected, 1e-13 * expected);
}

/// A step of 1e-9 changes a loss of 500 by far less than its last digits.
TEST(LossChange, IsExactForShortStepsAndRightForLongOnes) {
  const Samples at(1001, 5);
  SerialChunks chunks;
  for (const double step : {1e-12, 1e-6, 0.3, 1.0, 4.0, 60.0, 2000.0}) {
    const LossChange found = loss_change(at.view(), at.eta, at.v, step, chunks);
    long double change = 0, size = 0, slope = 0, curvature = 0;
    for (std::size_t i = 0; i < at.eta.size(); ++i) {
      const long double m = static_cast<long double>(at.y[i]) * at.eta[i];
      const long double along = static_cast<long double>(at.y[i]) * at.v[i], by = step * along;
      const long double rise = std::abs(by) < 20 ? rise_of(m, by) : loss_of(m + by) - loss_of(m);
      const long double q = 1 / (1 + std::exp(m + by));
      change += at.w[i] * rise;
      size += at.w[i] * std::abs(rise);
      slope -= at.w[i] * along * q;
      curvature += at.w[i] * along * along * q / (1 + std::exp(-m - by));
    }
    EXPECT_NEAR(found.change, static_cast<double>(change), 4e-15 * static_cast<double>(size)) << step;
    EXPECT_NEAR(found.slope, static_cast<double>(slope), 1e-13) << step;
    EXPECT_NEAR(found.curvature, static_cast<double>(curvature), 1e-13) << step;
  }
}

TEST(LogisticDivergence, IsThatOfTwoClassesAndNeverNegative) {
  const Samples at(500, 8);
  SerialChunks chunks;
  for (const double s : {0.0, 1e-9, 0.25, 0.9, 1 - 1e-6, 1 - 1e-10, 1.0}) {
    long double expected = 0;
    for (std::size_t i = 0; i < at.eta.size(); ++i) {
      const long double m = static_cast<long double>(at.y[i]) * at.eta[i], q = 1 / (1 + std::exp(m));
      const long double left = s > 0 ? s * q * std::log1p(-(1 - static_cast<long double>(s))) : 0;
      expected +=
          at.w[i] * (left + (1 - s * q) * std::log1p(q * (1 - static_cast<long double>(s)) * (1 + std::exp(-m))));
    }
    const double found = loss_divergence(at.view(), at.eta, s, chunks);
    EXPECT_GE(found, 0);
    EXPECT_NEAR(found, static_cast<double>(expected), 1e-13 * static_cast<double>(expected) + 3e-12 * (1 - s)) << s;
  }
}

TEST(LogisticSums, DependOnNoOrderOfPieces) {
  const Samples at(40000, 3);
  SerialChunks serial;
  ShuffledChunks shuffled;
  BackwardChunks backward;
  std::vector<double> slope(40000), curvature(40000);
  const auto all = [&](Chunks& chunks) {
    const LossChange change = loss_change(at.view(), at.eta, at.v, 0.7, chunks);
    return std::vector<double>{loss_terms(at.view(), at.eta, slope, curvature, chunks), change.change, change.slope,
                               change.curvature, loss_divergence(at.view(), at.eta, 0.9, chunks)};
  };
  const auto first = all(serial);
  EXPECT_EQ(all(shuffled), first);
  EXPECT_EQ(all(backward), first);
}

}  // namespace
}  // namespace strads::test
