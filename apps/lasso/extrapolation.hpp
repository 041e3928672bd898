// Anderson extrapolation of coordinate descent [Bertrand21].
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strads::lasso {

/// Combines the last iterates of coordinate descent into one that is closer to the limit of the sequence: the weights
/// (sum 1) that make the combined step shortest. What is linear in the iterate, the residual, is combined alike.
///
/// [Bertrand21] Bertrand, Massias: Anderson acceleration of coordinate descent, AISTATS 2021.
class Extrapolation {
 public:
  /// Iterates that are combined.
  static constexpr std::size_t kIterates = 6;

  void clear() { points_.clear(); }
  /// Remembers an iterate. Cost: a copy.
  void add(std::span<const double> x, std::span<const double> residual);
  [[nodiscard]] bool ready() const { return points_.size() == kIterates; }
  /// The combination of what was added since clear(), and the residual there. False where the steps do not tell
  /// weights. REQUIRES: ready(). Cost: 36 flops an entry.
  [[nodiscard]] bool combine(std::span<double> x, std::span<double> residual) const;

 private:
  struct Point {
    std::vector<double> x;
    std::vector<double> residual;
  };
  std::vector<Point> points_;  ///< oldest first
};

}  // namespace strads::lasso
