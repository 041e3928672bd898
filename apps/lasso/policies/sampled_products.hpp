// Couplings of many variables from some of the samples: for planning, which asks only which pairs are strongly coupled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// Rows that are looked at: a correlation of 0.3 is known to 0.02 (one standard error), one of 0 is never taken for it.
inline constexpr std::uint64_t kSampledRows = 2048;

/// True iff products of the sampled rows cost a small part of those of all, and are cheap to gather: long columns that
/// are stored row by row, without covariates.
[[nodiscard]] bool sampling_pays(const StandardizedColumns& columns);

/// out (k x k, row-major) = the correlations of `variables` over kSampledRows rows, in runs spread evenly over all. A
/// pure function of the columns. Returns the flops of the products. REQUIRES: sampling_pays(columns).
[[nodiscard]] std::uint64_t sampled_products(const StandardizedColumns& columns, std::span<const VarId> variables,
                                             std::vector<double>& out, Chunks& chunks);

}  // namespace strads::lasso
