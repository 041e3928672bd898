// The dual of one problem, sample by sample: bounds, curvature, steps, gaps. Private to apps/svm.
//
//   min over a of f(a) = 1/2 ||w||^2 + 1/2 sum_i D_i a_i^2 - sum_i a_i,  w = sum_i a_i y_i x_i,  0 <= a_i <= U_i
//
// Hinge: U_i = C_i, D_i = 0. Squared hinge: no upper bound, D_i = 1 / (2 C_i) (Hsieh et al. 2008, section 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "svm/problem/svm.hpp"

namespace strads::svm {

class DualBox {
 public:
  /// `data` outlives the object.
  DualBox(const SvmData& data, const SvmOptions& options, std::size_t problem)
      : data_(data), cost_(options.cost), problem_(problem), hinge_(options.loss == Loss::hinge) {}

  [[nodiscard]] bool hinge() const { return hinge_; }
  [[nodiscard]] double sign(std::size_t i) const { return data_.sign(problem_, i); }
  /// C_i.
  [[nodiscard]] double cost(std::size_t i) const { return cost_ * data_.weight(problem_, i); }
  /// U_i.
  [[nodiscard]] double upper(std::size_t i) const { return hinge_ ? cost(i) : std::numeric_limits<double>::infinity(); }
  /// D_i.
  [[nodiscard]] double diagonal(std::size_t i) const { return hinge_ ? 0.0 : 0.5 / cost(i); }
  /// C_i l(m) of a margin m.
  [[nodiscard]] double loss(std::size_t i, double margin) const {
    const double lack = std::max(0.0, 1 - margin);
    return cost(i) * (hinge_ ? lack : lack * lack);
  }

 private:
  const SvmData& data_;
  double cost_;
  std::size_t problem_;
  bool hinge_;
};

/// The minimum along one coordinate of slope g and curvature q, from `value` within [0, upper].
struct CoordinateMove {
  double delta = 0;
  double decrease = 0;
};
[[nodiscard]] inline CoordinateMove move_in_box(double value, double gradient, double curvature, double upper) {
  double next = 0;
  if (curvature > 0) {
    next = std::clamp(value - gradient / curvature, 0.0, upper);
  } else {
    next = gradient < 0 ? upper : gradient > 0 ? 0.0 : value;
  }
  const double delta = next - value;
  return {delta, std::max(0.0, -delta * (gradient + 0.5 * curvature * delta))};
}

/// What of the gradient the bounds leave.
[[nodiscard]] inline double projected_gradient(double value, double gradient, double upper) {
  if (value <= 0) return std::min(gradient, 0.0);
  if (value >= upper) return std::max(gradient, 0.0);
  return gradient;
}

/// value + delta, on the bound where only rounding keeps it from there.
[[nodiscard]] inline double moved_in_box(double value, double delta, double upper) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const double next = value + delta;
  if (next <= kRounding * std::abs(delta)) return 0.0;
  return next >= upper * (1 - kRounding) ? upper : next;
}

/// What sample i adds to P(w(a)) + f(a) >= 0; zero where margin and a_i fit each other.
[[nodiscard]] inline double gap_of_sample(double value, double margin, double cost, bool hinge) {
  const double lack = 1 - margin, positive = std::max(0.0, lack);
  if (hinge) return cost * positive - value * lack;
  const double optimal = 2 * cost * positive;
  // a (m - 1) + C max(0, 1 - m)^2 + a^2 / (4 C), as a square where the sample is within the margin.
  return lack > 0 ? (value - optimal) * (value - optimal) / (4 * cost) : value * (value / (4 * cost) - lack);
}

}  // namespace strads::svm
