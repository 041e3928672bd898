#include "lasso/problem/unpenalised_space.hpp"

#include <algorithm>
#include <cmath>

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

namespace {
constexpr double kNoDirection = 1e-10;  ///< of a vector's length: less gives no direction of its own

/// 2^e such that the largest entry is about that: squares of what is left are plain numbers.
double unit_of(std::span<const double> v) {
  double largest = 0;
  for (const double value : v) largest = std::max(largest, std::abs(value));
  return largest > 0 ? std::ldexp(1.0, std::clamp(std::ilogb(largest), -1000, 1000)) : 1.0;
}

double weighted_dot(std::span<const double> a, std::span<const double> b, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += weights[i] * a[i] * b[i];
  return sum;
}
}  // namespace

UnpenalisedSpace::UnpenalisedSpace(const std::vector<std::vector<double>>& vectors, std::span<const double> weights) {
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    std::vector<double> rest = vectors[k];
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = weights[i] == 0 ? 0.0 : rest[i];
    const double unit = unit_of(rest);
    for (double& value : rest) value /= unit;
    const double before = std::sqrt(weighted_dot(rest, rest, weights));
    lengths_.push_back(unit * before);
    std::vector<double> coordinates(basis_.size(), 0.0);
    // Gram-Schmidt; twice is enough [Giraud et al. 2005].
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t q = 0; q < basis_.size(); ++q) {
        const double share = weighted_dot(basis_[q], rest, weights);
        coordinates[q] += share;
        axpy(-share, basis_[q], rest);
      }
    }
    const double length = std::sqrt(weighted_dot(rest, rest, weights));
    if (length > kNoDirection * before) {
      coordinates.push_back(length);
      for (double& value : rest) value /= length;
      basis_.push_back(std::move(rest));
      sources_.push_back(k);
    }
    for (double& value : coordinates) value *= unit;
    coordinates_.push_back(std::move(coordinates));
  }
}

bool UnpenalisedSpace::has_direction(std::size_t k) const {
  return std::binary_search(sources_.begin(), sources_.end(), k);
}

void UnpenalisedSpace::add(std::span<const double> coordinates, std::span<double> v) const {
  for (std::size_t k = 0; k < basis_.size(); ++k) {
    if (coordinates[k] != 0) axpy(coordinates[k], basis_[k], v);
  }
}

std::vector<double> UnpenalisedSpace::products(std::span<const double> u) const {
  std::vector<double> products;
  for (const auto& direction : basis_) products.push_back(dot(direction, u));
  return products;
}

std::vector<double> UnpenalisedSpace::curvature(std::span<const double> omega) const {
  const std::size_t size = basis_.size();
  std::vector<double> matrix(size * size), weighted(omega.size());
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t i = 0; i < omega.size(); ++i) weighted[i] = omega[i] * basis_[a][i];
    for (std::size_t b = a; b < size; ++b) matrix[a * size + b] = matrix[b * size + a] = dot(weighted, basis_[b]);
  }
  return matrix;
}

/// The coordinates of the vectors are triangular over those that gave a direction: solved from the last one back.
std::vector<double> UnpenalisedSpace::coefficients(std::span<const double> coordinates) const {
  std::vector<double> rest(coordinates.begin(), coordinates.end()), result(coordinates_.size(), 0.0);
  for (std::size_t k = basis_.size(); k-- > 0;) {
    const auto& own = coordinates_[sources_[k]];
    const double coefficient = rest[k] / own[k];
    result[sources_[k]] = coefficient;
    for (std::size_t h = 0; h < k; ++h) rest[h] -= coefficient * own[h];
  }
  return result;
}

}  // namespace strads::lasso
