// The arithmetic of sgd_cell (strads/numerics/factorization.hpp), one table of functions per SIMD target. Layer:
// numerics. Pure, private. Spans are pointers here: no inline function of std:: may be compiled for a target.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strads {

/// CellRatings and SgdProblem as pointers. `codes` or `values` is null; so may the multipliers be, then they are 1.
struct SgdCell {
  const std::uint32_t* rows;
  const std::uint32_t* columns;
  const std::uint16_t* narrow_rows;  ///< not null: in place of those above
  const std::uint16_t* narrow_columns;
  const std::uint8_t* codes;
  const float* levels;
  const float* values;
  std::size_t ratings;
  std::size_t stride;  ///< floats of a record, a multiple of 16
  float mean, rate;
  float lambda_row, lambda_column;
  const float* row_multipliers;
  const float* column_multipliers;
  /// Of a record's last four floats (bias and its accumulator, slow, fast): what a squared gradient adds to them, and
  /// 1 where steps are taken, else 0.
  float shares[4];
  float steps[4];
};

struct SgdKernels {
  const char* name;
  double (*pass)(const SgdCell& cell, float* row_page, float* column_page);
};

}  // namespace strads
