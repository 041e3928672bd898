// The space of the covariates, projected out of everything. Layer: numerics. Pure, private.
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
  /// `covariates`: vectors of length rows; `roots`: square roots of the weights, empty: all 1. With weights Q spans
  /// sqrt(w) o the covariates, centred by their weighted means. Ones that depend on the constant and earlier ones give
  /// no direction. Cost: 4 rows c^2 flops.
  Covariates(const std::vector<std::vector<double>>& covariates, std::span<const std::uint32_t> dropped_rows,
             std::span<const double> roots);

  [[nodiscard]] std::size_t size() const { return basis_.size(); }  ///< rank of the centred covariates
  [[nodiscard]] std::span<const double> direction(std::size_t k) const { return basis_[k]; }
  /// sqrt(w) o q_k: x_j as it is stored times this is q_k'x~_j. Without weights q_k itself.
  [[nodiscard]] std::span<const double> probe(std::size_t k) const { return probes_.empty() ? basis_[k] : probes_[k]; }
  [[nodiscard]] double total(std::size_t k) const { return totals_[k]; }  ///< sum of probe(k): 0 up to rounding

  /// v <- v - Q Q'v. Cost: 4 rows c flops.
  void project(std::span<double> v) const;
  /// Least-squares coefficients of [1, covariates] for e (0 at dropped rows; with weights sqrt(w) o e); 0 for a
  /// covariate without a direction. `weight`: sum of the weights.
  [[nodiscard]] std::vector<double> coefficients(std::span<const double> e, std::span<const double> roots,
                                                 double weight) const;

 private:
  std::vector<std::vector<double>> basis_;
  std::vector<std::vector<double>> probes_;  ///< empty without weights
  std::vector<double> totals_;
  std::vector<double> units_;                     ///< powers of two that all covariates were divided by, mostly 1
  std::vector<double> means_;                     ///< of all covariates, so divided
  std::vector<std::size_t> sources_;              ///< covariate behind each direction
  std::vector<std::vector<double>> coordinates_;  ///< of each covariate in Q: C_k = sum_i coordinates[k][i] q_i
};

}  // namespace strads
