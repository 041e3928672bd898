// The arithmetic of ccd and sgd (strads/numerics/factorization.hpp), one table of functions per SIMD target. Layer:
// numerics. Pure, private. Spans are pointers here: no inline function of std:: may be compiled for a target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strads/numerics/factorization.hpp"

namespace strads {

/// RatingRows as pointers. `codes` or `values` is null.
struct FeatureRows {
  const std::uint64_t* begins;
  std::size_t rows;
  const std::uint32_t* slots;
  const std::uint8_t* codes;
  const float* levels;
  const float* values;
};

/// Sums over the ratings of one row: h is the feature of the other side, r^ the residual without this feature.
struct FeatureSums {
  double target;   ///< sum r^ h
  double squares;  ///< sum h^2
  double without;  ///< sum r^2 of r^
  double before;   ///< sum of squared residuals
};

/// A null pointer in place of a feature is the constant 1.
struct FeatureKernels {
  const char* name;
  void (*start)(const FeatureRows& rows, const float* const* row_features, const FactorPages* column_features,
                std::size_t features, float mean, float* residual);
  void (*move)(const FeatureRows& rows, const float* old_row, const float* new_row, const FactorPages& old_column,
               const FactorPages& new_column, float* residual);
  /// Of one row with `count` ratings.
  void (*sums)(const std::uint32_t* slots, std::size_t count, float old_row, const FactorPages& old_column,
               const FactorPages& h, const float* residual, FeatureSums& sums);
};

}  // namespace strads
