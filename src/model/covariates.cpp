#include "model/covariates.hpp"

#include <cmath>

#include "strads/columns.hpp"

namespace strads {

namespace {

/// Relative length below which what is left of a covariate is rounding.
constexpr double kDependent = 1e-10;

void subtract_mean(std::vector<double>& v, double mean, std::span<const std::uint32_t> dropped_rows) {
  for (double& value : v) value -= mean;
  for (const std::uint32_t row : dropped_rows) v[row] = 0;
}

}  // namespace

Covariates::Covariates(const std::vector<std::vector<double>>& covariates,
                       std::span<const std::uint32_t> dropped_rows) {
  for (std::size_t k = 0; k < covariates.size(); ++k) {
    std::vector<double> rest = covariates[k];
    for (const std::uint32_t row : dropped_rows) rest[row] = 0;
    const double length_raw = std::sqrt(dot(rest, rest));
    means_.push_back(sum(rest) / static_cast<double>(rest.size() - dropped_rows.size()));
    subtract_mean(rest, means_.back(), dropped_rows);
    std::vector<double> coordinates(basis_.size(), 0.0);
    // Modified Gram-Schmidt, twice is enough [Giraud et al. 2005]: Q is orthonormal to rounding.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < basis_.size(); ++i) {
        const double share = dot(basis_[i], rest);
        coordinates[i] += share;
        axpy(-share, basis_[i], rest);
      }
    }
    const double length = std::sqrt(dot(rest, rest));
    if (length > kDependent * length_raw) {
      coordinates.push_back(length);
      for (double& value : rest) value /= length;
      totals_.push_back(sum(rest));
      basis_.push_back(std::move(rest));
      sources_.push_back(k);
    }
    coordinates_.push_back(std::move(coordinates));
  }
}

void Covariates::project(std::span<double> v) const {
  for (const auto& direction : basis_) axpy(-dot(direction, v), direction, v);
}

std::vector<double> Covariates::coefficients(std::span<const double> e, std::uint64_t samples) const {
  std::vector<double> result(means_.size() + 1, 0.0);
  std::vector<double> shares(basis_.size());
  for (std::size_t i = 0; i < basis_.size(); ++i) shares[i] = dot(basis_[i], e);
  // Q'C is upper triangular over the covariates that gave a direction: solve from the last one back.
  for (std::size_t i = basis_.size(); i-- > 0;) {
    const auto& coordinates = coordinates_[sources_[i]];
    const double coefficient = shares[i] / coordinates[i];
    result[sources_[i] + 1] = coefficient;
    for (std::size_t h = 0; h < i; ++h) shares[h] -= coefficient * coordinates[h];
  }
  result[0] = samples == 0 ? 0.0 : sum(e) / static_cast<double>(samples);
  for (std::size_t k = 0; k < means_.size(); ++k) result[0] -= result[k + 1] * means_[k];
  return result;
}

}  // namespace strads
