// Variables with penalty factor 0: fitted like covariates, by projection.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "strads/data/dataset.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// They leave the columns of the solver and are projected out of all others and of the response, so that the dual
/// point of the certificate is orthogonal to them. Their coefficients come back with those of the covariates.
struct Unpenalised {
  std::vector<VarId> variables;                        ///< ascending, none of them constant or excluded
  std::vector<std::uint8_t> excluded;                  ///< J flags: these, and what was left out before; or empty
  std::shared_ptr<const StandardizedColumns> columns;  ///< all columns, nothing projected; null when there are none

  [[nodiscard]] bool any() const { return !variables.empty(); }
  /// x~_j of each, length rows: what is projected out.
  [[nodiscard]] std::vector<std::vector<double>> vectors() const;
};

/// Those of a data set. Cost: one pass over them.
[[nodiscard]] Unpenalised find_unpenalised(const Dataset& dataset, const Standardization& how);

/// Factors of the variables that the solver sees: 1 instead of 0. Empty when all are 1.
[[nodiscard]] std::vector<double> solver_factors(const Dataset& dataset);

}  // namespace strads::lasso
