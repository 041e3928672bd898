// What products of pairs of columns cost. Layer: apps/lasso. Pure.
#pragma once

#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// What products of pairs of columns cost; a property of the data.
struct PairProducts {
  double price = 0.2;          ///< a flop of them against one of a streamed column (bench/RESULTS.md, kernels)
  double sampled = 1;          ///< of the rows, those that couplings are computed from (sampled_products.hpp)
  double sweeps_instead = 60;  ///< a block is solved without them in about so many passes to and fro over its columns
  bool matter = true;          ///< false: most blocks are solved without them
  bool nested = false;         ///< joint blocks of many products avoid most of them (solve_many_products())
};

/// Products of all pairs of a joint block, priced, from which on they are many: a quarter of a second of a core.
inline constexpr double kNestedFrom = 5e9;

[[nodiscard]] bool is_sparse(const StandardizedColumns& columns);

/// What products of pairs cost in these columns: dense columns and genotypes are multiplied in tiles (bench/RESULTS.md,
/// kernels); sparse ones look up entry by entry, as a pass does, and blocks of them do without.
[[nodiscard]] PairProducts pair_products(const StandardizedColumns& columns);

}  // namespace strads::lasso
