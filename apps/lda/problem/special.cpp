#include "lda/problem/special.hpp"

namespace strads::lda {
namespace {

constexpr double kSeriesFrom = 12;
/// So many factors are multiplied before one logarithm is taken: they stay far from the largest double.
constexpr std::uint64_t kProductMax = 16;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

}  // namespace

double log_gamma(double x) {
  double product = 1;
  for (; x < kSeriesFrom; ++x) product *= x;
  const double inverse = 1 / x, square = inverse * inverse;
  const double series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series - std::log(product);
}

double digamma(double x) {
  double before = 0;
  for (; x < kSeriesFrom; ++x) before += 1 / x;
  const double square = 1 / (x * x);
  const double series = square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
  return std::log(x) - 0.5 / x - series - before;
}

double log_rising(double a, std::uint64_t n) {
  if (n > kProductMax) return log_gamma(a + static_cast<double>(n)) - log_gamma(a);
  double product = 1;
  for (std::uint64_t i = 0; i < n; ++i) product *= a + static_cast<double>(i);
  return std::log(product);
}

double digamma_rising(double a, std::uint64_t n) {
  if (n > kProductMax) return digamma(a + static_cast<double>(n)) - digamma(a);
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += 1 / (a + static_cast<double>(i));
  return sum;
}

}  // namespace strads::lda
