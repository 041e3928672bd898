// The arithmetic under factor_rows.hpp, one table of functions per SIMD target. Layer: numerics. Pure, private.
// Spans are pointers here: no inline function of std:: may be compiled for a target. No kernel allocates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strads {

/// Lanes of the widest target: floats of a vector.
inline constexpr std::size_t kFactorLanesMax = 16;

/// Coordinates of a row: `rank` factors, then the bias if it is a variable. They are cut into blocks of `width`.
struct FactorShape {
  std::size_t rank = 0;
  std::size_t coordinates = 0;  ///< rank, or rank + 1 with the bias
  std::size_t width = 0;        ///< [1, coordinates]
  std::size_t stride = 0;       ///< floats of a record, a multiple of 16, > rank
  float mean = 0;
  float relaxation = 1;            ///< RowProblem::relaxation
  const float* weights = nullptr;  ///< `coordinates` penalty weights

  [[nodiscard]] bool bias() const { return coordinates > rank; }
};

/// Ratings side by side: lane l of group t is rating t x split + l mod split of row l / split. So a vector holds
/// lanes / split rows. Behind the end of a row the records are zeros.
struct FactorPanel {
  std::size_t groups = 0;
  std::size_t split = 1;                  ///< lanes that share a row: a power of two
  const float* const* records = nullptr;  ///< groups x lanes
  float* residual = nullptr;              ///< groups x lanes: values when it comes, residuals afterwards
  const float* const* starts = nullptr;   ///< lanes: records of the rows before (zeros where there is no row)
  float* const* results = nullptr;        ///< lanes: where records go afterwards
  const float* counts = nullptr;          ///< lanes: ratings of the row
  const float* penalties = nullptr;       ///< lanes: lambda n^weighted
  float* factors = nullptr;               ///< work: stride x lanes
  float* coordinates = nullptr;           ///< work: coordinates x groups x lanes, block after block
  float* equations = nullptr;             ///< work: equation_vectors() x lanes
};

/// Records of the panel that comes next: kernels ask for them now and then, so that memory works while they compute.
struct FactorAhead {
  const float* const* records = nullptr;
  std::size_t count = 0;
};

/// Squared errors of a panel.
struct PanelErrors {
  double before = 0, after = 0;
};

/// Vectors of the normal equations of `width` coordinates: the lower triangle of the matrix, then the right side.
[[nodiscard]] constexpr std::size_t equation_vectors(std::size_t width) {
  return width * (width + 1) / 2 + width;
}

/// A coordinate whose pivot is below this share of its diagonal entry does not move: with lambda = 0 and few ratings
/// the rest is rounding.
inline constexpr float kPivotMin = 1e-5F;

struct FactorKernels {
  const char* name;
  std::size_t lanes;

  /// One pass of block coordinate descent over the rows of a panel (update_rows).
  PanelErrors (*update)(const FactorShape& shape, const FactorPanel& panel, FactorAhead ahead);
  /// Adds the panel's ratings to the normal equations of its one row (split = lanes), lane by lane, for the residual
  /// that its start leaves. REQUIRES: width = coordinates. Returns the sum of the squared residuals.
  double (*add_equations)(const FactorShape& shape, const FactorPanel& panel, FactorAhead ahead);
  /// out[i] = sum over the lanes of equations[i], in double.
  void (*sum_lanes)(const float* equations, std::size_t count, double* out);
  /// out[i] = sum over k < stride of left[i][k] right[i][k]
  void (*dots)(const float* const* left, const float* const* right, std::size_t count, std::size_t stride, float* out);
};

/// The table of the target that choose_simd chose.
const FactorKernels& factor_kernels();

}  // namespace strads
