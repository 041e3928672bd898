// A small Lasso written out: standardised columns as plain doubles, for the audit of the swarm. Shares no arithmetic
// with what it is compared with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/types.hpp"
#include "strads/data/dataset.hpp"

namespace strads::simulator {

/// The formulas of docs/DESIGN.md, "Implicit standardisation", done to every number, with sample weights as factors
/// sqrt(w). For centred and scaled columns without covariates.
struct PlainColumns {
  std::vector<std::vector<double>> x;  ///< by variable: length 1; all 0 where the column is constant
  std::vector<double> y;               ///< length 1
  std::vector<double> factors;         ///< of the penalty
  std::vector<std::uint8_t> kept;      ///< 0: constant
  std::vector<double> entries;         ///< stored ones: the work of an update

  explicit PlainColumns(const Dataset& dataset);
  [[nodiscard]] VarId size() const { return static_cast<VarId>(x.size()); }
  /// x_j'x_k.
  [[nodiscard]] double product(VarId j, VarId k) const { return products[j * x.size() + k]; }

 private:
  std::vector<double> products;  ///< of all pairs
};

/// Sum of a_i b_i, one after the other.
[[nodiscard]] double plain_dot(std::span<const double> a, std::span<const double> b);

}  // namespace strads::simulator
