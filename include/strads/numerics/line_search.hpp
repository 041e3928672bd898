// The guard's step length: the exact minimum of a penalised quadratic along a direction. Layer: numerics. Pure.
// Formulas: docs/DESIGN.md, "Guard".
#pragma once

#include <cstddef>
#include <span>

namespace strads {

/// One variable of a direction: penalty l1 |b| + l2 b^2 / 2 (both >= 0), its value and its change.
struct LineTerm {
  double value;  ///< b_j
  double delta;  ///< change of b_j at step 1
  double l1;     ///< A_j
  double l2;     ///< E_j
};

/// Where to stop on the line.
struct LineStep {
  double step = 0;             ///< a in [0, 1]
  std::ptrdiff_t zeroed = -1;  ///< index of the term whose breakpoint was chosen: its value becomes exactly 0; else -1
  double decrease = 0;         ///< F(0) - F(a) >= 0, summed over the pieces of the line, never as a difference of F's
};

/// Minimises F(b + a delta) over a in [0, 1] exactly, where F is 1/2 ||r - a v||^2 plus the penalties.
/// `rv` = r'v and `vv` = v'v with v = X delta. Of several terms with the same breakpoint the first is named.
/// Step 0 when F does not fall along delta. Cost: O(k log k). Allocates one array of breakpoints.
[[nodiscard]] LineStep line_search(double rv, double vv, std::span<const LineTerm> terms);

}  // namespace strads
