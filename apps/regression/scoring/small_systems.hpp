// Symmetric systems of a few unknowns, as regressions on a score and some covariates have them. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace strads::lasso {

/// A symmetric matrix of `size` x `size` numbers, row after row; both halves are filled.
struct SmallMatrix {
  std::size_t size = 0;
  std::vector<double> values;

  explicit SmallMatrix(std::size_t unknowns) : size(unknowns), values(unknowns * unknowns, 0.0) {}
  [[nodiscard]] double& at(std::size_t i, std::size_t k) { return values[i * size + k]; }
  [[nodiscard]] double at(std::size_t i, std::size_t k) const { return values[i * size + k]; }
};

/// x with A x = b by Cholesky's factorization. An unknown whose pivot is below 1e-10 of its diagonal depends on those
/// before it and is 0, as R's lm() leaves it out.
///   matrix: positive semidefinite, k x k
///   right:  k numbers
/// Cost: k^3 / 3 flops.
[[nodiscard]] std::vector<double> solve_symmetric(SmallMatrix matrix, std::span<const double> right);

}  // namespace strads::lasso
