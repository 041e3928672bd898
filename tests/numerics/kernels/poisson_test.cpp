// The loss of counts on every target: against plain formulas, along a line, and where predictors are extreme.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "strads/numerics/losses.hpp"

namespace strads {
namespace {

struct SomeCounts {
  std::vector<double> y, w, eta, v;

  explicit SomeCounts(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto k = static_cast<double>(i);
      y.push_back(i % 3 == 0 ? 0 : std::floor(std::exp(2 + std::sin(k * k))));
      w.push_back(i % 7 == 5 ? 0 : 0.5 + std::fmod(k, 4) / 2);
      eta.push_back(1.5 + std::cos(3 * k));
      v.push_back(std::sin(5 * k) / (1 + std::fmod(k, 5)));
    }
  }
  [[nodiscard]] LossSamples samples() const { return {y, w, LossKind::poisson}; }
  [[nodiscard]] double loss(const std::vector<double>& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += w[i] * (std::exp(at[i]) - (y[i] > 0 ? y[i] + y[i] * (at[i] - std::log(y[i])) : 0.0));
    }
    return sum;
  }
};

TEST(PoissonLoss, HasLossSlopeAndCurvatureOfTheFormulas) {
  for (const std::size_t n : {1U, 7U, 64U, 301U}) {
    const SomeCounts counts(n);
    SerialChunks chunks;
    std::vector<double> slope(n), curvature(n);
    const double loss = loss_terms(counts.samples(), counts.eta, slope, curvature, chunks);
    EXPECT_NEAR(loss, counts.loss(counts.eta), 1e-12 * (1 + std::abs(loss)));
    for (std::size_t i = 0; i < n; ++i) {
      const double mu = std::exp(counts.eta[i]);
      EXPECT_NEAR(slope[i], counts.w[i] * (counts.y[i] - mu), 1e-13 * (1 + counts.y[i] + mu));
      EXPECT_NEAR(curvature[i], counts.w[i] * mu, 1e-13 * (1 + mu));
    }
  }
}

TEST(PoissonLoss, ChangesAlongALineAsTheFormulasDo) {
  const SomeCounts counts(301);
  SerialChunks chunks;
  for (const double step : {1e-9, 1e-3, 0.04, 0.3, 1.0, 8.0}) {
    std::vector<long double> parts(3, 0.0L);
    for (std::size_t i = 0; i < counts.y.size(); ++i) {
      const long double w = counts.w[i], mu = std::exp(static_cast<long double>(counts.eta[i])), v = counts.v[i];
      const long double moved = step * v, there = mu * std::exp(moved);
      parts[0] += w * (mu * std::expm1(moved) - counts.y[i] * moved);
      parts[1] += w * v * (there - counts.y[i]);
      parts[2] += w * v * v * there;
    }
    const LossChange found = loss_change(counts.samples(), counts.eta, counts.v, step, chunks);
    EXPECT_NEAR(found.change, static_cast<double>(parts[0]),
                1e-13 * std::abs(static_cast<double>(parts[0])) + 1e-13 * step * 300);
    EXPECT_NEAR(found.slope, static_cast<double>(parts[1]), 1e-12 * (300 + static_cast<double>(parts[2])));
    EXPECT_NEAR(found.curvature, static_cast<double>(parts[2]), 1e-12 * static_cast<double>(parts[2]));
  }
}

TEST(PoissonLoss, DivergesFromItsDualPointAsTheFormulasSay) {
  const SomeCounts counts(301);
  SerialChunks chunks;
  EXPECT_EQ(loss_divergence(counts.samples(), counts.eta, 1, chunks), 0);
  for (const double s : {0.0, 1e-3, 0.5, 0.99, 1 - 1e-7}) {
    long double sum = 0;
    for (std::size_t i = 0; i < counts.y.size(); ++i) {
      const long double mu = std::exp(static_cast<long double>(counts.eta[i])), m = s * mu + (1 - s) * counts.y[i];
      sum += counts.w[i] * ((m > 0 ? m * std::log(m / mu) : 0.0L) - m + mu);
    }
    const auto expected = static_cast<double>(sum);
    EXPECT_NEAR(loss_divergence(counts.samples(), counts.eta, s, chunks), expected, 1e-11 * expected + 1e-13);
  }
}

TEST(PoissonLoss, IsANumberWherePredictorsAreExtreme) {
  SerialChunks chunks;
  const std::vector<double> y{0, 3, 0, 1e6}, w(4, 1.0), v{800, -800, -1, 1};
  for (const double size : {-1e6, -800.0, 650.0}) {
    const std::vector<double> eta(4, size);
    const LossSamples samples{y, w, LossKind::poisson};
    std::vector<double> slope(4), curvature(4);
    EXPECT_TRUE(std::isfinite(loss_terms(samples, eta, slope, curvature, chunks))) << size;
    EXPECT_FALSE(std::isnan(loss_change(samples, eta, v, 1, chunks).change)) << size;
    EXPECT_FALSE(std::isnan(loss_divergence(samples, eta, 0.5, chunks))) << size;
  }
}

}  // namespace
}  // namespace strads
