// Sums that log joints and Minka's fixed point are made of. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace strads::lda {

/// ln Gamma(x) and its derivative, x > 0, by their asymptotic series from 12 on: relative error below 1e-13. Nothing is
/// shared between threads, unlike std::lgamma's sign.
[[nodiscard]] double log_gamma(double x);
[[nodiscard]] double digamma(double x);

/// ln Gamma(a + n) - ln Gamma(a), a > 0.
[[nodiscard]] double log_rising(double a, std::uint64_t n);
/// digamma(a + n) - digamma(a), a > 0.
[[nodiscard]] double digamma_rising(double a, std::uint64_t n);

/// A sum of rows in whole multiples of 2^-20, so that it is the same however rows are put together. It travels as two
/// numbers whose own sums over blocks are exact.
class FixedSum {
 public:
  void add(double row) { units_ += std::llround(row * kUnit); }
  [[nodiscard]] std::pair<double, double> parts() const {
    const std::int64_t high = units_ >> 32;  // towards minus infinity
    return {static_cast<double>(high), static_cast<double>(units_ - high * (std::int64_t{1} << 32))};
  }
  /// Of added-up parts.
  [[nodiscard]] static double value(double high, double low) { return (high * 4294967296.0 + low) / kUnit; }

 private:
  static constexpr double kUnit = 1048576;
  std::int64_t units_ = 0;
};

}  // namespace strads::lda
