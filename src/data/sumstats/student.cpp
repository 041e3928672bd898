#include "data/sumstats/student.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strads::data {
namespace {

constexpr int kNewtonSteps = 100;
constexpr double kNewtonEnd = 1e-15;  // relative; steps shrink quadratically

/// log P(|Z| > z).
double log_normal_tail(double z) {
  const double x = z / std::numbers::sqrt2;
  if (x < 20) return std::log(std::erfc(x));
  // erfc is about to underflow: its asymptotic series, whose terms fall until the 400th.
  double term = 1, sum = 1;
  for (int k = 1; std::abs(term) > 1e-17; ++k) {
    term *= -(2 * k - 1) / (2 * x * x);
    sum += term;
  }
  return -x * x - std::log(x * std::sqrt(std::numbers::pi)) + std::log(sum);
}

/// log of Gamma(a + 1/2) / Gamma(a).
double log_half_step(double a) {
  double shift = 0;
  for (; a < 20; a += 1) shift += std::log(a / (a + 0.5));
  const double b = 1 / (a * a);
  return shift + 0.5 * std::log(a) - (1.0 / 8 - b * (1.0 / 192 - b * (1.0 / 640 - b * 17.0 / 14336))) / a;
}

/// The continued fraction of the incomplete beta function by Lentz's method. REQUIRES: x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kLeast = 1e-300;  // in place of 0
  const auto above = [](double value) { return std::abs(value) < kLeast ? kLeast : value; };
  double c = 1, d = 1 / above(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / above(1 + even * d);
    c = above(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / above(1 + odd * d);
    c = above(1 + odd / c);
    const double step = d * c;
    fraction *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return fraction;
}

/// log P(|T| > t) = log of I_x(freedom / 2, 1 / 2) at x = freedom / (freedom + t^2).
double log_student_tail(double t, double freedom) {
  const double a = freedom / 2, b = 0.5, odds = t * t / freedom;
  const double x = 1 / (1 + odds), rest = odds / (1 + odds);
  const double front = -a * std::log1p(odds) + 0.5 * std::log(rest) + log_half_step(a) -
                       0.5 * std::log(std::numbers::pi);  // of x^a (1 - x)^b / B(a, b)
  if (x < (a + 1) / (a + b + 2)) return front + std::log(beta_fraction(a, b, x) / a);
  return std::log1p(-std::exp(front) * beta_fraction(b, a, rest) / b);
}

/// log of the density at t and -t, both together.
double log_student_density(double t, double freedom) {
  return std::log(2.0) + log_half_step(freedom / 2) - 0.5 * std::log(freedom * std::numbers::pi) -
         (freedom + 1) / 2 * std::log1p(t * t / freedom);
}

double expanded_quantile(double z, double freedom) {
  const double z2 = z * z, v = 1 / freedom;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z * (1 + v * (first + v * (second + v * (third + v * fourth))));
}

}  // namespace

double normal_quantile(double log_p) {
  if (log_p >= 0) return 0;
  // P(|Z| > z) <= exp(-z^2 / 2), so that this is above the root; the logarithm of the tail is concave, so that Newton's
  // steps come down to it and never pass it.
  double z = std::sqrt(-2 * log_p);
  for (int k = 0; k < kNewtonSteps; ++k) {
    const double tail = log_normal_tail(z);
    const double hazard = std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2 - tail);
    const double step = (tail - log_p) / hazard;
    z = std::max(z + step, 0.0);
    if (std::abs(step) <= kNewtonEnd * z) break;
  }
  return z;
}

double student_quantile(double log_p, double freedom) {
  const double z = normal_quantile(log_p);
  if (z == 0) return 0;
  if (freedom >= 1000 && z * z < freedom / 100) return expanded_quantile(z, freedom);
  // In log t, where the logarithm of the tail is concave also far out (it ends as a straight line).
  double t = z;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const double tail = log_student_tail(t, freedom);
    const double slope = t * std::exp(log_student_density(t, freedom) - tail);
    const double step = (tail - log_p) / slope;
    t = std::min(t * std::exp(std::clamp(step, -100.0, 100.0)), 1e150);
    if (std::abs(step) <= kNewtonEnd * 10) break;
  }
  return t;
}

}  // namespace strads::data
