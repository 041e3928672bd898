// The quadratic of l1_quadratic.hpp with what its solvers share: values and the certificate. Layer: numerics. Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/quadratic/l1_quadratic_cholesky.hpp"
#include "strads/numerics/l1_quadratic.hpp"

namespace strads::l1 {

/// A point: values x and h = c - Gx, both of length k.
struct Point {
  std::vector<double> x;
  std::vector<double> h;
};

/// q at a point, and what rounding may have done to it.
struct Value {
  double q = 0;
  double rounding = 0;
};

/// S(z, t) = sign(z) max(|z| - t, 0).
inline double soft_threshold(double z, double threshold) {
  if (z > threshold) return z - threshold;
  if (z < -threshold) return z + threshold;
  return 0;
}

/// The problem moved to the origin: q(x) = 1/2 x'Gx - c'x + sum A_j |x_j|, without the start.
class Problem {
 public:
  Problem(const L1Quadratic& given, std::span<const double> start, Chunks& chunks);

  [[nodiscard]] std::size_t size() const { return linear_.size(); }
  /// S(z, t), or with x >= 0 its positive part.
  [[nodiscard]] double threshold(double z, double t) const {
    return nonnegative_ && z < 0 ? 0.0 : soft_threshold(z, t);
  }
  [[nodiscard]] bool nonnegative() const { return nonnegative_; }
  /// True iff the values may be an answer.
  [[nodiscard]] bool feasible(std::span<const double> x) const;
  /// A_j.
  [[nodiscard]] double penalty(std::size_t j) const { return penalty_ * factor(j); }
  [[nodiscard]] std::span<const double> row(std::size_t j) const { return gram_.subspan(j * size(), size()); }
  [[nodiscard]] double diagonal(std::size_t j) const { return gram_[j * size() + j]; }
  [[nodiscard]] std::span<const double> linear() const { return linear_; }  ///< c
  [[nodiscard]] double linear_max() const { return linear_max_; }           ///< max |c_j|
  [[nodiscard]] bool has_gap() const { return target_squared_ >= 0; }

  /// h = c - Gx from scratch. Cost: 2k flops for each nonzero of x.
  void gradient(std::span<const double> x, std::span<double> h);
  /// h <- h - step G_j. Cost: 2k flops.
  void move(std::size_t j, double step, std::span<double> h);

  /// h <- h - sum over the listed variables of steps G_j. Cost: 2k flops for each of them, all threads.
  void move_all(std::span<const std::uint32_t> variables, std::span<const double> steps, std::span<double> h);
  [[nodiscard]] Chunks& chunks() const { return chunks_; }
  /// Memory that each factorisation uses in turn: none needs its matrix after its step.
  [[nodiscard]] Cholesky& cholesky() { return cholesky_; }

  /// q at a point. Cost: 4k flops.
  [[nodiscard]] Value value(const Point& at) const;
  /// Duality gap at a point, as a sum of terms >= 0. REQUIRES: has_gap(). Cost: 6k flops.
  [[nodiscard]] double gap(const Point& at) const;
  /// max over j of |x_j - S(x_j + h_j, A_j)|: 0 iff x is optimal. Finer than q near the optimum. Cost: 3k flops.
  [[nodiscard]] double distance_to_fixed_point(const Point& at) const;

  void count_flops(std::uint64_t flops) { flops_ += flops; }
  [[nodiscard]] std::uint64_t flops() const { return flops_; }

 private:
  [[nodiscard]] double factor(std::size_t j) const { return factors_.empty() ? 1.0 : factors_[j]; }

  Chunks& chunks_;
  std::vector<std::uint32_t> nonzeros_;  // of gradient(): their places and values
  std::vector<double> values_;
  std::span<const double> gram_;
  std::span<const double> factors_;  // of the penalty; empty: all 1
  double penalty_;
  bool nonnegative_;
  std::vector<double> linear_;
  double linear_max_ = 0;
  double diagonal_max_ = 0;
  double target_squared_;  // ||r + X x0||^2; -1: unknown
  std::uint64_t flops_ = 0;
  Cholesky cholesky_;
};

/// matrix <- the lower triangle of G_JJ + ridge I, row-major, rows `stride` apart.
void gather(const Problem& problem, std::span<const std::uint32_t> support, double ridge, std::size_t stride,
            std::span<double> matrix);

}  // namespace strads::l1
