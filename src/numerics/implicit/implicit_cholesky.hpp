// Cholesky factors in single precision for rows of implicit feedback. Layer: numerics. Pure, private.
#pragma once

#include <cstddef>

#include "numerics/implicit/implicit_kernels.hpp"

namespace strads {

/// Solves A x = b in place: `matrix` has the lower triangle of A in `size` rows of `row` floats (size <= row, a
/// multiple of kImplicitLanes) and is overwritten; `x` has b, and `row` floats. REQUIRES: A is positive definite; zeros
/// behind `size` in x. Cost: size^3 / 3 flops.
void solve_by_cholesky(const ImplicitKernels& kernels, float* matrix, std::size_t size, std::size_t row, float* x);

}  // namespace strads
