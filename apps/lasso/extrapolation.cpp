#include "lasso/extrapolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "strads/columns.hpp"

namespace strads::lasso {

namespace {

constexpr std::size_t kSteps = Extrapolation::kIterates - 1;
constexpr double kRidge = 1e-12;  ///< of the largest squared step

using Matrix = std::array<std::array<double, kSteps>, kSteps>;

/// Solves (M + ridge I) z = 1 by Cholesky, M positive semidefinite. False where it is singular all the same.
bool solve_for_ones(Matrix& m, std::array<double, kSteps>& z) {
  z.fill(1.0);
  for (std::size_t c = 0; c < kSteps; ++c) {
    for (std::size_t d = 0; d < c; ++d) m[c][c] -= m[c][d] * m[c][d];
    if (!(m[c][c] > 0)) return false;
    m[c][c] = std::sqrt(m[c][c]);
    for (std::size_t r = c + 1; r < kSteps; ++r) {
      for (std::size_t d = 0; d < c; ++d) m[r][c] -= m[r][d] * m[c][d];
      m[r][c] /= m[c][c];
    }
    for (std::size_t d = 0; d < c; ++d) z[c] -= m[c][d] * z[d];
    z[c] /= m[c][c];
  }
  for (std::size_t c = kSteps; c-- > 0;) {
    for (std::size_t r = c + 1; r < kSteps; ++r) z[c] -= m[r][c] * z[r];
    z[c] /= m[c][c];
  }
  return true;
}

}  // namespace

void Extrapolation::add(std::span<const double> x, std::span<const double> residual) {
  points_.push_back({{x.begin(), x.end()}, {residual.begin(), residual.end()}});
}

bool Extrapolation::combine(std::span<double> x, std::span<double> residual) const {
  std::array<std::vector<double>, kSteps> steps;
  for (std::size_t i = 0; i < kSteps; ++i) {
    steps[i] = points_[i + 1].x;
    axpy(-1.0, points_[i].x, steps[i]);
  }
  Matrix products{};
  double largest = 0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    for (std::size_t k = 0; k <= i; ++k) products[i][k] = dot(steps[i], steps[k]);
    largest = std::max(largest, products[i][i]);
  }
  for (std::size_t i = 0; i < kSteps; ++i) products[i][i] += kRidge * largest;
  std::array<double, kSteps> weights{};
  if (!solve_for_ones(products, weights)) return false;
  double sum = 0;
  for (const double w : weights) sum += w;
  if (!std::isfinite(sum) || sum == 0) return false;
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(residual.begin(), residual.end(), 0.0);
  for (std::size_t i = 0; i < kSteps; ++i) {
    axpy(weights[i] / sum, points_[i + 1].x, x);
    axpy(weights[i] / sum, points_[i + 1].residual, residual);
  }
  return true;
}

}  // namespace strads::lasso
