// What products of pairs of columns cost. Layer: apps/lasso. Pure.
#pragma once

#include "strads/numerics/columns.hpp"
#include "strads/policies/parallelism.hpp"

namespace strads::lasso {

[[nodiscard]] bool is_sparse(const StandardizedColumns& columns);

/// What products of pairs cost in these columns: dense columns and genotypes are multiplied in tiles (bench/RESULTS.md,
/// kernels); sparse ones look up entry by entry, as a pass does, and blocks of them do without.
[[nodiscard]] PairProducts pair_products(const StandardizedColumns& columns);

}  // namespace strads::lasso
