// What is fitted without a penalty beside X beta where it cannot be projected out: intercept, covariates, variables
// with a penalty factor of 0. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strads::lasso {

/// The space of some vectors, with an orthonormal basis Q: Q'diag(w) Q = I. Vectors that depend on earlier ones add no
/// direction; their coefficients are 0.
class UnpenalisedSpace {
 public:
  UnpenalisedSpace() = default;
  /// `vectors`: length rows, 0 at dropped rows; `weights`: of the samples, 0 at dropped rows.
  /// Cost: 4 rows k^2 flops for k vectors.
  UnpenalisedSpace(const std::vector<std::vector<double>>& vectors, std::span<const double> weights);

  [[nodiscard]] std::size_t size() const { return basis_.size(); }  ///< dimension
  [[nodiscard]] std::span<const double> direction(std::size_t k) const { return basis_[k]; }
  /// Whether vector k added a direction to those before it.
  [[nodiscard]] bool has_direction(std::size_t k) const;
  /// v <- v + Q coordinates.
  void add(std::span<const double> coordinates, std::span<double> v) const;
  /// Q'u.
  [[nodiscard]] std::vector<double> products(std::span<const double> u) const;
  /// Q'diag(omega) Q, row-major.
  [[nodiscard]] std::vector<double> curvature(std::span<const double> omega) const;
  /// Coefficients of the vectors, in their order, whose sum is Q coordinates.
  [[nodiscard]] std::vector<double> coefficients(std::span<const double> coordinates) const;
  /// sqrt(sum w v^2) of each vector.
  [[nodiscard]] std::span<const double> lengths() const { return lengths_; }

 private:
  std::vector<std::vector<double>> basis_;
  std::vector<std::size_t> sources_;              ///< the vector behind each direction
  std::vector<std::vector<double>> coordinates_;  ///< of each vector in Q
  std::vector<double> lengths_;
};

}  // namespace strads::lasso
