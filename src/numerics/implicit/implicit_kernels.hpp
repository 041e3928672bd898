// Dense arithmetic of implicit.cpp, one table of functions per SIMD target. Layer: numerics. Pure, private.
#pragma once

#include <cstddef>

namespace strads {

/// Rows and columns of matrices are padded with zeros to a multiple of this: any target's vectors fit.
inline constexpr std::size_t kImplicitLanes = 16;

/// out[i][j] += sign x sum over k < depth of a[i x a_row + k x a_deep] b[k x b_row + j], for i < rows and j < columns
/// (a multiple of kImplicitLanes); `lower`: columns behind the tile that has j = i may be left out.
/// The sum over k goes in order, from 0: the same bits however rows and columns are cut.
struct ImplicitProduct {
  const float* a = nullptr;
  std::size_t a_row = 0, a_deep = 0;
  const float* b = nullptr;
  std::size_t b_row = 0;
  std::size_t depth = 0, rows = 0, columns = 0;
  float* out = nullptr;
  std::size_t out_row = 0;
  bool minus = false;
  bool lower = false;
};

struct ImplicitKernels {
  const char* name;
  void (*product)(const ImplicitProduct& product);
  /// sum over i < count of a[i] b[i]; count: a multiple of kImplicitLanes.
  float (*dot)(const float* a, const float* b, std::size_t count);
  /// y += factor x.
  void (*add)(float factor, const float* x, float* y, std::size_t count);
};

/// The table of the target that choose_simd chose.
const ImplicitKernels& implicit_kernels();

}  // namespace strads
