// The arithmetic of product_screen.cpp, one table of functions per SIMD target. Layer: numerics. Pure, private.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strads {

/// A strip of rows with a panel of columns, as strads/numerics/product_screen.hpp has them. All pointers are to
/// kStripRows or kPanelColumns floats, or to `depth` times as many.
struct ScreenTask {
  const float* rows;
  const float* columns;
  std::size_t depth;
  const float* bases;
  const float* slacks;
  const float* least;
  const float* biases;
  const float* lengths;
  std::uint32_t* large;
  float* products;  ///< kStripRows x kPanelColumns
};

struct ScreenKernels {
  const char* name;
  /// Returns the bits of all rows together.
  std::uint32_t (*screen)(const ScreenTask& task);
};

/// The table of the target that choose_simd chose.
const ScreenKernels& screen_kernels();

}  // namespace strads
