#include "numerics/implicit/implicit_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace strads {
namespace {

/// Rows of the factor one after the other, by blocks: row i of U with A = U'U, from the rows above it.
void factor(const ImplicitKernels& kernels, float* upper, std::size_t size, std::size_t row) {
  for (std::size_t block = 0; block < size; block += kImplicitLanes) {
    const std::size_t height = std::min(kImplicitLanes, size - block);
    if (block > 0) {
      kernels.product({.a = upper + block,
                       .a_row = 1,
                       .a_deep = row,
                       .b = upper + block,
                       .b_row = row,
                       .depth = block,
                       .rows = height,
                       .columns = row - block,
                       .out = upper + block * row + block,
                       .out_row = row,
                       .minus = true});
    }
    for (std::size_t i = block; i < block + height; ++i) {
      float* const own = upper + i * row;
      for (std::size_t above = block; above < i; ++above) {
        kernels.add(-upper[above * row + i], upper + above * row + block, own + block, row - block);
      }
      const float pivot = own[i];
      const float inverse = pivot > 0 ? 1 / std::sqrt(pivot) : 0;
      for (std::size_t j = i; j < row; ++j) own[j] *= inverse;
    }
  }
}

}  // namespace

void solve_by_cholesky(const ImplicitKernels& kernels, float* matrix, std::size_t size, std::size_t row, float* x) {
  // The kernels fill whole tiles around the diagonal; what is wanted is the upper triangle.
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) matrix[i * row + j] = matrix[j * row + i];
    std::fill(matrix + i * row + size, matrix + (i + 1) * row, 0.0F);
  }
  factor(kernels, matrix, size, row);
  for (std::size_t i = 0; i < size; ++i) {
    const float pivot = matrix[i * row + i];
    x[i] = pivot > 0 ? x[i] / pivot : 0;
    const float value = x[i];
    const std::size_t from = i / kImplicitLanes * kImplicitLanes;
    // Within its own 16 by hand: the vector would change what is done already.
    for (std::size_t j = i + 1; j < std::min(from + kImplicitLanes, size); ++j) x[j] -= value * matrix[i * row + j];
    if (from + kImplicitLanes < row) {
      kernels.add(-value, matrix + i * row + from + kImplicitLanes, x + from + kImplicitLanes,
                  row - from - kImplicitLanes);
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    const std::size_t from = i / kImplicitLanes * kImplicitLanes + kImplicitLanes;
    float sum = from < row ? kernels.dot(matrix + i * row + from, x + from, row - from) : 0.0F;
    for (std::size_t j = i + 1; j < std::min(from, size); ++j) sum += matrix[i * row + j] * x[j];
    const float pivot = matrix[i * row + i];
    x[i] = pivot > 0 ? (x[i] - sum) / pivot : 0;
  }
}

}  // namespace strads
