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

/// out[i][j] += sum over k < depth (a multiple of kImplicitLanes) of a[i][k] between[k] a[j][k], for j <= i < count:
/// dot products of rows that lie one after the other, `row` floats each.
struct ImplicitDots {
  const float* rows = nullptr;
  std::size_t row = 0;
  const float* between = nullptr;
  std::size_t depth = 0, count = 0;
  float* out = nullptr;
  std::size_t out_row = 0;
};

/// Columns of a panel of add_panels().
inline constexpr std::size_t kImplicitPanel = 32;

struct ImplicitKernels {
  const char* name;
  void (*product)(const ImplicitProduct& product);
  void (*inner)(const ImplicitDots& dots);
  /// out[j] = sum over k < depth of rows[j x row + k] x[k], j < count; depth: a multiple of kImplicitLanes.
  void (*dots)(const float* rows, std::size_t row, std::size_t count, const float* x, std::size_t depth, float* out);
  /// gram[i x size + j] += sum over k < depth of a[k][i] a[k][j], for j <= i at least; `panels`: a in panels of
  /// kImplicitPanel columns, [panel][k][column]. size: a multiple of kImplicitLanes. The sum over k goes in order.
  void (*add_panels)(const float* panels, std::size_t depth, std::size_t size, double* gram);
  /// out[j x row + k] = roots[j] rows[j][k] for k < width, 0 for width <= k < row (a multiple of kImplicitLanes). What
  /// is behind `width` in the rows, up to row, is read.
  void (*fetch)(const float* const* rows, const float* roots, std::size_t count, std::size_t width, std::size_t row,
                float* out);
  /// sum over i < count of a[i] b[i]; count: a multiple of kImplicitLanes.
  float (*dot)(const float* a, const float* b, std::size_t count);
  /// y += factor x.
  void (*add)(float factor, const float* x, float* y, std::size_t count);
};

/// The table of the target that choose_simd chose.
const ImplicitKernels& implicit_kernels();

}  // namespace strads
