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
/// sqrt(w). For scaled columns without covariates.
struct PlainColumns {
  std::vector<std::vector<double>> x;  ///< by variable: length 1; all 0 where the column is constant or, not centred, 0
  std::vector<double> y;               ///< centred, length 1; or classes 0 and 1, or counts, as they are
  std::vector<double> roots;           ///< sqrt(w) by row
  std::vector<double> factors;         ///< of the penalty
  std::vector<std::uint8_t> kept;      ///< 0: x is all 0
  std::vector<double> entries;         ///< stored ones: the work of an update

  explicit PlainColumns(const Dataset& dataset, bool center = true, bool y_stays = false);
  [[nodiscard]] VarId size() const { return static_cast<VarId>(x.size()); }
  /// x_j'x_k.
  [[nodiscard]] double product(VarId j, VarId k) const { return products[j * x.size() + k]; }

 private:
  std::vector<double> products;  ///< of all pairs
};

/// Sum of a_i b_i, one after the other.
[[nodiscard]] double plain_dot(std::span<const double> a, std::span<const double> b);

}  // namespace strads::simulator
