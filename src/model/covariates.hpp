// The space of the covariates, projected out of everything. Layer: model. Pure, private.
// Formulas: docs/DESIGN.md, "Covariates".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads {

/// Orthonormal basis Q of the centred covariates over the samples; 0 at dropped rows. The constant is not in Q: it is
/// handled by centring.
class Covariates {
 public:
  Covariates() = default;
  /// `covariates`: vectors of length rows. Ones that depend on the constant and earlier ones give no direction.
  /// Cost: 4 rows c^2 flops.
  Covariates(const std::vector<std::vector<double>>& covariates, std::span<const std::uint32_t> dropped_rows);

  [[nodiscard]] std::size_t size() const { return basis_.size(); }  ///< rank of the centred covariates
  [[nodiscard]] std::span<const double> direction(std::size_t k) const { return basis_[k]; }
  [[nodiscard]] double total(std::size_t k) const { return totals_[k]; }  ///< 1'q_k: 0 up to rounding

  /// v <- v - Q Q'v. Cost: 4 rows c flops.
  void project(std::span<double> v) const;
  /// Least-squares coefficients of [1, covariates] for e (0 at dropped rows); 0 for a covariate without a direction.
  [[nodiscard]] std::vector<double> coefficients(std::span<const double> e, std::uint64_t samples) const;

 private:
  std::vector<std::vector<double>> basis_;
  std::vector<double> totals_;
  std::vector<double> means_;                     ///< of all covariates
  std::vector<std::size_t> sources_;              ///< covariate behind each direction
  std::vector<std::vector<double>> coordinates_;  ///< of each covariate in Q: C_k = sum_i coordinates[k][i] q_i
};

}  // namespace strads
