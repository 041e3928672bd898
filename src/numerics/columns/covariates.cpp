#include "numerics/columns/covariates.hpp"

#include <cmath>

#include "numerics/columns/columns_state.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {

namespace {

/// Relative length below which what is left of a covariate is rounding.
constexpr double kDependent = 1e-10;

void subtract_mean(std::vector<double>& v, double mean, std::span<const std::uint32_t> dropped_rows) {
  for (double& value : v) value -= mean;
  for (const std::uint32_t row : dropped_rows) v[row] = 0;
}

/// v_i <- sqrt(w_i) v_i; nothing without weights.
void weigh(std::vector<double>& v, std::span<const double> roots) {
  for (std::size_t i = 0; i < roots.size(); ++i) v[i] *= roots[i];
}

/// Divides by a power of two where squares would overflow or vanish; returns it.
double take_out_unit(std::vector<double>& v) {
  const int exponent = scale_exponent(dot(v, v), v.size(), [&v](std::size_t i) { return v[i]; });
  if (exponent == 0) return 1;
  for (double& value : v) value = std::ldexp(value, -exponent);
  return std::ldexp(1.0, exponent);
}

double total_of(std::span<const double> v, std::span<const double> roots) {
  return roots.empty() ? sum(v) : dot(roots, v);
}

}  // namespace

Covariates::Covariates(const std::vector<std::vector<double>>& covariates, std::span<const std::uint32_t> dropped_rows,
                       std::span<const double> roots) {
  for (std::size_t k = 0; k < covariates.size(); ++k) {
    std::vector<double> rest = covariates[k];
    for (const std::uint32_t row : dropped_rows) rest[row] = 0;
    units_.push_back(take_out_unit(rest));
    std::vector<double> raw = rest;
    weigh(raw, roots);
    const double length_raw = std::sqrt(dot(raw, raw));
    const double weight = roots.empty() ? static_cast<double>(rest.size() - dropped_rows.size()) : dot(roots, roots);
    means_.push_back(total_of(raw, roots) / weight);
    subtract_mean(rest, means_.back(), dropped_rows);
    weigh(rest, roots);
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
      totals_.push_back(total_of(rest, roots));
      if (!roots.empty()) {
        probes_.push_back(rest);
        weigh(probes_.back(), roots);
      }
      basis_.push_back(std::move(rest));
      sources_.push_back(k);
    }
    coordinates_.push_back(std::move(coordinates));
  }
}

void Covariates::project(std::span<double> v) const {
  for (const auto& direction : basis_) axpy(-dot(direction, v), direction, v);
}

std::vector<double> Covariates::coefficients(std::span<const double> e, std::span<const double> roots,
                                             double weight) const {
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
  result[0] = weight == 0 ? 0.0 : total_of(e, roots) / weight;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    result[0] -= result[k + 1] * means_[k];
    result[k + 1] /= units_[k];
  }
  return result;
}

}  // namespace strads
